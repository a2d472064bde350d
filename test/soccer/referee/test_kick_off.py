from __future__ import annotations

import pytest

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side


def test_without_players_nobody_touches_the_ball(pitch):
    field = pitch()
    field.kick(3, 2)
    field.cycle(times=3)
    assert field.ball == pytest.approx((3, 2))
    assert not field.decisions


def test_before_the_kick_off_ball_and_players_are_put_where_they_belong(pitch):
    field = pitch()
    inside = field.player(Side.LEFT, 1, -1.0, 1.0)
    outside = field.player(Side.LEFT, 2, 0.0, 3.0)
    other = field.player(Side.RIGHT, 1, -4.0, -3.0)
    field.kick(3, 2)
    field.cycle()
    assert field.ball == pytest.approx((0, 0))
    assert field.spot(inside) == pytest.approx((-1, 1))
    assert field.spot(outside) == pytest.approx((-2.5, 3))
    assert field.spot(other) == pytest.approx((2.5, -3))
    moved = field.decisions[0]
    assert moved.kind == "player_moved" and moved.rule == "before_kick_off"
    assert moved.evidence["depth_m"] > 0
    count = len(field.decisions)
    field.cycle(times=5)
    assert len(field.decisions) == count


def test_at_a_kick_off_opponents_leave_half_and_circle_and_the_kickers_only_the_half(pitch):
    field = pitch()
    near = field.player(Side.RIGHT, 1, 1.0, 0.0)
    kicker = field.player(Side.LEFT, 1, -0.3, 0.0)
    in_circle = field.player(Side.LEFT, 2, 1.0, 0.5)
    beyond = field.player(Side.LEFT, 3, 4.0, 4.0)
    field.referee.kick_off(Side.LEFT)
    field.cycle()
    assert field.spot(near) == pytest.approx((2.5, 0))
    assert field.spot(kicker) == pytest.approx((-0.3, 0))
    assert field.spot(in_circle) == pytest.approx((1.0, 0.5))
    assert field.spot(beyond) == pytest.approx((-2.5, 4))


@pytest.mark.parametrize("toucher", [Side.LEFT, Side.RIGHT])
def test_the_first_touch_by_anybody_begins_play(pitch, toucher):
    field = pitch()
    robots = {side: field.player(side, 1, -side.sign * 3.0, 0.0) for side in Side}
    field.referee.kick_off(Side.LEFT)
    field.cycle(times=5)
    assert field.mode is PlayMode.KICK_OFF_LEFT
    field.cycle(robots[toucher])
    assert field.mode is PlayMode.PLAY_ON
    assert field.decisions[-1].kind == "play_on" and field.decisions[-1].side is toucher


def test_a_kick_off_that_nobody_takes_is_dropped_after_fifteen_seconds(pitch):
    field = pitch()
    field.player(Side.LEFT, 1, -3.0, 0.0)
    field.referee.kick_off(Side.LEFT)
    field.wait(14.98)
    assert field.mode is PlayMode.KICK_OFF_LEFT
    field.cycle()
    assert field.mode is PlayMode.PLAY_ON
    assert field.kinds[-1] == "drop_ball"


def test_an_automatic_kick_off_waits_from_when_there_are_players(pitch):
    field = pitch("game.automatic_kick_off=true", "game.wait_before_kick_off=2")
    field.wait(5)
    assert field.mode is PlayMode.BEFORE_KICK_OFF
    field.player(Side.RIGHT, 1, 3.0, 0.0)
    field.wait(1.98)
    assert field.mode is PlayMode.BEFORE_KICK_OFF
    field.cycle()
    assert field.mode is PlayMode.KICK_OFF_LEFT


def test_a_coin_decides_over_the_first_kick_off_where_the_rules_say_so(play):
    firsts = set()
    for seed in range(6):
        played = play(seed=seed, changes=("rules.game.coin_toss=true",))
        played.referee.kick_off(None)
        firsts.add(played.world.game.play_mode)
    # Six fair tosses are all alike for one seed in 32; the seeds are fixed.
    assert firsts == {PlayMode.KICK_OFF_LEFT, PlayMode.KICK_OFF_RIGHT}

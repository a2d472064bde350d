from __future__ import annotations

import pytest

from simspark_ros.soccer.game_state import PassRequest, PlayMode
from simspark_ros.soccer.teams import Side


@pytest.fixture
def field(pitch):
    """Left 1 stands at a resting ball in open play, left 2 and right 1 and 2 are far."""
    made = pitch()
    made.left = made.player(Side.LEFT, 1, -0.4, 0.0)
    made.mate = made.player(Side.LEFT, 2, -5.0, -5.0)
    made.right = made.player(Side.RIGHT, 1, 5.0, 5.0)
    made.other = made.player(Side.RIGHT, 2, 5.0, -5.0)
    made.kick(0, 0)
    made.open_play()
    return made


def ask(field, robot=None):
    robot = robot or field.left
    field.game.pass_requests[robot.side] = PassRequest(robot.handle, field.world.cycle)
    field.cycle()


def test_a_request_is_granted_with_its_evidence(field):
    ask(field)
    assert field.mode is PlayMode.PASS_LEFT
    decision = field.decisions[-1]
    assert (decision.kind, decision.side, decision.unum) == ("pass_mode", Side.LEFT, 1)
    assert decision.evidence["distance_m"] == pytest.approx(0.4)
    assert decision.evidence["opponent_distance_m"] == pytest.approx(50**0.5)


def test_a_request_is_refused_when_something_is_not_as_it_has_to_be(field):
    field.put(field.left, -0.51, 0.0)
    ask(field)
    field.put(field.left, -0.4, 0.0)
    field.put(field.right, 0.99, 0.0)
    ask(field)
    field.put(field.right, 5.0, 5.0)
    field.kick(0, 0, (0.06, 0.0, 0.0))
    ask(field)
    field.kick(0, 0)
    field.game.pass_requests[Side.LEFT] = PassRequest(field.left.handle, 0)
    field.cycle(field.mate)
    assert field.mode is PlayMode.PLAY_ON and not field.kinds
    ask(field)
    assert field.mode is PlayMode.PASS_LEFT


def test_opponents_are_pushed_away_and_a_touch_ends_it(field):
    ask(field)
    field.put(field.right, 0.9, 0.0)
    field.put(field.other, 0.0, 1.05)
    field.cycle()
    assert field.spot(field.right) == pytest.approx((1.1, 0))
    assert field.spot(field.other) == pytest.approx((0, 1.05))
    field.cycle(field.right)
    assert field.mode is PlayMode.PLAY_ON
    assert field.game.score_wait == {Side.LEFT: 10.0}

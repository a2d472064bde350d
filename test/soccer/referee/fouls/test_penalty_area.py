import pytest

from simspark_ros.soccer.game_state import FoulKind, PlayMode
from simspark_ros.soccer.referee.fouls import FOULS
from simspark_ros.soccer.referee.fouls.kick_off import KickOffFoul
from simspark_ros.soccer.referee.fouls.penalty_area import IllegalAttack, IllegalDefence
from simspark_ros.soccer.referee.rulebook import load_rule_book
from simspark_ros.soccer.teams import Side

INSIDE = [(-14.5, 0.0), (-14.0, 1.5), (-14.0, -1.5), (-13.8, 0.5)]


def defenders(pitch, side=Side.LEFT, **numbers):
    """A pitch with four defenders in front of the penalty area of a side."""
    made = pitch(IllegalDefence(), illegal_defence=numbers)
    made.team = [made.add(side, unum, -12.0 * side.sign, 2.0 * i - 3.0) for i, unum in enumerate((1, 2, 3, 4))]
    made.apply()
    return made


def enter(pitch, *robots):
    for robot in robots:
        x, y = INSIDE[pitch.team.index(robot)]
        pitch.put(robot, x * robot.side.sign, y)


@pytest.mark.parametrize("side", Side)
def test_three_may_defend_and_the_fourth_who_enters_has_to_leave(pitch, side):
    pitch = defenders(pitch, side)
    enter(pitch, *pitch.team[:3])
    assert not pitch.apply()
    enter(pitch, pitch.team[3])
    (foul,) = pitch.apply()
    assert (foul.kind, foul.side, foul.unum) == ("illegal_defence", side, 4)
    assert foul.evidence["players"] == 4 and foul.evidence["limit_players"] == 3 and foul.evidence["just_entered"] == 1
    assert foul.evidence["goal_distance_m"] == pytest.approx(1.3, abs=0.01)
    # 0.6 m behind the front, so that is the nearest edge
    assert pitch.place(pitch.team[3])[:2] == pytest.approx((-12.8 * side.sign, 0.5)) and not pitch.apply()


def test_a_goalkeeper_is_never_blamed(pitch):
    pitch = defenders(pitch, max_players=0)
    enter(pitch, *pitch.team)
    assert sorted(foul.unum for foul in pitch.apply()) == [2, 3, 4]
    assert pitch.place(pitch.team[0])[:2] == pytest.approx(INSIDE[0])


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        *(((-14.5, 2.9), (-14.5, 3.4)), ((-14.5, -2.8), (-14.5, -3.4))),
        *(((-13.3, 1.0), (-12.8, 1.0)), ((-14.6, 2.2), (-15.4, 2.2))),
        # nearest to the goal line and in front of the goal: behind the line, beside the goal
        *(((-14.95, 0.3), (-15.4, 1.45)), ((-14.95, -0.3), (-15.4, -1.45))),
        # beyond the goal line is not in the area
        *(((-15.3, 2.3), (-15.3, 2.3)), ((-15.3, -0.4), (-15.3, -0.4))),
    ],
)
def test_who_has_to_leave_is_put_beyond_the_nearest_edge_but_never_into_the_goal(pitch, place, expected):
    pitch = defenders(pitch, max_players=0)
    pitch.put(pitch.team[1], *place)
    pitch.apply()
    assert pitch.place(pitch.team[1])[:2] == pytest.approx(expected)


def test_attackers_and_those_just_outside_do_not_count(pitch):
    pitch = defenders(pitch)
    enter(pitch, *pitch.team[:3])
    pitch.add(Side.RIGHT, 9, -14.2, 2.5)
    pitch.put(pitch.team[3], -13.19, 0.5)
    assert not pitch.apply()
    pitch.put(pitch.team[3], -13.21, 0.5)
    assert pitch.apply()


LEFT, RIGHT = Side.LEFT, Side.RIGHT


def test_the_middle_size_league_of_2003_has_no_fouls():
    order = load_rule_book("msl").order
    assert not any(order[rule.name] for rule in FOULS)


def attackers(pitch, **numbers):
    made = pitch(IllegalAttack(), illegal_attack={"max_time": 1.0, **numbers})
    made.first = made.add(LEFT, 9, 14.0, 0.0)
    made.apply(0.1)
    made.second = made.add(LEFT, 10, 13.9, 1.5)
    return made


def test_the_last_of_too_many_attackers_is_moved_out_after_a_while(pitch):
    assert not attackers(pitch, max_players=2).apply(1.5)
    pitch = attackers(pitch)
    assert not pitch.apply(1.02)
    (foul,) = pitch.apply()
    assert (foul.kind, foul.side, foul.unum) == ("illegal_attack", LEFT, 10)
    assert foul.evidence == pytest.approx({"players": 2, "limit_players": 1, "lasted_s": 1.02, "limit_s": 1.0})
    assert pitch.game.fouls[-1].kind is FoulKind.ILLEGAL_ATTACK
    assert pitch.place(pitch.second)[:2] == pytest.approx((12.8, 1.5))


def test_time_of_too_many_attackers_begins_again_when_one_leaves_and_while_the_game_is_paused(pitch):
    pitch = attackers(pitch)
    pitch.apply(0.9)
    pitch.put(pitch.second, 12.0, 1.5)
    pitch.apply()
    pitch.put(pitch.second, 13.9, 1.5)
    assert not pitch.apply(0.9)
    pitch.mode = PlayMode.GOAL_LEFT
    pitch.apply()
    pitch.mode = PlayMode.PLAY_ON
    assert not pitch.apply(1.02) and pitch.apply()


def kick_off(pitch):
    made = pitch(KickOffFoul())
    made.mode = PlayMode.KICK_OFF_LEFT
    return made


@pytest.mark.parametrize(
    ("side", "x", "y", "fouls"),
    [
        *((LEFT, 0.5, 0.5, 0), (LEFT, 0.5, 2.5, 1), (LEFT, -0.5, 2.5, 0)),
        *((RIGHT, 1.0, 0.5, 1), (RIGHT, 2.1, 0.5, 0), (RIGHT, -0.1, 5.0, 1)),
    ],
)
def test_who_leaves_its_half_or_enters_the_circle_is_reported_once(pitch, side, x, y, fouls):
    pitch = kick_off(pitch)
    robot = pitch.add(side, 5, -3.0 * side.sign, 3.0)
    assert not pitch.apply(1.0)
    pitch.put(robot, x, y)
    found = pitch.apply(0.04)
    assert [foul.kind for foul in found] == ["kick_off"] * fouls
    if found:
        assert found[0].evidence["centre_distance_m"] == pytest.approx((x * x + y * y) ** 0.5)
        assert pitch.game.fouls[-1].kind is FoulKind.KICK_OFF


def test_there_is_time_to_be_moved_first_and_after_the_touch_all_are_free(pitch):
    pitch = kick_off(pitch)
    robot = pitch.add(RIGHT, 5, 1.0, 0.5)
    assert not pitch.apply(0.9)
    pitch.ball(0.0, 0.0, robot)
    assert not pitch.apply(0.5)
    pitch.mode = PlayMode.PLAY_ON
    assert not pitch.apply(0.5)

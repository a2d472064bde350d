import pytest

from simspark_ros.soccer.referee.fouls.penalty_area import IllegalDefence
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
    assert pitch.place(pitch.team[3])[:2] == pytest.approx((-12.8 * side.sign, 0.5))
    assert not pitch.apply()


def test_a_goalkeeper_is_never_blamed(pitch):
    pitch = defenders(pitch, max_players=0)
    enter(pitch, *pitch.team)
    assert sorted(foul.unum for foul in pitch.apply()) == [2, 3, 4]
    assert pitch.place(pitch.team[0])[:2] == pytest.approx(INSIDE[0])


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ((-14.5, 2.9), (-14.5, 3.4)),
        ((-14.5, -2.8), (-14.5, -3.4)),
        ((-13.3, 1.0), (-12.8, 1.0)),
        ((-14.6, 2.2), (-15.4, 2.2)),
        # nearest to the goal line and in front of the goal: behind the line, beside the goal
        ((-14.95, 0.3), (-15.4, 1.45)),
        ((-14.95, -0.3), (-15.4, -1.45)),
        # beyond the goal line is not in the area
        ((-15.3, 2.3), (-15.3, 2.3)),
        ((-15.3, -0.4), (-15.3, -0.4)),
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

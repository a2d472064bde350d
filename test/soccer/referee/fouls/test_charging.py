from __future__ import annotations

import pytest

from simspark_ros.soccer.referee.fouls.charging import Charging
from simspark_ros.soccer.teams import Side

LEFT, RIGHT = Side.LEFT, Side.RIGHT


def clash(pitch, *, ball=(0.0, 5.0), speed=0.6, unum=2, at=0.0, **numbers):
    """Left runs along +x into right, which stands 0.3 m in front of it; at: where right stands."""
    made = pitch(Charging(), charging=numbers)
    made.ball(*ball)
    made.left, made.right = made.add(LEFT, unum, at - 0.3, 0.0), made.add(RIGHT, 3, at, 0.0)
    made.move(made.left, speed, 0.0)
    made.touch((made.left, made.right))
    return made


def test_who_runs_into_an_opponent_is_beamed_out_and_reported_with_everything_measured(pitch):
    pitch = clash(pitch)
    (foul,) = pitch.apply()
    assert (foul.kind, foul.side, foul.unum) == ("charging", LEFT, 2)
    assert foul.evidence == pytest.approx(
        {
            "speed_m_s": 0.6,
            "closing_speed_m_s": 0.6,
            "ball_distance_m": (0.3**2 + 5.0**2) ** 0.5,
            "ball_angle_deg": 86.57,
            "opponent_angle_deg": 0.0,
            "contact_ball_distance_m": (0.15**2 + 5.0**2) ** 0.5,
            "opponent_unum": 3,
        },
        rel=1e-3,
    )
    assert pitch.match.repositioning.is_out(pitch.left.handle)
    assert not pitch.apply()


@pytest.mark.parametrize(("cycles", "speed"), [(1, None), (2, 0.4667), (3, 0.7)])
def test_the_speed_is_the_mean_of_three_cycles(pitch, cycles, speed):
    pitch = clash(pitch, speed=0.0)
    pitch.touch()
    pitch.apply(0.1)
    pitch.move(pitch.left, 0.7, 0.0)
    for _ in range(cycles - 1):
        pitch.apply()
    pitch.touch((pitch.left, pitch.right))
    # After one cycle it is 0.23 m/s.
    speeds = [foul.evidence["speed_m_s"] for foul in pitch.apply()]
    assert speeds == ([] if speed is None else [pytest.approx(speed, abs=1e-3)])


@pytest.mark.parametrize(("since", "fouls"), [(0.18, 0), (0.2, 1)])
def test_for_a_while_after_a_contact_without_charging_there_is_none(pitch, since, fouls):
    pitch = clash(pitch, speed=0.0)
    pitch.apply()
    pitch.touch()
    pitch.move(pitch.left, 0.6, 0.0)
    pitch.apply(since - 0.02)
    pitch.touch((pitch.left, pitch.right))
    assert len(pitch.apply()) == fouls


def test_a_contact_in_which_both_charge_does_not_put_off_the_next_foul(pitch):
    pitch = clash(pitch)
    pitch.move(pitch.right, -0.6, 0.0)
    assert not pitch.apply(0.1)
    pitch.touch()
    pitch.move(pitch.right, 0.0, 0.0)
    pitch.apply(0.06)
    pitch.touch((pitch.left, pitch.right))
    assert [foul.side for foul in pitch.apply()] == [LEFT]


def test_players_of_one_team_do_not_charge_each_other(pitch):
    pitch = clash(pitch)
    pitch.right.side, pitch.right.unum = LEFT, 7
    pitch.world.revision += 1
    assert not pitch.apply(0.2)


@pytest.mark.parametrize("who", ["left", "right"])
def test_both_have_to_stand(pitch, who):
    pitch = clash(pitch)
    robot = getattr(pitch, who)
    x, y, _ = pitch.place(robot)
    pitch.put(robot, x, y, 0.24)
    pitch.move(pitch.left, 0.6, 0.0)
    assert not pitch.apply(0.1)
    # It gets up, and takes part half a second later.
    pitch.put(robot, x, y)
    pitch.move(pitch.left, 0.6, 0.0)
    assert not pitch.apply(0.48)
    assert pitch.apply()


@pytest.mark.parametrize("who", ["left", "right"])
def test_who_was_moved_in_the_last_second_is_not_involved(pitch, who):
    pitch = clash(pitch)
    pitch.match.repositioning.note_move(getattr(pitch, who).handle)
    assert not pitch.apply(0.98)
    assert pitch.apply(0.04)


def test_near_the_ball_a_charger_runs_more_toward_the_opponent_than_toward_the_ball(pitch):
    # 40 degrees to the left, the ball 35 degrees to the left of that: the opponent is farther off than the ball
    pitch = clash(pitch, ball=(-0.1, 0.7), min_delta_distance=9.0)
    pitch.move(pitch.left, 0.6 * 0.766, 0.6 * 0.643)
    assert not pitch.apply(0.2)


def test_of_two_after_the_ball_the_one_behind_charges_one_who_just_stands(pitch):
    (foul,) = clash(pitch, ball=(0.9, 0.0)).apply(0.2)
    assert (foul.side, foul.unum) == (LEFT, 2) and foul.evidence["ball_angle_deg"] == pytest.approx(0)


def test_of_two_after_the_ball_who_are_as_near_to_it_neither_charges(pitch):
    # 0.29 and 0.30 m from the ball on both sides of the line between them
    pitch = clash(pitch, ball=(-0.15, 0.25), min_ball_collision_distance=0.0)
    pitch.move(pitch.left, 0.36, 0.48)
    assert not pitch.apply(0.2)


@pytest.mark.parametrize(
    ("at", "unum", "fouls"), [(-13.5, 1, 0), (-12.8, 1, 1), (-13.5, 2, 1), (-15.2, 1, 0), (13.5, 1, 1)]
)
def test_a_goalkeeper_in_or_behind_its_own_area_is_not_blamed(pitch, at, unum, fouls):
    assert len(clash(pitch, at=at, unum=unum).apply(0.2)) == fouls


def test_immunity_is_passed_on_to_the_victim(pitch):
    pitch = clash(pitch)
    pitch.ball(0.0, 5.0, pitch.left)
    pitch.apply()
    pitch.ball(0.0, 5.0)
    pitch.apply(0.22)
    # pushed back, the victim now runs into the charger
    pitch.move(pitch.left, 0.0, 0.0)
    pitch.move(pitch.right, -0.6, 0.0)
    assert not pitch.apply(0.7)
    assert [foul.side for foul in pitch.apply(0.1)] == [RIGHT]


def test_velocities_of_other_robots_are_not_mixed_in_when_one_leaves(pitch):
    pitch = clash(pitch, speed=0.0)
    pitch.apply(0.2)
    first = pitch.add(LEFT, 9, 5.0, 5.0)
    pitch.move(first, 9.0, 0.0)
    pitch.touch((pitch.left, pitch.right))
    pitch.apply(0.06)
    pitch.world.remove_robot(pitch.left)
    pitch.touch((pitch.right, first))
    assert not pitch.apply()

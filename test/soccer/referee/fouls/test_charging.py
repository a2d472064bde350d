import math

import pytest

from simspark_ros.soccer.referee.fouls.charging import Charging
from simspark_ros.soccer.teams import Side

LEFT, RIGHT = Side.LEFT, Side.RIGHT


def clash(pitch, *, ball=(0.0, 5.0), speed=0.6, unum=2, at=0.0, **numbers):
    """Left runs along +x into right, which stands 0.3 m in front of it; at: right's place, x."""
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
    expected = {"speed_m_s": 0.6, "closing_speed_m_s": 0.6, "ball_angle_deg": 86.57, "opponent_angle_deg": 0.0}
    expected |= {"ball_distance_m": math.hypot(0.3, 5.0), "contact_ball_distance_m": math.hypot(0.15, 5.0)}
    assert foul.evidence == pytest.approx({**expected, "opponent_unum": 3}, rel=1e-3)
    assert pitch.match.repositioning.is_out(pitch.left.handle) and not pitch.apply()


def test_for_a_while_after_a_contact_in_which_both_charge_or_right_at_the_ball_there_is_no_foul(pitch):
    one = clash(pitch)
    one.move(one.right, -0.6, 0.0)
    assert not one.apply(0.1)
    one.touch()
    one.move(one.right, 0.0, 0.0)
    one.apply(0.06)
    one.touch((one.left, one.right))
    assert not one.apply(0.14) and [foul.side for foul in one.apply()] == [LEFT]
    pitch = clash(pitch, ball=(-0.15, 0.05), min_ball_angle_deg=0.0)
    assert not pitch.apply(0.1)
    pitch.ball(0.0, 5.0)
    assert not pitch.apply(0.2) and pitch.apply()


def test_a_calm_contact_with_another_opponent_counts_and_is_passed_on_to_the_victim(pitch):
    pitch = clash(pitch, speed=0.0)
    pitch.touch((pitch.left, pitch.add(RIGHT, 4, -0.3, 0.3)))
    assert not pitch.apply(0.06)
    pitch.move(pitch.left, 0.6, 0.0)
    pitch.touch()
    pitch.apply(0.04)
    pitch.touch((pitch.left, pitch.right))
    assert not pitch.apply()
    # pushed back, the victim now runs into the charger
    pitch.move(pitch.left, 0.0, 0.0)
    pitch.move(pitch.right, -0.9, 0.0)
    pitch.touch()
    pitch.apply(0.04)
    pitch.touch((pitch.left, pitch.right))
    assert not pitch.apply(0.1) and [foul.side for foul in pitch.apply()] == [RIGHT]


def test_players_of_one_team_do_not_charge_each_other_nor_near_the_ball_who_is_run_past(pitch):
    one = clash(pitch)
    one.right.side, one.right.unum = LEFT, 7
    one.world.revision += 1
    assert not one.apply(0.2)
    # Left passes at 80 degrees, too little of it toward right; right is behind and runs for the ball.
    pitch = clash(pitch, ball=(-0.6, 0.0))
    pitch.move(pitch.left, 0.1, 0.6)
    pitch.move(pitch.right, -0.6, 0.0)
    assert not pitch.apply(0.1)


@pytest.mark.parametrize("who", ["left", "right"])
def test_who_was_moved_in_the_last_second_is_not_involved(pitch, who):
    pitch = clash(pitch)
    pitch.match.repositioning.note_move(getattr(pitch, who).handle)
    assert not pitch.apply(0.98) and pitch.apply(0.04)


@pytest.mark.parametrize(
    ("at", "unum", "fouls"), [(-13.5, 1, 0), (-12.8, 1, 1), (-13.5, 2, 1), (-15.2, 1, 0), (13.5, 1, 1)]
)
def test_a_goalkeeper_in_or_behind_its_own_area_is_not_blamed(pitch, at, unum, fouls):
    assert len(clash(pitch, at=at, unum=unum).apply(0.2)) == fouls


def test_of_two_after_the_ball_the_directions_count_whoever_runs_more_toward_the_opponent(pitch):
    # Both run for the ball: left, 6 cm farther from it, at 85 degrees to its opponent, right at 65.
    pitch = clash(pitch, ball=(-0.05, 0.5), min_collision_speed=0.0)
    pitch.move(pitch.left, 0.052, 0.598)
    pitch.move(pitch.right, -0.254, 0.544)
    assert [foul.side for foul in pitch.apply(0.1)] == [LEFT]


def test_the_victim_of_a_goalkeeper_at_home_is_not_blamed_for_a_second_and_immunity_is_passed_on(pitch):
    one = clash(pitch, at=-13.5, unum=1)
    assert not one.apply()
    one.touch()
    one.move(one.left, 0.0, 0.0)
    one.move(one.right, -0.6, 0.0)
    one.apply(0.5)
    one.touch((one.left, one.right))
    assert not one.apply(0.46) and [foul.side for foul in one.apply(0.06)] == [RIGHT]
    pitch = clash(pitch)
    pitch.ball(0.0, 5.0, pitch.left)
    pitch.apply()
    pitch.ball(0.0, 5.0)
    pitch.apply(0.22)
    # pushed back, the victim now runs into the charger
    pitch.move(pitch.left, 0.0, 0.0)
    pitch.move(pitch.right, -0.6, 0.0)
    assert not pitch.apply(0.7) and [foul.side for foul in pitch.apply(0.1)] == [RIGHT]


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


@pytest.mark.parametrize(("cycle", "cycles"), [(0.02, 3), (0.012, 5)])
def test_speed_is_the_mean_over_six_hundredths_of_a_second_whatever_the_cycle(pitch, cycle, cycles):
    pitch = clash(pitch, speed=0.0)
    pitch.engine.cycle_time = cycle
    pitch.touch()
    for _ in range(10):
        pitch.apply()
    pitch.move(pitch.left, 2.0, 0.0)
    pitch.apply()
    pitch.touch((pitch.left, pitch.right))
    (foul,) = pitch.apply()
    assert foul.evidence["speed_m_s"] == pytest.approx(2.0 * 2 / cycles)

"""The MuJoCo engine against recordings of rcssserver3d 0.7.3 (see test/data/golden/README.md)."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("mujoco", reason="install the extra 'mujoco'")

from test.physics.recordings import (
    BALL_AT_REST,
    DRAG,
    FEET,
    LARGEST_SPEEDS,
    LOB_TOPS,
    OBSTACLES,
    REBOUNDS,
    REST_HEIGHT,
    ROLLS,
    STEP,
    STOPS,
    TURNS,
    acceleration,
    after_the_net,
    apexes,
    drag_in_fall,
    drop,
    largest_speeds,
    rebounds,
    recorded_feet,
    roll,
    roll_into_goal,
    shoot,
    stand,
    steps_of,
    turn,
)


@pytest.fixture
def engine_name() -> str:
    return "mujoco"


@pytest.mark.parametrize("variant", REST_HEIGHT)
def test_stands_at_the_height_of_the_reference(lab, variant):
    stand(lab, variant)
    # ODE's contacts and these are equally soft; 0.1 mm is what MuJoCo's place of contacts and soft motors make.
    assert lab.state.position[0, 2] == pytest.approx(REST_HEIGHT[variant], abs=2e-4)
    assert lab.state.rotation[0, 2, 2] == pytest.approx(1.0, abs=1e-5)
    landed = lab.state.position[0].copy()
    lab.run(50)
    # The robot must not creep; 0.01 mm a second.
    assert lab.state.position[0] == pytest.approx(landed, abs=1e-5)


@pytest.mark.parametrize("variant", FEET)
def test_feet_feel_what_they_felt_on_the_reference(lab, golden, variant):
    points, forces = recorded_feet(golden, variant)
    stand(lab, variant)
    assert lab.state.touching.all()
    # Printed with two decimals; the centre of pressure follows the soft motors by a few millimetres.
    assert lab.state.touch_point == pytest.approx(points, abs=0.01)
    # 0.1 % of the weight.
    assert lab.state.touch_force == pytest.approx(forces, abs=0.025)


def test_toes_carry_their_part_of_the_weight(lab):
    stand(lab, 4)
    model = lab.state.models[0]
    assert lab.state.touching.tolist() == [True] * 4
    # Drag is zero at rest, so the ground carries exactly the weight.
    assert lab.state.touch_force[:, 2].sum() == pytest.approx(model.mass * 9.81, rel=1e-4)
    toes = [name.endswith("toe") for name in model.touch_links]
    assert lab.state.touch_force[toes, 2].min() > 1.0


def test_accelerometer_and_gyroscope_at_rest(lab, golden):
    stand(lab, 1)
    # The printed two decimals of the recording.
    assert acceleration(lab) == pytest.approx(golden("rest")["type1"]["accelerometer"], abs=0.005)
    assert np.degrees(lab.state.angular_velocity[0]) == pytest.approx([0, 0, 0], abs=0.005)


def test_accelerometer_in_free_fall(lab):
    lab.nao(z=3.0)
    lab.run(4)
    # Nothing but drag, 0.039 m/s2 here. Drag pitches the robot, as light parts feel it most and motors hold them:
    # measured 0.0006 backward, as on ODE.
    drag = drag_in_fall(lab)
    assert acceleration(lab) == pytest.approx(drag, abs=0.001)


def test_lies_still_after_a_fall(lab):
    lab.nao(z=3.0)
    lab.run(200)
    # Two decimals, as printed.
    assert acceleration(lab) == pytest.approx([0.0, 0.0, 9.81], abs=0.005)
    assert np.degrees(lab.state.angular_velocity[0]) == pytest.approx([0, 0, 0], abs=0.005)


@pytest.mark.parametrize(("entry", "joint", "speed"), TURNS)
def test_joint_follows_its_command_from_the_first_cycle(lab, golden, entry, joint, speed):
    stand(lab)
    ours, theirs = turn(lab, golden, entry, joint, speed)
    # Printed with two decimals. 0.2 %: ODE turns a body by 2 atan(w h / 2) a step, 0.13 % less at the largest speed;
    # braking from it takes 0.02 degrees, as the motor aims ahead by its effort before.
    assert ours == pytest.approx(theirs, abs=0.01, rel=0.002 if speed > 6 else 0.0)


def test_largest_speed_is_that_of_the_joint(lab):
    # Measured 0.003 %: what a loaded motor still lags.
    assert largest_speeds(lab) == pytest.approx(LARGEST_SPEEDS, rel=2e-4)


@pytest.mark.parametrize(("name", "speed", "stop"), STOPS)
def test_joint_driven_into_its_stop_comes_free_again(lab, name, speed, stop):
    stand(lab)
    angles = lab.turn(name, speed, 80)
    # The reference's stops throw a joint back (he1: 121.38, 115.66, ...), these hold it. Clients ignore commands at or
    # beyond a stop: at rest the joint must be strictly inside, by 0.115 degrees.
    assert abs(angles[-1]) < abs(stop)
    assert angles[-1] == pytest.approx(stop, abs=0.13)
    # It gets there within a step, as on the reference, where he1 reaches 121.38.
    assert np.abs(angles).max() < abs(stop) + np.degrees(abs(speed)) * STEP
    free = lab.turn(name, -1.0 if speed > 0 else 1.0, 5)
    # Five cycles at 1.146 degrees.
    assert abs(free[-1] - angles[-1]) == pytest.approx(5 * 1.146, abs=0.02)


@pytest.mark.parametrize("speed", ROLLS)
def test_ball_rolls_as_far_as_on_the_reference(lab, golden, speed):
    recorded = np.array(golden("ball")[f"ball_roll_v{speed:g}"])[:20]
    path = roll(lab, speed)
    # 0.3 mm farther at any speed: ODE puts a ball that hardly moves to sleep.
    assert path[-1, 0] == pytest.approx(ROLLS[speed], abs=5e-4)
    assert path[-1, 2] == pytest.approx(BALL_AT_REST, abs=1e-4)
    # On the way, four printed digits.
    assert path[steps_of(recorded[:, 0]), 0] == pytest.approx(recorded[:, 1], abs=1e-4)


def test_drop_rebounds_like_the_recording(lab, golden):
    recorded = np.array(golden("ball")["ball_drop_1m"])
    heights = drop(lab)
    # Falling: the same Euler steps and drag, printed with four decimals.
    falling = recorded[recorded[:, 0] <= 0.4]
    assert heights[steps_of(falling[:, 0])] == pytest.approx(falling[:, 1], abs=1e-4)
    # The recording has every second cycle only: 2 mm.
    assert apexes(heights)[:2] == pytest.approx(apexes(recorded[:, 1])[:2], abs=0.003)
    assert heights[-1] == pytest.approx(BALL_AT_REST, abs=1e-4)


def test_rebound_depends_on_where_a_step_catches_the_ball_as_on_the_reference(lab):
    # Four printed digits: a single contact of a ball is the reference's, to rounding.
    assert rebounds(lab) == pytest.approx(list(REBOUNDS.values()), abs=1e-4)


def test_lob_flies_and_rebounds_like_the_recording(lab, golden):
    recorded = np.array(golden("ball")["ball_lob"])
    # ODE's infinite friction holds a ball that leaves the ground, too: at the first row 4 m/s have become 2.94.
    forward = (recorded[1, 1] - recorded[0, 1]) / (2 * STEP) * (1 + 1.5 * DRAG * STEP)
    lab.engine.place_ball((0.0, 0.0, 0.0421), (forward, 0.0, 4.0))
    path = lab.ball_path(100)
    recorded = recorded[recorded[:, 0] < 1.9]
    steps = steps_of(recorded[:, 0])
    # The start is known to 0.1 mm, which four rebounds make 0.4 mm.
    assert path[steps, 2] == pytest.approx(recorded[:, 2], abs=0.001)
    assert apexes(path[:, 2])[:2] == pytest.approx(LOB_TOPS, abs=2e-4)
    # Distance: 3.3 % short, as the recorded ball already spins.
    assert path[steps[-1], 0] - path[2, 0] == pytest.approx(recorded[-1, 1] - recorded[0, 1], rel=0.04)


@pytest.mark.parametrize("name", OBSTACLES)
def test_obstacles_send_the_ball_where_the_reference_did(lab, golden, name):
    recorded = np.array(golden("obstacles")[name])
    path = shoot(lab, recorded)
    # Rows are rounded to 1 mm, which makes 2.5 cm/s of the start's speed: 13 mm after half a second.
    assert path[:9] == pytest.approx(recorded[:9], abs=0.02)
    # The post leaves 4 to 6 % more speed than ODE's friction: 7 cm sideways after two seconds.
    assert path[:, :2] == pytest.approx(recorded[:, :2], abs=0.08)


def test_wall_throws_the_ball_back(lab, golden):
    recorded = np.array(golden("obstacles")["wall"])
    path = shoot(lab, recorded)
    # From the first row in flight over two bounces and off the wall, 5 mm: rounding as above. Until the ball is on the
    # ground again, which a step finds at another depth: 3 cm.
    assert path[:21, 0] == pytest.approx(recorded[:21, 0], abs=0.008)
    assert path[:16, 2] == pytest.approx(recorded[:16, 2], abs=0.004)


def test_net_throws_a_rolling_ball_back(lab, golden):
    ours, theirs = roll_into_goal(lab, golden)
    # Until the net 14 mm: 5 mm before it rolls, and 6 mm of rounding of the first rows (2.5 cm/s for 0.3 s). So a step
    # finds it deeper in the net than the recorded one, and by that it comes back 6 % faster.
    assert ours[:8] == pytest.approx(theirs[:8], abs=0.018)
    assert ours.max() == pytest.approx(theirs.max(), abs=0.018)
    assert ours[12] - ours[10] == pytest.approx(theirs[12] - theirs[10], rel=0.08)


def test_slow_ball_does_not_bounce_from_the_net_but_a_faster_one_does(lab):
    # The reference's minimum bounce velocity of ball and obstacle is the mean of 0.8 and 2.0 m/s. A bounce leaves
    # 0.69 of the speed, drag 0.65 after 8 cycles; ERP pushes a ball out by up to half its depth a step: 0.36 here.
    assert -after_the_net(lab, 1.2) < 0.4 * 1.2
    assert -after_the_net(lab, 1.8) == pytest.approx(0.65 * 1.8, rel=0.03)

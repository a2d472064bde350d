"""The ball on PyBullet against recordings of rcssserver3d 0.7.3 (see test/data/golden/README.md)."""

from __future__ import annotations

import numpy as np
import pytest

from test.physics.recordings import (
    BALL_AT_REST,
    DRAG,
    LOB_TOPS,
    REBOUNDS,
    ROLLS,
    STEP,
    after_the_net,
    apexes,
    drop,
    rebounds,
    roll,
    roll_into_goal,
    shoot,
    steps_of,
)


@pytest.mark.parametrize("speed", ROLLS)
def test_ball_rolls_as_far_as_on_the_reference(lab, golden, speed):
    recorded = np.array(golden("ball")[f"ball_roll_v{speed:g}"])[:20]
    path = roll(lab, speed)
    # 0.6 % short (0.673 v0 instead of 0.677 v0): Bullet's friction has no slip, so the ball rolls at once at 5/7 v0.
    assert path[-1, 0] == pytest.approx(ROLLS[speed], rel=0.01)
    assert path[-1, 2] == pytest.approx(BALL_AT_REST, abs=1e-4)
    # On the way, too, by the same share of the whole distance.
    assert path[steps_of(recorded[:, 0]), 0] == pytest.approx(recorded[:, 1], abs=0.01 * ROLLS[speed])


def test_drop_rebounds_like_the_recording(lab, golden):
    recorded = np.array(golden("ball")["ball_drop_1m"])
    heights = drop(lab)
    # Falling: the same Euler steps and drag, printed with four decimals.
    falling = recorded[recorded[:, 0] <= 0.4]
    assert heights[steps_of(falling[:, 0])] == pytest.approx(falling[:, 1], abs=1e-4)
    # Rebounds; 10 mm: Bullet pushes a deep ball out, ODE throws it out. Sampled every 2nd cycle: 2 mm.
    assert apexes(heights)[:2] == pytest.approx(apexes(recorded[:, 1])[:2], abs=0.012)
    assert heights[-1] == pytest.approx(BALL_AT_REST, abs=1e-4)


def test_rebound_depends_on_where_a_step_catches_the_ball_as_on_the_reference(lab):
    # Measured 5 to 8 mm below: Bullet is told the speed of a rebound for each impact, whatever the depth, where ODE's
    # soft contact makes it. (Left alone, Bullet's rebounds are off by 120 mm.)
    assert rebounds(lab) == pytest.approx(list(REBOUNDS.values()), abs=0.010)


def test_lob_flies_and_rebounds_like_the_recording(lab, golden):
    recorded = np.array(golden("ball")["ball_lob"])
    # ODE's infinite friction holds a ball that leaves the ground, too: at the first row 4 m/s have become 2.94.
    forward = (recorded[1, 1] - recorded[0, 1]) / (2 * STEP) * (1 + 1.5 * DRAG * STEP)
    lab.engine.place_ball((0.0, 0.0, 0.0421), (forward, 0.0, 4.0))
    path = lab.ball_path(100)
    recorded = recorded[recorded[:, 0] < 1.9]
    steps = steps_of(recorded[:, 0])
    # Heights: measured 8 mm until the second rebound, then 27 mm, as the small rebounds fall into other steps (a few
    # mm of depth each). They were 120 mm off before rebounds were corrected for the phase of steps.
    early = recorded[:, 0] < 1.2
    assert path[steps[early], 2] == pytest.approx(recorded[early, 2], abs=0.010)
    assert path[steps, 2] == pytest.approx(recorded[:, 2], abs=0.030)
    assert apexes(path[:, 2])[:2] == pytest.approx(LOB_TOPS, abs=0.008)
    # Distance: 4.9 % short. At an impact Bullet's friction leaves 0.69 of the forward speed (a ball that rolls at
    # once), ODE's slip leaves 0.75; both were measured at the first rebound.
    assert path[steps[-1], 0] - path[2, 0] == pytest.approx(recorded[-1, 1] - recorded[0, 1], rel=0.055)


@pytest.mark.parametrize("name", ["post", "bar"])
def test_obstacles_send_the_ball_where_the_reference_did(lab, golden, name):
    recorded = np.array(golden("obstacles")[name])
    path = shoot(lab, recorded)
    # Until the impact: rounding of rows to 1 mm.
    assert path[:3] == pytest.approx(recorded[:3], abs=0.003)
    # After it: along the ground within 4 cm (one step at the old speed is 15 cm). Heights within 7 cm: ODE's friction
    # brakes the fall in two steps, Bullet's ball leaves the obstacle after one; later the phases of rebounds differ.
    assert path[3:16, :2] == pytest.approx(recorded[3:16, :2], abs=0.045)
    assert path[3:9, 2] == pytest.approx(recorded[3:9, 2], abs=0.07)
    assert path[-1, :2] == pytest.approx(recorded[-1, :2], abs=0.06)


def test_flying_ball_is_thrown_back_by_the_net(lab, golden):
    recorded = np.array(golden("obstacles")["net"])[:13]
    path = shoot(lab, recorded)
    # 5 mm over the bounce itself; heights 20 mm, as the net's friction turns the ball a little differently.
    assert path[:9, 0] == pytest.approx(recorded[:9, 0], abs=0.006)
    assert path[:9, 2] == pytest.approx(recorded[:9, 2], abs=0.02)
    assert path[:, 0].max() < 15.56


def test_wall_throws_the_ball_back(lab, golden):
    # From the last rows before the wall: on the ground Bullet's ball falls 7 cm behind, see above.
    recorded = np.array(golden("obstacles")["wall"])[14:20]
    path = shoot(lab, recorded)
    # Speed after the bounce: 2 %.
    theirs, ours = recorded[4] - recorded[3], path[4] - path[3]
    assert ours[0] == pytest.approx(theirs[0], rel=0.03)
    assert path[:5, 0] == pytest.approx(recorded[:5, 0], abs=0.03)


def test_net_throws_a_rolling_ball_back(lab, golden):
    ours, theirs = roll_into_goal(lab, golden)
    # Until the net 8 mm, which is the rounding of the first rows (2.5 cm/s for 0.3 s). In it as much deeper.
    assert ours[:8] == pytest.approx(theirs[:8], abs=0.012)
    assert ours.max() == pytest.approx(theirs.max(), abs=0.015)
    # Back: 9 % slower, whatever the rounding: what pushes a ball out of the net adds less speed to it than on ODE.
    assert ours[12] - ours[10] == pytest.approx(theirs[12] - theirs[10], rel=0.12)


def test_slow_ball_does_not_bounce_from_the_net_but_a_faster_one_does(lab):
    # The reference's minimum bounce velocity of ball and obstacle is the mean of 0.8 and 2.0 m/s. A bounce leaves
    # 0.69 of the speed, drag 0.65 after 8 cycles. ODE pushes the slow ball out with 0.35 of its speed, Bullet stops it.
    assert after_the_net(lab, 1.2) == pytest.approx(0.0, abs=0.05)
    assert -after_the_net(lab, 1.8) == pytest.approx(0.65 * 1.8, rel=0.03)

"""Legs of `legacy` stand on grounds of their own, as much too high as hinges that came apart put the legs."""

import math

import pybullet
import pytest

from simspark_ros.physics.bullet.engine import BulletEngine
from test.physics.conftest import Lab

# Plates are moved by 0.01 mm at least, and the tremble of standing legs is less.
NEAR = 2e-5


def heights(core: BulletEngine) -> list[float]:
    """Heights of the plates in use at the beginning of the last step, m."""
    assert core._rows.grip._grounds is not None
    return [plate.place[2] for plate in core._rows.grip._grounds._plates.values()]


def bodies(core: BulletEngine) -> int:
    return int(pybullet.getNumBodies(physicsClientId=core._client))


def test_the_ground_of_a_leg_that_came_apart_downward_is_higher(lab):
    handle = lab.nao(z=0.3839)
    lab.run(50)
    core = lab.core
    assert heights(core) == pytest.approx([0.0, 0.0], abs=NEAR)
    foot = core._rows.links.place(core._robots[handle].body, core._robots[handle].links["rfoot"])
    core._rows.links.shifts[foot] = 0.0, 0.0, -0.004
    lab.run(1)
    assert heights(core) == pytest.approx([0.004, 0.0], abs=NEAR)


def test_a_leg_in_the_ground_by_less_than_the_layer_stays_there(lab):
    handle = lab.nao(z=0.3843)
    lab.run(5)
    assert lab.state.position[lab.state.row(handle), 2] == pytest.approx(0.3843, abs=1e-4)


def test_the_ground_of_a_leg_stays_below_corners_that_have_not_reached_it(lab):
    # The toes are 0.6 mm in the ground, the heels 0.3 mm above it.
    lean = 0.006
    lab.engine.place_robot(lab.nao(), (0.0, 0.0, 0.385), (0.0, math.sin(lean / 2.0), 0.0, math.cos(lean / 2.0)))
    lab.run(1)
    assert all(0.0 < height < 0.0003 for height in heights(lab.core))


def test_a_leg_that_has_left_the_ground_by_little_falls_until_it_is_in_it_again(lab):
    lab.nao(z=0.3839)
    lab.run(5)
    lab.engine.set_velocity(0, (0.0, 0.0, 0.3), (0.0, 0.0, 0.0))
    lab.run(1)
    # 1.1 mm above it: Bullet keeps contacts that far.
    assert lab.state.position[0, 2] > 0.3849
    lab.engine.set_velocity(0, (0.0, 0.0, -0.5), (0.0, 0.0, 0.0))
    lab.run(1)
    assert lab.state.linear_velocity[0, 2] == pytest.approx(-0.5 - 9.81 * 0.02, abs=1e-3)


def test_all_corners_within_the_layer_stop(lab):
    # The toes are 0.9 mm in the ground, the heels 0.3 mm.
    lean = 0.0037
    lab.engine.place_robot(lab.nao(), (0.0, 0.0, 0.3845), (0.0, math.sin(lean / 2.0), 0.0, math.cos(lean / 2.0)))
    lab.run(1)
    # The heels give way by ERP times the 0.6 mm that they are higher, on a foot 0.16 m long.
    assert abs(lab.state.angular_velocity[0, 1]) < 0.4 * 0.0006 / 0.02 / 0.16


def foot_speed(lab: Lab, closing: float) -> float:
    """Upward velocity of a foot that really is 4 mm lower, in a step in which its gap closes at that velocity, m/s."""
    handle = lab.nao(x=50.0 * closing, z=0.3839)
    lab.run(50)
    core = lab.core
    foot = core._rows.links.place(core._robots[handle].body, core._robots[handle].links["rfoot"])
    core._rows.links.shifts[foot], core._rows.links.closing[foot] = (0.0, 0.0, -0.004), (0.0, 0.0, closing)
    lab.run(1)
    return float(lab.velocities(handle, "rfoot")[0][0, 2])


def test_the_ground_resists_a_gap_that_closes(lab):
    # The foot also turns about its edge, which changes the velocity of its centre by a fifth.
    assert foot_speed(lab, 0.0) - foot_speed(lab, 0.04) == pytest.approx(0.04, rel=0.25)


def test_plates_stay_with_their_robots_and_are_used_again(lab):
    core = lab.core
    stays, leaves = lab.nao(x=-1.0), lab.nao(x=1.0)
    lab.run(2)
    plates = dict(core._rows.grip._grounds._plates)
    lab.engine.remove_robot(leaves)
    count = bodies(core)
    assert core._rows.grip._grounds._plates == {key: plates[key] for key in list(plates)[:2]}
    lab.nao(x=2.0)
    assert bodies(core) == count
    lab.run(2)
    assert len(heights(core)) == 4 and lab.state.handles[0] == stays

"""Friction on the ground with the preset `legacy`: without bound and without load, as on the classic server."""

import math
from collections.abc import Callable

import numpy as np
import pybullet
import pytest

from simspark_conformance.models import stone
from simspark_ros.physics.bullet.engine import BulletEngine
from simspark_ros.physics.model import ArticulatedModel, Link, SceneModel, Shape, ShapeKind, StaticBox, Vector
from simspark_ros.physics.registry import create_engine
from test.physics.conftest import Lab

STEP, SLIP, MASS = 0.02, 0.005, 1.0
SURFACE = 0.001
"""Depth in the ground at which bodies rest, m: the preset's contact_layer."""


def block(*shapes: Shape) -> ArticulatedModel:
    """A flat body that does not tip over, with a touch sensor."""
    plate = shapes or (Shape(ShapeKind.BOX, (0.4, 0.4, 0.02)),)
    link = Link("plate", MASS, (0.02, 0.0, 0.0, 0.02, 0.0, 0.04), collisions=plate)
    return ArticulatedModel("block", (link,), (), touch_links=("plate",))


def slide(lab: Lab, up: float = 0.0, across: float = 3.0) -> float:
    """Speed that is left, in a step, of a block that lies on the ground and is pushed."""
    handle = lab.engine.add_robot(block(), (0.0, 0.0, 0.01 - SURFACE))
    lab.run(5)
    lab.engine.set_velocity(handle, (across, 0.0, up), (0.0, 0.0, 0.0))
    lab.run(1)
    return float(lab.state.linear_velocity[0, 0])


def test_block_is_braked_by_the_slip_of_four_contacts_however_fast_it_is(ground):
    # v after the step is slip / 4 times the force, which is mass (v before - v after) / step. A thousandth is what the
    # block's rocking takes.
    left = 1.0 / (1.0 + STEP / (MASS * SLIP / 4.0))
    assert slide(ground) == pytest.approx(3.0 * left, rel=0.02)


def test_corner_that_leaves_the_ground_is_held_sideways_all_the_same(ground, make_lab):
    assert slide(ground, up=1.0) < 0.3
    # Friction of Bullet's knows only loaded contacts.
    assert slide(make_lab(SceneModel(), "J1"), up=1.0) == pytest.approx(3.0, abs=0.01)


def test_corner_in_the_air_is_free(ground):
    handle = ground.engine.add_robot(block(), (0.0, 0.0, 0.1))
    ground.engine.set_velocity(handle, (3.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    ground.run(3)
    assert ground.state.linear_velocity[0, 0] == pytest.approx(3.0, abs=1e-6)


@pytest.mark.parametrize(
    "shapes",
    [(Shape(ShapeKind.SPHERE, (0.05,)),), (Shape(ShapeKind.CAPSULE, (0.05, 0.3), rpy=(np.pi / 2, 0.0, 0.0)),)],
    ids=["sphere", "capsule"],
)
def test_round_shapes_are_held_where_they_touch_and_roll(ground, shapes):
    handle = ground.engine.add_robot(block(*shapes), (0.0, 0.0, 0.05 - SURFACE))
    ground.run(5)
    ground.engine.set_velocity(handle, (0.5, 0.0, 0.0), (0.0, 0.0, 0.0))
    # Long enough to roll; later Bullet's capsule begins to rock.
    ground.run(12)
    velocity, spin = ground.state.linear_velocity[0], ground.state.angular_velocity[0]
    # It rolls: the lowest point rests. Of the speed m r^2 / (m r^2 + I) is left.
    assert velocity[0] == pytest.approx(0.05 * spin[1], abs=0.001)
    assert velocity[0] == pytest.approx(0.5 * 0.0025 / (0.0025 + 0.02), rel=0.01)


def test_rigs_of_robots_that_have_got_up_leave_the_world(ground):
    client = ground.core._client
    plates = [Shape(ShapeKind.BOX, (0.1, 0.1, 0.02), position=(0.3 * column, 0.0, 0.0)) for column in (-1, 0, 1)]
    handle = ground.engine.add_robot(block(*plates), (0.0, 0.0, 1.0))
    ground.run(1)
    in_the_air = pybullet.getNumBodies(physicsClientId=client)
    ground.engine.place_robot(handle, (0.0, 0.0, 0.01 - SURFACE), (0.0, 0.0, 0.0, 1.0))
    ground.run(5)
    # Two of the four corners of each plate are held, and a rig has four skates.
    assert pybullet.getNumBodies(physicsClientId=client) == in_the_air + 2
    ground.engine.place_robot(handle, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0))
    ground.run(1)
    # One spare rig a robot.
    assert pybullet.getNumBodies(physicsClientId=client) == in_the_air + 1


def test_foot_that_is_held_without_load_reports_the_middle_of_its_corners(ground):
    handle = ground.engine.add_robot(block(), (0.0, 0.0, 0.01 - SURFACE))
    ground.run(5)
    ground.engine.set_velocity(handle, (3.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    ground.run(1)
    assert ground.state.touching.tolist() == [True]
    force = ground.state.rotation[0] @ ground.state.touch_force[0]
    assert force[0] < -50.0 and abs(force[2]) < 1.0
    # Two far corners hold alike.
    assert ground.state.touch_point[0, :2] == pytest.approx([0.0, 0.0], abs=0.01)


def test_foot_feels_each_corner_where_it_was_before_the_step_as_odes_does(make_lab):
    felt = []
    for engine, preset in (("ode", "reference"), ("bullet", "legacy")):
        lab = Lab(create_engine(engine, preset), SceneModel())
        handle = lab.engine.add_robot(block(), (0.0, 0.0, 0.01 - 2.0 * SURFACE))
        lab.engine.set_velocity(handle, (0.3, 0.1, -0.02), (0.0, 0.0, 1.0))
        lab.run(1)
        felt.append(np.concatenate([lab.state.touch_point[0], 1e-3 * lab.state.touch_force[0]]))
        lab.engine.close()
    # The turn presses no corner, but it pulls at each in another direction: the middle of the foot feels nothing.
    assert abs(felt[0][:2]).max() > 0.01
    assert felt[1] == pytest.approx(felt[0], abs=5e-4)


def test_gravity_may_have_a_sideways_part(make_lab):
    lab = make_lab(SceneModel(gravity=(2.0, -1.0, -9.81)))
    lab.engine.add_robot(block(), (0.0, 0.0, 0.01 - SURFACE))
    lab.run(20)
    # It creeps by the slip of four contacts, as on a slope of ODE's.
    expected = np.array([2.0, -1.0]) * MASS * SLIP / 4.0
    assert lab.state.linear_velocity[0, :2] == pytest.approx(expected, rel=0.02, abs=1e-5)
    # The ground pushes back with what gravity pulls with.
    force = lab.state.rotation[0] @ lab.state.touch_force[0]
    assert force == pytest.approx([-2.0, 1.0, 9.81], rel=0.02)


# Plates are moved by 0.01 mm at least, and the tremble of standing legs is less.
NEAR = 2e-5


def heights(core: BulletEngine) -> list[float]:
    """Heights of the plates in use at the beginning of the last step, m."""
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


UPRIGHT = (0.0, 0.0, 0.0, 1.0)


def held(lab: Lab, row: int) -> list[Vector]:
    """Where the ground holds corners of a robot, m."""
    grip = lab.core._rows.grip
    shapes = [shape for shape, owner in enumerate(grip.owners) if owner[0] == row]
    first, end = grip.firsts[[shapes[0], shapes[-1] + 1]]
    return [tuple(point) for point in grip.felt[first:end, :3].tolist()]


def march(lab: Lab, cycles: range) -> list[list[float]]:
    """The first robot marches on the spot; its base and joints after each cycle."""
    path = []
    for cycle in cycles:
        control = lab.hold()
        for side, phase in (("l", 1.0), ("r", -1.0)):
            for name, share in (("lj3", 1.0), ("lj4", -2.0), ("lj5", 1.0)):
                control.velocity[lab.joint(f"{side}{name}")] = phase * share * np.sin(0.2 * cycle)
        lab.engine.step(control)
        joints = lab.state.joint_position[lab.state.joints_of(0)]
        path.append([*lab.state.position[0].tolist(), *joints.tolist()])
    return path


def test_what_stands_on_a_robot_is_held_by_friction_with_it(make_lab):
    lab = make_lab(SceneModel())
    lab.engine.add_robot(stone(10.0, (0.8, 0.8, 0.1)), (0.0, 0.0, 0.049))
    upper = lab.engine.add_robot(stone(1.0, (0.3, 0.3, 0.1)), (0.0, 0.0, 0.149))
    lab.run(10)
    assert held(lab, 0) and not held(lab, 1)
    lab.engine.set_velocity(upper, (0.5, 0.0, 0.0), (0.0, 0.0, 0.0))
    lab.run(15)
    assert abs(lab.state.linear_velocity[:, 0]).max() < 0.01
    assert 0.0 < lab.state.position[1, 0] < 0.05 and abs(lab.state.position[0, 0]) < 0.005
    assert lab.state.robot_contacts.tolist() == [[0, 1]]
    # The lower one carries both, sideways nothing is left.
    assert lab.state.rotation[1] @ lab.state.touch_force[1] == pytest.approx([0.0, 0.0, 9.81], abs=0.3)


def test_static_boxes_hold_by_friction_of_load(make_lab: Callable[..., Lab]):
    platform = StaticBox("platform", (0.0, 0.0, 0.25), (4.0, 4.0, 0.5))
    lab = make_lab(SceneModel(boxes=(platform,)))
    handle = lab.engine.add_robot(stone(1.0, (0.4, 0.4, 0.1)), (0.0, 0.0, 0.55))
    lab.run(20)
    left = []
    for up in (0.0, 1.0):
        lab.engine.set_velocity(handle, (1.0, 0.0, up), (0.0, 0.0, 0.0))
        lab.run(1)
        left.append(float(lab.state.linear_velocity[0, 0]))
        lab.run(60)
        assert abs(lab.state.linear_velocity[0]).max() < 1e-3
        assert not held(lab, 0)
    # What leaves has no load, and only the ground's friction needs none.
    assert left[0] < 0.2 and left[1] > 0.9


def test_robot_that_marches_is_beamed_without_its_skates(lab):
    robot = lab.nao(z=0.386)
    march(lab, range(25))
    assert held(lab, 0)
    place = (-4.0, 2.0, 0.386)
    lab.engine.place_robot(robot, place, UPRIGHT)
    lab.run(1)
    # Its bent legs end a little lower or higher.
    assert lab.state.position[0] == pytest.approx(place, abs=0.01)
    assert all(np.hypot(x + 4.0, y - 2.0) < 0.3 for x, y, _ in held(lab, 0))
    assert abs(lab.state.linear_velocity[0, :2]).max() < 0.1


def test_robots_that_come_and_go_do_not_disturb_one_that_is_held(make_lab):
    alone, visited = make_lab(), make_lab()
    alone.nao(z=0.386)
    expected = march(alone, range(40))
    visited.nao(z=0.386)
    path = march(visited, range(10))
    guests = [visited.nao(x=3.0 + number, z=0.386) for number in range(3)]
    path += march(visited, range(10, 20))
    visited.engine.remove_robot(guests[1])
    path += march(visited, range(20, 30))
    for guest in (guests[0], guests[2]):
        visited.engine.remove_robot(guest)
    path += march(visited, range(30, 40))
    # Corners are tied again to other skates: rounding.
    assert np.array(path) == pytest.approx(np.array(expected), abs=1e-6)

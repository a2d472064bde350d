"""Robots whose corners the ground holds, with the preset `legacy`, while others come, go, stand on them or fall ill."""

from collections.abc import Callable

import numpy as np
import pytest

from simspark_ros.physics.model import ArticulatedModel, Link, SceneModel, Shape, ShapeKind, StaticBox, Vector
from test.physics.conftest import Lab

UPRIGHT = (0.0, 0.0, 0.0, 1.0)


@pytest.fixture
def engine_preset() -> str:
    return "legacy"


def slab(edge: float, mass: float) -> ArticulatedModel:
    """A flat body, 0.1 m thick, with a touch sensor."""
    shape = Shape(ShapeKind.BOX, (edge, edge, 0.1))
    inertia = mass * edge**2 / 12.0
    link = Link("slab", mass, (inertia, 0.0, 0.0, inertia, 0.0, 2.0 * inertia), collisions=(shape,))
    return ArticulatedModel("slab", (link,), (), touch_links=("slab",))


def held(lab: Lab, row: int) -> list[Vector]:
    """Where the ground holds corners of a robot, m."""
    grip = lab.core._rows.grip
    shapes, points, *_ = grip._held
    return [tuple(point) for shape, point in zip(shapes, points, strict=True) if grip._owners[shape][0] == row]


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
    lab.engine.add_robot(slab(0.8, 10.0), (0.0, 0.0, 0.049))
    upper = lab.engine.add_robot(slab(0.3, 1.0), (0.0, 0.0, 0.149))
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
    handle = lab.engine.add_robot(slab(0.4, 1.0), (0.0, 0.0, 0.55))
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

"""Physics that needs no recording: conservation, analytic motion, contact forces, motors of general robots."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simspark_ros.physics.model import (
    ArticulatedModel,
    BallModel,
    Frame,
    Joint,
    JointKind,
    Link,
    SceneModel,
    Shape,
    ShapeKind,
)
from simspark_ros.robots.catalogue import load_robot

STEP = 0.02
ROUND = (0.01, 0.0, 0.0, 0.01, 0.0, 0.01)


def box(name: str, mass: float = 1.0, size: tuple[float, float, float] = (0.2, 0.1, 0.1)) -> Link:
    x, y, z = (edge * edge * mass / 12 for edge in size)
    return Link(name, mass, (y + z, 0.0, 0.0, x + z, 0.0, x + y), collisions=(Shape(ShapeKind.BOX, size),))


def arm(kind: JointKind = JointKind.REVOLUTE, **joint: Any) -> ArticulatedModel:
    """A heavy base, a limb on a joint about y, and a weight fixed to the limb's end."""
    limb = Link("limb", 0.1, (1e-3, 0.0, 0.0, 1e-3, 0.0, 1e-3), centre=(0.1, 0.0, 0.0))
    moving = Joint("elbow", kind, "base", "limb", position=(0.1, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    moving = replace(moving, **joint)
    fixed = Joint("wrist", JointKind.FIXED, "limb", "weight", position=(0.2, 0.0, 0.0))
    weight = Link("weight", 0.2, (1e-4, 0.0, 0.0, 1e-4, 0.0, 1e-4))
    return ArticulatedModel("arm", (box("base", 5000.0, (0.4, 0.4, 0.2)), limb, weight), (moving,), (fixed,))


def centre_of_mass(lab, handle: int) -> np.ndarray:
    model = lab.state.models[lab.state.row(handle)]
    selection = lab.engine.select_links([(handle, link.name) for link in model.links])
    positions, _ = lab.engine.link_poses(selection)
    masses = np.array([link.mass for link in model.links])
    return np.asarray(masses @ positions / masses.sum())


def test_free_fall_is_euler_exact(make_lab):
    lab = make_lab(SceneModel())
    lab.engine.add_robot(ArticulatedModel("stone", (box("stone"),), ()), (0.0, 0.0, 50.0))
    lab.run(100)
    # Semi-implicit Euler: g h^2 n (n + 1) / 2.
    assert 50.0 - lab.state.position[0, 2] == pytest.approx(9.81 * STEP**2 * 100 * 101 / 2, rel=1e-9)
    assert lab.state.linear_velocity[0] == pytest.approx([0, 0, -9.81 * 2.0], rel=1e-9)


def test_centre_of_mass_follows_a_parabola_while_the_motors_move(make_lab):
    lab = make_lab(SceneModel())
    model = replace(load_robot("nao", 0).model, linear_drag=0.0, angular_drag=0.0)
    handle = lab.engine.add_robot(model, (0.0, 0.0, 50.0))
    start, control = centre_of_mass(lab, handle), lab.hold()
    control.velocity[:] = np.random.default_rng(1).uniform(-3.0, 3.0, len(control.velocity))
    lab.run(25, control)
    fallen = 9.81 * STEP**2 * 25 * 26 / 2
    # First-order integration of turning links: 0.5 mm on 1.3 m of fall. (Stale link poses would be 72 mm off.)
    assert centre_of_mass(lab, handle) - start == pytest.approx([0.0, 0.0, -fallen], abs=0.001)


def test_ball_drag_decays_by_one_euler_factor_a_step(make_lab):
    lab = make_lab(SceneModel(ball=BallModel(0.05, 0.1, linear_drag=0.03), gravity=(0.0, 0.0, 0.0)))
    lab.engine.place_ball((0.0, 0.0, 5.0), (2.0, 0.0, 0.0))
    lab.run(50)
    assert lab.state.ball_velocity[0] == pytest.approx(2.0 * (1 - 0.3 * STEP) ** 50, rel=1e-9)


def test_touch_force_is_what_changes_the_momentum(make_lab):
    lab = make_lab(SceneModel())
    model = ArticulatedModel("sledge", (box("sledge", 2.0, (0.4, 0.4, 0.1)),), (), touch_links=("sledge",))
    handle = lab.engine.add_robot(model, (0.0, 0.0, 0.05), yaw=math.pi / 2)
    lab.run(50)
    lab.engine.set_velocity(handle, (0.3, 0.0, 0.0), (0.0, 0.0, 0.0))
    lab.run(1)
    force = lab.state.rotation[0] @ lab.state.touch_force[0]
    change = 2.0 * (lab.state.linear_velocity[0] - [0.3, 0.0, 0.0]) / STEP
    # 1 % of softness: cfm gives way a little while it pushes.
    assert np.add(force, [0.0, 0.0, -2.0 * 9.81]) == pytest.approx(change, abs=0.01 * np.abs(change).max())
    assert force[0] < -5.0


def test_optical_frame_looks_forward(lab):
    handle = lab.nao()
    _, turns = lab.engine.link_poses(lab.engine.select_links([(handle, "camera_optical")]))
    # REP-103: z of an optical frame points out of the camera, x to the right.
    assert turns[0] == pytest.approx(np.array([[0, 0, 1], [-1, 0, 0], [0, -1, 0]]), abs=1e-9)


def test_products_of_inertia_do_not_turn_the_base(empty):
    crooked = Link("base", 1.0, (0.02, 0.005, 0.0, 0.03, 0.002, 0.04), centre=(0.1, 0.0, 0.05))
    model = ArticulatedModel("crooked", (crooked,), (), frames=(Frame("origin", "base"),))
    handle = empty.engine.add_robot(model, (1.0, 2.0, 3.0), yaw=0.4)
    cos, sin = math.cos(0.4), math.sin(0.4)
    expected = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    assert empty.state.position[0] == pytest.approx([1.0, 2.0, 3.0])
    # 1e-7: Bullet's diagonalisation of the inertia.
    assert empty.state.rotation[0] == pytest.approx(expected, abs=1e-7)
    origins, turns = empty.engine.link_poses(empty.engine.select_links([(handle, "origin")]))
    assert turns[0] == pytest.approx(expected, abs=1e-7)
    assert origins[0] == pytest.approx([1.0, 2.0, 3.0] - expected @ [0.1, 0.0, 0.05], abs=1e-7)


def test_effort_adds_to_the_motor(empty):
    empty.engine.add_robot(arm(max_effort=1.0), (0.0, 0.0, 5.0))
    control = empty.hold()
    control.effort[:] = 0.5
    empty.run(20, control)
    # The motor holds against it.
    assert empty.state.joint_velocity[0] == pytest.approx(0.0, abs=1e-3)
    assert empty.state.joint_effort[0] == pytest.approx(0.0, abs=1e-3)


def test_effort_limit_bounds_the_motor(empty):
    empty.engine.add_robot(arm(max_effort=10.0, max_velocity=50.0), (0.0, 0.0, 5.0))
    control = empty.hold()
    control.velocity[:], control.effort_limit[:] = 40.0, 0.05
    empty.run(5, control)
    assert np.abs(empty.state.joint_effort[0]) == pytest.approx(0.05, rel=1e-6)


@pytest.mark.parametrize("effort", [0.3, -0.3])
def test_effort_cannot_push_a_joint_beyond_its_stops(empty, effort):
    empty.engine.add_robot(arm(lower=-0.5, upper=0.5, max_effort=10.0, max_velocity=6.0), (0.0, 0.0, 5.0))
    control = empty.hold()
    control.effort_limit[:], control.effort[:] = 0.0, effort
    reached = []
    for _ in range(60):
        empty.engine.step(control)
        reached.append(abs(empty.state.joint_position[0]))
    # The stop lies 2 mm rad inside the range.
    assert reached[-1] == pytest.approx(0.498, abs=1e-3) and max(reached) <= 0.5
    control.effort[:] = -effort
    empty.run(4, control)
    assert abs(empty.state.joint_position[0]) < 0.45


def test_prismatic_and_continuous_joints(empty):
    slide = empty.engine.add_robot(arm(JointKind.PRISMATIC, lower=-0.1, upper=0.1, max_effort=50.0), (0, 0, 5))
    wheel = empty.engine.add_robot(arm(JointKind.CONTINUOUS, max_effort=50.0, max_velocity=30.0), (3, 0, 5))
    control = empty.hold()
    control.velocity[:] = [0.05, 20.0]
    empty.run(50, control)
    assert empty.state.joint_position == pytest.approx([0.05, 20.0], rel=0.01)
    empty.run(100, control)
    # The slide stops 2 mm inside its range, the wheel has no stop.
    assert empty.state.joint_position == pytest.approx([0.098, 60.0], rel=0.01)
    assert empty.state.handles == (slide, wheel)


def test_wheel_rolls_on_its_own_shape(make_lab):
    lab = make_lab(SceneModel())
    wheels = [
        Link(name, 0.5, (5e-4, 0.0, 0.0, 5e-4, 0.0, 5e-4), collisions=(rim,))
        for name, rim in (
            ("left", Shape(ShapeKind.CYLINDER, (0.05, 0.02), rpy=(math.pi / 2, 0.0, 0.0))),
            ("right", Shape(ShapeKind.CYLINDER, (0.05, 0.02), rpy=(math.pi / 2, 0.0, 0.0))),
            ("front", Shape(ShapeKind.SPHERE, (0.05,))),
        )
    ]
    places = {"left": (-0.05, 0.1, 0.0), "right": (-0.05, -0.1, 0.0), "front": (0.1, 0.0, 0.0)}
    joints = tuple(
        Joint(f"{name}_axle", JointKind.CONTINUOUS, "base", name, position, axis=(0.0, 1.0, 0.0), max_effort=5.0)
        for name, position in places.items()
    )
    cart = ArticulatedModel("cart", (box("base", 2.0, (0.2, 0.1, 0.04)), *wheels), joints)
    lab.engine.add_robot(cart, (0.0, 0.0, 0.052))
    control = lab.hold()
    control.velocity[:] = 4.0
    lab.run(100, control)
    # 2 s at 4 rad/s on 5 cm wheels, less the slip of soft contacts while starting.
    assert lab.state.position[0, 0] == pytest.approx(0.4, rel=0.05)
    assert abs(lab.state.position[0, 1]) < 0.01

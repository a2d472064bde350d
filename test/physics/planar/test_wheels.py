"""A cart on two wheels and a ball on the planar engine: it rolls as its wheels turn, slips, stalls and rolls free."""

import math
from dataclasses import replace

import numpy as np
import pytest

from simspark_conformance.harness import CheckedWorld
from simspark_conformance.models import solid_box
from simspark_ros.physics.model import (
    ArticulatedModel,
    Joint,
    JointKind,
    Link,
    SceneModel,
    Shape,
    ShapeKind,
    StaticBox,
    SurfaceMaterial,
)
from simspark_ros.physics.registry import create_engine

RADIUS, TRACK, MASS = 0.1, 0.4, 10.0
SMALL = (1e-4, 0.0, 0.0, 1e-4, 0.0, 1e-4)


def cart(effort=50.0, friction=0.8):
    rubber = SurfaceMaterial(friction)
    tyre = Shape(ShapeKind.CYLINDER, (RADIUS, 0.04), rpy=(math.pi / 2, 0.0, 0.0))
    wheels = [Link(f"{side}_wheel", 0.5, SMALL, collisions=(tyre,), material=rubber) for side in ("left", "right")]
    places = (0.0, TRACK / 2, -0.05), (0.0, -TRACK / 2, -0.05)
    joints = [
        Joint(link.name, JointKind.CONTINUOUS, "base", link.name, place, axis=(0.0, 1.0, 0.0), max_effort=effort)
        for link, place in zip(wheels, places, strict=True)
    ]
    caster = Link("caster", 0.1, SMALL, collisions=(Shape(ShapeKind.SPHERE, (0.05,)),), material=SurfaceMaterial(0.0))
    hold = Joint("hold", JointKind.FIXED, "base", "caster", (-0.15, 0.0, -0.1))
    base = solid_box("base", MASS - 1.1, (0.4, 0.3, 0.1))
    return ArticulatedModel("cart", (base, *wheels, caster), tuple(joints), (hold,))


def standing(model, velocity=(0.0, 0.0, 0.0), scene=None):
    world = CheckedWorld(create_engine("planar"), scene or SceneModel())
    world.engine.set_velocity(world.add(model, (0.0, 0.0, 0.15)), velocity, (0.0, 0.0, 0.0))
    return world


def driven(model, speeds, seconds, scene=None):
    """The world after a cart has had these speeds of its joints, rad/s, for a while."""
    world = standing(model, scene=scene)
    control = world.hold()
    control.velocity[:] = speeds
    world.run_for(seconds, control)
    return world


def test_what_turns_at_the_hub_of_a_wheel_is_no_roller():
    plain = cart()
    caps = [Link(f"{link.name}_cap", 0.1, SMALL) for link in plain.links if link.name.endswith("_wheel")]
    turning = [
        Joint(cap.name, JointKind.CONTINUOUS, cap.name.removesuffix("_cap"), cap.name, axis=(0.0, 0.0, 1.0))
        for cap in caps
    ]
    capped = ArticulatedModel("cart", (*plain.links, *caps), (*plain.joints, *turning), plain.fixed_joints)
    with np.errstate(all="raise"):
        world = driven(capped, (1.0, 1.0, 0.0, 0.0), 2.0)
    assert world.state.position[0, 0] == pytest.approx(2.0 * RADIUS, rel=0.05)


def test_wheels_slip_by_their_friction_when_they_start_too_fast_and_weak_motors_do_not():
    world = driven(cart(friction=0.2), 50.0, 0.5)
    load = sum(world.engine.core._robots[0].traction.shares[:2])
    assert world.state.linear_velocity[0, 0] == pytest.approx(0.2 * 9.81 * load * 0.5, rel=1e-6)
    assert world.state.joint_velocity == pytest.approx([50.0, 50.0])
    world = driven(cart(effort=0.3), 50.0, 0.5)
    speed = 2.0 * 0.3 / RADIUS / MASS * 0.5
    assert world.state.linear_velocity[0, 0] == pytest.approx(speed, rel=1e-6)
    assert world.state.joint_velocity == pytest.approx([speed / RADIUS] * 2, rel=1e-6)
    assert world.state.joint_effort == pytest.approx([0.3, 0.3])


def test_what_a_wheel_holds_along_it_does_not_hold_across():
    world = standing(cart(), (1.0, 1.0, 0.0))
    # Wheels that stand while the cart slides askew brake it by their friction, straight against its way.
    world.run_for(0.1, world.hold())
    slower = math.sqrt(2.0) - float(np.linalg.norm(world.state.linear_velocity[0]))
    load = sum(world.engine.core._robots[0].traction.shares[:2])
    assert slower == pytest.approx(0.8 * 9.81 * load * 0.1, rel=0.02)
    assert world.state.linear_velocity[0, 0] == pytest.approx(world.state.linear_velocity[0, 1], rel=0.02)


def test_a_cart_does_not_push_a_wall_away():
    wall = StaticBox("wall", (0.75, 0.0, 0.5), (0.5, 4.0, 1.0))
    world = driven(cart(), 3.0, 3.0, SceneModel(boxes=(wall,)))
    # It may be on the way of a small rebound.
    assert world.state.position[0] == pytest.approx([0.3, 0.0, 0.15], abs=2e-3)
    assert world.state.rotation[0, 1, 0] == pytest.approx(0.0, abs=1e-4)


def test_a_cart_without_motors_rolls_on_but_not_sideways():
    world = standing(cart(), (0.5, 0.1, 0.0))
    control = world.hold()
    control.effort_limit[:] = 0.0
    world.run_for(1.0, control)
    # Both wheels hold across, on one line behind which the centre of mass lies: the cart turns a little.
    assert np.hypot(*world.state.linear_velocity[0, :2]) == pytest.approx(0.5, abs=0.02)
    assert world.state.joint_velocity == pytest.approx([5.0, 5.0], abs=0.3)


def steered(effort=5.0):
    """A cart whose two wheels stand on forks, which turn about the vertical."""
    plain = cart()
    forks = [Link(f"{side}_fork", 0.1, SMALL) for side in ("left", "right")]
    upright = [
        replace(joint, name=fork.name, child=fork.name, axis=(0.0, 0.0, 1.0), max_effort=effort)
        for fork, joint in zip(forks, plain.joints, strict=True)
    ]
    wheels = [
        replace(joint, parent=fork.name, position=(0.0, 0.0, 0.0))
        for fork, joint in zip(forks, plain.joints, strict=True)
    ]
    base, left, right, caster = plain.links
    joints = (*upright, *wheels)
    return replace(plain, links=(base, *forks, left, right, caster), joints=joints)


def test_steered_wheels_roll_where_they_are_turned_and_those_on_free_forks_follow():
    world = driven(steered(), (math.pi / 2.0, math.pi / 2.0, 0.0, 0.0), 1.0)
    # Wheels turn on the spot, and the cart stays.
    assert world.state.position[0, :2] == pytest.approx([0.0, 0.0], abs=1e-6)
    rolling = world.hold()
    rolling.velocity[2:] = 3.0
    world.run_for(1.0, rolling)
    assert world.state.position[0, :2] == pytest.approx([0.0, 3.0 * RADIUS], abs=0.02)
    world = standing(steered(effort=0.0), (0.0, 0.5, 0.0))
    world.run_for(1.0, world.hold())
    assert world.state.position[0, :2] == pytest.approx([0.0, 0.5], abs=1e-6)

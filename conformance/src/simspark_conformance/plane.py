"""Promises of planar engines: exact impacts, thin walls, fixed heights and tilts, and ranges of heights."""

from __future__ import annotations

import math

import numpy as np

from simspark_conformance.harness import CheckedWorld, Harness, expect, expect_close
from simspark_conformance.models import BALL, SPACE, solid_box, stone
from simspark_ros.physics.engine import Array
from simspark_ros.physics.model import ArticulatedModel, SceneModel, StaticBox

_EXACT = 1e-9
"""Tolerance for the rounding of sums of some hundred products of numbers about 1."""


def _momentum(world: CheckedWorld) -> Array:
    """Return the momentum of ball and robots of one link: linear along x and y, and angular about the origin."""
    total = np.zeros(3)
    state = world.state
    bodies = [
        (model.mass, model.base.inertia[5], *rest)
        for model, *rest in zip(
            state.models, state.position, state.linear_velocity, state.angular_velocity, strict=True
        )
    ]
    bodies.append((BALL.mass, BALL.inertia, state.ball_position, state.ball_velocity, state.ball_angular_velocity))
    for mass, inertia, (x, y, _), (vx, vy, _), (_, _, spin) in bodies:
        total += mass * np.array([vx, vy, x * vy - y * vx]) + (0.0, 0.0, inertia * spin)
    return total


def impacts_keep_both_momenta(harness: Harness) -> None:
    """Glancing impacts of stones and ball keep linear and angular momentum, with a relative error up to 1e-9."""
    world = harness.world(SPACE)
    for index, (x, y, yaw, speed) in enumerate(((0.0, 0.0, 0.3, 1.0), (0.9, 0.1, 1.1, -2.0), (0.4, 0.7, 2.0, 0.0))):
        world.engine.set_velocity(world.add(stone(1.0 + index), (x, y, 5.0), yaw), (speed, -y, 0.0), (0.0, 0.0, 2.0))
    world.engine.place_ball((0.45, -0.6, 5.0), (0.0, 3.0, 0.0), (0.0, 0.0, 4.0))
    before, touched = _momentum(world), False
    for _ in range(60):
        world.run(1)
        touched |= len(world.state.robot_contacts) > 0
        expect_close(_momentum(world), before, _EXACT * float(np.abs(before).max()), "momentum of bodies that collide")
    expect(touched, "the stones did not meet")


def impacts_never_add_energy(harness: Harness) -> None:
    """A head-on impact of equal stones reverses their speed of approach with a restitution from 0 to 1."""
    world = harness.world(SPACE)
    for x, speed in ((0.0, 1.0), (0.6, -1.0)):
        world.engine.set_velocity(world.add(stone(), (x, 0.0, 5.0)), (speed, 0.0, 0.0), (0.0, 0.0, 0.0))
    world.run(30)
    (one, other), spins = world.state.linear_velocity, world.state.angular_velocity[:, 2]
    expect(0.0 <= other[0] - one[0] <= 2.0 + _EXACT, f"an approach of 2 m/s became one of {one[0] - other[0]:.3f} m/s")
    expect_close(one + other, np.zeros(3), _EXACT, "sum of the velocities of equal stones")
    expect_close(spins, np.zeros(2), _EXACT, "spins after a head-on impact of flat sides")


def fast_bodies_do_not_pass_thin_walls(harness: Harness) -> None:
    """Impacts are found within a cycle: the ball does not pass a wall of 1 cm at 25 m/s."""
    wall = StaticBox("wall", (1.0, 0.0, 0.5), (0.01, 4.0, 1.0))
    world = harness.world(SceneModel(ball=BALL, boxes=(wall,), gravity=(0.0, 0.0, 0.0)))
    world.engine.place_ball((0.03, 0.0, BALL.radius), (25.0, 0.0, 0.0))
    for _ in range(10):
        world.run(1)
        expect(world.state.ball_position[0] <= 1.0 - 0.005 - BALL.radius + 1e-5, "the ball is in the wall")
    expect(world.state.ball_velocity[0] < 0.0, "the ball does not come back from the wall")


def heights_keep_bodies_apart(harness: Harness) -> None:
    """Two bodies collide only where their ranges of heights overlap."""
    beam = StaticBox("beam", (1.0, 0.0, 1.0), (0.1, 4.0, 0.2))
    world = harness.world(SceneModel(ball=BALL, boxes=(beam,), gravity=(0.0, 0.0, 0.0)))
    low, high = world.add(stone(), (0.0, 0.0, 0.5)), world.add(stone(), (0.0, 1.0, 1.0))
    for handle in (low, high):
        world.engine.set_velocity(handle, (2.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    world.run_for(1.0)
    ends = world.state.position[:, 0]
    expect(ends[0] > 1.5, "a body below a beam does not pass it")
    expect(ends[1] < 1.0, "a body as high as a beam passes it")


def what_leaves_the_plane_stays(harness: Harness) -> None:
    """Heights and tilts of bodies stay as they were placed, whatever happens."""
    world = harness.world()
    tall = ArticulatedModel("tall", (solid_box("tall", 1.0, (0.1, 0.1, 1.0)),), ())
    handle = world.add(tall, (0.0, 0.0, 0.6))
    world.engine.place_robot(handle, (0.0, 0.0, 0.6), (math.sin(0.2), 0.0, 0.0, math.cos(0.2)))
    upright = world.state.rotation[0, 2].copy()
    world.engine.place_ball((-1.0, 0.0, 0.6), (5.0, 0.0, 2.0))
    world.run(40)
    expect(float(world.state.linear_velocity[0, 0]) != 0.0, "the ball did not hit the body")
    expect_close(world.state.position[0, 2], 0.6, 0.0, "height of a body")
    expect_close(world.state.rotation[0, 2], upright, 1e-12, "tilt of a body")

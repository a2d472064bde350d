"""Promises about placing robots and the ball, and about the ownership of the state's arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from simspark_conformance.harness import CheckedWorld, Harness, expect, expect_close, expect_undisturbed
from simspark_conformance.models import BALL, UPRIGHT, block, ghost, walker
from simspark_ros.physics.geometry.transforms import rotation_about

_EXACT = 1e-6
"""Tolerance for the rounding of rotations kept as quaternions or in principal axes of inertia."""


def robots_appear_upright_at_rest(harness: Harness) -> None:
    """A new robot is upright and at rest, with its base's centre of mass at the given place and all joints at zero."""
    world = harness.world()
    world.add(walker(), (1.0, 2.0, 3.0), yaw=0.7)
    world.add(ghost(), (-1.0, 2.0, 3.0), yaw=-2.0)
    expect_close(world.state.position, [[1.0, 2.0, 3.0], [-1.0, 2.0, 3.0]], _EXACT, "position of new robots")
    turns = [rotation_about((0, 0, 1), angle) for angle in (0.7, -2.0)]
    expect_close(world.state.rotation, turns, _EXACT, "rotation of new robots")
    expect_close(world.state.linear_velocity, np.zeros((2, 3)), _EXACT, "velocity of new robots")
    expect_close(world.state.joint_position, np.zeros(5), _EXACT, "joints of a new robot")


def robots_are_placed_at_rest(harness: Harness) -> None:
    """place_robot sets the pose at once, keeps the joints and stops everything; a quaternion may have any length."""
    world = harness.world()
    handle = world.add(walker(), (0.0, 0.0, 2.0))
    control = world.hold()
    control.velocity[:] = 0.5
    world.run(5, control)
    joints = world.state.joint_position.copy()
    half = math.sqrt(0.5)
    world.engine.place_robot(handle, (1.0, -2.0, 1.5), (2 * half, 0.0, 0.0, 2 * half))
    expect_close(world.state.position, [[1.0, -2.0, 1.5]], _EXACT, "position after place_robot")
    lying = [[[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]]
    expect_close(world.state.rotation, lying, _EXACT, "rotation after place_robot")
    expect_close(world.state.joint_position, joints, _EXACT, "joints after place_robot")
    for name in ("linear_velocity", "angular_velocity", "joint_velocity"):
        array = getattr(world.state, name)
        expect_close(array, np.zeros_like(array), _EXACT, f"{name} after place_robot")


def joint_positions_are_set(harness: Harness) -> None:
    """set_joint_positions sets all joints of one robot at once and leaves it at rest."""
    world = harness.world()
    world.add(walker(), (-3.0, 0.0, 2.0))
    handle = world.add(walker(), (3.0, 0.0, 2.0))
    world.run(3)
    wanted = np.array([0.4, -0.5, 0.02, 0.6, -0.03])
    world.engine.set_joint_positions(handle, wanted)
    expect_close(world.state.joint_position[5:], wanted, _EXACT, "joints after set_joint_positions")
    expect_close(world.state.joint_position[:5], np.zeros(5), 1e-3, "joints of the other robot")
    expect_close(world.state.joint_velocity[5:], np.zeros(5), _EXACT, "joint velocities after set_joint_positions")


def velocity_is_set(harness: Harness) -> None:
    """set_velocity sets the base's velocities in the world frame, and the joints' if given, and keeps the pose."""
    world = harness.world()
    handle = world.add(walker(), (0.0, 0.0, 2.0), yaw=1.0)
    world.engine.set_velocity(handle, (0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    expect_close(world.state.linear_velocity, [[0.1, 0.2, 0.3]], _EXACT, "velocity after set_velocity")
    expect_close(world.state.angular_velocity, [[0.4, 0.5, 0.6]], _EXACT, "angular velocity after set_velocity")
    expect_close(world.state.joint_velocity, np.zeros(5), _EXACT, "joint velocities after set_velocity of a base")
    wanted = np.array([0.4, -0.5, 0.02, 0.6, -0.03])
    world.engine.set_velocity(handle, (0.1, 0.2, 0.3), (0.4, 0.5, 0.6), wanted)
    expect_close(world.state.linear_velocity, [[0.1, 0.2, 0.3]], _EXACT, "velocity after set_velocity with joints")
    expect_close(world.state.angular_velocity, [[0.4, 0.5, 0.6]], _EXACT, "spin after set_velocity with joints")
    expect_close(world.state.joint_velocity, wanted, _EXACT, "joint velocities after set_velocity")
    expect_close(world.state.position, [[0.0, 0.0, 2.0]], _EXACT, "position after set_velocity")


def bolted_bases_stay(harness: Harness) -> None:
    """The base of a model with `fixed_base` stays where it was placed, whatever its joints do and whatever hits it."""
    world = harness.world()
    handle = world.add(replace(walker(), fixed_base=True), (0.0, 0.0, 1.0), yaw=0.7)
    ram = world.add(block(), (-1.0, 0.0, 1.0))
    world.engine.set_velocity(ram, (3.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    world.engine.set_velocity(handle, (0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    control = world.hold()
    control.velocity[:5] = 0.5
    world.run(20, control)
    expect(world.state.joint_position[0] > 0.1, "the neck of a bolted robot does not turn")
    for place, pose in (((0.0, 0.0, 1.0), rotation_about((0, 0, 1), 0.7)), ((2.0, 1.0, 1.5), np.eye(3))):
        if place[0]:
            world.engine.place_robot(handle, place, UPRIGHT)
            world.run(5)
        expect_close(world.state.position[0], place, _EXACT, "position of a bolted base")
        expect_close(world.state.rotation[0], pose, _EXACT, "rotation of a bolted base")
        expect_close(world.state.linear_velocity[0], np.zeros(3), _EXACT, "velocity of a bolted base")
        expect_close(world.state.angular_velocity[0], np.zeros(3), _EXACT, "spin of a bolted base")


def ball_is_placed(harness: Harness) -> None:
    """place_ball sets the ball's position, velocity and spin at once; without a velocity it rests."""
    world = harness.world()
    world.engine.place_ball((1.0, 2.0, 0.5), (0.3, -0.2, 0.1), (4.0, 5.0, -6.0))
    expect_close(world.state.ball_position, [1.0, 2.0, 0.5], _EXACT, "ball_position after place_ball")
    expect_close(world.state.ball_velocity, [0.3, -0.2, 0.1], _EXACT, "ball_velocity after place_ball")
    expect_close(world.state.ball_angular_velocity, [4.0, 5.0, -6.0], _EXACT, "spin after place_ball")
    world.run(3)
    expect_close(world.state.ball_angular_velocity, [4.0, 5.0, -6.0], 1e-3, "spin of the flying ball")
    world.engine.place_ball((1.0, 2.0, BALL.radius), (2.0, 0.0, 0.0))
    world.run(10)
    expect(world.state.ball_position[0] > 1.1, "a ball with a velocity does not roll")
    world.engine.place_ball((-1.0, 0.0, 1.0))
    for name in ("ball_velocity", "ball_angular_velocity"):
        expect_close(getattr(world.state, name), np.zeros(3), _EXACT, f"{name} after place_ball")


def state_is_never_written_again(harness: Harness) -> None:
    """Arrays once read keep their numbers: the engine replaces arrays and never writes into them."""
    world = harness.world()
    handle = world.add(walker(), (0.0, 0.0, 2.0))
    world.engine.place_ball((2.0, 0.0, 1.0))
    actions: tuple[Callable[[], None], ...] = (
        lambda: world.run(1),
        lambda: world.engine.place_robot(handle, (1.0, 1.0, 1.0), (0.0, 0.0, 1.0, 0.0)),
        lambda: world.engine.set_joint_positions(handle, np.full(5, 0.03)),
        lambda: world.engine.place_ball((0.0, 0.0, 2.0), (1.0, 0.0, 0.0)),
    )
    for action in actions:
        held, copies = world.moving_arrays(), world.snapshot()
        action()
        for name, array in held.items():
            expect_close(array, copies[name], 0.0, f"state.{name}, read before a change,")


def state_is_not_shared(harness: Harness) -> None:
    """Writing into the state's arrays does not disturb the world."""

    def spoil(world: CheckedWorld, _: int) -> None:
        for array in world.moving_arrays().values():
            array[:] = 1e3

    expect_undisturbed(harness, spoil, "state of a world whose arrays were overwritten")

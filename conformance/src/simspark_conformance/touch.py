"""Promises about the forces on touch links."""

from __future__ import annotations

import math

import numpy as np

from simspark_conformance.harness import Harness, expect, expect_close
from simspark_conformance.models import STANDING, UPRIGHT, stone, walker
from simspark_ros.physics.model import SceneModel


def resting_links_feel_their_weight(harness: Harness) -> None:
    """A link at rest on the ground feels an upward force equal to the weight it carries, at its contact."""
    # The scene has no ball, since the ball would lie in the stone.
    world = harness.world(SceneModel())
    world.add(stone(), (0.0, 0.0, 0.055), yaw=0.8)
    world.run(100)
    weight = 2.0 * 9.81
    expect(world.state.touching.tolist() == [True], "a stone on the ground does not touch it")
    # 2 % for softness; 1 cm for the point, since contacts under a flat body share the load in any way.
    expect_close(world.state.touch_force, [[0.0, 0.0, weight]], 0.02 * weight, "touch_force of a resting stone")
    expect_close(world.state.touch_point, [[0.0, 0.0, -0.05]], 0.01, "touch_point of a resting stone")


def touch_is_in_axes_of_the_link(harness: Harness) -> None:
    """Touch points and forces are in the axes of the link, relative to its centre of mass."""
    world = harness.world(SceneModel())
    handle = world.add(stone(), (0.0, 0.0, 1.0))
    half = math.sqrt(0.5)
    # The stone lies on its side: its y axis points up.
    world.engine.place_robot(handle, (0.0, 0.0, 0.105), (half, 0.0, 0.0, half))
    world.run(100)
    weight = 2.0 * 9.81
    expect_close(world.state.touch_force, [[0.0, weight, 0.0]], 0.02 * weight, "touch_force of a stone on its side")
    expect_close(world.state.touch_point, [[0.0, -0.1, 0.0]], 0.01, "touch_point of a stone on its side")


def feet_share_the_weight(harness: Harness) -> None:
    """The touch links of a robot are in the model's order and together carry the robot."""
    world = harness.world()
    world.add(stone(), (0.0, 2.0, 3.0))
    world.add(walker(), (0.0, 0.0, STANDING + 0.005))
    world.run(30)
    left, right = world.state.touch_force[1:, 2]
    weight = walker().mass * 9.81
    expect(world.state.touching.tolist() == [False, True, True], f"touching is {world.state.touching.tolist()}")
    expect_close(left + right, weight, 0.05 * weight, "sum of the forces on two feet")
    # The robot stands on one leg, since the slide of the other leg pulls up.
    control = world.hold()
    control.velocity[4] = 0.5
    world.run(2, control)
    left, right = world.state.touch_force[1:, 2]
    expect(left > right + 0.1 * weight, "the wrong foot is loaded")


def nothing_is_felt_in_the_air(harness: Harness) -> None:
    """Links that touch nothing have touching False and zero forces, also right after the robot is lifted off."""
    world = harness.world()
    handle = world.add(walker(), (0.0, 0.0, STANDING))
    world.run(30)
    expect(world.state.touching.all(), "feet on the ground do not touch it")
    world.engine.place_robot(handle, (0.0, 0.0, 3.0), UPRIGHT)
    for cycles in (0, 3):
        world.run(cycles)
        expect(not world.state.touching.any(), "feet in the air touch something")
        expect_close(world.state.touch_force, np.zeros((2, 3)), 0.0, "touch_force of feet in the air")
        expect_close(world.state.touch_point, np.zeros((2, 3)), 0.0, "touch_point of feet in the air")

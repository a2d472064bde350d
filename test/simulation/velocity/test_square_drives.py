"""Wheeled robots of this package drive a square, and their odometry tells where they are as well as wheels can."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from simspark_ros.effectors import EFFECTORS
from simspark_ros.effectors.hinge import command_velocities
from simspark_ros.players.motion.wheel_drive import WheelOdometer
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.worlds.robot import Robot
from test.physics.engine_availability import skip_without

QUARTER = math.pi / 2.0

# One side is driven, then the robot turns; side and turn take 2 s each.
TURNING = [(0.5, 0.0, 0.0), (0.0, 0.0, QUARTER / 2.0)] * 4
SIDEWAYS = [(0.5, 0.0, 0.0), (0.0, 0.5, 0.0), (-0.5, 0.0, 0.0), (0.0, -0.5, 0.0)]
SQUARES = {"differential": TURNING, "scout": TURNING, "b21": TURNING, "omni": SIDEWAYS, "msl": SIDEWAYS}
"""Velocities, m/s and rad/s, each for 2 s."""


class Driven:
    """A robot in a world, and its odometer."""

    def __init__(self, played: Any, name: str) -> None:
        self.played, self.engine = played, played.world.engine
        description = load_robot(name)
        self.odometer = WheelOdometer(description)
        height = description.spawn_height
        self.robot: Robot = played.world.add_robot(description, (0.0, 3.0, height), 0.0, name=name)
        # It comes down to the ground first, away from the ball.
        self.start = np.zeros(3)
        self.wait(0.5)
        self.start = self.place()

    def wait(self, seconds: float) -> None:
        cycle = self.engine.cycle_time
        for _ in range(round(seconds / cycle)):
            self.played.run(1)
            self.odometer.update(self.engine.state.joint_position, cycle)

    def drive(self, forward: float, left: float, turn: float, seconds: float) -> None:
        """Drive for a time, and come to a stand."""
        EFFECTORS["wheels"].act(self.played.world, self.robot, (forward, left, turn))
        self.wait(seconds)
        EFFECTORS["wheels"].act(self.played.world, self.robot, (0.0, 0.0, 0.0))
        self.wait(1.0)

    def place(self) -> np.ndarray:
        """How far the base link's frame has come in the plane, m, and its heading, rad."""
        state, model = self.engine.state, self.robot.description.model
        rotation = state.rotation[0]
        x, y, _ = state.position[0] - rotation @ np.array(model.base.centre)
        return np.array([x, y, math.atan2(rotation[1, 0], rotation[0, 0])]) - self.start

    def felt(self) -> np.ndarray:
        """The same by odometry."""
        pose = self.odometer.pose
        return np.array([*pose.position[:2], math.atan2(pose.rotation[1, 0], pose.rotation[0, 0])])


@pytest.mark.parametrize(
    ("name", "engine", "metres", "radians"),
    [
        # The plane has no slip below the limit of friction; what is left is where a cycle's speeds change.
        ("differential", "planar", 1e-3, 1e-3),
        # Contacts give way a little in each cycle, and wheels slip as robots speed up: of 4 m and 360 degrees.
        ("differential", "bullet", 0.015, 0.01),
        ("differential", "ode", 0.015, 0.01),
        ("differential", "mujoco", 0.05, 0.05),
        ("omni", "planar", 1e-3, 1e-3),
        # A robot on rollers rises and falls by a millimetre: its load goes from one to another, which begins to turn.
        ("omni", "bullet", 0.05, 0.05),
        ("omni", "ode", 0.15, 0.1),
        ("omni", "mujoco", 0.15, 0.1),
        ("scout", "planar", 1e-3, 1e-3),
        ("b21", "planar", 1e-3, 1e-3),
        ("msl", "planar", 1e-3, 1e-3),
        ("msl", "bullet", 0.05, 0.05),
    ],
)
def test_odometry_of_a_square(play: Callable[..., Any], name: str, engine: str, metres: float, radians: float) -> None:
    skip_without(engine)
    driven = Driven(play(engine=engine, referee=False, velocity_timeout=0.0), name)
    corners = []
    for velocity in SQUARES[name]:
        driven.drive(*velocity, seconds=2.0)
        corners.append(driven.place())
        assert driven.felt()[:2] == pytest.approx(corners[-1][:2], abs=metres)
    # It has been at the far corner, and is back by its wheels as by commands.
    assert max(np.hypot(corner[0], corner[1]) for corner in corners) == pytest.approx(math.sqrt(2.0), abs=metres)
    assert driven.felt() == pytest.approx([0.0, 0.0, 0.0], abs=5e-3)
    assert driven.place() == pytest.approx([0.0, 0.0, 0.0], abs=max(metres, radians))
    assert abs(driven.place()[2]) < radians


@pytest.mark.parametrize("name", ["differential", "omni"])
def test_wheels_are_driven_by_their_own_speeds(play: Callable[..., Any], name: str) -> None:
    driven = Driven(play(engine="planar", referee=False), name)
    wheels = np.array([i for i, joint in enumerate(driven.robot.description.model.joints) if joint.max_effort > 0.0])
    speeds = np.full(len(wheels), 2.0)
    command_velocities(driven.played.world, np.full(len(wheels), driven.robot.handle), wheels, speeds)
    driven.wait(0.5)
    state = driven.engine.state
    assert state.joint_velocity[wheels] == pytest.approx(speeds, abs=1e-3)
    if name == "differential":
        assert state.linear_velocity[0] == pytest.approx([2.0 * 0.0975, 0.0, 0.0], abs=1e-3)
    else:
        # All wheels roll the same way around.
        assert state.angular_velocity[0, 2] == pytest.approx(2.0 * 0.06 / 0.19, abs=1e-3)

"""A square of 1 m by every drive: where a robot on wheels is, and where its odometry says that it is.

Sides are driven at 0.5 m/s, with a stop at each corner; robots that cannot go sideways turn there.
"""

import math

import numpy as np

from simspark_ros.arena import Arena
from simspark_ros.effectors.walk import velocity_kind
from simspark_ros.motion.wheels.wheel_drive import WheelOdometer
from simspark_ros.physics.engine import Array
from simspark_ros.simulation.registry import known_effectors
from simspark_ros.simulation.velocity.drives import DRIVES, make_drive

QUARTER = math.pi / 2.0

# One side is driven, then the robot turns; side and turn take 2 s each.
TURNING = [(0.5, 0.0, 0.0), (0.0, 0.0, QUARTER / 2.0)] * 4
SIDEWAYS = [(0.5, 0.0, 0.0), (0.0, 0.5, 0.0), (-0.5, 0.0, 0.0), (0.0, -0.5, 0.0)]
SQUARES = {
    **dict.fromkeys(("differential", "pioneer", "scout", "b21", "pioneer_2at"), TURNING),
    **dict.fromkeys(("omni", "msl"), SIDEWAYS),
}
"""Velocities, m/s and rad/s, each for 2 s."""

REST = {"pioneer": 2.0, "b21": 1.5}
"""Time after which a robot stands that slows down gently, s; others take less than 1 s."""


class Driven:
    """A robot on wheels in an arena, and its odometer."""

    def __init__(self, arena: Arena, name: str) -> None:
        self.name, self.engine = name, arena.world.engine
        self._arena = arena
        # It comes down to the ground first, away from the ball.
        self.robot = arena.add(name, name=name, position=(0.0, 3.0))
        description = self.robot.description
        self._kind = velocity_kind(description, known_effectors())
        drive = make_drive(DRIVES, description, self.engine.cycle_time)
        assert drive is not None
        self.odometer = WheelOdometer(description, drive)
        self.start: Array = np.zeros(3)
        self.wait(0.5)
        self.start = self.place()

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        cycle = self.engine.cycle_time
        for _ in range(round(seconds / cycle)):
            self._arena.step()
            self.odometer.update(self.engine.state.joint_position, cycle)

    def drive(self, forward: float, left: float, turn: float, seconds: float) -> None:
        """Drive for a time, and come to a stand."""
        self.robot.act(self._kind, forward, left, turn)
        self.wait(seconds)
        self.robot.act(self._kind, 0.0, 0.0, 0.0)
        self.wait(REST.get(self.name, 1.0))

    def place(self) -> Array:
        """How far the base link's frame has come in the plane, m, and its heading, rad."""
        rotation = self.robot.rotation
        x, y, _ = self.robot.position - rotation @ np.array(self.robot.description.model.base.centre)
        return np.array([x, y, math.atan2(rotation[1, 0], rotation[0, 0])]) - self.start

    def felt(self) -> Array:
        """The same by odometry."""
        pose = self.odometer.pose
        return np.array([*pose.position[:2], math.atan2(pose.rotation[1, 0], pose.rotation[0, 0])])

    def square(self) -> tuple[Array, Array]:
        """Places and odometry, (N, 3) each, after each of N velocities."""
        places, felt = [], []
        for velocity in SQUARES[self.name]:
            self.drive(*velocity, seconds=2.0)
            places.append(self.place())
            felt.append(self.felt())
        return np.array(places), np.array(felt)


def arena(engine: str) -> Arena:
    """A world in which a velocity holds until the next one. engine: ENGINE or ENGINE:PRESET."""
    engine, _, preset = engine.partition(":")
    return Arena(engine=engine, preset=preset, referee=False, velocity_timeout=0.0)


def square(engine: str, name: str) -> tuple[Array, Array]:
    """As `Driven.square`, in a new world."""
    with arena(engine) as world:
        return Driven(world, name).square()

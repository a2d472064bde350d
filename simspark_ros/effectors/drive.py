"""Drive effector: the omnidrive of the older sphere robots (user manual, "Drive Effector")."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from simspark_ros.effectors.base import Effector, arguments, on_ground, options, own_robot
from simspark_ros.soccer.world import CommandRejectedError, Robot, World


@dataclass(frozen=True)
class DriveParameters:
    """Parameters in YAML.

    Attributes:
        max_force: at full drive, N.
        noise: standard deviation of each component, as a fraction of it.
        endurance: how long a full battery lasts at full drive, s.
    """

    max_force: float
    noise: float = 0.02
    endurance: float = 600.0

    def __post_init__(self) -> None:
        """Refuse what drives nothing."""
        if self.max_force <= 0 or self.endurance <= 0 or self.noise < 0:
            raise ValueError("max_force and endurance must be above 0, noise must not be negative")


@dataclass(frozen=True)
class Drive:
    """The force of one robot; a `Push` that goes on until another one replaces it.

    Attributes:
        robot: that drives.
        parameters: of its drive.
        vector: as a fraction of the largest force, in the own team's frame (x toward the opponent's side, z up).
    """

    robot: Robot
    parameters: DriveParameters
    vector: tuple[float, float, float]

    def apply(self, world: World, seconds: float) -> bool:
        """Push, if the robot touches the ground and has power left."""
        robot, state = self.robot, world.engine.state
        if robot.battery <= 0 or not on_ground(world, robot):
            return robot.battery > 0
        errors = 1.0 + self.parameters.noise * world.random.standard_normal(3)
        sign = 1 if robot.side is None else robot.side.sign
        scale = self.parameters.max_force * seconds / robot.description.model.mass
        row = state.row(robot.handle)
        x, y, z = (
            state.linear_velocity[row] + scale * errors * (sign * self.vector[0], sign * self.vector[1], self.vector[2])
        ).tolist()
        wx, wy, wz = state.angular_velocity[row].tolist()
        world.engine.set_velocity(robot.handle, (x, y, z), (wx, wy, wz))
        robot.battery = max(0.0, robot.battery - 100.0 * math.hypot(*self.vector) * seconds / self.parameters.endurance)
        return True


class DriveEffector(Effector):
    """`drive`: numbers (x, y, z) as fractions of the largest force; a longer vector than 1 is scaled to 1.

    The force persists until the next command. It acts on the centre of the robot, while it touches the ground.
    """

    kind: ClassVar[str] = "drive"
    options = DriveParameters

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Set the force; zero ends the drive."""
        arguments(self.kind, numbers, "x y z")
        robot = own_robot(world, client)
        parameters = options(DriveParameters, robot, self.kind)
        x, y, z = numbers[:3]
        length = math.hypot(x, y, z)
        if not math.isfinite(length):
            raise CommandRejectedError("drive: the force must be finite")
        world.pushes.pop((robot.handle, self.kind), None)
        if robot.battery <= 0:
            raise CommandRejectedError("drive: the battery is empty")
        if length > 0:
            scale = 1.0 / max(length, 1.0)
            world.pushes[robot.handle, self.kind] = Drive(robot, parameters, (x * scale, y * scale, z * scale))

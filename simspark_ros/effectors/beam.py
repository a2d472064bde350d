"""Beam effector: puts a player where it wants to be before a kick-off (user manual, "Beam Effector")."""

from __future__ import annotations

import math
from typing import ClassVar

from simspark_ros.effectors.base import Effector, arguments, mounted, own_robot
from simspark_ros.soccer.world import CommandRejectedError, Robot, World


class BeamEffector(Effector):
    """`beam`: numbers (x m, y m, heading rad) in the team's own frame: attacking toward +x, heading 0 = +x.

    Limits and uniform noise as measured on the reference (protocol reference, section 5): noise is added first, then
    the position is clamped; joints are kept, velocities become zero.
    """

    kind: ClassVar[str] = "beam"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Place the robot; only before a kick-off and after a goal."""
        arguments(self.kind, numbers, "x y heading")
        beam(world, own_robot(world, client), *numbers[:3])


def beam(world: World, robot: Robot, x: float, y: float, heading: float) -> None:
    """Place a robot in its team's own frame (m, rad), if it may be beamed now.

    Raises:
        CommandRejectedError: it has no such effector, or a number is not finite.
    """
    mounted(robot, BeamEffector.kind)
    if not world.game.may_beam or robot.side is None:
        return
    if not all(math.isfinite(number) for number in (x, y, heading)):
        raise CommandRejectedError("beam: position and heading must be finite numbers")
    settings, sign = world.settings.beam, robot.side.sign
    noise_x, noise_y, noise_yaw = world.random.uniform(-1.0, 1.0, 3).tolist()
    x = min(max(x + settings.noise_xy * noise_x, settings.min_x), settings.max_x)
    y = min(max(y + settings.noise_xy * noise_y, -settings.max_y), settings.max_y)
    yaw = math.remainder(heading, 2 * math.pi) + math.radians(settings.noise_deg) * noise_yaw
    world.place(robot, sign * x, sign * y, settings.height, yaw if sign > 0 else yaw + math.pi)

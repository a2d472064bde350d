"""Pan-tilt effector: turns a robot's view (user manual, "Vision Perceptor"; the manual gives no format)."""

from __future__ import annotations

import math
from typing import ClassVar

from simspark_ros.effectors.base import Effector, arguments, mounted, own_robot
from simspark_ros.soccer.world import CommandRejectedError, World


class PanTiltEffector(Effector):
    """`pantilt`: numbers (pan rad, tilt rad) relative to the body that carries the camera, positive left and up.

    The view turns at once and stays. It pans to any angle and tilts up to 90 degrees about the horizontal plane; more
    is cut to that.
    """

    kind: ClassVar[str] = "pantilt"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Set the direction."""
        arguments(self.kind, numbers, "pan tilt")
        robot = own_robot(world, client)
        mounted(robot, self.kind)
        if not all(map(math.isfinite, numbers[:2])):
            raise CommandRejectedError("pantilt: pan and tilt must be finite numbers")
        pan, tilt = numbers[:2]
        robot.pan_tilt = (math.remainder(pan, 2 * math.pi), min(max(tilt, -math.pi / 2), math.pi / 2))

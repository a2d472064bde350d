"""The trainer's end of everything (protocol reference, section 6, `killsim`)."""

from __future__ import annotations

from typing import ClassVar

from simspark_ros.effectors.base import Effector
from simspark_ros.soccer.world import World


class KillSimulationEffector(Effector):
    """`kill_simulation`: no arguments. Whether a trainer may do that is decided where its commands come in."""

    kind: ClassVar[str] = "kill_simulation"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Ask for the end of the simulation; it comes with the end of the cycle."""
        world.end_requested = True

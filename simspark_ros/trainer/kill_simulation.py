"""The trainer's end of everything (protocol reference, section 6, `killsim`)."""

from __future__ import annotations

from typing import ClassVar

from simspark_ros.trainer.base import Trainer, TrainerCommand


class KillSimulationEffector(TrainerCommand):
    """`kill_simulation`: no arguments. Whether a trainer may do that is decided where its commands come in."""

    kind: ClassVar[str] = "kill_simulation"

    def carry_out(self, trainer: Trainer, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Ask for the end of the simulation; it comes with the end of the cycle."""
        trainer.end()

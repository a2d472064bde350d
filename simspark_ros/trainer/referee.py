"""What a trainer decides over the referee: kick-off, drop ball, and that a decision does not hold."""

from __future__ import annotations

from typing import ClassVar

from simspark_ros.effectors.base import arguments
from simspark_ros.trainer.base import Trainer, TrainerCommand
from simspark_ros.trainer.robots import side_of


class KickOffEffector(TrainerCommand):
    """`kick_off`: words (side; empty = the team whose turn it is, see `GameState.next_kick_off`)."""

    kind: ClassVar[str] = "kick_off"

    def carry_out(self, trainer: Trainer, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Set the mode and put the ball on the centre spot; who stands where is for the rules to judge."""
        arguments(self.kind, words, "side")
        trainer.decisions(self.kind).kick_off(side_of(self.kind, words[0]))


class DropBallEffector(TrainerCommand):
    """`drop_ball`: no arguments."""

    kind: ClassVar[str] = "drop_ball"

    def carry_out(self, trainer: Trainer, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Put the ball at rest where it is, or where rules allow, both teams away from it, and let play go on."""
        trainer.decisions(self.kind).drop_ball()


class OverruleEffector(TrainerCommand):
    """`overrule`: numbers (number of the decision)."""

    kind: ClassVar[str] = "overrule"

    def carry_out(self, trainer: Trainer, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Undo a decision of the referee."""
        arguments(self.kind, numbers, "decision")
        trainer.decisions(self.kind).overrule(int(numbers[0]))

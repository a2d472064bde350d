"""What a trainer acts on: the world, the referee if there is one, and the simulation's end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from simspark_ros.effectors.base import Effector
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import CommandRejectedError, World


class Decisions(Protocol):
    """What a referee lets a trainer decide."""

    def kick_off(self, side: Side | None) -> None:
        """Let a side kick off; None = the side whose turn it is."""
        ...

    def drop_ball(self) -> None:
        """Drop the ball."""
        ...

    def overrule(self, number: int) -> object:
        """Undo the decision of that number.

        Raises:
            CommandRejectedError: there is no such decision, it is not kept any more, or it has been overruled.
        """
        ...


@dataclass(frozen=True)
class Trainer:
    """What a trainer's commands act on.

    Attributes:
        world: robots, ball and game.
        referee: takes the trainer's decisions; None = the world has none.
        end: ends the simulation with this cycle.
    """

    world: World
    referee: Decisions | None
    end: Callable[[], None]

    def decisions(self, kind: str) -> Decisions:
        """The referee, for a command of that kind.

        Raises:
            CommandRejectedError: the world has none.
        """
        if self.referee is None:
            raise CommandRejectedError(f"{kind}: this world has no referee")
        return self.referee


class TrainerCommand(Effector):
    """A command that needs more than the world."""

    def carry_out(self, trainer: Trainer, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Carry out one command; all or nothing.

        Args:
            trainer: what it acts on.
            words: text arguments.
            numbers: finite numeric arguments.

        Raises:
            CommandRejectedError: nothing was changed.
        """
        raise NotImplementedError

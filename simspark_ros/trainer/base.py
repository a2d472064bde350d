"""Trainer commands and what they act on: the world, the referee if there is one, the end of the simulation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Concatenate, Generic, ParamSpec, Protocol

from simspark_ros.effectors.signature import Signature
from simspark_ros.exchange import Argument
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import CommandRejectedError, World

P = ParamSpec("P")


class Decisions(Protocol):
    """Decisions of the referee that a trainer can make."""

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
    """Access of trainer commands to the simulation; `end` ends it with this cycle."""

    world: World
    referee: Decisions | None
    end: Callable[[], None]

    def decisions(self, kind: str) -> Decisions:
        """The referee, for a command of that kind; `CommandRejectedError` if the world has none."""
        if self.referee is None:
            raise CommandRejectedError(f"{kind}: this world has no referee")
        return self.referee


class TrainerCommand(Generic[P]):
    """A kind of trainer command."""

    def __init__(self, kind: str, function: Callable[Concatenate[Trainer, P], None]) -> None:
        self.kind = kind
        self.signature = Signature(kind, function, 1)
        self._function: Callable[..., None] = function
        self.__doc__ = function.__doc__

    def __call__(self, trainer: Trainer, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call the function without any check."""
        self._function(trainer, *args, **kwargs)

    def command(self, trainer: Trainer, arguments: Sequence[Argument]) -> None:
        """Carry out a command; all or nothing.

        Raises:
            CommandRejectedError: the message says what is wrong.
        """
        self._function(trainer, *self.signature.check(arguments))


def trainer_command(kind: str) -> Callable[[Callable[Concatenate[Trainer, P], None]], TrainerCommand[P]]:
    """Turn a function into a trainer command. It takes the trainer and arguments: float, int, str or bool."""

    def make(function: Callable[Concatenate[Trainer, P], None]) -> TrainerCommand[P]:
        TRAINER_COMMANDS[kind] = command = TrainerCommand(kind, function)
        return command

    return make


TRAINER_COMMANDS: dict[str, TrainerCommand[Any]] = {}
"""By kind; the modules of this package fill it."""

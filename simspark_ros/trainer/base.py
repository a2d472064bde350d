"""Trainer commands and their targets: the world, the referee if there is one, the end of the simulation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, TypeVar

from simspark_ros.effectors.signature import Signature
from simspark_ros.exchange import Argument
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import SoccerWorld
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.robot import Robot

F = TypeVar("F", bound=Callable[..., str | None])


class RefereeControl(Protocol):
    """Actions that a trainer can ask of the referee."""

    def kick_off(self, side: Side | None) -> None:
        """Let a side kick off; None = the side whose turn it is."""

    def drop_ball(self) -> None:
        """Drop the ball."""

    def note_ball(self) -> None:
        """Take the ball's place as it is: it was put there and did not roll there."""

    def overrule(self, number: int) -> object:
        """Undo the decision of that number.

        Raises:
            CommandRejectedError: there is no such decision, it is not kept any more, or it has been overruled.
        """


class PlayerControl(Protocol):
    """Starts and stops player plug-ins for a trainer; both raise `CommandRejectedError` if they cannot."""

    def start(self, text: str) -> Robot:
        """Start a player by `[name=]kind[?option=value&...]`; returns its robot, a new one or one without an agent."""

    def stop(self, name: str = "") -> None:
        """Stop the player of that name, or all."""


class WorldKeeper(Protocol):
    """Saves the world as it stands."""

    def save(self, name: str) -> object:
        """Save the world under a name; `CommandRejectedError` if that fails."""


class SceneEditor(Protocol):
    """Adds, places and removes robots; all raise `CommandRejectedError` if they cannot."""

    def add(self, word: str) -> None:
        """Add a robot by `[name=]robot[/type][@x,y[,heading]]`, m and rad."""

    def add_object(self, word: str) -> None:
        """Add a solid that moves by `[name=]shape/size,...[/mass[/r,g,b]][@x,y[,heading]]`, m, kg and rad."""

    def change_object(self, handle: int, word: str) -> None:
        """Give an object another body by `shape/size,...[/mass[/r,g,b]]`."""

    def place(
        self,
        handle: int,
        place: tuple[float, float] | None = None,
        height: float | None = None,
        heading: float | None = None,
        *,
        goes_on: bool = False,
    ) -> None:
        """Put a robot or an object elsewhere, m and rad; None = as it is. One `undo` takes back placings that go on."""

    def remove(self, handle: int) -> None:
        """Take a robot or an object out."""

    def clear(self) -> None:
        """Take out all that clients have added."""

    def undo(self) -> None:
        """Undo the last change."""


class Trainer(NamedTuple):
    """Access of trainer commands to the simulation; `end` ends it with this cycle, `begin_again` resets it."""

    world: SoccerWorld
    referee: RefereeControl | None
    end: Callable[[], None]
    begin_again: Callable[[], None]
    players: PlayerControl | None = None
    worlds: WorldKeeper | None = None
    scene: SceneEditor | None = None

    def require_scene(self) -> SceneEditor:
        """The editor of the scene; `CommandRejectedError` if there is none."""
        if self.scene is None:
            raise CommandRejectedError("the scene of this simulation cannot be edited")
        return self.scene

    def require_players(self) -> PlayerControl:
        """The control of player plug-ins; `CommandRejectedError` if there is none."""
        if self.players is None:
            raise CommandRejectedError("no players run in this simulation")
        return self.players

    def require_referee(self, kind: str) -> RefereeControl:
        """The referee, for a command of that kind; `CommandRejectedError` if the world has none."""
        if self.referee is None:
            raise CommandRejectedError(f"{kind}: this world has no referee")
        return self.referee


class TrainerCommand(NamedTuple):
    """A kind of trainer command."""

    function: Callable[..., str | None]
    signature: Signature

    def command(self, trainer: Trainer, arguments: Sequence[Argument]) -> str:
        """Carry out a command; all or nothing.

        Returns:
            What the trainer is to be told of the success; mostly nothing.

        Raises:
            CommandRejectedError: the message names the fault.
        """
        return self.function(trainer, *self.signature.check(arguments)) or ""


TRAINER_COMMANDS: dict[str, TrainerCommand] = {}
"""All trainer commands, by kind; the modules of this package fill it."""


def trainer_command(function: F) -> F:
    """Register a function as the trainer command of its name. It takes the trainer, and float, int, str or bool."""
    kind = function.__name__
    TRAINER_COMMANDS[kind] = TrainerCommand(function, Signature(kind, function, 1))
    return function

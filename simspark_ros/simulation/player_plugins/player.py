"""Base of player plug-ins: a program that controls one robot from inside the simulation, without a connection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np

from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.exchange import Argument
from simspark_ros.motion.drive import Drive
from simspark_ros.sensors.container import SensorContainer, SensorData
from simspark_ros.sensors.perceptual_model import PerceptualModel
from simspark_ros.simulation.drawings import Drawing, Drawings
from simspark_ros.soccer.field import Place
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld
from simspark_ros.worlds.errors import CommandRejectedError

LONGEST_MESSAGE, MOST_MESSAGES = 1024, 16
"""Most characters of a message, and most messages of a player in a cycle."""


@dataclass(frozen=True)
class PlayerOptions(Checked):
    """Options of every player.

    Attributes:
        robot: name or file of its robot, as in `robots` of the simulator; empty = the plug-in's default.
        x, y: place of its robot at the start, m; if x, y and `heading_deg` are all 0, any free place.
        heading_deg: heading of its robot at the start, degrees.
    """

    robot: str = ""
    x: Annotated[float, Place] = 0.0
    y: Annotated[float, Place] = 0.0
    heading_deg: Annotated[float, Range(-360.0, 360.0)] = 0.0


@dataclass(eq=False)
class PlayerBody:
    """The `RobotAccess` of a player, with the robot itself, a clock, and the messages of other players.

    Attributes:
        name: the player's name, and the robot's.
        robot: the robot that the player controls.
        sensors: the container of the robot's sensors; an update within a cycle comes with the next cycle.
        random: the only source of randomness that keeps runs reproducible.
        cycle_time: time from one `sense_and_act` to the next, s.
        act: the function that carries out a command, see `command`.
        make_exact: the function after which the sensors of some data measure in every cycle and without errors.
        drive: a drive like the robot's, with its motion model, for this player alone; None = the robot has none.
        time: simulated time, s.
        drawings: the drawings of all programs, see `draw`.
        models: models of the values to expect where, by feature; all players of a simulation share what was learned.
        heard: senders and texts of the messages of the last cycle.
        said: texts that the player broadcasts in this cycle.
        moved_by: kind of the effector of `move`.
    """

    name: str
    robot: SoccerRobot
    sensors: SensorContainer
    random: np.random.Generator
    cycle_time: float
    act: Callable[[str, tuple[Argument, ...]], None]
    make_exact: Callable[[Sequence[SensorData]], None]
    models: dict[str, PerceptualModel]
    drawings: Drawings
    drive: Drive | None = None
    time: float = 0.0
    heard: tuple[tuple[str, str], ...] = ()
    said: list[str] = field(default_factory=list)
    moved_by: str = "wheels"

    def command(self, kind: str, *arguments: Argument) -> None:
        """Use an effector of the robot, with its arguments in SI units and radians.

        Raises:
            CommandRejectedError: the robot has no such effector, or it refuses the command.
        """
        self.act(kind, arguments)

    def move(self, forward: float, left: float, turn: float) -> None:
        """Move the robot, m/s and rad/s, by its wheels, walk or drive; errors as in `command`."""
        self.command(self.moved_by, forward, left, turn)

    def broadcast(self, text: str) -> None:
        """Send a message to all other players, which hear it in their next cycle.

        Raises:
            CommandRejectedError: the message is too long, or there are too many in this cycle.
        """
        if len(text) > LONGEST_MESSAGE or len(self.said) == MOST_MESSAGES:
            limits = f"{MOST_MESSAGES} messages of {LONGEST_MESSAGE} characters"
            raise CommandRejectedError(f"player '{self.name}': at most {limits} in a cycle")
        self.said.append(text)

    def draw(self, name: str, drawing: Drawing) -> None:
        """Draw something for people who watch, in place of the earlier drawing of that name.

        Raises:
            CommandRejectedError: there are too many drawings.
        """
        try:
            self.drawings.put(f"{self.name}/{name}", drawing)
        except ValueError as error:
            raise CommandRejectedError(f"player '{self.name}': {error}") from None


class PlayerPlugin:
    """Base of player plug-ins; an exception of a plug-in ends the player, not the match.

    Attributes:
        options: dataclass of its options, made from texts like `policy=block`.
        default_robot: name or file of its robot if its options name none.
        uses_world: whether it reads or changes the world beside its robot's sensors and effectors. The operator may
            refuse such players (`fair_players`).
        body: its robot and the rest that it controls.
        settings: its options, an object of `options`.
        finished: whether it has nothing more to do, and is to be stopped.
    """

    options: ClassVar[type[PlayerOptions]] = PlayerOptions
    default_robot: ClassVar[str] = "differential_sensors"
    uses_world: ClassVar[bool] = False

    def __init__(self, body: PlayerBody, world: SoccerWorld, settings: Any) -> None:
        self.body, self.settings = body, settings
        self.finished = False
        self._world = world

    @property
    def world(self) -> SoccerWorld:
        """The state of everything, to read and to change.

        Raises:
            CommandRejectedError: the plug-in does not declare `uses_world`.
        """
        if not self.uses_world:
            raise CommandRejectedError("a player that does not declare `uses_world` has only its sensors")
        return self._world

    def sense_and_act(self) -> None:
        """Read sensors and give commands, once a cycle."""
        raise NotImplementedError

    def reset(self) -> None:
        """Forget the old game: a new one begins."""

"""The control node of player plug-ins: starts them, lets each sense and act once a cycle, and stops them."""

from __future__ import annotations

import logging
import math
import zlib
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from simspark_ros.configuration.entry_points import Group
from simspark_ros.configuration.errors import UserError, in_a_line, shown
from simspark_ros.configuration.limits import for_own_files
from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.effectors.walk import velocity_kind
from simspark_ros.exchange import Argument, Notice
from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry.rotations import upright
from simspark_ros.robots.catalogue import robot_names
from simspark_ros.sensors.perceptual_model import PerceptualModel
from simspark_ros.simulation.agent_control import AgentControl
from simspark_ros.simulation.loading.robot_resources import check_name, find_resource
from simspark_ros.simulation.loading.spawning import SpawnPose, spawn
from simspark_ros.simulation.loop import ControlNode, Simulation, Work
from simspark_ros.simulation.player_plugins.avoider import AvoiderPlayer
from simspark_ros.simulation.player_plugins.goalkeeper import GoalkeeperPlayer
from simspark_ros.simulation.player_plugins.localizer import LocalizerPlayer
from simspark_ros.simulation.player_plugins.mapper import MapperPlayer
from simspark_ros.simulation.player_plugins.player import PlayerBody, PlayerOptions, PlayerPlugin
from simspark_ros.simulation.senses.simulated_sensors import Draw, SimulatedSensors
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.simulation.velocity.locomotion import Locomotion
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.robot import Robot

PLAYERS: dict[str, type[PlayerPlugin]] = {
    "avoider": AvoiderPlayer,
    "goalkeeper": GoalkeeperPlayer,
    "localizer": LocalizerPlayer,
    "mapper": MapperPlayer,
}
"""Player plug-ins of this package, by kind."""

PLAYER_GROUP = Group("simspark_ros.players", PlayerPlugin, built_in=PLAYERS)

MAX_PLAYERS = 64
"""Most players at a time."""


def player_types() -> dict[str, type[PlayerPlugin]]:
    """All kinds of players."""
    return PLAYER_GROUP.parts()


def parse_player(text: str) -> tuple[str, str, dict[str, Any]]:
    """Name, kind and options of `[name=]kind[?option=value&...]`.

    Raises:
        CommandRejectedError: the text has another form.
    """
    start, _, query = text.partition("?")
    name, separator, kind = start.partition("=")
    pairs = [pair.partition("=") for pair in query.split("&")] if query else []
    options = {key.strip(): value for key, sign, value in pairs if sign and key.strip()}
    if len(options) < len(pairs) or not (kind if separator else name):
        raise CommandRejectedError(
            f"player {shown(text)}: write [name=]kind[?option=value&option=value], each option once"
        )
    values = {key: _value(value) for key, value in options.items()}
    return (name.strip(), kind.strip(), values) if separator else ("", name.strip(), values)


def _value(text: str) -> bool | int | float | str:
    """The value of a word. It is not read as YAML: trainers send such words, and YAML may nest without end."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


@dataclass
class RunningPlayer:
    """A player that runs.

    Attributes:
        text: the text that it was started from.
        owns_robot: whether its robot was added for it and is removed with it.
    """

    text: str
    player: PlayerPlugin
    sensors: SimulatedSensors
    owns_robot: bool


class PlayerHost(ControlNode):
    """Runs player plug-ins, in the order in which they were started.

    Args:
        settings: settings of the simulation.
        types: classes of players, by kind.
        models: values that sensors are to expect at each pose, by feature, see `PlayerBody.models`.

    Attributes:
        running: running players, by name.
        draw: function that takes the pictures of their cameras; None = pictures stay empty.
    """

    draw: Draw | None = None

    def __init__(
        self,
        settings: SimulationSettings,
        types: Mapping[str, type[PlayerPlugin]],
        models: Mapping[str, PerceptualModel],
    ) -> None:
        self.running: dict[str, RunningPlayer] = {}
        self._has_begun = False
        self._troubles: set[str] = set()
        self._models = dict(models)
        self._settings, self._types = settings, types

    def attach(self, simulation: Simulation, stack: ExitStack) -> None:
        """Take part in a simulation, and start the players of the settings; a `ConfigurationError` names them."""
        self._simulation = simulation
        simulation.players = self
        simulation.add_node(self)
        # A list of ROS parameters that says nothing has an empty text.
        for player in filter(None, self._settings.players):
            try:
                self.start(player)
            except CommandRejectedError as error:
                raise ConfigurationError(f"players: {error}") from None

    def start(self, text: str, pose: SpawnPose | None = None) -> Robot:
        """Start a player; returns its robot, which has the player's name.

        Args:
            text: `[name=]kind[?option=value&option=value]`, e.g. `keeper=goalkeeper?policy=block`. A robot of that name
                that has no agent is taken; otherwise one is added.
            pose: pose of an added robot; None = as the options say.

        Raises:
            CommandRejectedError: the player cannot be started; the message says why.
        """
        name, kind, settings = self._read(text)
        if len(self.running) == MAX_PLAYERS:
            raise CommandRejectedError(f"there are {MAX_PLAYERS} players, which is the limit; stop one first")
        plug_in = self._types[kind]
        try:
            check_name(name)
            robot, is_new = self._robot(name or kind, bool(name), settings, plug_in, pose)
        except UserError as error:
            raise CommandRejectedError(str(error)) from None
        try:
            self._begin(text, plug_in, settings, robot, is_new)
        # Any code may run there.
        except Exception as error:
            if is_new:
                self._simulation.world.remove_robot(robot)
            raise CommandRejectedError(f"player {kind}: {in_a_line(f'{type(error).__name__}: {error}')}") from None
        return robot

    def robot_of(self, text: str) -> str:
        """Name or file of the robot that a player would get, see `PlayerOptions.robot`; errors as in `start`."""
        _, kind, settings = self._read(text)
        return str(settings.robot or self._types[kind].default_robot)

    def stop(self, name: str = "") -> None:
        """Stop a player, or all if none is named, and remove the robots that were added for them.

        Raises:
            CommandRejectedError: there is no player of that name.
        """
        if not name:
            for one in list(self.running):
                self._end(one)
            return
        if name not in self.running:
            there = ", ".join(self.running) or "none"
            raise CommandRejectedError(f"there is no player {shown(name)}; there are: {there}")
        self._end(name)

    def work(self, simulation: Simulation) -> tuple[Work, Work]:
        """Players."""
        return self.running, ()

    def init(self, simulation: Simulation) -> None:
        """The simulation begins: from now on it waits for no file."""
        self._has_begun = True

    def act_agent(self, simulation: Simulation) -> None:
        """Let all players sense and act, and pass on their messages."""
        heard = [(name, text) for name, one in self.running.items() for text in one.player.body.said]
        for one in self.running.values():
            one.player.body.said = []
        for name, one in list(self.running.items()):
            body = one.player.body
            if self._is_over(one):
                self._end(name)
                continue
            body.time = simulation.time
            body.heard = tuple((sender, text) for sender, text in heard if sender != name)
            self._run_guarded(name, one, one.player.sense_and_act)
            if self._is_over(one):
                self._end(name)

    def sense_agent(self, simulation: Simulation) -> None:
        """Request the measurements that players ask for."""
        for one in self.running.values():
            one.sensors.sense_agent(simulation)

    def end_cycle(self, simulation: Simulation) -> None:
        """Fill the containers."""
        for one in self.running.values():
            one.sensors.end_cycle(simulation)

    def reset(self) -> None:
        """A new game."""
        for name, one in self.running.items():
            self._run_guarded(name, one, one.player.reset)

    def _read(self, text: str) -> tuple[str, str, PlayerOptions]:
        """Name, kind and options of a player that may be started; errors as in `start`."""
        name, kind, options = parse_player(text)
        if kind not in self._types:
            known = PLAYER_GROUP.suggestion(kind, sorted(self._types))
            raise CommandRejectedError(f"unknown player {shown(kind)}; {known}")
        if self._types[kind].uses_world and self._settings.fair_players:
            raise CommandRejectedError(f"player {kind} uses more than its sensors tell; fair_players forbids that")
        try:
            return name, kind, build(self._types[kind].options, options, f"player {kind}")
        except UserError as error:
            raise CommandRejectedError(str(error)) from None

    def _is_over(self, one: RunningPlayer) -> bool:
        """Whether a player has finished, or its robot is gone."""
        robot = one.player.body.robot
        return one.player.finished or self._simulation.world.robots.get(robot.handle) is not robot

    def _run_guarded(self, name: str, one: RunningPlayer, work: Callable[[], None]) -> None:
        """Do a player's work; a player that raises has finished."""
        try:
            work()
        # Any code may run there.
        except Exception as error:
            self._simulation.notice(Notice("", self._tell(name, parse_player(one.text)[1], error)))
            one.player.finished = True

    def _tell(self, name: str, kind: str, error: Exception) -> str:
        """Log an exception of a player; a player of another distribution is named with its distribution."""
        if kind not in PLAYERS:
            return PLAYER_GROUP.fails(kind, error, f"player '{name}' is stopped")
        reason = in_a_line(f"{type(error).__name__}: {error}")
        logging.getLogger("simspark").warning("player '%s' fails and is stopped: %s", name, reason)
        return f"player '{name}' fails and is stopped: {reason}"

    def _robot(
        self, name: str, is_wanted: bool, settings: PlayerOptions, kind: type[PlayerPlugin], pose: SpawnPose | None
    ) -> tuple[Robot, bool]:
        """The robot of a player, and whether it is a new one."""
        world = self._simulation.world
        robot = world.robot_named(name) if is_wanted else None
        if robot is not None:
            if robot.client or name in self.running:
                raise UserError(f"robot '{name}' is controlled already, by an agent or a player; choose another name")
            return robot, False
        resource = find_resource(settings.robot or kind.default_robot)
        if self._has_begun and resource.takes_long(world.types):
            names = ", ".join(robot_names())
            raise UserError(f"{shown(settings.robot)}: a running simulation waits for no file; use one of {names}")
        # Before the beginning only the operator starts players.
        limits = self._settings if self._has_begun else for_own_files(self._settings)
        description = resource.load(limits, world.types)
        if pose is None and any((settings.x, settings.y, settings.heading_deg)):
            pose = SpawnPose((settings.x, settings.y, 0.0), upright(math.radians(settings.heading_deg)))
        return spawn(world, description, limits, name, not is_wanted, pose), True

    def _begin(self, text: str, kind: type[PlayerPlugin], settings: Any, robot: Any, is_new: bool) -> None:
        world = self._simulation.world
        sensors = SimulatedSensors(robot, self._simulation.sensing, self._pictures)
        random = np.random.default_rng([self._settings.seed, zlib.crc32(robot.name.encode())])
        act = partial(self._act, robot)
        body = PlayerBody(
            robot.name,
            robot,
            sensors.container,
            random,
            world.engine.cycle_time,
            act,
            partial(sensors.make_exact, world),
            self._models,
            self._simulation.drawings,
            self._simulation.required(Locomotion).drive_of(robot, world.engine.cycle_time),
            self._simulation.time,
        )
        effectors = self._simulation.required(AgentControl).effectors
        body.moved_by = velocity_kind(robot.description, effectors) or body.moved_by
        self.running[robot.name] = RunningPlayer(text, kind(body, world, settings), sensors, is_new)

    def _pictures(self, robot: str, camera: str) -> Mapping[str, Array]:
        """The pictures of a player's camera; if they cannot be drawn there are none, and the log says why, once."""
        try:
            return self.draw(robot, camera) if self.draw else {}
        except UserError as error:
            if str(error) not in self._troubles:
                self._troubles.add(str(error))
                logging.getLogger("simspark").warning("players get no pictures: %s", error)
            return {}

    def _act(self, robot: Robot, kind: str, arguments: tuple[Argument, ...]) -> None:
        self._simulation.required(AgentControl).act(self._simulation.world, robot, kind, arguments)

    def _end(self, name: str) -> None:
        one, world = self.running.pop(name), self._simulation.world
        one.sensors.close(self._simulation)
        robot = one.player.body.robot
        if world.robots.get(robot.handle) is not robot:
            return
        if one.owns_robot:
            world.remove_robot(robot)
        else:
            world.velocity_commands.pop(robot.handle, None)

"""Opponents of learners that are written by hand: the demonstration team, player plug-ins, and functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeAlias

import numpy as np

from simspark_ros.arena import Arena, ArenaRobot
from simspark_ros.configuration.errors import UserError, shown
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.motion.interface import Command
from simspark_ros.physics.engine import Array
from simspark_ros.players.answer import Answer
from simspark_ros.players.behaviour.team_play import GOALKEEPER
from simspark_ros.players.percepts import Percept
from simspark_ros.players.player import PlayerAgent
from simspark_ros.players.team import ROBOT, WHEELED, simple_player, team_player, type_of, usual_tactics
from simspark_ros.players.team_settings import load_team_settings
from simspark_ros.players.world_model import WorldModel
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.types.parameters import name_and_type
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.player_plugins.host import PlayerHost, parse_player
from simspark_ros.simulation.velocity.drives import DRIVES
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.settings import field_text
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.world import World

Opponent: TypeAlias = str | Callable[[WorldModel], Command]
"""`demo`, a player of the demonstration team; a player plug-in, `kind[?option=value&...]`; or a function from what a
player believes to the command for its legs, as of `play` (docs/tutorials/write_an_agent.md)."""

DEMO, LEARNERS, TEAM = "demo", "left", "right"

OUT = 0.4
"""Distance of a keeper from its goal line at the start, m."""


def listed(opponents: Opponent | Sequence[Opponent], count: int = 1) -> tuple[Opponent, ...]:
    """Opponents one by one; a single one stands for `count` of them."""
    return (opponents,) * count if isinstance(opponents, str) or callable(opponents) else tuple(opponents)


def forget_commands(world: World, robot: int) -> None:
    """Cancel a robot's earlier commands, by its handle: of its motors, its way, and lasting ones, as a kick."""
    world.motors.stop(robot)
    world.velocity_commands.pop(robot, None)
    for key in [key for key in world.pushes if key[0] == robot]:
        del world.pushes[key]


class Opponents:
    """Robots of the right team that play by themselves; they begin anew with each episode, also in a new world.

    Args:
        arena: the arena that has, or will have, learners as its left team.
        who: players of the robots, see `Opponent`; perhaps none.
        learner: robot of the learners. Players of the demonstration team and functions have the same body; against
            robots on wheels they have `msl`. Plug-ins have their own robots.
        keeps: whether number 1 of the demonstration team is its goalkeeper.

    Attributes:
        names: names of the robots.

    Raises:
        ConfigurationError: an opponent cannot be made; the message says why.
    """

    def __init__(self, arena: Arena, who: Sequence[Opponent], learner: str, keeps: bool = True) -> None:
        self.names = tuple(f"{TEAM}_{number + 1}" for number in range(len(who)))
        self._arena, self._keeps = arena, keeps
        robot, variant = name_and_type(learner)
        self._robot = WHEELED if any(map(load_robot(robot, variant).has_effector, DRIVES)) else robot
        self._players: dict[str, _Player] = {}
        self._postures: dict[str, Array] = {}
        for unum, one in enumerate(who, 1):
            self._add(one, unum)

    def begin(self, places: Iterable[tuple[float, float, float]]) -> None:
        """Begin an episode: they stand at these places (x and y in m, heading in rad) and forget the last one."""
        arena, world = self._arena, self._arena.world
        for name, place in zip(self.names, places, strict=True):
            handle = arena.entity(name).handle
            forget_commands(world, handle)
            world.engine.set_joint_positions(handle, self._postures[name])
            arena[name].place(*place)
            self._players[name].begin(arena.simulation)
        # Otherwise players would wait for a kick-off, and there is no referee.
        arena.game.set_play_mode(PlayMode.PLAY_ON)

    def begin_before_goal(self, ball: Array, random: np.random.Generator) -> None:
        """Begin an episode: the first one stands in the right goal, others between it and the ball, (2,) m."""
        field = self._arena.world.settings.field
        goal = np.array([field.length / 2.0, 0.0])
        places = [(float(goal[0]) - OUT, random.uniform(-0.25, 0.25) * field.goal_width, math.pi)]
        for _ in self.names[1:]:
            between = goal + random.uniform(0.2, 0.8) * (ball - goal)
            places.append((float(between[0]), float(between[1]) + random.uniform(-1.0, 1.0), math.pi))
        self.begin(places[: len(self.names)])

    def seen_from(self, robot: ArenaRobot) -> Array:
        """(2 K,) places of the opponents from a robot, in its axes, m."""
        arena = self._arena
        away = np.array([arena[name].position for name in self.names]).reshape(-1, 3) - robot.position
        return (away @ robot.rotation)[:, :2].ravel()

    def _add(self, who: Opponent, unum: int) -> None:
        name, arena = self.names[unum - 1], self._arena
        if isinstance(who, str) and who != DEMO:
            host = arena.simulation.required(PlayerHost)
            try:
                if parse_player(who)[0]:
                    raise CommandRejectedError(f"player {shown(who)}: leave its name out; opponents are {name}, ...")
                robot = host.robot_of(who)
            except CommandRejectedError as error:
                raise ConfigurationError(f"opponents: {error}; you may also write demo or give a function") from None
            arena.add(robot, name=name, team=TEAM, unum=unum)
            self._players[name] = _PlugIn(f"{name}={who}")
        else:
            robot, make = self._maker(who, unum)
            player = _Thinker(make, unum)
            arena.add(robot, name=name, team=TEAM, unum=unum, agent=lambda: player)
            self._players[name] = player
        self._postures[name] = arena[name].joint_positions

    def _maker(self, who: Opponent, unum: int) -> tuple[str, Callable[[], PlayerAgent]]:
        """The robot of a player that gets percepts, and a function that makes the player."""
        robot, cycle = self._robot, self._arena.cycle_time
        world = field_text(self._arena.world.settings.field)
        if callable(who):
            return robot, partial(simple_player, who, TEAM, robot=robot, world=world, cycle=cycle)
        tactics = load_team_settings(usual_tactics(world, robot))
        goalkeeper = GOALKEEPER if self._keeps else 0
        make = partial(team_player, TEAM, unum, tactics, cycle, robot=robot, world=world, goalkeeper=goalkeeper)
        return (f"{robot}/{type_of(unum, tactics, ())}" if robot == ROBOT else robot), make


class _Player(Protocol):
    """A player of a robot."""

    def begin(self, simulation: Simulation) -> None:
        """Begin an episode, and forget the last one."""


class _PlugIn:
    """A player plug-in; `text` has its name, and starts it."""

    def __init__(self, text: str) -> None:
        self._text, self._name = text, text.partition("=")[0]
        self._simulation: Simulation | None = None

    def begin(self, simulation: Simulation) -> None:
        """See `_Player`. A UserError if the plug-in failed in the last episode: learners would play against nobody."""
        host = simulation.required(PlayerHost)
        if self._simulation is not simulation:
            try:
                host.start(self._text)
            except CommandRejectedError as error:
                raise ConfigurationError(f"opponents: {error}") from None
            self._simulation = simulation
        elif self._name not in host.running:
            raise UserError(f"opponent '{self._text}' has failed or finished; the log says why")
        else:
            host.running[self._name].player.reset()


class _Thinker:
    """A player that answers percepts, another one in each episode; an `Agent` of the arena."""

    def __init__(self, make: Callable[[], PlayerAgent], unum: int) -> None:
        self._make, self._unum = make, unum
        self._agent, self._is_new = make(), True

    def begin(self, simulation: Simulation) -> None:
        """See `_Player`."""
        if not self._is_new:
            self._agent, self._is_new = self._make(), True

    def act(self, percept: Percept) -> Answer:
        """Answer a percept."""
        if self._is_new:
            # Number and side are sent once, when a robot joins, and it stays.
            self._is_new = False
            percept = replace(percept, game=replace(percept.game, unum=self._unum, side=TEAM))
        return self._agent.act(percept)

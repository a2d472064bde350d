"""The facade: a world, its robots and its time, in the hands of a program."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from simspark_ros.arena.agents import Agents
from simspark_ros.arena.host import ArenaError, RobotHost, refusals
from simspark_ros.arena.robot import ArenaRobot
from simspark_ros.arena.roster import Member
from simspark_ros.configuration.errors import MissingPackageError
from simspark_ros.configuration.limits import for_own_files
from simspark_ros.configuration.schema import build
from simspark_ros.physics.engine import Array
from simspark_ros.physics.model import ZERO, Vector
from simspark_ros.players.answer import Agent
from simspark_ros.protocol.agent.dialect import load_dialect
from simspark_ros.rendering.player_pictures import PlayerPictures
from simspark_ros.robots.body.bolts import with_base
from simspark_ros.robots.description import RobotDescription
from simspark_ros.simulation.assembly import Assembly, PlugIns
from simspark_ros.simulation.attachments import attach_all
from simspark_ros.simulation.loading.robot_resources import RobotWord, find_resource, named_resource
from simspark_ros.simulation.loop import ControlNode
from simspark_ros.simulation.referee import Referee
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.simulation.state_hash import state_hash
from simspark_ros.soccer.game_state import GameState, PlayMode
from simspark_ros.soccer.referee.decision import Decision

if TYPE_CHECKING:
    from simspark_ros.rendering.renderer import Picture


@dataclass(frozen=True)
class Ball:
    """The present state of the ball, world frame.

    Attributes:
        position: (3,) centre, m.
        velocity: (3,) velocity, m/s.
        spin: (3,) angular velocity, rad/s.
    """

    position: Array
    velocity: Array
    spin: Array


class Arena(RobotHost, AbstractContextManager["Arena"]):
    """A simulated world that belongs to one program and moves when `step` is called.

    Args:
        robots: names of robots, files, or `NAME=ROBOT/TYPE`, as in `simspark serve --robot`.
        plug_ins: sensors, actuators and rules that the program brings.
        settings: settings of docs/reference/settings.md: `engine`, `world`, `seed`, `referee`, `rules`, `motors`, ...

    Attributes:
        simulation: the simulation behind the arena, a new one after each reset; for all that the arena does not offer.
        effectors: all effectors, by kind; `ArenaRobot.act` uses them.

    Raises:
        UserError: a setting, a file, an engine or a robot cannot be used; the message says what to do.
    """

    def __init__(self, *robots: str, plug_ins: PlugIns | None = None, **settings: Any) -> None:
        self._settings = build(SimulationSettings, settings, "Arena")
        self._limits = for_own_files(self._settings)
        self._assembly = Assembly(self._settings, plug_ins)
        self._profile = load_dialect(self._settings.with_classic_agents().profile)
        self._seed = self._settings.seed
        self._members: dict[str, Member] = {}
        self._nodes: list[ControlNode] = []
        self._pictures = PlayerPictures(lambda: self._seed, self._settings.renderer)
        self._robots: dict[str, ArenaRobot] = {}
        self._build()
        try:
            for text in robots:
                name, resource = named_resource(text)
                *position, heading = RobotWord.of(text).place or (0.0,)
                described = resource.load(self._limits, self.world.types)
                self.add(described, name=name, position=position or None, heading=heading)
        except BaseException:
            self.close()
            raise

    def __exit__(self, *error: object) -> None:
        """Close the arena."""
        self.close()

    def __getitem__(self, name: str) -> ArenaRobot:
        """The robot of that name; an `ArenaError` lists all names."""
        self.entity(name)
        return self._robots.setdefault(name, ArenaRobot(self, name))

    def __repr__(self) -> str:
        """Engine, world, robots and time."""
        if not self._open:
            return "<Arena, closed>"
        names = ", ".join(robot.name for robot in self.robots) or "no robots"
        settings = self._assembly.settings
        return f"<Arena on {settings.engine}, world {settings.world or 'soccer'}, t = {self.time:.2f} s: {names}>"

    def _repr_png_(self) -> bytes | None:
        """A picture of all robots, for notebooks; None where nothing can be drawn."""
        if not self._open:
            return None
        from simspark_ros.rendering.pictures import compressed

        places = np.array([robot.position for robot in self.robots] or [np.zeros(3)])
        centre = places.mean(axis=0)
        away = max(1.5, 1.5 * float(np.linalg.norm(places - centre, axis=1).max()))
        x, y, z = centre.tolist()
        try:
            picture = self.render((x - away, y - 1.3 * away, z + 0.7 * away), (x, y, z))
        except MissingPackageError:
            return None
        return compressed(picture, "png", 0)

    def close(self) -> None:
        """Free the engine; nothing works afterwards."""
        self._end()
        self._pictures.close()

    def reset(self, seed: int | None = None) -> None:
        """Begin again: a new engine, all robots at their first places, a new game, time zero.

        Afterwards everything depends on the seed and the commands alone, bit by bit, and not on the past.

        Args:
            seed: seed of all randomness from now on; None = the last seed again.
        """
        self._seed = self._seed if seed is None else seed
        self._end()
        self._build()
        for member in self._members.values():
            self._enter(member)

    def add(
        self,
        robot: str | RobotDescription,
        *,
        name: str = "",
        position: Sequence[float] | None = None,
        heading: float = 0.0,
        team: str = "",
        unum: int = 0,
        agent: Callable[[], Agent] | None = None,
        fixed_base: bool | None = None,
    ) -> ArenaRobot:
        """Add a robot, which comes again after each reset. Its sensors have readings after the next step.

        Args:
            robot: name of a robot or a file, `/N` after it for its type N; the text of a robot's file, of several
                lines; or a description.
            name: name of the robot; empty = the name of its file, or `left_1` for the first player of the left team.
            position: x, y and perhaps z of the point between its feet, world frame, m; None = any free place, for a
                player the next start place of its team.
            heading: heading, 0 = +x, counter-clockwise, rad. Without a position it is the world's (`create:
                heading_deg`), and players look at the opponents' goal.
            team: team that it plays for, one of two; empty = none.
            unum: its number in the team, 0 = any free number.
            agent: function that makes the agent that moves it in each cycle; called again after a reset.
            fixed_base: whether its base is bolted to the world; None = as its files say.

        Raises:
            UserError: the robot cannot be used, or name, place, team or number are taken; nothing was changed.
        """
        world = self.world
        if isinstance(robot, str):
            resource = find_resource("", robot) if "\n" in robot else find_resource(robot)
            robot = resource.load(self._limits, world.types)
        if fixed_base is not None:
            robot = with_base(robot, fixed_base)
        place = None
        if position is not None:
            x, y, z = (*position, 0.0)[:3]
            place = (float(x), float(y), float(z))
        member = Member(robot, name, place, heading, team, unum, agent)
        entered = self._enter(member)
        # Kept by the name that it got, so that the name is the same after a reset.
        self._members[entered] = replace(member, name=entered)
        return self[entered]

    def remove(self, name: str) -> None:
        """Take a robot out for good; an `ArenaError` if there is no robot of that name."""
        self.world.remove_robot(self.entity(name))
        self._members.pop(name, None)
        self._robots.pop(name, None)

    def add_node(self, node: ControlNode) -> None:
        """Add a control node, which takes part in every cycle; a reset of the arena calls its `reset`."""
        self._check_open()
        self._nodes.append(node)
        self._attach(node)

    @property
    def robots(self) -> list[ArenaRobot]:
        """All robots and objects with a name, in the order in which they were added."""
        return [self[robot.name] for robot in self.world.robots.values() if robot.name]

    @property
    def cycle_time(self) -> float:
        """Length of a cycle, s."""
        return self.world.engine.cycle_time

    @property
    def seed(self) -> int:
        """The seed since the last reset."""
        return self._seed

    @property
    def ball(self) -> Ball:
        """The ball; an `ArenaError` in a world without one."""
        self._check_ball()
        state = self.world.engine.state
        return Ball(state.ball_position.copy(), state.ball_velocity.copy(), state.ball_angular_velocity.copy())

    def place_ball(self, x: float, y: float, velocity: Vector = ZERO) -> None:
        """Put the ball on the ground, world frame, m, with a velocity, m/s."""
        self._check_ball()
        if not np.isfinite([x, y, *velocity]).all():
            raise ArenaError(f"place_ball({x}, {y}, {velocity}): give finite numbers")
        self.world.place_ball((x, y), velocity)

    @property
    def game(self) -> GameState:
        """Play mode, clock and score."""
        return self.world.game

    def set_play_mode(self, mode: str) -> None:
        """Change the play mode, e.g. to `PlayOn`; an `ArenaError` lists all modes."""
        known = [one.value for one in PlayMode]
        if mode not in known:
            raise ArenaError(f"unknown play mode '{mode[:40]}'; use one of: {', '.join(known)}")
        self.world.game.set_play_mode(PlayMode(mode))

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """All decisions of the referee, in order."""
        referee = self.simulation.node(Referee)
        return referee.match.log.since(0) if referee else ()

    def state_hash(self) -> str:
        """A fingerprint (hex) of the world: equal seeds and commands give equal fingerprints, cycle by cycle."""
        return state_hash(self.world)

    def render(
        self,
        eye: Vector = (-6.0, -8.0, 4.0),
        target: Vector = ZERO,
        *,
        width: int = 640,
        height: int = 480,
        fov_deg: float = 60.0,
    ) -> Picture:
        """A picture (height, width, 3) of the current world, red, green, blue.

        Args:
            eye: place of the camera, world frame, m.
            target: point in the middle of the picture, world frame, m.
            width: width of the picture, pixels.
            height: height of the picture, pixels.
            fov_deg: opening across the width, degrees.

        Raises:
            ArenaError: the camera looks straight up or down, or the picture is too large for OpenGL.
            MissingPackageError: there is neither OpenGL nor PyBullet, which draw.
        """
        view = self.view
        with refusals():
            return view.free(eye, target, (width, height), math.radians(fov_deg))

    def _build(self) -> None:
        self._agents = Agents(self._profile)
        self.simulation, control = self._assembly.build([self._agents], time.monotonic, time.sleep, seed=self._seed)
        # The pictures outlive resets; `close` frees them.
        attach_all([self._pictures], self.simulation, ExitStack())
        self.effectors = MappingProxyType(control.effectors)
        self._known = (0, 0), {}
        self._targets = None, ()
        self._demanded = 0
        self._open = True
        self.simulation.begin()
        for node in self._nodes:
            node.reset()
            self._attach(node)

    def _end(self) -> None:
        if self._open:
            self._open = False
            self.simulation.end()
            self.simulation.world.engine.close()

    def _attach(self, node: ControlNode) -> None:
        self.simulation.add_node(node)
        node.init(self.simulation)

    def _enter(self, member: Member) -> str:
        """Put a robot into the world, and its player to it; returns its name."""
        robot = member.enter(self.world, self._limits)
        if member.make_agent is not None:
            robot.client = robot.name
            self._agents.add(robot.client, member.make_agent(), robot.description, member.team, robot.unum)
        return robot.name

    def _check_ball(self) -> None:
        if self.world.scene.ball is None:
            raise ArenaError("this world has no ball; choose one with a field, e.g. world='soccer'")

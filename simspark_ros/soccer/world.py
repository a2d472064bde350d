"""The soccer world: robots, ball, teams and game around a physics engine. Perceptors read it, effectors act on it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count, islice
from typing import Literal, Protocol

import numpy as np

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.engine import PhysicsEngine, PhysicsError
from simspark_ros.physics.geometry.rotations import quaternion_from_rotation, turned
from simspark_ros.physics.model import ZERO, SceneModel, Vector
from simspark_ros.robots.description import MotorKind, RobotDescription
from simspark_ros.robots.motors import Motors
from simspark_ros.robots.random_types import RobotTypes
from simspark_ros.soccer.drives import Drives
from simspark_ros.soccer.game_state import GameState
from simspark_ros.soccer.referee.rulebook import RuleBook
from simspark_ros.soccer.settings import SoccerSettings
from simspark_ros.soccer.speech import Speaker, Speech
from simspark_ros.soccer.teams import Side, Teams


class CommandRejectedError(Exception):
    """A command cannot be carried out; nothing was changed. The message names the cause and the remedy."""


class UnusableRobotError(CommandRejectedError, ConfigurationError):
    """A robot's description asks for something that does not exist or cannot work."""


MAX_PLACES = 469
"""Number of places tried for a robot: a middle and twelve rings around it."""

LOOKING_AHEAD = (0.0, 0.0)
"""Pan and tilt of a camera that was never turned; compared by identity."""


@dataclass
class Robot:
    """One robot in the world.

    Attributes:
        client: the classic client that owns it, empty for spawned robots.
        name: as an entity of the simulation, unique, empty until it has one.
        team, side, unum: empty, None and 0 until its init is accepted.
        registrations: how often an init of its client was accepted.
        home: pose (x, y, z, yaw) to which a reset brings it back, m and rad.
        home_turn: orientation there, x, y, z, w, of an object, which need not be upright.
        battery, temperature: percent and degrees Celsius; of a robot with ideal motors what a trainer sets is only
            stored, see `Drives` for the others.
        pan_tilt: direction of its camera relative to the body that carries it, positive left and up, rad.
        devices: what its driver last commanded, by the names of `simspark_ros.robots.lola.DEVICES`; absent = nothing.
        selected: whether a trainer has selected it; at most one robot is.
        is_vacant: whether its client is gone although it is still a player, see `World.vacate`.
    """

    handle: int
    description: RobotDescription
    client: str = ""
    name: str = ""
    team: str = ""
    side: Side | None = None
    unum: int = 0
    registrations: int = 0
    home: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    home_turn: tuple[float, float, float, float] | None = None
    battery: float = 100.0
    temperature: float = 25.0
    pan_tilt: tuple[float, float] = LOOKING_AHEAD
    devices: dict[str, tuple[float, ...]] = field(default_factory=dict)
    selected: bool = False
    is_vacant: bool = False


class Push(Protocol):
    """Something that pushes a body over several steps of physics, such as a drive or a kick."""

    def apply(self, world: World, seconds: float) -> bool:
        """Change velocities before a step of that length, s; return whether to go on."""
        ...


@dataclass
class VelocityCommand:
    """How a robot is to move: forward and to the left, m/s, and turn, rad/s, counter-clockwise; given `age` s ago."""

    forward: float
    left: float
    turn: float
    age: float = 0.0


@dataclass
class World:
    """State of the world. Not thread-safe: one thread, the simulation's, touches it.

    Attributes:
        random: source of all randomness of effectors.
        robots: by handle, in row order.
        elapsed: simulated time that passes in the current cycle, s.
        revision: increases when a robot joins, leaves or gets a team or name.
        quarantined: how often each robot had to be put back by the engine's guard, by handle (-1: the ball).
        pushes: forces that act over several steps, by robot and kind.
        velocity_commands: by robot, for those that have one.
        presses: seconds for which a hand still presses a button, by robot and name of the button.
        ball_quaternion: orientation of the ball, x, y, z, w, for those who look; follows its angular velocity.
        reserved_names: that no robot may take.
        types: of robots that there are; drawn ones replace those of the files.
        generation: how often the world was replaced; handles of robots are used again then.
        check_robot: refuses descriptions of robots that cannot work, by ConfigurationError.
        motor_kind: of robots that have data for realistic motors, "" = as each one's file says.
    """

    engine: PhysicsEngine
    scene: SceneModel
    settings: SoccerSettings
    random: np.random.Generator
    robots: dict[int, Robot] = field(default_factory=dict)
    revision: int = 1
    cycle: int = 0
    elapsed: float = 0.0
    game: GameState = field(default_factory=GameState)
    teams: Teams = field(default_factory=Teams)
    speech: Speech = field(default_factory=Speech)
    motors: Motors = field(default_factory=Motors)
    drives: Drives = field(default_factory=Drives)
    motor_kind: MotorKind | Literal[""] = ""
    quarantined: dict[int, int] = field(default_factory=dict)
    pushes: dict[tuple[int, str], Push] = field(default_factory=dict)
    velocity_commands: dict[int, VelocityCommand] = field(default_factory=dict)
    presses: dict[tuple[int, str], float] = field(default_factory=dict)
    ball_quaternion: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)
    reserved_names: set[str] = field(default_factory=set)
    types: RobotTypes = field(default_factory=RobotTypes)
    generation: int = 0
    check_robot: Callable[[RobotDescription], None] = lambda description: None

    @classmethod
    def create(
        cls,
        engine: PhysicsEngine,
        settings: SoccerSettings,
        random: np.random.Generator,
        check_robot: Callable[[RobotDescription], None] = lambda description: None,
    ) -> World:
        """Build the scene in a fresh engine and put the ball on the centre spot."""
        scene = settings.scene
        engine.load_scene(scene)
        teams, speech = Teams(settings.teams), Speech(settings.speech)
        world = cls(engine, scene, settings, random, teams=teams, speech=speech, check_robot=check_robot)
        world._place_first_ball()
        return world

    def replace(self, engine: PhysicsEngine, settings: SoccerSettings) -> None:
        """Become another world in a fresh engine, with nothing in it but its ball; numbers of cycles go on.

        Raises:
            PhysicsError: the engine cannot build that world, and nothing was changed.
        """
        scene = settings.scene
        engine.load_scene(scene)
        self.engine.close()
        self.engine, self.scene, self.settings = engine, scene, settings
        self.robots.clear()
        self.quarantined.clear()
        self.pushes.clear()
        self.velocity_commands.clear()
        self.presses.clear()
        self.reserved_names.clear()
        self.game, self.teams, self.speech = GameState(), Teams(settings.teams), Speech(settings.speech)
        self.motors, self.drives = Motors(), Drives()
        self.ball_quaternion = World.ball_quaternion
        self.generation += 1
        self._robots_changed()
        self._place_first_ball()

    def change_rules(self, book: RuleBook) -> None:
        """Have another rule book from now on; monitors get the numbers that are part of the environment."""
        before = self.settings.environment
        self.settings = replace(self.settings, rules=book)
        if self.settings.environment != before:
            self._robots_changed()

    def add_robot(
        self,
        description: RobotDescription,
        position: Vector,
        yaw: float,
        *,
        client: str = "",
        name: str = "",
        clearance: float | None = None,
    ) -> Robot:
        """Add a robot, upright and at rest, as near to the position (m, world) as the clearance to others allows.

        The position is that of its base's centre, the heading in rad, the clearance in m; None = that of placed robots.

        Raises:
            CommandRejectedError: the client has a robot, the name is taken, or the world is full.
        """
        if client and self.robot_of(client):
            raise CommandRejectedError(f"client '{client}' has a robot already; one robot per connection")
        if name and name in self.names_in_use:
            raise CommandRejectedError(f"a robot named '{name}' exists already; choose another name")
        try:
            self.check_robot(description)
        except ConfigurationError as error:
            raise UnusableRobotError(str(error)) from None
        # A vacant robot makes room for that of its next player.
        present = (robot for robot in self.robots.values() if not (robot.is_vacant or robot.description.is_object))
        if sum(1 for _ in present) >= self.settings.max_robots:
            raise CommandRejectedError(f"the world is full: max_robots is {self.settings.max_robots}")
        x, y = self.free_spot(position[0], position[1], clearance=clearance)
        try:
            handle = self.engine.add_robot(description.model, (x, y, position[2]), yaw)
        except PhysicsError as error:
            raise UnusableRobotError(f"{description.file}: {error}") from None
        if self.motor_kind and description.motor_data is not None and description.motors != self.motor_kind:
            description = replace(description, motors=self.motor_kind)
        robot = Robot(handle, description, client, name, home=(x, y, position[2], yaw))
        self.robots[handle] = robot
        self._robots_changed()
        return robot

    def add_object(
        self, description: RobotDescription, position: Vector, turn: tuple[float, float, float, float], name: str
    ) -> Robot:
        """Add an object exactly at a pose (m; x, y, z, w), at rest.

        Raises:
            CommandRejectedError: the name is taken, or the engine refuses it.
        """
        if name in self.names_in_use:
            raise CommandRejectedError(f"something named '{name}' exists already; choose another name")
        try:
            handle = self.engine.add_robot(description.model, position)
        except PhysicsError as error:
            raise UnusableRobotError(f"{description.file}: {error}") from None
        self.engine.place_robot(handle, position, turn)
        thing = Robot(handle, description, name=name, home=(*position, 0.0), home_turn=turn)
        self.robots[handle] = thing
        self._robots_changed()
        return thing

    def remove_robot(self, robot: Robot) -> None:
        """Take a robot out and give its number back."""
        self.engine.remove_robot(robot.handle)
        del self.robots[robot.handle]
        self.quarantined.pop(robot.handle, None)
        self.speech.forget(robot.handle)
        self.velocity_commands.pop(robot.handle, None)
        self.pushes = {key: push for key, push in self.pushes.items() if key[0] != robot.handle}
        self.presses = {key: left for key, left in self.presses.items() if key[0] != robot.handle}
        if robot.side is not None:
            self.teams.release(robot.side, robot.unum)
        self._robots_changed()

    def vacate(self) -> int:
        """Have every robot of a client stand still without one, to be taken over; returns how many there are."""
        vacant = [robot for robot in self.robots.values() if robot.client]
        for robot in vacant:
            robot.client, robot.is_vacant = "", robot.side is not None
            self.motors.stop(robot.handle)
            if robot.side is None:
                self.remove_robot(robot)
        self.revision += 1
        return sum(robot.is_vacant for robot in vacant)

    def take_over(self, robot: Robot, vacant: Robot) -> None:
        """Give a robot's client a vacant one instead; the robot goes."""
        client = robot.client
        self.remove_robot(robot)
        vacant.client, vacant.is_vacant = client, False
        vacant.registrations += 1
        self.revision += 1

    def robot_of(self, client: str) -> Robot | None:
        """The robot of a classic client."""
        return next((r for r in self.robots.values() if r.client == client), None)

    def player(self, side: Side | None, unum: int) -> Robot | None:
        """The robot of that side and number; (None, 0) is the first one without a team."""
        return next((r for r in self.robots.values() if r.side is side and r.unum == unum), None)

    @property
    def selected(self) -> Robot | None:
        """The robot that a trainer has selected."""
        return next((r for r in self.robots.values() if r.selected), None)

    def select(self, robot: Robot | None) -> None:
        """Select that robot and no other."""
        for other in self.robots.values():
            other.selected = other is robot

    def robot_named(self, name: str) -> Robot | None:
        """The robot of that name."""
        return next((r for r in self.robots.values() if r.name == name), None)

    @property
    def names_in_use(self) -> set[str]:
        """Names that another robot cannot take."""
        return {robot.name for robot in self.robots.values() if robot.name} | self.reserved_names

    def free_name(self, wish: str) -> str:
        """The wish, or the wish with the lowest free suffix."""
        names = self.names_in_use
        candidates = (wish if n == 1 else f"{wish}_{n}" for n in range(1, len(names) + 2))
        return next(name for name in candidates if name not in names)

    def rename(self, robot: Robot, name: str) -> None:
        """Give a robot another name."""
        robot.name = name
        self.revision += 1

    def place(self, robot: Robot, x: float, y: float, z: float, yaw: float) -> None:
        """Put a robot somewhere upright (m, rad, world frame), at rest, joints kept, clear of other robots."""
        self._put_upright(robot, *self.free_spot(x, y, robot), z, yaw)

    def move(self, robot: Robot, x: float, y: float, z: float) -> None:
        """Put a robot somewhere (m, world frame), at rest, joints and orientation kept, clear of other robots."""
        x, y = self.free_spot(x, y, robot)
        rotation = self.engine.state.rotation[self.engine.state.row(robot.handle)]
        self.engine.place_robot(robot.handle, (x, y, z), quaternion_from_rotation(rotation))

    def require_ball(self, what: str) -> None:
        """Refuse what needs the ball in a world without one, by a CommandRejectedError."""
        if self.scene.ball is None:
            raise CommandRejectedError(f"{what}: this world has no ball")

    def place_ball(self, spot: tuple[float, float], velocity: Vector = ZERO) -> None:
        """Put the ball on the ground (x, y in m, world frame)."""
        self.engine.place_ball((spot[0], spot[1], self.settings.ball_rest_height), velocity)

    def free_spot(
        self, x: float, y: float, robot: Robot | None = None, clearance: float | None = None
    ) -> tuple[float, float]:
        """The nearest place to (x, y) on a spiral that keeps the clearance from every other robot, m."""
        clearance = self.settings.start.clearance if clearance is None else clearance
        if clearance <= 0:
            return x, y
        rows = [row for row, h in enumerate(self.engine.state.handles) if robot is None or h != robot.handle]
        others = self.engine.state.position[rows, :2].tolist()
        for px, py in islice(spiral((x, y), clearance), MAX_PLACES):
            if all(math.hypot(px - ox, py - oy) >= clearance for ox, oy in others):
                return px, py
        return x, y

    def step(self, quanta: int = 1) -> None:
        """Advance physics and clocks by that many quanta of `engine.cycle_time`."""
        seconds = self.engine.cycle_time
        self.cycle += 1
        self.elapsed = quanta * seconds
        for _ in range(quanta):
            if self.pushes:
                self.pushes = {key: push for key, push in self.pushes.items() if push.apply(self, seconds)}
            if self.presses:
                # Rounding leaves less than half a step of the last one.
                self.presses = {key: left - seconds for key, left in self.presses.items() if left > seconds / 2}
            self._step_engine(seconds)
            self.ball_quaternion = turned(self.ball_quaternion, self.engine.state.ball_angular_velocity, seconds)
            for handle in self.engine.recovered:
                self.quarantined[handle] = self.quarantined.get(handle, 0) + 1
            self.game.advance(seconds)

    def reset_state(self) -> None:
        """Bring robots home with their joints at zero, the ball to the centre and the game to its start."""
        self.game = GameState()
        self.pushes.clear()
        self.velocity_commands.clear()
        self.presses.clear()
        for robot in self.robots.values():
            robot.battery, robot.temperature, robot.pan_tilt = Robot.battery, Robot.temperature, LOOKING_AHEAD
            robot.devices.clear()
            self.motors.stop(robot.handle)
            self.drives.reset(robot)
            self.engine.set_joint_positions(robot.handle, np.zeros(len(robot.description.model.joints)))
            if robot.home_turn is None:
                self._put_upright(robot, *robot.home)
            else:
                self.engine.place_robot(robot.handle, robot.home[:3], robot.home_turn)
        self._place_first_ball()

    def speaker(self, robot: Robot) -> Speaker | None:
        """A robot of a team as speaker and listener; None while it has no team."""
        if robot.side is None:
            return None
        x, y, z = self.engine.state.position[self.engine.state.row(robot.handle)].tolist()
        return Speaker(robot.handle, robot.side, robot.team, (x, y, z))

    def _place_first_ball(self) -> None:
        if self.scene.ball is not None:
            self.place_ball((0.0, 0.0))

    def _put_upright(self, robot: Robot, x: float, y: float, z: float, yaw: float) -> None:
        self.engine.place_robot(robot.handle, (x, y, z), (0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)))

    def _step_engine(self, seconds: float) -> None:
        control = self.motors.control(self.engine.state, seconds)
        if not self.drives.robots:
            self.engine.step(control)
            return
        self.engine.step(self.drives.limited(control, self.engine.state, self.motors.stiffness))
        self.drives.advance(self.engine.state, seconds)

    def _robots_changed(self) -> None:
        self.motors.rebind(self.engine.state)
        self.drives.rebind(self.engine.state, self.robots.values())
        self.revision += 1


def spiral(centre: tuple[float, float], step: float) -> Iterator[tuple[float, float]]:
    """Places around one, itself first, in rings of that distance, m, the nearest ring first; never ends."""
    x, y = centre
    yield centre
    for ring in count(1):
        for k in range(6 * ring):
            angle = 2 * math.pi * k / (6 * ring)
            yield x + ring * step * math.cos(angle), y + ring * step * math.sin(angle)

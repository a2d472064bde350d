"""A world: robots and objects around a physics engine. Perceptors read it, effectors act on it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, islice
from typing import ClassVar, Literal, Protocol

import numpy as np

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.engine import PhysicsEngine, PhysicsError
from simspark_ros.physics.geometry.rotations import quaternion_from_rotation, upright
from simspark_ros.physics.model import SceneModel, Vector
from simspark_ros.robots.body.kinematics import home_positions
from simspark_ros.robots.description import MotorKind, RobotDescription
from simspark_ros.robots.motors.commands import Motors
from simspark_ros.robots.motors.passive_joints import braked
from simspark_ros.robots.types.random_types import RobotTypes
from simspark_ros.worlds.errors import CommandRejectedError, UnusableRobotError
from simspark_ros.worlds.power import Power
from simspark_ros.worlds.robot import LOOKING_AHEAD, Robot
from simspark_ros.worlds.streams import Streams
from simspark_ros.worlds.world_file import WorldSettings

MAX_PLACES = 469
"""Number of places tried for a robot: a middle and twelve rings around the middle."""


class Push(Protocol):
    """Something that pushes a body over several steps of physics, such as a drive or a kick."""

    def apply(self, world: World, seconds: float) -> bool:
        """Change velocities before a step of that length, s; returns whether the push goes on."""


@dataclass
class VelocityCommand:
    """A command to a robot: speed forward and to the left, m/s, turn, rad/s, counter-clockwise; given `age` s ago."""

    forward: float
    left: float
    turn: float
    age: float = 0.0


@dataclass
class Gaze:
    """Direction in which a camera on two joints has to look, until the next command.

    Attributes:
        pan, tilt: joints that turn the camera about z and then about y; empty = no joints, the view turns at once.
        view: half the field of view in which a thing is found, rad.
        angles: angles to the left and up, rad; None = given by `point` or `thing`.
        point: place in the world to look at, m.
        thing: thing to search for and then to follow: `ball`, a robot, or one of `World.marks`.
    """

    pan: str
    tilt: str
    view: float
    angles: tuple[float, float] | None = None
    point: Vector | None = None
    thing: str = ""


@dataclass
class Zoom:
    """A camera whose field of view was changed by command, until it is as before; all in degrees.

    Attributes:
        start: horizontal field of view before the first command.
        goal: wanted field of view.
        speed: greatest change, degrees/s.
        waited: time since the last change, or since another one is wanted, s.
    """

    start: float
    goal: float
    speed: float
    waited: float = 0.0


@dataclass
class World:
    """State of the world. Not thread-safe: only the simulation's thread touches it.

    A world is made with a fresh engine, in which it builds the scene; a PhysicsError says that the engine cannot.

    Attributes:
        random: source of all randomness of this package's effectors.
        streams: sources of randomness of other effectors, by their kinds.
        check_robot: function that refuses descriptions of robots that cannot work, by ConfigurationError.
        scene: scene that the engine has built.
        robots: robots by handle, in row order; objects of the world file are among them.
        elapsed: simulated time that passes in the current cycle, s.
        revision: number that increases when a robot joins, leaves or gets a team or name.
        quarantined: number of times that the engine's guard put each robot back, by handle (-1: the ball).
        pushes: forces that act over several steps, by robot and kind.
        velocity_commands: present velocity commands, by robot.
        gazes: present commands to cameras, by robot.
        zooms: cameras with another field of view than before, by robot and name of the camera.
        presses: remaining time for which a hand presses a button, s, by robot and name of the button.
        reserved_names: names that no robot may take.
        types: types of robots; drawn types replace the types of files.
        generation: number of times that the world was replaced; then handles of robots are used again.
        resets: number of times that a reset has brought robots home.
        motor_kind: kind of motors of robots that have data for realistic motors; "" = as each robot's file says.
    """

    robot_class: ClassVar[type[Robot]] = Robot

    engine: PhysicsEngine
    settings: WorldSettings
    random: np.random.Generator
    check_robot: Callable[[RobotDescription], None] = lambda description: None
    streams: Streams = field(init=False)
    scene: SceneModel = field(init=False)
    robots: Mapping[int, Robot] = field(default_factory=dict)
    revision: int = 1
    cycle: int = 0
    elapsed: float = 0.0
    motors: Motors = field(default_factory=Motors)
    power: Power = field(default_factory=Power)
    motor_kind: MotorKind | Literal[""] = ""
    quarantined: dict[int, int] = field(default_factory=dict)
    pushes: dict[tuple[int, str], Push] = field(default_factory=dict)
    velocity_commands: dict[int, VelocityCommand] = field(default_factory=dict)
    gazes: dict[int, Gaze] = field(default_factory=dict)
    zooms: dict[tuple[int, str], Zoom] = field(default_factory=dict)
    presses: dict[tuple[int, str], float] = field(default_factory=dict)
    reserved_names: set[str] = field(default_factory=set)
    types: RobotTypes = field(default_factory=RobotTypes)
    generation: int = 0
    resets: int = 0

    def __post_init__(self) -> None:
        """Build the scene."""
        self.streams = Streams(self.random)
        self.scene = self.settings.scene
        self.engine.load_scene(self.scene)

    def replace(self, engine: PhysicsEngine, settings: WorldSettings) -> None:
        """Become another world in a fresh engine, without robots; numbers of cycles go on.

        Args:
            engine: engine of the new world.
            settings: settings of the new world, of the same class as the present settings.

        Raises:
            PhysicsError: the engine cannot build that world; nothing was changed.
        """
        scene = settings.scene
        engine.load_scene(scene)
        self.engine.close()
        self.engine, self.scene, self.settings = engine, scene, settings
        self.robots = {}
        self.quarantined.clear()
        self.pushes.clear()
        self.velocity_commands.clear()
        self.gazes.clear()
        self.zooms.clear()
        self.presses.clear()
        self.reserved_names.clear()
        self.motors, self.power = Motors(), Power()
        self.generation += 1
        self._robots_changed()

    @property
    def without_objects(self) -> list[Robot]:
        """The robots, without objects of the world file."""
        return [robot for robot in self.robots.values() if not robot.description.is_object]

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

        position: place of the base's centre; yaw: heading, rad; clearance: m, None = the clearance of placed robots.

        Raises:
            CommandRejectedError: the client has a robot, the name is taken, or the world is full.
        """
        if client and self.robot_of(client):
            raise CommandRejectedError(f"client '{client}' already has a robot; each connection may have one")
        if name and name in self.names_in_use:
            raise CommandRejectedError(f"the name '{name}' is taken; choose another")
        try:
            self.check_robot(description)
        except ConfigurationError as error:
            raise UnusableRobotError(str(error)) from None
        counted = sum(robot.is_counted for robot in self.robots.values())
        if not description.is_object and counted >= self.settings.max_robots:
            raise CommandRejectedError(f"the world is full: max_robots is {self.settings.max_robots}")
        x, y = self.free_spot(position[0], position[1], clearance=clearance)
        z = self._height(description, position[2])
        try:
            handle = self.engine.add_robot(description.model, (x, y, z), yaw)
        except PhysicsError as error:
            raise UnusableRobotError(f"{description.file}: {error}") from None
        if description.home:
            self.engine.set_joint_positions(handle, home_positions(description))
        if self.motor_kind and description.motor_data is not None and description.motors != self.motor_kind:
            description = replace(description, motors=self.motor_kind)
        return self._joined(self.robot_class(handle, description, client, name, home=(x, y, z, yaw)))

    def add_object(
        self, description: RobotDescription, position: Vector, turn: tuple[float, float, float, float], name: str
    ) -> Robot:
        """Add an object exactly at a pose (m; x, y, z, w), at rest.

        Raises:
            CommandRejectedError: the name is taken, or the engine refuses it.
        """
        if name in self.names_in_use:
            raise CommandRejectedError(f"the name '{name}' is taken; choose another")
        try:
            handle = self.engine.add_robot(description.model, position)
        except PhysicsError as error:
            raise UnusableRobotError(f"{description.file}: {error}") from None
        if description.home:
            self.engine.set_joint_positions(handle, home_positions(description))
        self.engine.place_robot(handle, position, turn)
        return self._joined(self.robot_class(handle, description, name=name, home=(*position, 0.0), home_turn=turn))

    def remove_robot(self, robot: Robot) -> None:
        """Remove a robot from the world."""
        self.remove_robots([robot])

    def remove_robots(self, robots: Sequence[Robot]) -> None:
        """Remove robots from the world: all in little more time than one."""
        gone = {robot.handle for robot in robots}
        if not gone:
            return
        self.engine.remove_robots([robot.handle for robot in robots])
        self.robots = {handle: other for handle, other in self.robots.items() if handle not in gone}
        for handle in gone:
            self.quarantined.pop(handle, None)
            self.velocity_commands.pop(handle, None)
            self.gazes.pop(handle, None)
        self.pushes = {key: push for key, push in self.pushes.items() if key[0] not in gone}
        self.presses = {key: left for key, left in self.presses.items() if key[0] not in gone}
        for key in [key for key in self.zooms if key[0] in gone]:
            del self.zooms[key]
        self._robots_changed()

    def robot_of(self, client: str) -> Robot | None:
        """The robot of a client."""
        return next((r for r in self.robots.values() if r.client == client), None)

    def robot_named(self, name: str) -> Robot | None:
        """The robot of that name."""
        return next((r for r in self.robots.values() if r.name == name), None)

    @property
    def marks(self) -> Mapping[str, Vector]:
        """Named, fixed places in the world, m."""
        return {}

    @property
    def names_in_use(self) -> set[str]:
        """Names that another robot cannot take."""
        return {robot.name for robot in self.robots.values() if robot.name} | self.reserved_names

    def free_name(self, wish: str) -> str:
        """The wished name, or the name with the lowest free suffix."""
        names = self.names_in_use
        candidates = (wish if n == 1 else f"{wish}_{n}" for n in range(1, len(names) + 2))
        return next(name for name in candidates if name not in names)

    def rename(self, robot: Robot, name: str) -> None:
        """Give a robot another name."""
        robot.name = name
        self.revision += 1

    def place(self, robot: Robot, x: float, y: float, z: float, yaw: float) -> None:
        """Put a robot upright at a place (m, rad, world frame), at rest, joints kept, clear of other robots."""
        self._put_upright(robot, *self.free_spot(x, y, robot), z, yaw)

    def move(self, robot: Robot, x: float, y: float, z: float) -> None:
        """Put a robot at a place (m, world frame), at rest, joints and orientation kept, clear of other robots."""
        x, y = self.free_spot(x, y, robot)
        rotation = self.engine.state.rotation[self.engine.state.row(robot.handle)]
        self.engine.place_robot(robot.handle, (x, y, z), quaternion_from_rotation(rotation))

    def free_spot(
        self, x: float, y: float, robot: Robot | None = None, clearance: float | None = None
    ) -> tuple[float, float]:
        """The nearest place to (x, y) on a spiral that keeps the clearance from every other robot, m."""
        clearance = self.settings.clearance if clearance is None else clearance
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
                # Less than half a step is rounding.
                self.presses = {key: left - seconds for key, left in self.presses.items() if left > seconds / 2}
            self._step_engine(seconds)
            for handle in self.engine.recovered:
                self.quarantined[handle] = self.quarantined.get(handle, 0) + 1
            self._passed(seconds)

    def reset_state(self) -> None:
        """Bring robots home, with their joints at rest in the home pose."""
        self.resets += 1
        self.pushes.clear()
        self.velocity_commands.clear()
        self.gazes.clear()
        for zoom in self.zooms.values():
            zoom.goal, zoom.speed = zoom.start, math.inf
        self.presses.clear()
        for robot in self.robots.values():
            robot.battery, robot.temperature, robot.pan_tilt = Robot.battery, Robot.temperature, LOOKING_AHEAD
            robot.devices.clear()
            self.motors.stop(robot.handle)
            self.power.reset(robot)
            start_motors(self, robot)
            self.engine.set_joint_positions(robot.handle, home_positions(robot.description))
            if robot.home_turn is None:
                self._put_upright(robot, *robot.home)
            else:
                self.engine.place_robot(robot.handle, robot.home[:3], robot.home_turn)

    def _height(self, description: RobotDescription, z: float) -> float:
        """Height at which a robot is put upright, m: on a planar engine nothing would fall to the ground."""
        return min(z, description.spawn_height) if self.engine.planar else z

    def _put_upright(self, robot: Robot, x: float, y: float, z: float, yaw: float) -> None:
        z = self._height(robot.description, z)
        self.engine.place_robot(robot.handle, (x, y, z), upright(yaw))

    def _step_engine(self, seconds: float) -> None:
        state = self.engine.state
        control = self.motors.control(state, seconds, self.engine.servos)
        if not (self.motors.is_soft or self.power.robots):
            self.engine.step(control)
            return
        limp = self.motors.stiffness <= 0.0
        if not self.power.robots:
            self.engine.step(braked(control, state, limp))
            return
        limited = self.power.limited(control, state, self.motors.stiffness)
        limp |= (limited.effort_limit <= 0.0) & (control.effort_limit > 0.0)
        self.engine.step(braked(limited, state, limp))
        self.power.advance(self.engine.state, seconds)

    def _passed(self, seconds: float) -> None:
        """Follow a step of physics of that length, s."""

    def _joined(self, robot: Robot) -> Robot:
        self.robots = {**self.robots, robot.handle: robot}
        self._robots_changed()
        start_motors(self, robot)
        return robot

    def _robots_changed(self) -> None:
        self.motors.rebind(self.engine.state)
        self.power.rebind(self.engine.state, self.robots.values())
        self.revision += 1


def start_motors(world: World, robot: Robot) -> None:
    """Give motors with gains the gains that their file names, toward the home pose, until they are commanded."""
    specs = {spec.joint: spec.parameters for spec in robot.description.effectors if spec.kind == "motor"}
    if not specs:
        return
    state = world.engine.state
    first = state.joints_of(state.row(robot.handle)).start
    indices = [i for i, joint in enumerate(robot.description.model.joints) if joint.name in specs]
    gains = [specs[robot.description.model.joints[i].name] for i in indices]
    home = home_positions(robot.description)
    commands = [
        [home[i], 0.0, one.get("stiffness", 0.0), one.get("damping", 0.0), 0.0]
        for i, one in zip(indices, gains, strict=True)
    ]
    world.motors.set_servos(np.array(indices, np.int64) + first, np.array(commands))


def spiral(centre: tuple[float, float], step: float) -> Iterator[tuple[float, float]]:
    """Places around a centre, itself first, in rings `step` apart, m, the nearest ring first; never ends."""
    x, y = centre
    yield centre
    for ring in count(1):
        for k in range(6 * ring):
            angle = 2 * math.pi * k / (6 * ring)
            yield x + ring * step * math.cos(angle), y + ring * step * math.sin(angle)

"""Robots that people add to a running world, move and remove by hand, with a way back."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, TypeVar

from simspark_ros.configuration.errors import UserError, shown
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.schema import build
from simspark_ros.physics.geometry.kinematics import standing_height
from simspark_ros.physics.geometry.rotations import upright
from simspark_ros.physics.model import SurfaceMaterial
from simspark_ros.robots.catalogue import is_shipped
from simspark_ros.robots.description import RobotDescription
from simspark_ros.robots.files.robot_file import ROBOTS
from simspark_ros.robots.object_settings import LENGTH, SIZES, ObjectSettings
from simspark_ros.robots.objects import object_description
from simspark_ros.simulation.entities.entity import Entity, place_robot, state_of
from simspark_ros.simulation.loading.robot_resources import RobotWord, SpawnError, SpawnRefusal, check_name
from simspark_ros.simulation.loading.spawning import (
    SpawnPose,
    check_foreign,
    checked_pose,
    free_place,
    spawn,
    spawn_text,
)
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.robot import Robot

if TYPE_CHECKING:
    from simspark_ros.simulation.loop import Simulation

T = TypeVar("T")

KEPT, MOST = 100, 64
"""Steps that can be undone, and robots without an agent up to which more are added."""


class SceneEditing:
    """Changes of the scene in the simulation's thread; each is undone by a step that is kept, the last one first."""

    def __init__(self) -> None:
        self._generation = 0
        self._steps: deque[Callable[[], object]] = deque(maxlen=KEPT)
        # Handle of the robot that the last step has placed, -1 = it was no placing.
        self._placed = -1
        self._successors: dict[int, int] = {}

    def attach(self, simulation: Simulation, stack: ExitStack) -> None:
        """Change the scene of a simulation from now on."""
        self._simulation = simulation
        simulation.editing = self

    def add(self, word: str) -> None:
        """Add a robot of the package by a word `[name=]robot[/type][@x,y[,heading]]`, m and rad.

        Raises:
            CommandRejectedError: there is no such robot, its name or place is taken, or there are too many.
        """
        if RobotWord.of(word).uri.partition("?")[0].partition("/")[0] not in ROBOTS.names:
            raise CommandRejectedError(f"add: only robots of the package can be added: {', '.join(ROBOTS.names)}")
        self._put_in(lambda world: spawn_text(world, word, LimitSettings()))

    def add_object(self, word: str) -> None:
        """Add a solid that moves by a word `[name=]shape/size,...[/mass[/r,g,b]][@x,y[,heading]]`, m, kg and rad.

        Shapes and their sizes are as in `SIZES`; the mass is 1 kg by default, the colour, shares of 1, grey.

        Raises:
            CommandRejectedError: there is no such solid, its name or place is taken, or there are too many.
        """
        wish = RobotWord.of(word)
        description = _refusing(lambda: _solid(wish))

        def add(world: SoccerWorld) -> Robot:
            x, y, heading = wish.place or (*free_place(world), 0.0)
            pose = checked_pose("", (x, y, standing_height(description.model)), upright(heading))
            return spawn(world, description, LimitSettings(), wish.name, not wish.name, pose)

        self._put_in(add)

    def change_object(self, handle: int, word: str) -> None:
        """Give an object another body by a word `shape/size,...[/mass[/r,g,b]]`, where it stands.

        Raises:
            CommandRejectedError: there is no such object, or no such solid; nothing is changed.
        """
        robot, wish = self._robot(handle), RobotWord.of(word)
        before = robot.description
        if not before.is_object:
            raise CommandRejectedError(f"change object: '{robot.name}' is a robot; choose an object")
        description = _refusing(lambda: _solid(wish._replace(name=robot.name), before.model.base.material))
        self._change(handle, description)
        self._keep(lambda: self._change(handle, before))

    def remove(self, handle: int) -> None:
        """Take a robot or an object out; `CommandRejectedError` if there is none, or an agent plays with it."""
        robot = self._robot(handle)
        description, pose = robot.description, self._pose(robot)
        self._take_out(handle)
        if is_shipped(description) or description.is_object:
            self._keep(lambda: self._succeed(robot, description, pose))

    def clear(self) -> None:
        """Take out all that clients have added; `undo` brings it back, the last one first."""
        for handle in [handle for handle, robot in self._simulation.world.robots.items() if robot.is_guest]:
            self.remove(handle)

    def place(
        self,
        handle: int,
        place: tuple[float, float] | None = None,
        height: float | None = None,
        heading: float | None = None,
        *,
        goes_on: bool = False,
    ) -> None:
        """Put a robot or an object elsewhere, at rest; errors as in `remove`.

        Args:
            handle: its handle.
            place: x and y, m, where robots are put on the ground; None = where it is.
            height: height of the point between a robot's feet or of an object's middle, m; None = as it is.
            heading: rad, upright; None = as it is turned.
            goes_on: whether this goes on with the placing before, as within a drag: one `undo` takes back both.
        """
        robot = self._robot(handle)
        # After a refusal nothing goes on.
        goes_on, self._placed = goes_on and self._placed == robot.handle, -1
        before = self._pose(robot)
        x, y, z = before.position
        if place is not None:
            (x, y), z = place, z if robot.description.is_object else 0.0
        turned = before.quaternion if heading is None else upright(heading)
        # What stands on the ground may be a little in it.
        wanted = _refusing(lambda: checked_pose("", (x, y, max(z, 0.0) if height is None else height), turned))
        _refusing(lambda: place_robot(self._simulation.world, robot, wanted))
        if not goes_on:
            self._keep(lambda: place_robot(self._simulation.world, self._robot(handle), before))
        self._placed = robot.handle

    def undo(self) -> None:
        """Undo the last change; `CommandRejectedError` if there is none, or it cannot be undone any more."""
        self._follow_world()
        if not self._steps:
            raise CommandRejectedError("undo: there is nothing to undo")
        self._placed = -1
        _refusing(self._steps.pop())

    def _follow_world(self) -> None:
        """Forget all steps if another world was loaded, in which handles are used again."""
        if self._generation != self._simulation.world.generation:
            self._generation, self._placed = self._simulation.world.generation, -1
            self._steps.clear()
            self._successors.clear()

    def _keep(self, step: Callable[[], object]) -> None:
        """Keep a step that undoes the last change."""
        self._steps.append(step)
        self._placed = -1

    def _put_in(self, add: Callable[[SoccerWorld], Robot]) -> None:
        self._follow_world()
        world = self._simulation.world
        if sum(not robot.client for robot in world.robots.values()) >= MOST:
            raise CommandRejectedError(f"add: there are {MOST} robots and objects already; remove one")
        robot = _refusing(lambda: add(world))
        robot.is_guest, handle = True, robot.handle
        self._keep(lambda: self._take_out(handle))

    def _change(self, handle: int, description: RobotDescription) -> None:
        """Replace an object by another one, which stands where it stood, or change nothing."""
        robot = self._robot(handle)
        before, pose, (x, y, z, yaw) = robot.description, self._pose(robot), robot.home
        rise = standing_height(description.model) - standing_height(before.model)
        raised = (*pose.position[:2], max(pose.position[2] + rise, 0.0))
        _refusing(lambda: check_foreign(self._simulation.world, description, LimitSettings(), robot))
        self._take_out(handle)
        try:
            robot.home = x, y, max(z + rise, 0.0), yaw
            _refusing(lambda: self._succeed(robot, description, pose._replace(position=raised)))
        except CommandRejectedError:
            robot.home = x, y, z, yaw
            _refusing(lambda: self._succeed(robot, before, pose))
            raise

    def _succeed(self, gone: SoccerRobot, description: RobotDescription, pose: SpawnPose) -> None:
        """Add a robot or an object for one that is gone, with its name and its home."""
        world = self._simulation.world
        handle = spawn(world, description, LimitSettings(), gone.name).handle
        robot, self._successors[gone.handle] = world.robots[handle], handle
        robot.home, robot.home_turn, robot.is_guest = gone.home, gone.home_turn, gone.is_guest
        place_robot(world, robot, pose)

    def _take_out(self, handle: int) -> None:
        self._simulation.world.remove_robot(self._robot(handle))

    def _robot(self, handle: int) -> SoccerRobot:
        self._follow_world()
        # A robot that was removed and put back has another handle now.
        last = handle
        while last in self._successors:
            last = self._successors[last]
        if last != handle:
            self._successors[handle] = last
        handle = last
        robot = self._simulation.world.robots.get(handle)
        if robot is None:
            raise CommandRejectedError(f"there is no robot {handle}")
        if robot.client:
            name = f"{robot.side.value} {robot.unum}" if robot.side and robot.unum else f"robot {handle}"
            raise CommandRejectedError(f"{name} belongs to agent '{robot.client}'; choose one without an agent")
        return robot

    def _pose(self, robot: SoccerRobot) -> SpawnPose:
        return state_of(self._simulation.world, Entity(robot.name, robot))[0]


def _solid(word: RobotWord, material: SurfaceMaterial | None = None) -> RobotDescription:
    """The object that a word asks for; `SpawnError` if it cannot be."""
    check_name(word.name)
    shape, sizes, mass, colour = (*word.uri.split("/", 3), "", "", "")[:4]
    try:
        numbers = _sizes(shape, sizes)
        given: dict[str, object] = {shape: numbers if numbers[1:] else numbers[0], "mass": _number("mass", mass or "1")}
        if material is not None:
            given |= {"friction": material.friction, "restitution": material.restitution}
        if colour:
            given["colour"] = [_number("colour", share) for share in colour.split(",")]
        return object_description(word.name or shape, build(ObjectSettings, given, shape))
    except (ValueError, UserError) as error:
        text = "write [NAME=]SHAPE/SIZE,...[/MASS[/R,G,B]][@X,Y[,HEADING]], e.g. box/0.4,0.4,0.2/2"
        raise SpawnError(SpawnRefusal.RESOURCE_PARSE_ERROR, f"object: {error}; {text}") from None


def _sizes(shape: str, text: str) -> list[float]:
    """The sizes of a shape, m; a `ValueError` names the wrong one."""
    names, words = SIZES.get(shape), text.split(",")
    if names is None:
        raise ValueError(f"there is no shape {shown(shape)}; use one of: {', '.join(SIZES)}")
    if len(words) != len(names):
        raise ValueError(f"a {shape} has {len(names)} sizes ({', '.join(names)}), not {len(words)}")
    numbers = [_number(name, word) for name, word in zip(names, words, strict=True)]
    for name, number in zip(names, numbers, strict=True):
        if number not in LENGTH:
            raise ValueError(f"the {name} of a {shape} must be {LENGTH}, not {number:g}")
    return numbers


def _number(name: str, word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise ValueError(f"the {name} must be a number, not {shown(word)}") from None


def _refusing(work: Callable[[], T]) -> T:
    """Do work whose refusals become refusals of a trainer command."""
    try:
        return work()
    except SpawnError as error:
        raise CommandRejectedError(str(error)) from None

"""What an effector plug-in is: it turns one command of a client into an action on the world."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.robots.description import EffectorSpec
from simspark_ros.soccer.world import CommandRejectedError, Robot, World

T = TypeVar("T")


class Effector:
    """Base of effector plug-ins.

    Attributes:
        kind: the kind of action it carries out.
        options: dataclass of its parameters on a robot, None if it has none.
        arguments: of a plug-in of another distribution, how classic agents name it: `(KIND ARGUMENT ...)`, KIND being
            the name of its entry point. `name` is a number, `name deg` one in degrees that arrives in radians, `name
            word` a word; see `simspark_ros.protocol.agent.plug_ins`. None = agents cannot name it.
    """

    kind: ClassVar[str] = ""
    options: ClassVar[type[Any] | None] = None
    arguments: ClassVar[tuple[str, ...] | None] = None

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Carry out one command; all or nothing.

        Args:
            world: to act on.
            client: who commands.
            words: text arguments; their meaning belongs to the kind.
            numbers: finite numeric arguments.

        Raises:
            CommandRejectedError: nothing was changed; the message names culprit and remedy.
        """
        raise NotImplementedError


def own_robot(world: World, client: str) -> Robot:
    """The robot of a client.

    Raises:
        CommandRejectedError: it has none yet.
    """
    robot = world.robot_of(client)
    if robot is None:
        raise CommandRejectedError("the client has no robot; send (scene ...) first")
    return robot


def mounted(robot: Robot, kind: str) -> EffectorSpec:
    """The effector of a kind on a robot.

    Raises:
        CommandRejectedError: the robot has none.
    """
    for spec in robot.description.effectors:
        if spec.kind == kind:
            return spec
    raise CommandRejectedError(f"{kind}: robot '{robot.description.name}' has no such effector; see its YAML file")


def options(cls: type[T], robot: Robot, kind: str) -> T:
    """Parameters of an effector on a robot as a dataclass.

    Raises:
        CommandRejectedError: the robot has no such effector, or its parameters cannot be used.
    """
    spec = mounted(robot, kind)
    try:
        return build(cls, dict(spec.parameters), f"robot '{robot.description.name}': effector {kind}")
    except ConfigurationError as error:
        raise CommandRejectedError(str(error)) from None


GROUND_CONTACT = 0.01
"""A robot whose lowest point is nearer to the ground than this touches it, m."""


def on_ground(world: World, robot: Robot) -> bool:
    """Whether a robot that is a single round body touches the ground."""
    state = world.engine.state
    height = float(state.position[state.row(robot.handle), 2])
    return height <= robot.description.spawn_height + GROUND_CONTACT


def arguments(kind: str, given: tuple[object, ...], wanted: str) -> None:
    """Check the number of arguments against a list of their names.

    Raises:
        CommandRejectedError: too few.
    """
    names = wanted.split()
    if len(given) < len(names):
        raise CommandRejectedError(f"{kind} needs {len(names)} arguments ({wanted}), not {len(given)}")

"""Effectors: functions with typed arguments by which one robot acts on the world; see docs/how_to/plugins.md.

Robots carry them by their YAML file (`effectors: [{kind: hop}]`). Classic agents write `(hop 0.5)`, ROS publishes on
`<robot>/hop`, and both are checked against the types of the function.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Generic, ParamSpec, get_type_hints

from simspark_ros.configuration.schema import Checked, ConfigurationError, build
from simspark_ros.effectors.signature import Signature
from simspark_ros.exchange import Argument
from simspark_ros.physics.errors import EngineFailedError
from simspark_ros.robots.description import EffectorSpec, RobotDescription
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

P = ParamSpec("P")

GROUND_CONTACT = 0.01
"""Height of a robot's lowest point up to which it touches the ground, m."""


@dataclass(frozen=True)
class CommandTopic:
    """A ROS topic by which robots are commanded, declared without ROS.

    Attributes:
        type: type of the message, e.g. `std_msgs/msg/Float64`. Where its package is not installed there is no topic.
        name: name of the topic, below the robot's namespace; empty = kind of the effector.
        fields: argument of the effector -> field of the message, where their names differ; an argument with a default
            needs none. `a.b` is field b of field a, `a[1]` the second element of the array a. SI units and radians.
        stamped: type with a header that has this message as a field, and the name of that field; None if there is none.
        inside: field of the message below which all others are; empty = they are its own.
    """

    type: str
    name: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    stamped: tuple[str, str] | None = None
    inside: str = ""

    def path(self, argument: str) -> str:
        """Where messages have an argument of the effector."""
        return ".".join(filter(None, (self.inside, self.fields.get(argument, argument))))

    def with_header(self) -> CommandTopic:
        """The topic with the stamped type, if there is one; else this topic."""
        if self.stamped is None:
            return self
        kind, inside = self.stamped
        return dataclasses.replace(self, type=kind, inside=inside)


class BodyParameters(Checked):
    """Parameters in YAML that name parts of the robot."""

    def check(self, description: RobotDescription) -> None:
        """Raise ValueError for a robot without one of these parts, which refuses the robot."""
        raise NotImplementedError


class JointParameters(BodyParameters):
    """Parameters in YAML that name joints of the robot; a robot without one of them is refused."""

    def check(self, description: RobotDescription) -> None:
        """See `BodyParameters.check`."""
        description.model.joint_numbers(self.named_joints)

    @property
    def named_joints(self) -> tuple[str, ...]:
        """The names of these joints."""
        raise NotImplementedError


class Effector(Generic[P]):
    """A kind of command, made by `effector`.

    Attributes:
        options: dataclass of its parameters in a robot's YAML file, None if it has none.
        signature: its arguments.
        plain: the effector itself, which copies `with_errors` share.
    """

    def __init__(
        self, kind: str, function: Callable[P, None], topic: CommandTopic | None, mounted: bool, for_agents: bool
    ) -> None:
        self.kind, self.topic, self.mounted, self.for_agents = kind, topic, mounted, for_agents
        self.plain: Effector[P] = self
        self._function: Callable[..., None] = function
        hints = get_type_hints(function)
        own = list(inspect.signature(function).parameters)[1:]
        self._without_robot = bool(own) and hints.get(own[0]) is str
        takes_options = len(own) > 1 and dataclasses.is_dataclass(hints.get(own[1]))
        self.options: type[Any] | None = hints[own[1]] if takes_options else None
        self.signature = Signature(kind, function, 3 if takes_options else 2)
        self.__doc__ = function.__doc__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call the function without any check."""
        self._function(*args, **kwargs)

    def with_errors(self, meaning: Callable[[Exception], CommandRejectedError]) -> Effector[P]:
        """The same effector, but every exception except a refusal and an engine's failure becomes a refusal."""
        same, function = copy(self), self._function

        def guarded(*values: Any, **named: Any) -> None:
            try:
                function(*values, **named)
            except (CommandRejectedError, EngineFailedError):
                raise
            # Any code may run there.
            except Exception as error:
                raise meaning(error) from error

        same._function = guarded
        return same

    def command(self, world: World, client: str, arguments: Sequence[Argument]) -> None:
        """Carry out a command of a client; all or nothing.

        Raises:
            CommandRejectedError: the message names the fault.
        """
        values = self.signature.check(arguments)
        if self._without_robot:
            self._function(world, client, *values)
            return
        robot = world.robot_of(client)
        if robot is None:
            raise CommandRejectedError("the client has no robot; send (scene ...) first")
        self._act(world, robot, values)

    def act(self, world: World, robot: Robot, arguments: Sequence[Argument]) -> None:
        """Carry out a command of a robot; all or nothing, with the errors of `command`."""
        self._act(world, robot, self.signature.check(arguments))

    def _act(self, world: World, robot: Robot, values: tuple[Any, ...]) -> None:
        if self.mounted:
            spec = self._spec(robot)
            if self.options is not None:
                values = (self._options(self.options, robot, spec), *values)
        self._function(world, robot, *values)

    def _spec(self, robot: Robot) -> EffectorSpec:
        for spec in robot.description.effectors:
            if spec.kind == self.kind:
                return spec
        description = robot.description
        raise CommandRejectedError(
            f"robot '{description.name}' has no effector '{self.kind}'; it has: {kinds_of(description)}"
        )

    def _options(self, options: type[Any], robot: Robot, spec: EffectorSpec) -> Any:
        try:
            return build(options, dict(spec.parameters), robot.description.place(spec))
        except ConfigurationError as error:
            raise CommandRejectedError(str(error)) from None


def effector(
    kind: str, *, topic: CommandTopic | None = None, mounted: bool = True, for_agents: bool = True
) -> Callable[[Callable[P, None]], Effector[P]]:
    """Turn a function into an effector.

    The function takes the world, the robot that acts, the effector's options if the next parameter is a dataclass, and
    the arguments of the command: float, `Degrees`, `Percent`, int, str or bool. It raises `CommandRejectedError` before
    it changes anything. A function with a str as its second parameter gets the name of the client instead of its robot.

    Args:
        kind: kind of the effector; for a plug-in the name of its entry point.
        topic: ROS topic of the command; None = no topic.
        mounted: whether only robots that list it in their YAML file can carry it out.
        for_agents: whether classic agents of every profile can write `(KIND ARGUMENT ...)`. It is False for commands of
            certain years and leagues, which only agents whose profile has the word can write.
    """
    return lambda function: Effector(kind, function, topic, mounted, for_agents)


def kinds_of(description: RobotDescription) -> str:
    """The kinds of a robot's own effectors, for messages."""
    return ", ".join(sorted({spec.kind for spec in description.effectors})) or "none"


def on_ground(world: World, robot: Robot) -> bool:
    """Whether a robot that is a single round body touches the ground."""
    state = world.engine.state
    height = float(state.position[state.row(robot.handle), 2])
    return height <= robot.description.spawn_height + GROUND_CONTACT

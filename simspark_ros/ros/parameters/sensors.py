"""Parameters of robots' sensors as parameters of the simulator node, which may change while robots carry them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from rclpy.exceptions import ParameterException
from rclpy.node import Node
from rclpy.parameter import Parameter

from simspark_ros.configuration.errors import did_you_mean
from simspark_ros.configuration.schema import ConfigurationError, Declaration, Setting, declarations
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.ros.parameters.declared import SENSOR_PREFIX, descriptor
from simspark_ros.ros.topics.publisher import RobotEntry
from simspark_ros.simulation.loop import Simulation
from simspark_ros.worlds.robot import Robot

LINK = "link"
"""Parameter for the link or frame that carries a sensor. Names of topics depend on it, so it stays."""


@dataclass(frozen=True)
class SensorParameter:
    """A parameter of a robot's perceptor: its declaration by the perceptor's kind, its value in the robot's file."""

    spec: PerceptorSpec
    declaration: Declaration
    value: Any

    @property
    def key(self) -> str:
        """Key of the parameter in a robot's file."""
        return self.declaration.name

    def of(self, robot: str) -> str:
        """`sensors.ROBOT.KIND.KEY`, or `sensors.ROBOT.KIND.NAME.KEY` of a perceptor with a name of its own."""
        sensor = self.spec.kind if self.spec.name == self.spec.kind else f"{self.spec.kind}.{self.spec.name}"
        return f"{SENSOR_PREFIX}{robot}.{sensor}.{self.key}"


def sensor_parameters(spec: PerceptorSpec, options: type[Any] | None) -> Iterator[SensorParameter]:
    """The parameters of one perceptor whose kind has these options; parameters without a type in ROS are left out."""
    if options is None:
        return
    about = f"of the sensor {spec.kind} '{spec.name}', as a robot's file has it (docs/reference/sensors.md)"
    # What a parameter means is in the docstrings of its class.
    texts = " ".join(" ".join(one.__doc__ or "" for one in options.__mro__).split())
    for declaration in declarations(options):
        if isinstance(declaration.default, bool | int | float | str | tuple):
            found = re.search(rf"\b{declaration.name}(?:, \w+)*: (.*?)\.(?: |$)", texts)
            setting = Setting(f"{f'{found[1]}: ' if found else ''}`{declaration.name}` {about}", at_run_time=True)
            value = spec.parameters.get(declaration.name, declaration.default)
            yield SensorParameter(spec, declaration._replace(setting=setting), value)
    if spec.link:
        setting = Setting(f"link or frame {about}, for robots that come after the start of the node")
        yield SensorParameter(spec, Declaration(LINK, str, spec.link, (), None, setting), spec.link)


def adjusted(spec: PerceptorSpec, key: str, value: Any) -> PerceptorSpec:
    """The perceptor with another value of one parameter."""
    if key == LINK:
        return replace(spec, link=value)
    # ROS has arrays.
    value = value if isinstance(value, bool | int | float | str) else list(value)
    return replace(spec, parameters={**spec.parameters, key: value})


class SensorParameters:
    """Declares the parameters of robots that have topics, and has changes carried out between two cycles.

    Values that the node was started with hold for a robot of that name from the moment it gets its topics. Everything
    but `described` and work submitted by `apply` belongs to the executor's thread; `wake` ends the simulation's wait.
    """

    def __init__(self, node: Node, simulation: Simulation, wake: Callable[[], None]) -> None:
        self._node, self._simulation, self._wake = node, simulation, wake
        given: Mapping[str, Parameter] = getattr(node, "_parameter_overrides", {})
        self._given = {name: one.value for name, one in given.items() if name.startswith(SENSOR_PREFIX)}
        self._met: set[tuple[int, int, str]] = set()
        self._unknown: set[str] = set()
        # Robots by their name, and parameters by theirs.
        self._robots: dict[str, tuple[RobotEntry, tuple[PerceptorSpec, ...]]] = {}
        self._declared: dict[str, tuple[str, SensorParameter]] = {}

    def described(self, robot: Robot) -> RobotDescription:
        """A robot's description with its present sensors; a new robot's first get the values of the node's start.

        Call it in the simulation's thread.
        """
        sensing, world = self._simulation.sensing, self._simulation.world
        key = world.generation, robot.handle, robot.name
        if self._given and key not in self._met:
            self._met.add(key)
            self._warn_of_unknown(robot)
            for spec in sensing.mounted(robot):
                self._adjust_as_given(robot, spec)
        return replace(robot.description, perceptors=sensing.mounted(robot))

    def _warn_of_unknown(self, robot: Robot) -> None:
        """Warn, once, of parameters given at the node's start that the robot's sensors do not have."""
        sensing = self._simulation.sensing
        known = [
            one.of(robot.name)
            for spec in sensing.mounted(robot)
            for one in sensor_parameters(spec, sensing.options_of(spec.kind))
        ]
        own = {name for name in self._given if name.startswith(f"{SENSOR_PREFIX}{robot.name}.")}
        for name in sorted(own.difference(known, self._unknown)):
            self._unknown.add(name)
            hint = did_you_mean(name, known) or "; `ros2 param list` has the known ones"
            self._node.get_logger().warning(f"parameter '{name}' is unknown and ignored{hint}")

    def tell_of_waiting(self) -> None:
        """Name the robots that have parameters and are not here: some may come, others are misspelt."""
        for robot in sorted({name.removeprefix(SENSOR_PREFIX).partition(".")[0] for name in self._given}):
            if robot not in self._robots:
                hint = did_you_mean(robot, self._robots)
                self._node.get_logger().info(f"parameters '{SENSOR_PREFIX}{robot}...' wait for a robot '{robot}'{hint}")

    def _adjust_as_given(self, robot: Robot, spec: PerceptorSpec) -> None:
        sensing = self._simulation.sensing
        for one in sensor_parameters(spec, sensing.options_of(spec.kind)):
            name = one.of(robot.name)
            if name not in self._given:
                continue
            changed = adjusted(spec, one.key, self._given[name])
            others = tuple(changed if other == spec else other for other in sensing.mounted(robot))
            try:
                sensing.check_adjusted(robot.description, others)
            except ConfigurationError as error:
                self._node.get_logger().warning(f"parameter '{name}' is not used: {error}")
            else:
                spec = changed
                self._carry_out(robot.handle, changed)

    def follow(self, roster: Iterable[RobotEntry]) -> None:
        """Declare the parameters of new robots, and remove the parameters of lost ones."""
        entries = {entry.name: entry for entry in roster}
        for name in [name for name, (entry, _) in self._robots.items() if entries.get(name) != entry]:
            del self._robots[name]
            for parameter in [one for one, (robot, _) in self._declared.items() if robot == name]:
                del self._declared[parameter]
                # rclpy removes no read-only parameters.
                self._node.describe_parameter(parameter).read_only = False
                self._node.undeclare_parameter(parameter)
        for name in entries.keys() - self._robots.keys():
            self._declare(entries[name])

    def _declare(self, entry: RobotEntry) -> None:
        specs = entry.description.perceptors
        self._robots[entry.name] = entry, specs
        for spec in specs:
            for one in sensor_parameters(spec, self._simulation.sensing.options_of(spec.kind)):
                name = one.of(entry.name)
                value = list(one.value) if isinstance(one.value, tuple) else one.value
                try:
                    # A value given at the node's start is in use already, or cannot be used.
                    self._node.declare_parameter(name, value, descriptor(one.declaration), ignore_override=True)
                except ParameterException as error:
                    self._node.get_logger().warning(f"no parameter '{name}': {error}")
                else:
                    self._declared[name] = entry.name, one

    def refusal(self, parameters: Iterable[Parameter]) -> str:
        """Why new values cannot be taken; empty if they can."""
        reasons = []
        for robot, (specs, _) in self._changes(parameters).items():
            try:
                self._simulation.sensing.check_adjusted(self._robots[robot][0].description, specs)
            except ConfigurationError as error:
                reasons.append(str(error))
        return "; ".join(reasons)

    def apply(self, parameters: Iterable[Parameter]) -> None:
        """Use accepted values from the next cycle on."""
        for robot, (specs, changed) in self._changes(parameters).items():
            entry, _ = self._robots[robot]
            self._robots[robot] = entry, specs
            for spec in changed:
                self._simulation.requests.submit(partial(self._carry_out, entry.handle, spec))
                self._wake()

    def _changes(
        self, parameters: Iterable[Parameter]
    ) -> dict[str, tuple[tuple[PerceptorSpec, ...], list[PerceptorSpec]]]:
        """All perceptors of each robot that has new values, and the changed ones among them."""
        found: dict[str, dict[tuple[str, str], PerceptorSpec]] = {}
        for parameter in parameters:
            if parameter.name in self._declared:
                robot, one = self._declared[parameter.name]
                new = found.setdefault(robot, {(spec.kind, spec.name): spec for spec in self._robots[robot][1]})
                key = one.spec.kind, one.spec.name
                new[key] = adjusted(new[key], one.key, parameter.value)
        return {
            robot: (tuple(new.values()), [s for s in new.values() if s not in self._robots[robot][1]])
            for robot, new in found.items()
        }

    def _carry_out(self, handle: int, spec: PerceptorSpec) -> None:
        """Change a perceptor; in the simulation's thread."""
        world = self._simulation.world
        # It may have gone meanwhile.
        if handle in world.robots:
            self._simulation.sensing.adjust(world, world.robots[handle], spec)
            self._simulation.note("sensor", handle, spec.kind, spec.name, spec.link, dict(spec.parameters))

"""Settings as parameters of ROS nodes: descriptors, values, and the reasons for which a value is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor, SetParametersResult
from rclpy.exceptions import ParameterException, ParameterNotDeclaredException
from rclpy.node import Node
from rclpy.parameter import Parameter

from simspark_ros.configuration.errors import did_you_mean, shown, suggestion
from simspark_ros.configuration.schema import ConfigurationError, Declaration, declarations
from simspark_ros.ros.settings import BridgeParameters, CameraNodeParameters, NodeOptions, PlayerParameters
from simspark_ros.server.viewer_settings import ViewerSettings
from simspark_ros.simulation.settings import SimulationSettings, load_simulation_settings

PARAMETERS = (*declarations(SimulationSettings), *declarations(NodeOptions))
"""Parameters of the simulator node."""
_NODES = BridgeParameters, CameraNodeParameters, PlayerParameters, ViewerSettings
_OF_ANY_NODE = {one.name for one in (*PARAMETERS, *(each for node in _NODES for each in declarations(node)))}
RULE_PREFIX = "rule_book."
"""Prefix of parameters for the rule book's numbers. `ros2 param dump` nests names, and `rules` has a value already."""
SENSOR_PREFIX = "sensors."
"""Prefix of parameters for robots' sensors."""
_DECLARED_LATER = ("qos_overrides.", RULE_PREFIX, SENSOR_PREFIX)
_KINDS = Parameter.Type
_FITTED: dict[tuple[Any, Any], Callable[[Any], Any]] = {
    (_KINDS.INTEGER, _KINDS.DOUBLE): float,
    (_KINDS.INTEGER_ARRAY, _KINDS.DOUBLE_ARRAY): lambda values: [float(value) for value in values],
    (_KINDS.STRING, _KINDS.STRING_ARRAY): lambda text: [text],
}
"""Conversions of values of the first type to the second type."""


def descriptor(declaration: Declaration) -> ParameterDescriptor:
    """The description that ROS keeps with a parameter."""
    when = "can be set at any time" if declaration.setting.at_run_time else "can be set only at the start"
    made = ParameterDescriptor(description=f"{declaration.setting.help}; {when}")
    made.read_only = not declaration.setting.at_run_time
    made.additional_constraints = declaration.allowed
    limits = declaration.range
    if limits is None or limits.above:
        return made
    if declaration.kind is float:
        made.floating_point_range = [FloatingPointRange(from_value=limits.low, to_value=limits.high)]
    else:
        made.integer_range = [IntegerRange(from_value=int(limits.low), to_value=int(limits.high), step=1)]
    return made


def declare(node: Node, parameters: Iterable[Declaration], defaults: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Declare a node's parameters, with `defaults` in place of the declared ones, and read their values.

    A whole number stands for a float too, and a text for a list of one text: `speed:=1`, `robots:=nao`.

    Raises:
        ConfigurationError: the message names the parameter, its value, and what is allowed.
    """
    values = {}
    given: MutableMapping[str, Parameter] = getattr(node, "_parameter_overrides", {})
    for declaration in parameters:
        name = declaration.name
        default = (defaults or {}).get(name, declaration.default)
        # An empty list has no type for ROS, and a list of strings could not replace it.
        default = (list(default) or [""]) if isinstance(default, tuple) else default
        if name in given:
            given[name] = _fitted(given[name], Parameter.Type.from_parameter_value(default))
        try:
            values[name] = node.declare_parameter(name, default, descriptor(declaration)).value
        except ParameterException as error:
            raise ConfigurationError(f"bad value of parameter '{name}': {error}") from None
        if refused := refusal(declaration, values[name]):
            raise ConfigurationError(refused)
    return {name: tuple(filter(str.strip, v)) if isinstance(v, list) else v for name, v in values.items()}


class _UnknownParameterError(ParameterNotDeclaredException):
    """The one error that rclpy turns into an answer; its own text has neither the name nor a remedy."""

    def __init__(self, text: str) -> None:
        Exception.__init__(self, text)


def check_before_set(node: Node) -> None:
    """Refuse, while the node runs, parameters that do not exist, are of another type or read-only, in words that help.

    Values fit as in `declare`: `ros2 param set /simulator speed 1`.
    """
    node.add_pre_set_parameters_callback(lambda parameters: [_as_declared(node, one) for one in parameters])


def _as_declared(node: Node, parameter: Parameter) -> Parameter:
    name = parameter.name
    if not node.has_parameter(name):
        known = node.list_parameters([], 0).names
        raise _UnknownParameterError(f"parameter '{name}' is unknown{did_you_mean(name, known)}")
    if node.describe_parameter(name).read_only:
        raise _UnknownParameterError(f"parameter '{name}' can be set only at the start")
    kind = node.get_parameter(name).type_
    given = _fitted(parameter, kind)
    if given.type_ not in (kind, Parameter.Type.NOT_SET):
        wanted, got = (str(one.name).lower().replace("_", " ") for one in (kind, given.type_))
        raise _UnknownParameterError(f"parameter '{name}' is a {wanted}, not a {got}")
    return given


def _fitted(parameter: Parameter, kind: Parameter.Type) -> Parameter:
    """The parameter converted to a type, if only a decimal point or brackets are missing."""
    fit = _FITTED.get((parameter.type_, kind))
    return Parameter(parameter.name, kind, fit(parameter.value)) if fit else parameter


def refusal(declaration: Declaration, value: Any) -> str:
    """Why a value cannot be taken; empty if it can."""
    if declaration.refusal(value):
        return f"parameter '{declaration.name}' must be {declaration.allowed}, not {shown(value)}"
    refuse = declaration.setting.refuse
    # Values that stay from the start on are checked when the simulation is built.
    reason = refuse(value) if refuse and declaration.setting.at_run_time else ""
    return reason and f"parameter '{declaration.name}': {reason}"


def changed(parameters: Iterable[Parameter], known: Iterable[Declaration]) -> tuple[dict[str, Any], list[str]]:
    """New values of the known parameters, by name, and the reasons for which they cannot be taken."""
    declared = {declaration.name: declaration for declaration in known}
    new = {parameter.name: parameter.value for parameter in parameters if parameter.name in declared}
    reasons = [refusal(declared[name], value) for name, value in new.items()]
    return new, [reason for reason in reasons if reason]


def answer(node: Node, reasons: Iterable[str]) -> SetParametersResult:
    """Accept new values if there is no reason against them; a refusal is logged, too, as rqt shows no reasons."""
    reason = "; ".join(filter(None, reasons))
    if reason:
        node.get_logger().warning(reason)
    return SetParametersResult(successful=not reason, reason=reason)


def warn_of_unknown(node: Node, parameters: Iterable[Declaration]) -> None:
    """Name overrides of parameters that do not exist: rclpy ignores them silently; most of them are typing errors.

    Parameters of the package's other nodes are not reported: a file may have the parameters of all nodes below `/**`.
    """
    known = [declaration.name for declaration in parameters]
    given: Iterable[str] = getattr(node, "_parameter_overrides", {})
    for name in given:
        if not (node.has_parameter(name) or name in _OF_ANY_NODE or name.startswith(_DECLARED_LATER)):
            hint = did_you_mean(name, known) or f"; {suggestion(name, known)}"
            node.get_logger().warning(f"parameter '{name}' is unknown and ignored{hint}")


def rule_changes(overrides: Mapping[str, Any]) -> list[str]:
    """The rule book's changes by parameters `rule_book....` at the start, as texts of the setting `changes`."""
    given = {name.removeprefix(RULE_PREFIX): p.value for name, p in overrides.items() if name.startswith(RULE_PREFIX)}
    return [f"rules.{name}={json.dumps(value)}" for name, value in given.items()]


class OtherParameters(Protocol):
    """Parameters of the node that are declared elsewhere."""

    def refusal(self, parameters: Iterable[Parameter]) -> str:
        """Why new values cannot be taken; empty if they can."""

    def apply(self, parameters: Iterable[Parameter]) -> None:
        """Take values, none of which is refused."""


class Parameters:
    """Declares the simulator node's parameters and keeps their values: settings of the simulation, options of the node.

    Without `defaults` of the simulation it reads the defaults in the file that the parameter `config` names.

    Attributes:
        others: owners of further parameters, asked too when parameters are set.

    Raises:
        ConfigurationError: the message names the parameter or the file, and the remedy.
    """

    def __init__(self, node: Node, defaults: SimulationSettings | None, options: NodeOptions) -> None:
        self._node = node
        self._changed: Callable[[], None] = lambda: None
        self.options = NodeOptions(**declare(node, declarations(NodeOptions), vars(options)))
        config = self.options.config
        if config or defaults is None:
            defaults = load_simulation_settings(Path(config) if config else None)
        values = declare(node, declarations(SimulationSettings), vars(defaults))
        given = getattr(node, "_parameter_overrides", {})
        # Values that come back from ROS no longer show that nobody has set them.
        own = {name: value for name, value in vars(defaults).items() if name not in given and value == values.get(name)}
        self.settings = SimulationSettings(**{**values, **own})
        changes = (*self.settings.changes, *rule_changes(given))
        self.settings = replace(self.settings, changes=changes)
        self.others: list[OtherParameters] = []
        check_before_set(node)
        node.add_on_set_parameters_callback(self._on_set)
        warn_of_unknown(node, PARAMETERS)

    def on_change(self, callback: Callable[[], None]) -> None:
        """Set the function that the executor's thread calls after settings or options were replaced."""
        self._changed = callback

    def _on_set(self, parameters: list[Parameter]) -> SetParametersResult:
        new, reasons = changed(parameters, PARAMETERS)
        if any(p.name == "use_sim_time" and p.value for p in parameters):
            reasons.append("parameter 'use_sim_time' must stay false: this node publishes the time")
        result = answer(self._node, (*reasons, *(other.refusal(parameters) for other in self.others)))
        if result.successful:
            for other in self.others:
                other.apply(parameters)
        if result.successful and new:
            self.settings = replace(self.settings, **{k: v for k, v in new.items() if hasattr(self.settings, k)})
            self.options = replace(self.options, **{k: v for k, v in new.items() if hasattr(self.options, k)})
            self._changed()
        return result

"""Parameters of the simulator node: defaults, descriptions, ranges, and the reasons for which a value is refused."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor, SetParametersResult
from rclpy.exceptions import ParameterException
from rclpy.node import Node
from rclpy.parameter import Parameter

from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.simulation.settings import SimulationSettings, load_simulation_settings

TF_MODES = ("namespaced", "global", "none")

_LARGEST = 2**31 - 1


@dataclass(frozen=True)
class NodeOptions:
    """What the node adds to the settings of the simulation; see `SPECIFICATIONS` for their meaning."""

    tf: str = "namespaced"
    robots: tuple[str, ...] = ()
    bridge: bool = False
    service_timeout: float = 10.0
    pose_rate: float = 0.0
    hash_log: str = ""


@dataclass(frozen=True)
class Specification:
    """One parameter.

    Attributes:
        name: of the parameter.
        description: for `ros2 param describe`.
        fixed: whether it can be set at the start only.
        choices: the values it can have, if they are few.
        limits: smallest and largest value of a number.
    """

    name: str
    description: str
    fixed: bool = True
    choices: tuple[Any, ...] = ()
    limits: tuple[float, float] | None = None

    def descriptor(self, default: Any) -> ParameterDescriptor:
        """The descriptor that ROS keeps with the parameter."""
        descriptor = ParameterDescriptor(description=self.description, read_only=self.fixed)
        if self.choices:
            descriptor.additional_constraints = f"one of {', '.join(map(str, self.choices))}"
        if self.limits is not None and isinstance(default, float):
            low, high = self.limits
            descriptor.floating_point_range = [FloatingPointRange(from_value=low, to_value=high)]
        elif self.limits is not None:
            low, high = map(int, self.limits)
            descriptor.integer_range = [IntegerRange(from_value=low, to_value=high, step=1)]
        return descriptor

    def refusal(self, value: Any) -> str:
        """Why a value cannot be taken, empty if it can."""
        if self.choices and value not in self.choices:
            return f"parameter '{self.name}' must be one of {', '.join(map(str, self.choices))}, not {value!r}"
        if self.limits is not None and not self.limits[0] <= value <= self.limits[1]:
            return f"parameter '{self.name}' must be between {self.limits[0]} and {self.limits[1]}, not {value!r}"
        return ""


CONFIG = Specification("config", "settings file that the other parameters' defaults come from; empty = simspark.yaml")

SPECIFICATIONS = (
    Specification("engine", "physics engine by name"),
    Specification("preset", "named settings of the engine; empty = the engine's default"),
    Specification("world", "world, by name or as a YAML file; empty = the measured soccer field"),
    Specification("referee", "whether the rules are applied"),
    Specification("rules", "rule book, by name or as the path of a YAML file; empty = that of the world file"),
    Specification("changes", "of single keys of world file or rule book, each 'rules.game.half_time=60'"),
    Specification("profile", "protocol profile whose rules and sensors apply, by name or as the path of a YAML file"),
    Specification("seed", "of all randomness", limits=(0, _LARGEST)),
    Specification("threads", "2 sends perception beside physics: same results, seldom faster", choices=(1, 2)),
    Specification("blas_threads", "threads of numpy's BLAS in this process; 0 = as many as it has", limits=(0, 1000)),
    Specification(
        "pacing",
        "realtime, fast, or lockstep, which waits for every agent's (syn) and runs in real time without agents",
        fixed=False,
        choices=("realtime", "lockstep", "fast"),
    ),
    Specification(
        "late_cycles",
        "what happens when real-time cycles are late: cycles catches up, quanta catches up with physics only, slip "
        "lets time slip",
        fixed=False,
        choices=("cycles", "quanta", "slip"),
    ),
    Specification("catch_up_limit", "s of lateness that are caught up at most", fixed=False, limits=(0.0, 3600.0)),
    Specification("wait_for_robots", "time starts when so many agents have a robot", limits=(0, 1000)),
    Specification("monitor_interval", "cycles between two monitor frames", limits=(1, 1000)),
    Specification(
        "tf",
        "transforms: namespaced = <robot>/tf with plain frame ids, global = /tf with frame ids <robot>/..., none",
        fixed=False,
        choices=TF_MODES,
    ),
    Specification("robots", "robots to spawn at the start, each '[name=]robot[/type]'; empty strings are ignored"),
    Specification("bridge", "whether classic agents can join through a bridge node in another process"),
    Specification(
        "pose_rate",
        "states per simulated second for the camera process, which can make no more pictures; 0 = as many as the "
        "fastest camera of any robot",
        limits=(0.0, 1000.0),
    ),
    Specification("hash_log", "file for a fingerprint of every cycle, to compare runs; empty = none"),
    Specification("service_timeout", "s after which a service gives up waiting for a cycle", limits=(0.1, 3600.0)),
)


class Parameters:
    """Declares a node's parameters and keeps their values.

    Attributes:
        settings: of the simulation.
        options: of the node.
    """

    def __init__(self, node: Node, defaults: SimulationSettings | None, options: NodeOptions) -> None:
        """Declare everything.

        Args:
            node: that has them.
            defaults: of the simulation; None reads the file that the parameter `config` names.
            options: defaults of the node.

        Raises:
            ConfigurationError: the message names the parameter or the file, and the remedy.
        """
        self._node = node
        self._changed: Callable[[], None] = lambda: None
        try:
            config = str(node.declare_parameter(CONFIG.name, "", CONFIG.descriptor("")).value)
            if config or defaults is None:
                defaults = load_simulation_settings(Path(config) if config else None)
            values = {spec.name: self._declare(spec, _default(spec.name, defaults, options)) for spec in SPECIFICATIONS}
        except ParameterException as error:
            raise ConfigurationError(f"bad value of a parameter: {error}") from None
        self.settings, self.options = _split(values)
        node.add_on_set_parameters_callback(self._on_set)
        self._warn_of_unknown()

    def on_change(self, callback: Callable[[], None]) -> None:
        """Call this, in the thread of the executor, after settings or options were replaced."""
        self._changed = callback

    def _declare(self, spec: Specification, default: Any) -> Any:
        value = self._node.declare_parameter(spec.name, default, spec.descriptor(default)).value
        reason = spec.refusal(value)
        if reason:
            raise ConfigurationError(reason)
        return value

    def _on_set(self, parameters: list[Parameter]) -> SetParametersResult:
        by_name = {spec.name: spec for spec in SPECIFICATIONS}
        known = [parameter for parameter in parameters if parameter.name in by_name]
        reasons = [by_name[p.name].refusal(p.value) for p in known]
        if any(p.name == "use_sim_time" and p.value for p in parameters):
            reasons.append("parameter 'use_sim_time' must stay false here: this node makes the time")
        if any(reasons):
            return SetParametersResult(successful=False, reason="; ".join(filter(None, reasons)))
        new = {p.name: p.value for p in known}
        setting_names = {field.name for field in fields(SimulationSettings)}
        self.settings = replace(self.settings, **{k: v for k, v in new.items() if k in setting_names})
        self.options = replace(self.options, **{k: v for k, v in new.items() if k not in setting_names})
        self._changed()
        return SetParametersResult(successful=True)

    def _warn_of_unknown(self) -> None:
        # rclpy takes overrides of parameters that do not exist without a word; most of them are typing errors.
        known = [CONFIG.name, *(spec.name for spec in SPECIFICATIONS)]
        given: Iterable[str] = getattr(self._node, "_parameter_overrides", {})
        for name in given:
            if not self._node.has_parameter(name) and not name.startswith("qos_overrides."):
                close = difflib.get_close_matches(name, known, 1)
                hint = f"did you mean '{close[0]}'?" if close else f"known are: {', '.join(known)}"
                self._node.get_logger().warning(f"parameter '{name}' is unknown and ignored; {hint}")


def _default(name: str, settings: SimulationSettings, options: NodeOptions) -> Any:
    value = getattr(settings if hasattr(settings, name) else options, name)
    # An empty list has no type for ROS, and a list of strings could not replace it.
    return (list(value) or [""]) if isinstance(value, tuple) else value


def _split(values: dict[str, Any]) -> tuple[SimulationSettings, NodeOptions]:
    names = {field.name for field in fields(SimulationSettings)}
    # What ROS gives for an empty list.
    lists = {name: tuple(text for text in values[name] if text.strip()) for name in ("changes", "robots")}
    settings = build(SimulationSettings, {k: lists.get(k, v) for k, v in values.items() if k in names}, "parameters")
    rest = {k: lists.get(k, v) for k, v in values.items() if k not in names}
    return settings, build(NodeOptions, rest, "parameters")

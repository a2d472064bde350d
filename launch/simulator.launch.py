"""Starts the simulator, the camera process unless `headless` is set, and ports for classic agents if `bridge` is set.

    ros2 launch simspark_ros simulator.launch.py
    ros2 launch simspark_ros simulator.launch.py robots:="nao keeper=nao/4" headless:=true pacing:=fast
    ros2 launch simspark_ros simulator.launch.py --show-args

The other launch files include this one and take its arguments too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction, SetEnvironmentVariable, Shutdown
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import ExecutableInPackage

from simspark_ros.configuration.c_library import END_WITH
from simspark_ros.configuration.schema import declarations
from simspark_ros.ros.settings import BridgeParameters, NodeOptions
from simspark_ros.server.settings import ServeSettings
from simspark_ros.server.viewer_settings import ViewerSettings
from simspark_ros.simulation.settings import SimulationSettings

PACKAGE = "simspark_ros"


class Argument(NamedTuple):
    """An argument of this file that becomes a parameter of a node. With an empty default the node decides."""

    description: str
    kind: type[Any] = str
    default: str = ""
    choices: list[str] | None = None


def _declared(cls: type[Any], names: Collection[str], empty: str = "") -> dict[str, Argument]:
    """Arguments for settings that are declared elsewhere; texts of settings that may have no value end with `empty`."""
    made = {}
    for setting in declarations(cls):
        if setting.name in names:
            unit = f", {setting.range.unit}" if setting.range and setting.range.unit else ""
            choices = [*([""] if empty else []), *map(str, setting.choices)] if setting.choices else None
            kind = str if setting.kind is tuple else setting.kind
            text, default = f"{setting.setting.help}{unit}{empty}", "" if empty else str(setting.default)
            made[setting.name] = Argument(text, kind, default, choices)
    return made


SIMULATION = {setting.name for setting in declarations(SimulationSettings)} - {"changes", "profile"}

SIMULATOR = {
    **_declared(NodeOptions, ["config"]),
    **_declared(SimulationSettings, SIMULATION, "; empty = as in the settings file"),
    **_declared(NodeOptions, ["lola", "game_controller"]),
    **_declared(NodeOptions, ["tf"], "; empty = namespaced"),
    **_declared(NodeOptions, ["localization"], "; empty = ground_truth"),
    **_declared(NodeOptions, ["ros2_control", "stamped_cmd_vel", "share_domain"], "; empty = false"),
}

LISTS = ["robots", "robot_namespaces"]
SEVERAL = "; several separated by spaces, or as a list"

BRIDGE = _declared(BridgeParameters, ["agent_port", "monitor_port", "silent_timeout", "bind", "profile", "trainer"])

OTHERS = {
    "namespace": Argument("namespace of the nodes; the robots' namespaces are below it"),
    **_declared(ServeSettings, ["headless", "ros_network"]),
    "cameras": Argument("number of processes that share the drawing of the robots' pictures", int, "1"),
    "viewer": Argument("true: show a page for web browsers and print its address; needs a bridge", bool, "false"),
    "viewer_port": _declared(ViewerSettings, ["port"])["port"],
    **_declared(SimulationSettings, ["changes"], SEVERAL),
    **_declared(NodeOptions, LISTS, SEVERAL),
    "bridge": Argument(
        "ports for classic agents and monitors: none, in the simulator's process, or in a separate process",
        default="none",
        choices=["none", "composed", "process"],
    ),
    "params_file": Argument("YAML file with further ROS parameters of all nodes"),
    "log_level": Argument(
        "least severity of log lines that are shown", str, "info", ["debug", "info", "warn", "error", "fatal"]
    ),
}

SWITCHES = ("ros2_control", "stamped_cmd_vel", "share_domain")
"""ROS parameters that are off by default."""

WORDS = ("tf", "localization")
"""ROS parameters with a few possible values."""

COMMAND_LINE = {*SIMULATOR, *BRIDGE} - {*WORDS, *SWITCHES}
"""Arguments that are options of `simspark serve` too, with hyphens."""


def generate_launch_description() -> LaunchDescription:
    arguments = {**OTHERS, **SIMULATOR, **BRIDGE}
    declared = [
        DeclareLaunchArgument(name, default_value=it.default, description=it.description, choices=it.choices)
        for name, it in arguments.items()
    ]
    # Only at run time is it known which arguments are empty.
    # Launch leaves processes behind when it gets SIGTERM.
    together = SetEnvironmentVariable(END_WITH, str(os.getpid()))
    return LaunchDescription([*declared, together, OpaqueFunction(function=_processes)])


def _processes(context: LaunchContext) -> list[ExecuteProcess]:
    # The configurations also hold renamed topics, as a list.
    texts = {name: text for name, text in context.launch_configurations.items() if isinstance(text, str)}
    given = {name: text for name, text in texts.items() if text.strip()}
    bridge = given["bridge"]
    if bridge == "composed":
        processes = [_composed(given)]
    else:
        lists = {name: _words(given[name]) for name in (*LISTS, "changes") if name in given}
        profile = _typed(given, {"profile": BRIDGE["profile"]}) if bridge == "process" else {}
        own = {**_typed(given, SIMULATOR), **profile, **lists, "bridge": bridge == "process"}
        processes = [_node(given, "simulator", own)]
    if bridge == "process":
        processes.append(_node(given, "bridge", _typed(given, BRIDGE)))
    if not _is_true("headless", given.get("headless", "false")):
        _typed(given, {"cameras": OTHERS["cameras"]})
        known = _typed(given, {name: SIMULATOR[name] for name in ("world", "tf", "seed")})
        names = [f"simspark_camera_{number}" for number in range(2, 1 + int(given["cameras"]))]
        processes += [_node(given, "camera", known, name) for name in (None, *names)]
    if _is_true("viewer", given.get("viewer", "false")):
        if bridge == "none" or given["monitor_port"] == "0":
            raise ValueError("argument 'viewer' needs a port of monitors: give bridge:=composed and a monitor_port")
        shown = {"monitor_port": BRIDGE["monitor_port"], "bind": BRIDGE["bind"], "world": SIMULATOR["world"]}
        typed = _typed(given, {**shown, "viewer_port": OTHERS["viewer_port"]})
        typed["port"] = typed.pop("viewer_port")
        processes.append(_node(given, "viewer", typed))
    return processes


def _words(text: str) -> list[str]:
    # The text may be a list, the form of a parameter with several values. Places have commas, too: `nao@1.0,-2.0`.
    return re.findall(r"""(?:@[-+.\w]+(?:,[-+.\w]+)+|[^][,'"\s])+""", text)


def _is_true(name: str, text: str) -> bool:
    if text.lower() not in ("true", "1", "false", "0"):
        raise ValueError(f"argument '{name}' must be true or false, not '{text}'")
    return text.lower() in ("true", "1")


def _typed(given: dict[str, str], arguments: dict[str, Argument]) -> dict[str, ParameterValue]:
    """The values given, as parameters of exactly these types: text such as `off` is no boolean here."""
    values = {}
    for name in arguments.keys() & given.keys():
        kind = arguments[name].kind
        try:
            value = _is_true(name, given[name]) if kind is bool else kind(given[name])
            values[name] = ParameterValue(value, value_type=kind)
        except ValueError:
            if kind is bool:
                raise
            raise ValueError(
                f"argument '{name}' must be a {'whole ' if kind is int else ''}number, not '{given[name]}'"
            ) from None
    return values


def _node(given: dict[str, str], executable: str, parameters: dict[str, Any], name: str | None = None) -> Node:
    return Node(
        package=PACKAGE,
        executable=executable,
        name=name,
        namespace=given.get("namespace", ""),
        parameters=[parameters, *_params_file(given)],
        ros_arguments=["--log-level", given["log_level"]],
        additional_env=_environment(given),
        output="screen",
        # The match goes on without camera or viewer, but not without the other processes.
        on_exit=None if executable in ("camera", "viewer") else Shutdown(reason=f"the {executable} has ended"),
    )


def _composed(given: dict[str, str]) -> ExecuteProcess:
    """`simspark serve` with the values given. This file starts the camera process for both forms."""
    words = [word for name in given if name in COMMAND_LINE for word in _option(name, given[name])]
    words += [word for robot in _words(given.get("robots", "")) for word in ("--robot", robot)]
    words += [word for change in _words(given.get("changes", "")) for word in ("--set", change)]
    ros = ["-r", f"__ns:=/{given['namespace'].strip('/')}"] if "namespace" in given else []
    ros += [word for name in WORDS if name in given for word in ("-p", f"{name}:='{given[name]}'")]
    ros += [word for name in SWITCHES if _is_true(name, given.get(name, "false")) for word in ("-p", f"{name}:=true")]
    namespaces = ",".join(f"'{word}'" for word in _words(given.get("robot_namespaces", "")))
    ros += ["-p", f"robot_namespaces:=[{namespaces}]"] if namespaces else []
    # The command shares a domain, unless it is told.
    ros += ["-p", "share_domain:=false"] if "share_domain:=true" not in ros else []
    ros += [word for path in _params_file(given) for word in ("--params-file", path)]
    ros += ["--log-level", given["log_level"]] if given["log_level"] != "info" else []
    return ExecuteProcess(
        cmd=[
            ExecutableInPackage(package=PACKAGE, executable="simspark"),
            *("serve", "--headless", *words),
            *("--ros-args", *ros),
        ],
        name="simspark",
        additional_env=_environment(given),
        output="screen",
        on_exit=Shutdown(reason="simspark has ended"),
    )


def _environment(given: dict[str, str]) -> dict[str, str]:
    """The variables that open or confine ROS in the processes of this package (`simspark_ros.ros.network`)."""
    ranges = {"loopback": "LOCALHOST", "all": "SUBNET"}
    network = given["ros_network"]
    return {"ROS_AUTOMATIC_DISCOVERY_RANGE": ranges[network]} if network in ranges else {}


def _option(name: str, text: str) -> list[str]:
    option = name.replace("_", "-")
    if {**SIMULATOR, **BRIDGE}[name].kind is not bool:
        return [f"--{option}", text]
    # For a switch that is on by default.
    return [] if _is_true(name, text) else [f"--no-{option}"]


def _params_file(given: dict[str, str]) -> list[str]:
    path = given.get("params_file")
    if path and not Path(path).is_file():
        raise FileNotFoundError(f"argument 'params_file': there is no file '{path}'")
    return [path] if path else []

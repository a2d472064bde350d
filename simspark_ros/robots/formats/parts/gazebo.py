"""Reads data for Gazebo, in URDF and SDF alike: plug-ins that drive two rows of wheels, and friction.

Names of elements are taken from Gazebo's `DiffDrive` system and from gazebo_ros' plug-ins for ROS 2 and ROS 1.
"""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from simspark_ros.robots.files.report import ImportReport
from simspark_ros.robots.formats.urdf.bounds import EFFORT
from simspark_ros.robots.formats.urdf.document import line_of

MOST_FRICTION = 2.0
"""Largest coefficient of friction that is taken from a file: as good as no slip, which 100000 stands for."""

_TORQUES = ("max_wheel_torque", "wheel_torque", "torque")
"""Tags with the torque of wheels' motors, N m: in gazebo_ros for ROS 2, for ROS 1, and in older versions."""

_TAGS = {
    *("left_joint", "right_joint", "wheel_separation", "wheel_radius", "wheel_diameter", "num_wheel_pairs"),
    *("max_linear_velocity", "max_angular_velocity", "max_velocity", "max_wheel_acceleration", "wheel_acceleration"),
    *("max_linear_acceleration", "max_angular_acceleration", "max_acceleration", *_TORQUES),
}
"""Tags of drives that are used."""

_ALIKE = {
    *((tag, "cmd_vel") for tag in ("topic", "command_topic")),
    *((tag, "odom") for tag in ("odom_topic", "odometry_topic", "odometry_frame", "frame_id")),
    *((f"publish_{tag}", value) for tag in ("odom", "odom_tf", "wheel_tf", "tf") for value in ("true", "1")),
}
"""Tags and values that say what the simulator does anyway."""

_LEAST = 1e-3
"""Least limit of a drive, m/s, rad/s, m/s2 and rad/s2."""

_INNER_CAPITAL = re.compile(r"(?<=[a-z])([A-Z])")

_WORDS = ("diff_drive", "diff-drive", "diffdrive")


def friction(mu: float) -> float:
    """The coefficient of friction for the coefficient in a file."""
    return min(max(mu, 0.0), MOST_FRICTION)


def is_drive(plugin: ET.Element) -> bool:
    """Whether a plug-in drives two rows of wheels."""
    called = f"{plugin.get('filename', '')} {plugin.get('name', '')}".lower()
    return any(word in called for word in _WORDS)


def named_plugin(plugin: ET.Element) -> str:
    """A plug-in by name and file, as reports call it; a plug-in of ros2_control is a text."""
    name = (plugin.get("name") or plugin.text or "").strip()[:60]
    file = plugin.get("filename", "").strip()[:60]
    return f"plugin '{name or file}'" + (f" ({file})" if name and file else "")


def add_drive(
    plugin: ET.Element,
    joints: Collection[str],
    drives: list[dict[str, Any]],
    report: ImportReport,
    file: str,
    prefix: str = "",
) -> float:
    """Add the effector `wheels` to a robot's drives.

    Args:
        plugin: plug-in that `is_drive` accepts.
        joints: names of the joints that move.
        drives: drives of the robot so far.
        report: report that notes are added to.
        file: name of the file in the report.
        prefix: prefix of the names of joints in the robot.

    Returns:
        The torque of the wheels' motors, N m; 0 if the plug-in gives none.

    Raises:
        ValueError: the plug-in lacks data, or the robot already has a drive.
    """
    if drives:
        raise ValueError("the robot already has a drive")
    drives.append({"kind": "wheels", "parameters": _parameters(plugin, joints, prefix)})
    torque = min(max(0.0, *(_number(plugin, name) for name in _TORQUES)), EFFORT.high or math.inf)
    how = "effector wheels: cmd_vel, odom" + (f"; motors of {torque:g} N m" if torque else "")
    report.understood(named_plugin(plugin), how, file, line_of(plugin))
    _note_others(plugin, report, file)
    return torque


def driven_wheels(drives: Iterable[Mapping[str, Any]]) -> set[str]:
    """Names of the joints that drives turn, as `add_drive` writes them."""
    return {joint for drive in drives for side in ("left", "right") for joint in drive["parameters"][side]}


def _parameters(plugin: ET.Element, joints: Collection[str], prefix: str) -> dict[str, Any]:
    wheels = {side: tuple(prefix + name for name in _texts(plugin, f"{side}_joint")) for side in ("left", "right")}
    for side, names in wheels.items():
        if not names or not set(names) <= set(joints):
            raise ValueError(f"<{side}_joint> names no joint that moves")
    radius = _number(plugin, "wheel_radius") or _number(plugin, "wheel_diameter") / 2.0
    track = _number(plugin, "wheel_separation")
    if not (radius > 0.0 and track > 0.0):
        raise ValueError("<wheel_separation> and <wheel_radius> or <wheel_diameter> must be greater than 0")
    parameters: dict[str, Any] = {**wheels, "radius": radius, "track": track}
    # The acceleration in gazebo_ros is the acceleration of the rims, m/s2.
    rim = _number(plugin, "max_wheel_acceleration") or _number(plugin, "wheel_acceleration")
    # Gazebo's DiffDrive has limits for both motions, too, which those of one motion replace.
    fastest, both = _number(plugin, "max_velocity"), _number(plugin, "max_acceleration")
    limits = {
        "max_acceleration": _number(plugin, "max_linear_acceleration") or both or rim,
        "max_turn_acceleration": _number(plugin, "max_angular_acceleration") or both or 2.0 * rim / track,
        "max_velocity": _number(plugin, "max_linear_velocity") or fastest,
        "max_turn_velocity": _number(plugin, "max_angular_velocity") or fastest,
    }
    return parameters | {name: max(limit, _LEAST) for name, limit in limits.items() if limit > 0.0}


def _note_others(plugin: ET.Element, report: ImportReport, file: str) -> None:
    """Note the tags of a drive that are not used, unless they say what the simulator does anyway."""
    for part in plugin.iter():
        name, value = _INNER_CAPITAL.sub(r"_\1", part.tag).lower(), (part.text or "").strip()
        if len(part) or part is plugin or not value or name in _TAGS or (name, value.strip("/")) in _ALIKE:
            continue
        # Limits backwards that mirror those forward.
        if name.startswith("min_") and _number(plugin, f"max_{name[4:]}") == -_number(plugin, name) != 0.0:
            continue
        if name == "remapping" and value.rpartition(":=")[2].strip("/") in ("cmd_vel", "odom"):
            continue
        is_topic = name in ("remapping", "namespace") or name.endswith("topic")
        how = (
            "topics are cmd_vel and odom below the robot's name"
            if is_topic
            else "the effector wheels has no such setting"
        )
        report.dropped(f"<{part.tag[:60]}> {value[:80]} of {named_plugin(plugin)}", how, file, line_of(part))


def _texts(plugin: ET.Element, name: str) -> list[str]:
    """Texts of all elements with a name, which ROS 1 writes with an inner capital letter."""
    first, *others = name.split("_")
    older = first + "".join(map(str.capitalize, others))
    found = [*plugin.findall(name), *plugin.findall(older)]
    return [text for one in found if (text := (one.text or "").strip())]


def _number(plugin: ET.Element, name: str) -> float:
    """The first number in elements with a name; 0 if there is no usable one."""
    try:
        value = float(next(iter(_texts(plugin, name)), "0"))
    except ValueError:
        return 0.0
    return value if math.isfinite(value) else 0.0

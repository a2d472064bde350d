"""Reads data for Gazebo, in URDF and SDF alike: plug-ins that drive two rows of wheels, and friction.

Names of elements are taken from Gazebo's `DiffDrive` system and from gazebo_ros' plug-ins for ROS 2 and ROS 1.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Collection, Iterable, Mapping
from typing import Any

MOST_FRICTION = 2.0
"""Largest coefficient of friction that is taken from a file: as good as no slip, which 100000 stands for."""

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


def add_drive(plugin: ET.Element, joints: Collection[str], drives: list[dict[str, Any]], prefix: str = "") -> None:
    """Add the effector `wheels` to a robot's drives.

    Args:
        plugin: plug-in that `is_drive` accepts.
        joints: names of the joints that move.
        drives: drives of the robot so far.
        prefix: prefix of the names of joints in the robot.

    Raises:
        ValueError: the plug-in lacks data, or the robot already has a drive.
    """
    if drives:
        raise ValueError("the robot already has a drive")
    drives.append({"kind": "wheels", "parameters": _parameters(plugin, joints, prefix)})


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
    limits = {
        "max_acceleration": _number(plugin, "max_linear_acceleration") or rim,
        "max_turn_acceleration": _number(plugin, "max_angular_acceleration") or 2.0 * rim / track,
    }
    return parameters | {name: limit for name, limit in limits.items() if limit > 0.0}


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

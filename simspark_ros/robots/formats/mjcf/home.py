"""The home pose of a robot, from MJCF's keyframes."""

from __future__ import annotations

import math
from typing import Any

from simspark_ros.robots.formats.mjcf.compiled import Compiled
from simspark_ros.robots.formats.parts.home import home_among
from simspark_ros.robots.formats.parts.robot_assembly import RobotAssembly


def home_key(spec: Any) -> tuple[float, ...]:
    """The positions of the keyframe in which the robot of a file starts; empty without one."""
    keys = [(str(key.name), tuple(map(float, key.qpos))) for key in spec.keys]
    chosen = home_among(name for name, _ in keys)
    return next((positions for name, positions in keys if name == chosen), ())


def home_positions(compiled: Compiled, assembly: RobotAssembly) -> dict[str, float]:
    """Joint -> position in the home pose, rad or m, within its stops; joints at 0 are left out."""
    model, home = compiled.model, compiled.home
    if len(home) != model.nq or not all(map(math.isfinite, home)):
        return {}
    stops = {joint.name: (joint.lower, joint.upper) for joint in assembly.joints}
    found = {}
    for joint, name in enumerate(compiled.joints):
        if name in stops:
            # The pose in which the file draws the robot is zero here.
            place = int(model.jnt_qposadr[joint])
            lower, upper = stops[name]
            found[name] = min(max(home[place] - float(model.qpos0[place]), lower), upper)
    return {name: position for name, position in found.items() if position}

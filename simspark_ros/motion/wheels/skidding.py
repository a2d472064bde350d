"""Robots whose rows of wheels skid in turns, and turn less far than commanded."""

from __future__ import annotations

import numpy as np

from simspark_ros.configuration.schema import build
from simspark_ros.motion.wheels.ramped_drive import joints_of, wheels_of
from simspark_ros.motion.wheels.wheel_drive import KIND as WHEELS
from simspark_ros.motion.wheels.wheel_parameters import WheelParameters
from simspark_ros.physics.geometry.transforms import Array
from simspark_ros.robots.description import RobotDescription

_MUCH = 0.9
"""Share of the effective track below which a robot's `track` is told as wrong: engines differ by a tenth."""

_PAGE = "docs/how_to/drives.md#the-effector-wheels"


def skidding(description: RobotDescription) -> list[str]:
    """A line, if any, about a `track` with which wheels one behind the other turn the robot much less than commanded.

    Raises:
        ConfigurationError: the effector `wheels` has wrong parameters.
    """
    spec = next((spec for spec in description.effectors if spec.kind == WHEELS), None)
    if spec is None:
        return []
    given = build(WheelParameters, dict(spec.parameters), description.place(spec))
    if min(len(given.left), len(given.right)) < 2:
        return []
    model = description.model
    points, _ = wheels_of(model, joints_of(model, (*given.left, *given.right)))
    track = effective_track(points[:, :2] - points[:, :2].mean(axis=0))
    if given.track >= _MUCH * track:
        return []
    return [
        f"the wheels of each row skid in turns: the robot turns about {given.track / track:.2g} times as far as "
        f"commanded; set track of the effector wheels to the effective {track:.3g} m, not {given.track:g} m ({_PAGE})"
    ]


def effective_track(places: Array) -> float:
    """Track with which rows of equally loaded wheels turn on the spot as commanded, m.

    The wheels slip by Coulomb's friction, whose torques about the middle add up to 0: T + a^2 / T for two wheels a row
    at a distance a, in rows T apart (docs/appendix/drives.md#skidding).

    Args:
        places: (K, 2) places of the wheels about their middle, forward and left, m.
    """
    x, y = places[:, 0], np.abs(places[:, 1])
    # The rim speed for a turn of 1 rad/s, by bisection: the sum below rises with it.
    low, high = 0.0, 2.0 * float(np.hypot(x, y).max()) ** 2 / max(float(y.min()), 1e-3)
    for _ in range(60):
        speed = (low + high) / 2.0
        along = speed - y
        torque = (y * along - x * x) / np.maximum(np.hypot(along, x), 1e-12)
        low, high = (low, speed) if torque.sum() > 0.0 else (speed, high)
    return low + high

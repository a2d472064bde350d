"""Joint commands from topics: checked as a whole, then merged until the next cycle takes them."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simspark_ros.physics.engine import Array, EngineState, IntArray
from simspark_ros.robots.motors import MotorMode, Motors

_SHOWN = 40
"""Characters of a foreign name that are repeated in a log line."""

_MODES = {"position": MotorMode.POSITION, "velocity": MotorMode.VELOCITY, "effort": MotorMode.EFFORT}
_NONE = -1


class JointCommandError(Exception):
    """A command is refused as a whole; `reason` is short, for counting."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True)
class JointTargets:
    """A checked command: (K,) indices of joints in their robot's model, how all are driven, and (K,) values.

    By mode values are rad, rad/s or N m (m, m/s or N for prismatic joints).
    """

    joints: IntArray
    mode: MotorMode
    values: Array


def check_command(
    index_of: dict[str, int],
    names: Sequence[str],
    position: Sequence[float],
    velocity: Sequence[float],
    effort: Sequence[float],
) -> JointTargets | None:
    """Check the fields of a JointState used as a command; None if it commands nothing.

    The arrays are as long as `names`, or empty, which means "no command of this kind". Where there are several kinds,
    every joint takes position before velocity before effort. `index_of` has the index of each of the robot's joints.

    Raises:
        JointCommandError: unknown joint, joint named twice, wrong length, or a number that is not finite in any array.
    """
    unknown = [name for name in names if name not in index_of]
    if unknown:
        known = ", ".join(index_of)
        raise JointCommandError("unknown joint", f"unknown joint '{unknown[0][:_SHOWN]}'; its joints are: {known}")
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise JointCommandError("joint named twice", f"joint '{twice}' is named twice; name each joint once")
    chosen: tuple[MotorMode, Array] | None = None
    for (kind, mode), numbers in zip(_MODES.items(), (position, velocity, effort), strict=True):
        if not len(numbers):
            continue
        if len(numbers) != len(names):
            raise JointCommandError(
                "wrong length",
                f"{len(numbers)} {kind} values for {len(names)} joints ({', '.join(names[:3])}"
                f"{', ...' if len(names) > 3 else ''}); give one per name, or none",
            )
        values = np.array(numbers, float)
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise JointCommandError(
                "not finite",
                f"{kind} of joint '{names[bad[0]]}' is {values[bad[0]]}; send finite numbers, or leave the joint out",
            )
        chosen = chosen or (mode, values)
    if chosen is None:
        return None
    return JointTargets(np.array([index_of[name] for name in names], np.int64), *chosen)


class CommandInbox:
    """The commands of one robot since the last cycle, merged joint by joint: the last one wins, and it never fills."""

    def __init__(self, joints: int) -> None:
        self._lock = threading.Lock()
        self._mode = np.full(joints, _NONE, np.int8)
        self._values = np.zeros(joints)
        self.waiting = False

    def put(self, targets: JointTargets) -> None:
        """Merge a command; safe from any thread."""
        with self._lock:
            self._mode[targets.joints] = targets.mode
            self._values[targets.joints] = targets.values
            self.waiting = True

    def apply(self, motors: Motors, first: int, state: EngineState) -> list[JointTargets]:
        """Hand everything to the motors, and return it by mode.

        `first` is the index of the robot's first joint in the world's flat joint arrays.
        """
        if not self.waiting:
            return []
        with self._lock:
            mode, values = self._mode.copy(), self._values.copy()
            self._mode.fill(_NONE)
            self.waiting = False
        setters = (motors.set_positions, motors.set_velocities, motors.set_efforts)
        applied = []
        for kind, command in zip(_MODES.values(), setters, strict=True):
            joints = np.flatnonzero(mode == kind)
            if len(joints):
                command(joints + first, values[joints], state)
                applied.append(JointTargets(joints, kind, values[joints]))
        return applied

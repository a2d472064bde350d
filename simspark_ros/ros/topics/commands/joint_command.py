"""Joint commands from topics: checked as a whole, then merged until the next cycle takes them."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simspark_ros.effectors.motor import MAX_GAIN, bounded
from simspark_ros.physics.engine import Array, EngineState, IntArray
from simspark_ros.robots.motors.commands import MotorMode, Motors

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
    """A checked command of K joints.

    Attributes:
        joints: (K,) indices in their robot's model.
        modes: (K,) `MotorMode` of each.
        values: (K,) commanded values; by mode rad, rad/s or N m (m, m/s or N for prismatic joints).
        rates: (K,) velocities given beside positions, rad/s or m/s; elsewhere 0.
        given: (K, 3) position, velocity and effort of each as they were given; NaN where none was.
        skipped: number of further joints whose only values are NaN.
    """

    joints: IntArray
    modes: NDArray[np.int8]
    values: Array
    rates: Array
    given: Array
    skipped: int


def check_command(
    index_of: dict[str, int],
    names: Sequence[str],
    position: Sequence[float],
    velocity: Sequence[float],
    effort: Sequence[float],
) -> JointTargets:
    """Check the fields of a JointState used as a command.

    The arrays are as long as `names`, or empty, which means "no command of this kind". NaN means "no command of this
    kind for this joint", as in ros2_control. If several kinds are given, position wins over velocity, and velocity over
    effort; the velocity beside a position is its rate. `index_of` has the index of each of the robot's joints.

    Raises:
        JointCommandError: unknown joint, joint named twice, wrong length, or an infinite number in any array.
    """
    check_names(index_of, names)
    modes, values, absent = np.full(len(names), _NONE, np.int8), np.zeros(len(names)), np.zeros(len(names), bool)
    all_given = np.full((len(names), len(_MODES)), np.nan)
    for at, ((kind, mode), numbers) in enumerate(zip(_MODES.items(), (position, velocity, effort), strict=True)):
        if not len(numbers):
            continue
        if len(numbers) != len(names):
            raise JointCommandError("wrong length", _wrong_length(kind, len(numbers), names))
        given = np.array(numbers, float)
        infinite = np.flatnonzero(np.isinf(given))
        if len(infinite):
            raise JointCommandError(
                "not finite",
                f"{kind} of joint '{names[infinite[0]]}' is {given[infinite[0]]}; send finite numbers, or NaN for no "
                "command",
            )
        all_given[:, at], missing = given, np.isnan(given)
        absent |= missing
        free = (modes == _NONE) & ~missing
        modes[free], values[free] = mode, given[free]
    rates = np.nan_to_num(np.array(velocity, float)) if len(velocity) else np.zeros(len(names))
    rates[modes != MotorMode.POSITION] = 0.0
    joints, commanded = np.array([index_of[name] for name in names], np.int64), modes != _NONE
    left_out = int(np.count_nonzero(absent & ~commanded))
    joints, modes, values, rates = joints[commanded], modes[commanded], values[commanded], rates[commanded]
    return JointTargets(joints, modes, values, rates, all_given[commanded], left_out)


def check_gains(
    index_of: dict[str, int], names: Sequence[str], stiffness: Sequence[float], damping: Sequence[float]
) -> tuple[IntArray, Array]:
    """Check the gains of motors; returns (K,) indices of joints and their (K, 2) gains, NaN = none any more.

    Both arrays are as long as `names`, or empty, which means none any more.

    Raises:
        JointCommandError: unknown joint, joint named twice, wrong length, or a gain out of range.
    """
    check_names(index_of, names)
    gains = np.full((len(names), 2), np.nan)
    for at, (kind, numbers) in enumerate((("stiffness", stiffness), ("damping", damping))):
        if len(numbers) not in (0, len(names)):
            raise JointCommandError("wrong length", _wrong_length(kind, len(numbers), names))
        if len(numbers):
            gains[:, at] = numbers
    wrong = ~(np.isnan(gains) | ((gains >= 0.0) & (gains <= MAX_GAIN)))
    if wrong.any():
        name = names[int(np.flatnonzero(wrong.any(axis=1))[0])]
        raise JointCommandError("wrong gain", f"gains of joint '{name}' must be 0 to {MAX_GAIN:g}")
    # One gain alone leaves the other at zero.
    gains[~np.isnan(gains).all(axis=1)] = np.nan_to_num(gains[~np.isnan(gains).all(axis=1)])
    return np.array([index_of[name] for name in names], np.int64), gains


def check_names(index_of: dict[str, int], names: Sequence[str]) -> None:
    """Raise JointCommandError for a joint that the robot does not have, and for one that is named twice."""
    unknown = [name for name in names if name not in index_of]
    if unknown:
        known = ", ".join(index_of)
        raise JointCommandError("unknown joint", f"unknown joint '{unknown[0][:_SHOWN]}'; its joints are: {known}")
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise JointCommandError("joint named twice", f"joint '{twice}' is named twice; name each joint once")


def _wrong_length(kind: str, numbers: int, names: Sequence[str]) -> str:
    return (
        f"{numbers} {kind} values for {len(names)} joints ({', '.join(names[:3])}{', ...' if len(names) > 3 else ''}); "
        "give one per name (NaN = no command for this joint), or none. ros2_control's JointStateTopicSystem leaves out "
        "joints that lack a command interface: give all joints in its tag the same command interfaces"
    )


class CommandInbox:
    """The commands of one robot since the last cycle, merged joint by joint: the last one wins, and it never fills.

    Attributes:
        waiting: whether there are any commands.
        skipped: number of joints that messages named with NaN alone, so far.
    """

    def __init__(self, joints: int) -> None:
        self._lock = threading.Lock()
        self._mode = np.full(joints, _NONE, np.int8)
        self._values, self._rates = np.zeros(joints), np.zeros(joints)
        self._given, self._gains = np.zeros((joints, len(_MODES))), np.full((joints, 2), np.nan)
        self.waiting = False
        self.skipped = 0

    def put(self, targets: JointTargets) -> None:
        """Merge a command; safe from any thread."""
        with self._lock:
            self._mode[targets.joints] = targets.modes
            self._values[targets.joints], self._rates[targets.joints] = targets.values, targets.rates
            self._given[targets.joints] = targets.given
            self.skipped += targets.skipped
            self.waiting |= len(targets.joints) > 0

    def set_gains(self, joints: IntArray, gains: Array) -> None:
        """Set the (K, 2) gains of joints for all later commands, N m/rad and N m s/rad, NaN = none; from any thread."""
        with self._lock:
            self._gains[joints] = gains

    def apply(
        self, motors: Motors, first: int, state: EngineState, seconds: float
    ) -> list[tuple[MotorMode, IntArray, Array]]:
        """Hand everything to the motors, and return joints and values by mode.

        A position with a rate is meant for now: the servo, which arrives at the end of the cycle, is led to the joint's
        position of that time, as far as its largest speed allows, like a drive with the same feed-forward. A joint with
        gains gets all that was given, for `MotorMode.SERVO`.

        `first` is the index of the robot's first joint in the world's flat joint arrays, `seconds` the cycle's length.
        """
        if not self.waiting:
            return []
        with self._lock:
            mode, values, rates = self._mode.copy(), self._values.copy(), self._rates.copy()
            given, gains = self._given.copy(), self._gains.copy()
            self._mode.fill(_NONE)
            self.waiting = False
        fastest = state.joint_max_velocity[first : first + len(mode)]
        values += np.where(mode == MotorMode.POSITION, np.clip(rates, -fastest, fastest) * seconds, 0.0)
        setters = (motors.set_positions, motors.set_velocities, motors.set_efforts)
        applied = []
        joints = np.flatnonzero((mode != _NONE) & ~np.isnan(gains[:, 0]))
        if len(joints):
            commands = _with_gains(given[joints], gains[joints])
            motors.set_servos(joints + first, commands)
            applied.append((MotorMode.SERVO, joints, commands))
            mode[joints] = _NONE
        for kind, command in zip(_MODES.values(), setters, strict=True):
            joints = np.flatnonzero(mode == kind)
            if len(joints):
                command(joints + first, values[joints], state)
                applied.append((kind, joints, values[joints]))
        return applied


def _with_gains(given: Array, gains: Array) -> Array:
    """(K, 5) commands for `Motors.set_servos`; without a position the joint is not drawn anywhere."""
    stiffness = np.where(np.isnan(given[:, 0]), 0.0, gains[:, 0])
    position, velocity, effort = np.nan_to_num(given).T
    return bounded(np.stack([position, velocity, stiffness, gains[:, 1], effort], axis=1))

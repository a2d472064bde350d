"""Motor commands of all joints, and the resulting control of the next step.

Arrays have one entry per joint of the world, in the order of the engine's flat joint arrays. A joint is driven in one
of four modes: velocity (the classic hinge effector: the target persists until replaced), position (an ideal servo that
follows within the joint's speed and effort), effort (a torque, up to the joint's speed and stops) or servo (position,
velocity and effort with the gains of each command, see `ServoControl`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from simspark_ros.kernels.motors import MotorKernel
from simspark_ros.physics.engine import Array, BoolArray, EngineState, IntArray, JointControl, ServoControl
from simspark_ros.robots.motors.passive_joints import PassiveJoints

FULL_SPEED = 1000.0
"""Largest speed, under effort, of a joint without a speed limit, rad/s or m/s."""


class MotorMode(IntEnum):
    """Mode in which a joint is driven."""

    VELOCITY = 0
    POSITION = 1
    EFFORT = 2
    SERVO = 3


# Plain numbers: to look a mode up takes longer than to command a joint.
_POSITION, _EFFORT, _SERVO = int(MotorMode.POSITION), int(MotorMode.EFFORT), int(MotorMode.SERVO)


@dataclass(frozen=True)
class NamedJoints:
    """The joints of M commands, K of which exist.

    Attributes:
        index: (K,) flat indices of the joints.
        known: (M,) whether the joint of each command exists; None if all do.
        unknown: number of commands whose joint does not exist.
        lower, upper, slowest, fastest: (K,) stops, rad or m, and range of the speed, rad/s or m/s.
    """

    index: IntArray
    known: BoolArray | None
    unknown: int
    lower: Array
    upper: Array
    slowest: Array
    fastest: Array


class Motors:
    """Targets of all joints, kept across changes of the set of robots.

    Attributes:
        mode: (J,) `MotorMode` of each joint.
        target: (J,) target of each joint by its mode: rad/s, rad or N m (m/s, m or N for prismatic joints).
        servo: (J, 5) commands of joints in the mode servo, see `ServoControl`.
        handles: (N,) handles of the robots in row order, ascending.
        frozen: (J,) remaining time in which each joint stands still whatever its commands, s; 0 = not frozen.
        stiffness: (J,) share of its largest effort that each motor may use, 0 to 1; 0 = limp.
        is_soft: whether any stiffness is less than 1.
    """

    def __init__(self) -> None:
        self.mode: NDArray[np.int8] = np.zeros(0, np.int8)
        self.target: Array = np.zeros(0)
        self.servo: Array = np.zeros((0, 5))
        self.handles: NDArray[np.int64] = np.zeros(0, np.int64)
        self.frozen: Array = np.zeros(0)
        self.stiffness: Array = np.zeros(0)
        self.is_soft = False
        self._any_frozen = False
        self._joints_of: dict[int, slice] = {}
        self._passive = PassiveJoints()
        self._only_velocity = True
        self._bind(self.target, self.target)
        # The last arguments of `find` and its answer; as bytes, which no later change of the arrays affects.
        self._named: tuple[tuple[bytes, bytes], NamedJoints] | None = None

    def rebind(self, state: EngineState) -> None:
        """Follow a change of the set of robots: robots that stay keep their targets, new robots get velocity zero."""
        joints = int(state.joint_offset[-1])
        mode, target, frozen = np.zeros(joints, np.int8), np.zeros(joints), np.zeros(joints)
        stiffness, servo = np.ones(joints), np.zeros((joints, 5))
        joints_of = {handle: state.joints_of(row) for row, handle in enumerate(state.handles)}
        for handle in joints_of.keys() & self._joints_of.keys():
            new, old = joints_of[handle], self._joints_of[handle]
            mode[new], target[new], frozen[new] = self.mode[old], self.target[old], self.frozen[old]
            stiffness[new], servo[new] = self.stiffness[old], self.servo[old]
        self.mode, self.target, self.frozen, self._joints_of = mode, target, frozen, joints_of
        self.stiffness, self.servo = stiffness, servo
        self._check_stiffness()
        self.handles = np.array(state.handles, np.int64)
        self._bind(state.joint_max_velocity, state.joint_max_effort)
        self._named = None
        self._passive = PassiveJoints(state)
        self._check_modes()

    def _bind(self, fastest: Array, strongest: Array) -> None:
        """Bind the kernel to the present arrays, given the largest speeds and efforts of all joints."""
        count = len(self.target)
        velocity, effort_limit, no_effort = np.zeros((3, count))
        # Control if all joints are stiff and driven by velocity; it shares arrays with this object and the state.
        self._plain = JointControl(self.target, strongest, no_effort)
        # Control in all other cases, written by the kernel.
        self._mixed = JointControl(velocity, effort_limit, no_effort)
        self._kernel = MotorKernel(
            mode=self.mode,
            target=self.target,
            stiffness=self.stiffness,
            fastest=fastest,
            strongest=strongest,
            top_speed=FULL_SPEED,
            velocity=velocity,
            effort_limit=effort_limit,
        )

    def find(self, handles: IntArray, joints: IntArray, state: EngineState) -> NamedJoints:
        """Find joints given by (M,) robots and (M,) indices in their models; state: the state of the last `rebind`.

        Clients command the same joints cycle after cycle, so the last answer is kept.
        """
        given = handles.tobytes(), joints.tobytes()
        if self._named is None or self._named[0] != given:
            self._named = given, self._look_up(handles, joints, state)
        return self._named[1]

    def _look_up(self, handles: IntArray, joints: IntArray, state: EngineState) -> NamedJoints:
        if len(self.handles):
            row = np.minimum(self.handles.searchsorted(handles), len(self.handles) - 1)
            index: IntArray = state.joint_offset.take(row) + joints
            known = (self.handles.take(row) == handles) & (joints >= 0) & (index < state.joint_offset.take(row + 1))
        else:
            index, known = joints, np.zeros(len(handles), np.bool_)
        unknown = len(handles) - int(np.count_nonzero(known))
        if unknown:
            index = index[known]
        lower, upper = state.joint_lower.take(index), state.joint_upper.take(index)
        fastest = state.joint_max_velocity.take(index)
        return NamedJoints(index, known if unknown else None, unknown, lower, upper, -fastest, fastest)

    def set_velocities(self, joints: NDArray[np.int64], velocities: Array, state: EngineState) -> None:
        """Command velocities. joints: (K,) flat indices, later entries win; velocities: (K,), clamped to the limits.

        Infinite values mean full speed, NaN means full negative speed (measured on the reference).
        """
        fastest = state.joint_max_velocity.take(joints)
        self.drive(joints, clamped(velocities, -fastest, fastest))

    def drive(self, joints: NDArray[np.int64], velocities: Array) -> None:
        """As `set_velocities`, for velocities that are known to be within the limits."""
        self.target[joints] = velocities
        if not self._only_velocity:
            self.mode[joints] = MotorMode.VELOCITY
            self._check_modes()

    def set_positions(self, joints: NDArray[np.int64], positions: Array, state: EngineState) -> None:
        """Command positions. joints: (K,) flat indices; positions: (K,) rad or m, clamped to the joints' limits."""
        self._kernel.command(joints, _POSITION, positions, state.joint_lower, state.joint_upper)
        self._only_velocity = self._only_velocity and not len(joints)

    def set_efforts(self, joints: NDArray[np.int64], efforts: Array, state: EngineState) -> None:
        """Command efforts. joints: (K,) flat indices; efforts: (K,) N m or N, clamped to the joints' limits."""
        self._kernel.command(joints, _EFFORT, efforts, -state.joint_max_effort, state.joint_max_effort)
        self._only_velocity = self._only_velocity and not len(joints)

    def set_servos(self, joints: NDArray[np.int64], commands: Array) -> None:
        """Command joints with gains. joints: (K,) flat indices; commands: (K, 5), see `ServoControl`."""
        self.servo[joints] = commands
        self.mode[joints] = _SERVO
        # Where something else stops the joint, its velocity is zero.
        self.target[joints] = 0.0
        self._only_velocity = self._only_velocity and not len(joints)

    def set_stiffness(self, joints: NDArray[np.int64], stiffness: Array | float) -> None:
        """Let motors use only a share of their largest effort. joints: (K,) flat indices; stiffness: (K,), 0 to 1."""
        self.stiffness[joints] = np.clip(stiffness, 0.0, 1.0)
        self._check_stiffness()

    def freeze(self, handle: int, joints: Sequence[int], seconds: float) -> None:
        """Hold joints of a robot, given by index in its model, for a time from the next step on; 0 s releases them.

        Until then every command acts as speed 0.
        """
        self.frozen[self._joints_of[handle]][list(joints)] = seconds
        self._any_frozen = bool(self.frozen.any())

    def stop(self, handle: int) -> None:
        """Command zero velocity to all joints of a robot, release frozen joints and make limp joints stiff."""
        own = self._joints_of[handle]
        self.frozen[own] = self.target[own] = 0.0
        self.mode[own] = MotorMode.VELOCITY
        self.stiffness[own] = 1.0
        self._check_modes()
        self._check_stiffness()

    def control(self, state: EngineState, seconds: float, servos: bool = False) -> JointControl:
        """Control of the next step, given its length.

        servos: whether the engine computes motors with gains and the friction of joints itself.
        """
        control = self._commanded(state, seconds)
        if not self._only_velocity and (joints := np.flatnonzero(self.mode == _SERVO)).size:
            if servos:
                control = replace(control, servos=ServoControl(joints, self.servo[joints]))
            else:
                self._make_efforts(joints, control, state, seconds)
        return control if self._passive.none else self._passive.apply(control, state, seconds, follow_only=servos)

    def _make_efforts(self, joints: IntArray, control: JointControl, state: EngineState, seconds: float) -> None:
        """Imitate motors with gains by velocity motors.

        The motor's effort vanishes at one velocity. A velocity motor toward that one, limited to the present effort,
        neither overshoots nor vibrates, however long the step is.
        """
        q, dq, kp, kd, tau = self.servo[joints].T
        # At the end of the step a joint with velocity v is v * seconds farther: its effort is drive - gain * v.
        gain = seconds * kp + kd
        drive = kp * (q - state.joint_position[joints]) + kd * dq + tau
        effort = drive - gain * state.joint_velocity[joints]
        fastest = np.minimum(state.joint_max_velocity[joints], FULL_SPEED)
        steady = np.divide(drive, gain, out=np.sign(drive) * FULL_SPEED, where=gain > 0.0)
        control.velocity[joints] = np.clip(steady, -fastest, fastest)
        control.effort_limit[joints] = np.minimum(np.abs(effort), control.effort_limit[joints])

    def _commanded(self, state: EngineState, seconds: float) -> JointControl:
        if self._any_frozen:
            self._hold(seconds)
        if self._only_velocity and not self.is_soft:
            return self._plain
        self._kernel.control(state.joint_position, seconds)
        return self._mixed

    def _hold(self, seconds: float) -> None:
        """Replace the commands of frozen joints, and let their time pass."""
        still = self.frozen > 0.0
        self.target[still] = 0.0
        self.mode[still] = MotorMode.VELOCITY
        self._check_modes()
        self.frozen = np.maximum(self.frozen - seconds, 0.0)
        # Less than half a step is rounding and counts as nothing.
        self.frozen[self.frozen < seconds / 2] = 0.0
        self._any_frozen = bool(self.frozen.any())

    def _check_modes(self) -> None:
        self._only_velocity = not self.mode.any()

    def _check_stiffness(self) -> None:
        self.is_soft = bool((self.stiffness < 1.0).any())


def clamped(values: Array, lower: Array, upper: Array) -> Array:
    """The values, cut to their ranges; NaN becomes the lower end. All (K,)."""
    # fmax prefers numbers to NaN.
    limited: Array = np.fmin(np.fmax(values, lower), upper)
    return limited

"""Strength and speed of joints from MJCF's actuators."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from simspark_ros.robots.files.report import ImportReport
from simspark_ros.robots.formats.mjcf.compiled import Compiled

SPEED = 10.0
"""Greatest speed of motors whose file names none, rad/s or m/s: MJCF has no such number."""


@dataclass(frozen=True)
class Motor:
    """The strongest actuator of an axis of a joint: N m or N, and rad/s or m/s."""

    effort: float = 0.0
    velocity: float = SPEED


Motors = dict[tuple[int, int], Motor]
"""Motors by id of the joint and number of its axis, which is 0 except for ball joints."""


def add_motors(compiled: Compiled, report: ImportReport) -> Motors:
    """The motors of all joints; actuators that drive no joint are dropped with a note."""
    motors: Motors = {}
    for element in compiled.spec.actuators:
        what, place = f"actuator '{element.name or element.id}'", compiled.place(element)
        driven = _driven(compiled, element.id)
        force, how = _force(compiled, element.id)
        # MJCF has a second limit, of the force of all actuators of a joint.
        limits = [_limit_of_joint(compiled, joint) for joint, _, _ in driven]
        is_bounded = not how or all(map(math.isfinite, limits))
        if not driven or force is None:
            report.dropped(what, how or "it drives neither a joint nor a fixed tendon", *place)
            continue
        for (joint, axis, factor), limit in zip(driven, limits, strict=True):
            # Without a limit of its own, the actuator is as strong as the joint allows.
            effort = limit if how and math.isfinite(limit) else min(force * abs(factor), limit)
            old = motors.get((joint, axis), Motor(velocity=0.0))
            motors[joint, axis] = Motor(
                max(effort, old.effort), max(_speed(compiled, element.id, factor), old.velocity)
            )
        if not is_bounded or len(driven) > 1:
            report.approximated(what, how if not is_bounded else "each of its joints gets a motor", *place)
        else:
            report.understood(what, f"a motor of at most {motors[driven[0][:2]].effort:g} N m or N", *place)
    return motors


def _limit_of_joint(compiled: Compiled, joint: int) -> float:
    """The greatest force of all actuators of a joint, N m or N; infinite without one."""
    return _most(compiled.model.jnt_actfrcrange[joint]) if compiled.model.jnt_actfrclimited[joint] else math.inf


def _driven(compiled: Compiled, i: int) -> list[tuple[int, int, float]]:
    """Joint, axis and lever of each axis that an actuator drives."""
    model, kinds = compiled.model, compiled.mujoco.mjtTrn
    target, gear = int(model.actuator_trnid[i, 0]), model.actuator_gear[i]
    kind = kinds(int(model.actuator_trntype[i]))
    if kind in (kinds.mjTRN_JOINT, kinds.mjTRN_JOINTINPARENT):
        joints = compiled.mujoco.mjtJoint
        axes = 3 if model.jnt_type[target] == joints.mjJNT_BALL else 1
        if model.jnt_type[target] == joints.mjJNT_FREE:
            return []
        return [(target, axis, float(gear[axis])) for axis in range(axes) if gear[axis]]
    if kind == kinds.mjTRN_TENDON:
        first, count = int(model.tendon_adr[target]), int(model.tendon_num[target])
        joint = int(compiled.mujoco.mjtWrap.mjWRAP_JOINT)
        wraps = [w for w in range(first, first + count) if model.wrap_type[w] == joint and model.wrap_prm[w]]
        # A fixed tendon is a sum of coefficient times position, so gear times coefficient is the lever of each joint.
        return [(int(model.wrap_objid[w]), 0, float(gear[0] * model.wrap_prm[w])) for w in wraps if gear[0]]
    return []


def _force(compiled: Compiled, i: int) -> tuple[float | None, str]:
    """The greatest force of an actuator, and the assumption made, or the reason why it has none."""
    model, gains, biases = compiled.model, compiled.mujoco.mjtGain, compiled.mujoco.mjtBias
    limit = _most(model.actuator_forcerange[i]) if model.actuator_forcelimited[i] else math.inf
    if model.actuator_gaintype[i] != gains.mjGAIN_FIXED:
        return None, "only motor, position and velocity actuators are supported, not muscles, dampers or plug-ins"
    gain, range_of_control = abs(float(model.actuator_gainprm[i, 0])), model.actuator_ctrlrange[i]
    limited = bool(model.actuator_ctrllimited[i])
    if model.actuator_biastype[i] == biases.mjBIAS_NONE:
        if limited:
            return min(limit, gain * _most(range_of_control)), ""
        return (limit, "") if math.isfinite(limit) else (gain, "no limit: its force at a control of 1 is the limit")
    if math.isfinite(limit):
        return limit, ""
    span = float(range_of_control[1] - range_of_control[0]) if limited else 1.0
    return gain * span, f"no limit: its force at an error of {span:g} is the limit"


def _speed(compiled: Compiled, i: int, lever: float) -> float:
    """The greatest speed that a velocity actuator can command a joint; `SPEED` for other actuators."""
    model = compiled.model
    # The bias is b0 + b1 position + b2 speed: a servo of position has b1, one of velocity b2 alone.
    is_velocity = model.actuator_biasprm[i, 1] == 0.0 and model.actuator_biasprm[i, 2] < 0.0
    if is_velocity and model.actuator_ctrllimited[i]:
        return _most(model.actuator_ctrlrange[i]) / abs(lever)
    return SPEED


def _most(limits: Any) -> float:
    return max(abs(float(limits[0])), abs(float(limits[1])))

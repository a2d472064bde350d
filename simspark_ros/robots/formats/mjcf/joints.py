"""Joints of MJCF: several in one body become a chain, a ball joint three hinges; their couplings and home pose."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.physics.model import JointKind
from simspark_ros.robots.files.group_states import home_among
from simspark_ros.robots.formats.mjcf.compiled import WORLD, Compiled
from simspark_ros.robots.formats.mjcf.motors import Motor, Motors
from simspark_ros.robots.formats.parts.bodies import BodyJoint, Coupling
from simspark_ros.robots.formats.parts.robot_assembly import SHARE, RobotAssembly

_FREE = 3
"""Number of motorless joints between world and base from which on they only let the base move in a plane or space."""

_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def add_joints(compiled: Compiled, assembly: RobotAssembly, motors: Motors) -> None:
    """Add the joints of the robot's bodies."""
    model = compiled.model
    elements: dict[int, list[Any]] = {}
    for element in sorted(compiled.spec.joints, key=lambda one: one.id):
        elements.setdefault(int(model.jnt_bodyid[element.id]), []).append(element)
    for body in compiled.tree:
        parent = int(model.body_parentid[body])
        own = elements.get(body, [])
        if parent == WORLD:
            _add_base(compiled, assembly, own, body, motors)
        else:
            _add(compiled, assembly, own, body, compiled.bodies[parent], motors)


def _add_base(compiled: Compiled, assembly: RobotAssembly, elements: list[Any], body: int, motors: Motors) -> None:
    """Handle joints between world and robot; a base without any is bolted to the world."""
    name, free = compiled.bodies[body], compiled.mujoco.mjtJoint.mjJNT_FREE
    if not elements:
        assembly.bolt(name)
        assembly.report.understood(f"body '{name}'", "bolted to the world", compiled.file)
    elif compiled.model.jnt_type[elements[0].id] == free:
        assembly.report.understood(f"joint '{compiled.joints[elements[0].id]}'", "", *compiled.place(elements[0]))
    elif len(elements) >= _FREE and not any((one.id, 0) in motors for one in elements):
        for element in elements:
            what = f"joint '{compiled.joints[element.id]}'"
            assembly.report.dropped(what, "it moves the base, which moves freely here", *compiled.place(element))
    else:
        _add(compiled, assembly, elements, body, assembly.world().name, motors)


def _add(
    compiled: Compiled, assembly: RobotAssembly, elements: list[Any], body: int, parent: str, motors: Motors
) -> None:
    """The joints of one body, or a fixed one."""
    child = assembly.bodies[compiled.bodies[body]]
    joints = [
        joint for element in elements for joint in _joints(compiled, assembly, element, parent, child.pose, motors)
    ]
    if not joints:
        assembly.joints.append(BodyJoint(f"{child.name}_fixed", JointKind.FIXED, parent, child.name, child.pose))
        return
    chain = assembly.chain(child, joints)
    assembly.joints += chain
    if len(chain) > 1:
        how = f"its {len(chain)} joints become a chain of links, each with {SHARE:.0%} of its mass"
        assembly.report.approximated(f"body '{child.name}'", how, compiled.file)


def _joints(
    compiled: Compiled, assembly: RobotAssembly, element: Any, parent: str, pose: Transform, motors: Motors
) -> list[BodyJoint]:
    """One joint of the file, its child not yet named."""
    model, kinds, i = compiled.model, compiled.mujoco.mjtJoint, element.id
    name, place = compiled.joints[i], compiled.place(element)
    anchor = pose @ Transform(position=np.array(model.jnt_pos[i]))
    dof = int(model.jnt_dofadr[i])
    damping, friction = _first(model.dof_damping[dof]), float(model.dof_frictionloss[dof])
    joint = BodyJoint(name, JointKind.REVOLUTE, parent, "", anchor, damping=damping, friction=friction)
    if _first(model.jnt_stiffness[i]):
        assembly.report.dropped(f"spring of joint '{name}'", "springs are not supported", *place)
    lower, upper = map(float, model.jnt_range[i]) if model.jnt_limited[i] else (-math.inf, math.inf)
    if model.jnt_type[i] == kinds.mjJNT_BALL:
        upper = min(upper, math.pi)
        assembly.report.approximated(f"joint '{name}'", "the ball joint becomes three hinges, about x, y and z", *place)
        hinges = [replace(joint, name=f"{name}_{'xyz'[k]}", axis=axis) for k, axis in enumerate(_AXES)]
        return [_driven(one, (-upper, upper), motors.get((i, k))) for k, one in enumerate(hinges)]
    zero = float(model.qpos0[model.jnt_qposadr[i]])
    kind = JointKind.PRISMATIC if model.jnt_type[i] == kinds.mjJNT_SLIDE else JointKind.REVOLUTE
    if kind is JointKind.REVOLUTE and math.isinf(upper):
        kind = JointKind.CONTINUOUS
    x, y, z = map(float, model.jnt_axis[i])
    assembly.report.understood(f"joint '{name}'", "", *place)
    # MuJoCo counts ranges from `ref`, the joint's value in the drawn pose; here that pose is zero.
    turning = replace(joint, kind=kind, axis=(x, y, z))
    return [_driven(turning, (lower - zero, upper - zero), motors.get((i, 0)))]


def _driven(joint: BodyJoint, stops: tuple[float, float], motor: Motor | None) -> BodyJoint:
    """The joint with stops and motor; no effort without a motor."""
    motor = motor or Motor()
    return replace(joint, lower=stops[0], upper=stops[1], velocity=motor.velocity, effort=motor.effort)


def _first(value: Any) -> float:
    """The linear part of a number, which is a polynomial in newer versions of MuJoCo."""
    return float(np.ravel(value)[0])


def add_couplings(compiled: Compiled, assembly: RobotAssembly) -> None:
    """Couple joints; other constraints, tendons and exclusions are dropped with a note."""
    for element in compiled.spec.equalities:
        place = compiled.place(element)
        what = f"equality '{element.name or element.id}'"
        joints = {joint.name: joint for joint in assembly.joints}
        follower, leader = joints.get(element.name1.strip()), joints.get(element.name2.strip())
        if element.type != compiled.mujoco.mjtEq.mjEQ_JOINT or follower is None or leader is None:
            assembly.report.dropped(what, "only couplings of two joints are supported", *place)
            continue
        offset, factor, *higher = (float(value) for value in element.data[:5])
        # The joint with a motor leads.
        if follower.effort > 0.0 and leader.effort == 0.0 and factor:
            follower, leader, offset, factor = leader, follower, -offset / factor, 1.0 / factor
        follower.mimic = Coupling(leader.name, factor, offset)
        if any(higher):
            assembly.report.approximated(what, "only the linear part of its polynomial is used", *place)
        else:
            assembly.report.understood(what, f"joint '{follower.name}' follows '{leader.name}'", *place)
    for element in compiled.spec.tendons:
        what = f"tendon '{element.name or element.id}'"
        assembly.report.dropped(what, "tendons are not simulated", *compiled.place(element))


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

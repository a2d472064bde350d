"""Checks of links: where they are, what they weigh, and what it takes to hold them."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from simspark_conformance.robot_checks.bench import Bench, home_of, torques_at_rest
from simspark_conformance.robot_checks.finding import Finding, judged
from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry.transforms import Transform, rotation_about
from simspark_ros.physics.model import Joint, JointKind
from simspark_ros.robots.description import RobotDescription
from simspark_ros.robots.formats.urdf.document import parse_urdf
from simspark_ros.robots.formats.urdf.importer import urdf_joints

_SEED, _POSES = 38, 3
_NEAR = 1e-5
"""Greatest difference of places, m, and of turns, rad: engines keep rotations as quaternions or principal axes."""

_SHARE_OF_EFFORT = 0.02
_AT_STOP = 0.02
"""Distance, rad or m, within which a joint is at its stop."""

_SETTLING = 0.5
"""Time until held joints no longer swing, s."""


def check_kinematics(bench: Bench) -> Iterator[Finding]:
    """The poses of all links, at the start and at random positions of the joints, against the joints of the file."""
    robot = bench.robot
    bench.hang()
    links = [link.name for link in robot.model.links]
    choice = np.random.default_rng(_SEED)
    worst = dict.fromkeys(links, 0.0)
    for positions in (home_of(robot), *(_anywhere(robot, choice) for _ in range(_POSES))):
        bench.put(positions)
        handle = bench.engine.state.handles[0]
        centres, turns = bench.engine.link_poses(bench.engine.select_links([(handle, name) for name in links]))
        frames = _poses_of_file(robot, bench.engine.state.joint_position)
        to_world = Transform(turns[0], centres[0] - turns[0] @ np.array(robot.model.base.centre))
        to_world = to_world @ frames[links[0]].inverse()
        for link, centre, turn in zip(robot.model.links, centres, turns, strict=True):
            wanted = to_world @ frames[link.name]
            apart = float(np.linalg.norm(centre - wanted.apply(np.array(link.centre))))
            # Small angles: the antisymmetric part of the turn from one to the other.
            off = wanted.rotation.T @ turn - np.eye(3)
            worst[link.name] = max(worst[link.name], apart, float(np.abs(off).max()))
    for name, difference in worst.items():
        yield judged(
            "kinematics",
            name,
            difference <= _NEAR,
            f"{difference:.0e}",
            "the link is not where the file's joints put it",
        )


def check_mass(bench: Bench) -> Iterator[Finding]:
    """The mass of the model against the sum of the document."""
    masses = [float(mass.get("value", "nan")) for mass in parse_urdf(bench.robot.urdf, "the model").iter("mass")]
    total, mass = sum(masses), bench.robot.model.mass
    why = f"the document's links weigh {total:.6g} kg"
    yield judged("mass", "", math.isclose(total, mass, rel_tol=1e-9), f"{mass:.4g} kg", why)


def check_weights(bench: Bench) -> Iterator[Finding]:
    """The efforts that hold the joints at the start, against the weights beyond them."""
    robot = bench.robot
    if not robot.model.joints:
        return
    bench.hang()
    home = home_of(robot)
    control = bench.held()
    for _ in range(round(_SETTLING / bench.cycle)):
        bench.engine.step(control)
    found = bench.engine.state.joint_effort
    # Where they are held, as some engines let joints go by half a milliradian until they hold them.
    wanted = torques_at_rest(robot, bench.engine.state.joint_position, bench.gravity)
    # Of joints that carry nothing the effort is rounding, measured by what the whole robot needs and weighs: ODE's
    # hinges give by 3e-5 rad under an arm of 15 kg, and a slide of 74 kg is then pulled down the slope.
    weight = robot.model.mass * float(np.linalg.norm(bench.gravity))
    least = 1e-3 * float(np.abs(wanted).max(initial=0.0)) + 1e-4 * weight
    for joint, start, effort, expected in zip(robot.model.joints, home, found, wanted, strict=True):
        if min(joint.upper - start, start - joint.lower) < _AT_STOP:
            # The stop may carry it, in part or whole.
            continue
        near = abs(effort - expected) <= _SHARE_OF_EFFORT * abs(expected) + least
        unit = unit_of_effort(joint)
        why = f"the joint needs {expected:.4g} {unit} to hold the masses beyond it"
        yield judged("weights", joint.name, bool(near), f"{effort:.3g} {unit}", why)


def unit_of_effort(joint: Joint) -> str:
    """Unit of a joint's effort."""
    return "N" if joint.kind is JointKind.PRISMATIC else "N m"


def _anywhere(robot: RobotDescription, choice: np.random.Generator) -> Array:
    """Random positions of all joints within their stops (J,), at most half a turn or a metre from the start."""
    home = home_of(robot)
    lower = np.maximum([joint.lower for joint in robot.model.joints], home - math.pi)
    upper = np.minimum([joint.upper for joint in robot.model.joints], home + math.pi)
    return choice.uniform(lower, np.maximum(upper, lower))


def _poses_of_file(robot: RobotDescription, positions: Array) -> dict[str, Transform]:
    """Poses of all links of the document by name, in the frame of its root, from nothing but its joints."""
    position = {joint.name: float(one) for joint, one in zip(robot.model.joints, positions, strict=True)}
    joints = urdf_joints(robot.urdf)
    children = {joint.child for joint in joints}
    poses = {joint.parent: Transform() for joint in joints if joint.parent not in children}
    poses = poses or {robot.model.base.name: Transform()}
    pending = list(joints)
    while pending:
        later = [joint for joint in pending if joint.parent not in poses]
        for joint in pending:
            if joint.parent in poses:
                poses[joint.child] = poses[joint.parent] @ _across(joint, position.get(joint.name, 0.0))
        pending = later
    return poses


def _across(joint: Joint, position: float) -> Transform:
    origin = Transform.of(joint.position, joint.rpy)
    if joint.kind is JointKind.PRISMATIC:
        return origin @ Transform(position=position * np.array(joint.axis))
    return (
        origin if joint.kind is JointKind.FIXED else origin @ Transform(rotation=rotation_about(joint.axis, position))
    )

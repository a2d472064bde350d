"""Equality constraints of MJCF: couplings of joints become mimic joints."""

from __future__ import annotations

from simspark_ros.robots.formats.mjcf.compiled import Compiled
from simspark_ros.robots.formats.parts.bodies import Coupling
from simspark_ros.robots.formats.parts.robot_assembly import RobotAssembly


def add_couplings(compiled: Compiled, assembly: RobotAssembly) -> None:
    """Couple joints; other constraints, tendons and exclusions are dropped with a note."""
    for element in compiled.spec.equalities:
        place = compiled.place(element)
        what = f"equality '{element.name or element.id}'"
        joints = {joint.name: joint for joint in assembly.joints}
        follower, leader = joints.get(element.name1), joints.get(element.name2)
        if element.type != compiled.mujoco.mjtEq.mjEQ_JOINT or follower is None or leader is None:
            assembly.report.dropped(what, "only couplings of two joints are supported", *place)
            continue
        offset, factor, *higher = (float(value) for value in element.data[:5])
        # The joint with a motor leads.
        if follower.effort > 0.0 and leader.effort == 0.0 and factor:
            follower, leader, offset, factor = leader, follower, -offset / factor, 1.0 / factor
        follower.mimic = Coupling(leader.name, factor, offset)
        if any(higher):
            assembly.report.approximated(what, "only the linear part of its polynomial", *place)
        else:
            assembly.report.understood(what, f"joint '{follower.name}' follows '{leader.name}'", *place)
    for element in compiled.spec.tendons:
        what = f"tendon '{element.name or element.id}'"
        assembly.report.dropped(what, "tendons have no dynamics here", *compiled.place(element))

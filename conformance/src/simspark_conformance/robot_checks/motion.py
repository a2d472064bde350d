"""Checks of the whole robot: at rest, limp, and taken out."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from simspark_conformance.robot_checks.bench import NAME, Bench, home_of
from simspark_conformance.robot_checks.finding import Finding, judged
from simspark_conformance.robot_checks.joints import at_stops
from simspark_ros.arena.robot import ArenaRobot
from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry.kinematics import lowest_point
from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.physics.model import ArticulatedModel

_RESTING, _LIMP = 5.0, 3.0
"""Time for which the robot stands, and for which it falls as a rag doll, s."""

_SINKING, _GIVING, _LEANING = 0.002, 0.002, math.radians(2.0)
"""Greatest depth in the ground and greatest way that the joints give under the weight, m, and lean, rad, at rest.

A millimetre of the depth is the layer in which contacts begin: boxes of 10 g and of 1 t are 1.1 mm deep, of the shipped
robots none is deeper than 1.4, of makers' a Romeo is 1.9. Bases come nearer to their feet by 1.4 mm at most: hinges of
ODE come apart (0.9 mm under a T1 of 32 kg, 1.4 mm under a Robonaut of 216 kg), and on PyBullet robots on four feet lean
when they land (an A1, 1.1 mm).
"""

_SLIDING, _TURNING = 0.005, math.radians(1.0)
"""Greatest way along the ground, m, and turn about the vertical, rad, of a robot that rests.

Robots that settle lean a little, and their bases move with it: shipped robots by 1.2 mm, T1 and K1 by 1.8 mm. None
turns by 0.01 degrees.
"""

_MORE_ENERGY = 0.02
"""Greatest gain of energy, as a share of the energy that the fall sets free."""


def check_rest(bench: Bench) -> Iterator[Finding]:
    """The robot as its file says, with motors that hold its home pose, for five seconds."""
    robot = bench.stand()
    place, turn = robot.position, robot.rotation
    # Motors with gains have those of the file until a command comes, which may be too weak or none.
    robot.set_positions(home_of(bench.robot))
    bench.arena.step(round(_RESTING / bench.cycle))
    moved, turned = robot.position - place, robot.rotation @ turn.T
    sunk, slid, deep = -float(moved[2]), math.hypot(moved[0], moved[1]), depth_of(bench)
    lean = math.acos(min(max(float(turned[2, 2]), -1.0), 1.0))
    heading = abs(math.atan2(turned[1, 0] - turned[0, 1], turned[0, 0] + turned[1, 1]))
    kind = "bolted" if robot.description.model.fixed_base else "standing"
    why = (
        f"after {_RESTING:g} s it is {1000.0 * deep:.3g} mm deep in the ground, its base {1000.0 * sunk:.3g} mm lower, "
        f"and it leans by {math.degrees(lean):.3g} degrees"
    )
    is_still = deep <= _SINKING and abs(sunk - deep) <= _GIVING and lean <= _LEANING
    yield judged("rest", kind, is_still, _told(sunk, lean), why)
    why = (
        f"after {_RESTING:g} s its base is {1000.0 * slid:.3g} mm aside and turned by {math.degrees(heading):.3g} "
        "degrees"
    )
    yield judged("rest", "in place", slid <= _SLIDING and heading <= _TURNING, _told(slid, heading), why)


def depth_of(bench: Bench) -> float:
    """Mean depth of the solids that reach into the ground, m; 0 for a bolted robot, which may stand in it."""
    model, engine = bench.robot.model, bench.engine
    if model.fixed_base:
        return 0.0
    handle = engine.state.handles[0]
    centres, turns = engine.link_poses(engine.select_links([(handle, link.name) for link in model.links]))
    lows = [
        lowest_point(Transform(turn, centre - turn @ np.array(link.centre)), shape)
        for link, centre, turn in zip(model.links, centres, turns, strict=True)
        for shape in link.collisions
    ]
    return float(np.mean([-low for low in lows if low < 0.0] or [0.0]))


def _told(way: float, angle: float) -> str:
    return f"{1000.0 * way:.2f} mm, {math.degrees(angle):.2f} deg"


def check_limp(bench: Bench) -> Iterator[Finding]:
    """The robot with all motors off: it falls as a rag doll, within its stops, and gains no energy."""
    joints = bench.robot.model.joints
    if not joints:
        return
    # A bolted robot may reach into the ground, which would push it out.
    robot = bench.hang() if bench.robot.model.fixed_base else bench.stand()
    bench.arena.world.motors.set_stiffness(np.arange(len(joints)), 0.0)
    start = most = least = energy_of(bench, robot)
    positions = []
    for _ in range(round(_LIMP / bench.cycle)):
        bench.arena.step()
        positions.append(robot.joint_positions)
        energy = energy_of(bench, robot)
        most, least = max(most, energy), min(least, energy)
    seen = np.array(positions)
    for number, joint in enumerate(joints):
        yield at_stops("limp", joint, seen[:, number], "without power", late=False)
    # A robot whose base is low may yet fall far, and one that does not fall sets nothing free.
    free = max(_moving_mass(bench.robot.model) * 9.81 * max(bench.robot.spawn_height, 0.1), start - least)
    gain = (most - start) / free
    yield judged(
        "limp",
        "energy",
        gain <= _MORE_ENERGY,
        f"{100.0 * gain:+.1f} %",
        "with its motors off, it gains energy from nothing",
    )


def _moving_mass(model: ArticulatedModel) -> float:
    """Mass of all links that can move, kg: those of a bolted robot are the ones beyond its joints."""
    if not model.fixed_base:
        return model.mass
    moving = {link.name for joint in model.joints for link in model.beyond(joint.child)}
    return sum(link.mass for link in model.links if link.name in moving)


def energy_of(bench: Bench, robot: ArenaRobot) -> float:
    """Kinetic and potential energy of the robot, J."""
    model, engine = robot.description.model, bench.engine
    handle = engine.state.handles[0]
    selection = engine.select_links([(handle, link.name) for link in model.links])
    centres, turns = engine.link_poses(selection)
    linear, angular = engine.link_velocities(selection)
    masses = np.array([link.mass for link in model.links])
    spins: Array = np.einsum("lji,lj->li", turns, angular)
    inertias = np.array([link.inertia_matrix for link in model.links])
    turning = np.einsum("li,lij,lj->", spins, inertias, spins)
    return float(0.5 * masses @ (linear**2).sum(axis=1) + 0.5 * turning - masses @ (centres @ bench.gravity))


def check_removal(bench: Bench) -> Iterator[Finding]:
    """The world after the robot was taken out, against a world in which it never was."""
    cycles = 10
    bench.clear()
    bench.arena.step(2 * cycles)
    untouched = bench.arena.state_hash()
    bench.stand()
    bench.arena.step(cycles)
    bench.arena.remove(NAME)
    bench.arena.step(cycles)
    is_gone = bench.arena.state_hash() == untouched and not bench.engine.state.handles
    yield judged("removal", "", is_gone, "no trace" if is_gone else "traces", "the world is another one afterwards")

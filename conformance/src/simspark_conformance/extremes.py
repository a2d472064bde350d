"""Promises for the extremes of what files can say: weights, sizes, speeds, ranges and efforts, by formula."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from simspark_conformance.harness import Harness, expect, expect_close
from simspark_conformance.models import SPACE, arm, solid_box, stone
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind

_BODIES = ((1e-3, 0.005), (1.0, 0.005), (1e-3, 1.0), (1e3, 0.5), (1e3, 20.0), (1e-3, 20.0))
"""Masses, kg, and edges, m."""

_RANGES = (
    *((0.0, 0.0), (0.3, 0.3), (-1e-6, 1e-6), (0.0, 1e-3)),
    *((-math.pi, math.pi), (-3.1, 4.0), (0.0, math.tau), (-math.tau, math.tau)),
)
"""Stops, rad: of nothing, almost nothing, and about a turn."""

_SINK = 0.002
"""Greatest depth of a body that rests, m: 1 mm of contact layer, and contacts that give way by 0.4 mm under a tonne."""

_SPEED, _PAST = 10.0, math.radians(2.0)
"""Speed at which joints reach their stops, rad/s, and greatest way beyond, rad."""

_LONG, _SHORT = 6_000, 100
"""Cycles on spatial engines, two minutes: 19,000 turns at 1,000 rad/s; on planar ones, whose angles follow commands."""


def weights_and_sizes_fall_alike(harness: Harness) -> None:
    """Bodies from 1 g to 1 t and from 5 mm to 20 m fall by g t^2 / 2, and rest on the ground."""
    world = harness.world()
    for number, (mass, edge) in enumerate(_BODIES):
        world.add(stone(mass, (edge, edge, edge)), (-50.0, 40.0 * number, edge / 2 + 1.0))
    edges = np.array([edge for _, edge in _BODIES])
    step, cycles = world.engine.cycle_time, round(0.4 / world.engine.cycle_time)
    world.run(cycles)
    # Steps are at most as long as cycles: bodies fall by between n (n - 1) and n (n + 1) halves of g h^2.
    low, high = (9.81 * step**2 * cycles * (cycles + one) / 2 for one in (-1, 1))
    found = edges / 2 + 1.0 - world.state.position[:, 2]
    expect(
        ((low <= found) & (found <= high * (1.0 + 1e-9))).all(), f"{_BODIES} kg and m fell by {found} m, not {high:g} m"
    )
    world.run_for(0.8)
    expect_close(world.state.position[:, 2], edges / 2, _SINK, f"heights of {_BODIES} kg and m that rest")


def fast_joints_turn_by_their_speed(harness: Harness) -> None:
    """Joints without stops turn by their speed times the time, up to 1,000 rad/s, for two minutes."""
    cycles = _SHORT if harness.is_planar else _LONG
    speeds = np.array([10.0, 300.0, 1000.0])
    world = harness.world(SPACE)
    base, rotor = solid_box("base", 30.0, (0.6, 0.6, 0.2)), solid_box("rotor", 0.1, (0.1, 0.1, 0.1))
    for number, speed in enumerate(speeds.tolist()):
        axle = Joint("axle", JointKind.CONTINUOUS, "base", "rotor", axis=(0.0, 1.0, 0.0), max_velocity=speed)
        world.add(ArticulatedModel("spinner", (base, rotor), (axle,), fixed_base=True), (0.0, 3.0 * number, 5.0))
    control = world.hold()
    control.velocity[:] = speeds
    world.run(5, control)
    before = world.state.joint_position.copy()
    world.run(cycles, control)
    ways = speeds * cycles * world.engine.cycle_time
    found = world.state.joint_position - before
    expect_close(
        found / ways, np.ones(3), 1e-3, f"paths of joints that turn with {speeds} rad/s, divided by the right ones"
    )


def stops_hold_whatever_the_range(harness: Harness) -> None:
    """A motor of any strength is stopped at the end of a range of nothing, of almost nothing and of a turn."""
    lower, upper = np.array(_RANGES).T
    for effort in (5.0, 1e4, math.inf):
        world = harness.world(SPACE)
        for number, (low, high) in enumerate(_RANGES):
            model = arm(lower=low, upper=high, max_velocity=_SPEED, max_effort=effort)
            handle = world.add(replace(model, fixed_base=True), (0.0, 3.0 * number, 5.0))
            world.engine.set_joint_positions(handle, np.array([max(low, high - 0.5)]))
        control = world.hold()
        control.velocity[:] = _SPEED
        # A stop may throw the joint back by its way in one cycle, if the range has room for that.
        way = np.where(upper - lower > 0.5, _SPEED * world.engine.cycle_time, 0.0)
        for cycle in range(round(0.4 / world.engine.cycle_time)):
            world.run(1, control)
            past = world.state.joint_position - upper
            expect(
                (past <= way + _PAST).all(), f"motors of {effort:g} N m took joints beyond their stops by {past} rad"
            )
            back = (past < -way - _PAST) & (cycle * world.engine.cycle_time > 0.2)
            expect(not back.any(), f"motors of {effort:g} N m took joints back from their stops by {-past} rad")


def joints_between_far_stops_are_free(harness: Harness) -> None:
    """Stops of 1e16 rad, or on one side alone, hinder nothing within reach."""
    world = harness.world(SPACE)
    for number, (lower, upper) in enumerate(((-1e16, 1e16), (-math.inf, 1e16), (-1e3, math.inf))):
        model = arm(lower=lower, upper=upper, max_velocity=_SPEED, max_effort=5.0)
        world.add(replace(model, fixed_base=True), (0.0, 3.0 * number, 5.0))
    control = world.hold()
    control.velocity[:] = _SPEED
    world.run_for(1.0, control)
    # The motor speeds the limb up within a tenth of a second.
    expect_close(world.state.joint_position, np.full(3, _SPEED), 0.5, "angles after a second at 10 rad/s")

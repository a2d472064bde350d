"""What becomes of makers' robot files: each is imported, spawned on every engine, driven, and removed.

    python benchmarks/imported_robots.py [--engine bullet ...] FILE...

Prints a row of a Markdown table for each file: what the report counts, the sensors that gave finite values on every
engine, and how many of the joints moved as commanded on each. Joints are driven in free fall, from a metre up, where
nothing blocks them; then they hold, and the robot falls to the ground. The exit status is 1 if a file was refused or a
robot left all bounds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from simspark_ros.configuration.errors import UserError, cut
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.physics.registry import engine_names
from simspark_ros.robots.description import RobotDescription
from simspark_ros.robots.files.foreign import load_foreign
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.settings import SimulationSettings

DRIVEN, FALLEN = 20, 100
"""Cycles in which joints are driven, and of the fall after them."""

ABOVE = 1.0
"""m that the robot is above the ground, which it meets after 22 cycles."""

MOVED = 0.2
"""Part of the way at the commanded speed that counts as moved: heavy limbs take time to get going."""

LIMITS = LimitSettings(max_colliding=128, max_links=256, robot_file_time=60.0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Try all files; see the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--engine", action="append", choices=engine_names(), help="all without it")
    options = parser.parse_args(arguments)
    engines = options.engine or ["bullet", "ode", "mujoco"]
    print(
        f"| file | kg | links | joints | understood | approximated | dropped | sensors read | {' | '.join(engines)} |"
    )
    print("|---" * (8 + len(engines)) + "|")
    simulations = {name: _simulation(name) for name in engines}
    good = True
    for file in options.files:
        try:
            robot = load_foreign(file, 0, LIMITS)
        except UserError as error:
            print(f"| {Path(*file.parts[-2:])} | refused: {cut(str(error).replace('|', '/'), 120)} |", flush=True)
            good = False
            continue
        tried = [_try(simulation, robot) for simulation in simulations.values()]
        results = [result for result, _ in tried]
        sensors = dict.fromkeys(spec.kind for spec in robot.perceptors)
        read = ", ".join(f"{min(found[kind] for _, found in tried)} {kind}" for kind in sensors)
        good &= all("/" in result or result == "-" for result in results)
        model = robot.model
        numbers = [
            f"{model.mass:.3g}",
            len(model.links),
            len(model.joints),
            *robot.report.counts().values(),
            read or "-",
        ]
        print(f"| {Path(*file.parts[-2:])} | {' | '.join(map(str, [*numbers, *results]))} |", flush=True)
    return 0 if good else 1


def _simulation(engine: str) -> Simulation:
    settings = SimulationSettings(engine=engine, pacing="fast", seed=1)
    return build_simulation(settings, [], time.monotonic, time.sleep)[0]


def _try(simulation: Simulation, robot: RobotDescription) -> tuple[str, Counter[str]]:
    """How many joints moved of those that were driven, or what went wrong, and its sensors that were read, by kind."""
    world = simulation.world
    try:
        added = world.add_robot(robot, (0.0, 0.0, robot.spawn_height + ABOVE), 0.0)
    except UserError as error:
        return f"refused: {cut(str(error), 60)}", Counter()
    try:
        state = world.engine.state
        own = state.joints_of(state.row(added.handle))
        start = state.joint_position[own].copy()
        lower, upper = state.joint_lower[own], state.joint_upper[own]
        room = np.where(np.isfinite(upper - lower), 0.25 * (upper - lower), 0.5)
        toward = np.where(upper - start > start - lower, 1.0, -1.0)
        toward = np.where(np.isfinite(upper - lower), toward, 1.0)
        speeds = toward * np.minimum(room / (DRIVEN * world.engine.cycle_time), state.joint_max_velocity[own])
        world.motors.set_velocities(np.arange(own.start, own.stop), speeds, state)
        simulation.run(DRIVEN)
        read = _read(simulation, added.handle)
        way = (state.joint_position[own] - start) * toward
        moved = way > MOVED * np.abs(speeds) * DRIVEN * world.engine.cycle_time
        followers = np.array([joint.mimic is not None for joint in robot.model.joints], bool)
        moved |= followers & (np.abs(way) > 0.0)
        world.motors.set_velocities(np.arange(own.start, own.stop), np.zeros(len(speeds)), state)
        simulation.run(FALLEN)
        row = state.row(added.handle)
        if world.quarantined.get(added.handle) or not np.isfinite(state.position[row]).all():
            return "left all bounds", read
        return f"{int(moved.sum())}/{len(moved)}" if len(moved) else "-", read
    finally:
        world.remove_robot(added)
        simulation.run(2)


def _read(simulation: Simulation, handle: int) -> Counter[str]:
    """How many sensors of each kind have given numbers, all of them finite."""
    percepts = simulation.percepts
    if percepts is None:
        return Counter()
    slots = [slot for robot in percepts.layout.robots if robot.handle == handle for slot in robot.slots if slot.columns]
    values = {slot: percepts.values[slot.start : slot.start + len(slot.columns)] for slot in slots}
    return Counter(slot.kind for slot in slots if np.isfinite(values[slot]).all())


if __name__ == "__main__":
    sys.exit(main())

"""What realistic motors do to the demonstration team's walk, and what they cost.

    python benchmarks/motors.py walk                       # on all engines: way, falls, heat, battery
    python benchmarks/motors.py walk --engines ode --minutes 10
    python benchmarks/motors.py cost                       # ms a cycle of 1 and 22 robots, ideal and realistic by turns

Walk: one robot at full speed in a slow bend, with readings as late as an agent's, first 20 s for the way, then on for
the heat; it gets up when it falls. Cost: all joints swing to and fro; each kind of motors has a world of its own, and
they take turns of ten cycles. Processor time of `World.step`, without perception; `model` is what motors take of it.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
from rehearsal import Rehearsal  # type: ignore[import-not-found]

from simspark_ros.motion.interface import Walk
from simspark_ros.motion.nao import NaoMotion
from simspark_ros.motion.settings import load_motion_settings
from simspark_ros.physics.registry import create_engine, engine_names
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import MotorKind
from simspark_ros.soccer.settings import load_soccer_settings
from simspark_ros.soccer.world import SoccerWorld

KINDS: tuple[MotorKind, ...] = ("ideal", "realistic")
FIRST = 20.0
"""Seconds for which the way is told."""


def main() -> None:
    arguments = parse_arguments()
    for engine in arguments.engines:
        if arguments.what == "cost":
            for robots in arguments.robots:
                print(cost(engine, robots, arguments.turns), flush=True)
        else:
            for kind in KINDS:
                print(walk(engine, kind, 60.0 * arguments.minutes, arguments.speed), flush=True)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("walk", "cost"))
    parser.add_argument(
        "--engines", nargs="+", default=list(engine_names()), help="ENGINE or ENGINE:PRESET (default: all engines)"
    )
    parser.add_argument("--minutes", type=float, default=5.0, help="of walking (default: %(default)s)")
    parser.add_argument("--speed", type=float, default=9.0, help="that is wished, m/s (default: more than it can)")
    parser.add_argument("--robots", type=int, nargs="+", default=[1, 22], help="for the cost (default: 1 22)")
    parser.add_argument("--turns", type=int, default=60, help="of ten cycles each (default: %(default)s)")
    return parser.parse_args()


def walk(engine: str, kind: MotorKind, seconds: float, speed: float) -> str:
    """A line about a walk."""
    name, _, preset = engine.partition(":")
    rehearsal = Rehearsal(name, preset or None, 0, kind)
    world, robot = rehearsal.world, rehearsal.robot
    cycle = world.engine.cycle_time
    motion = NaoMotion(load_robot("nao"), load_motion_settings(), cycle)
    way, falls, lying, hot = 0.0, 0, False, ""
    told = {"way": 0.0, "falls": 0}
    before = rehearsal.standing
    for count in range(round(seconds / cycle)):
        rehearsal.cycle(motion, Walk(forward=speed, turn=0.15))
        now = rehearsal.standing
        way += float(np.hypot(now.x - before.x, now.y - before.y))
        falls += motion.status.fallen and not lying
        before, lying = now, motion.status.fallen
        if count == round(FIRST / cycle) - 1:
            told = {"way": way, "falls": falls}
        reading = world.power.reading(robot)
        if not hot and reading is not None and reading.status.max() == 3:
            hot = f"; first shutdown after {count * cycle:.0f} s"
    text = f"{engine:14} {kind:9} {told['way']:5.2f} m and {told['falls']} falls in {FIRST:.0f} s; "
    text += f"{way:6.1f} m and {falls} falls in {seconds:.0f} s"
    reading = world.power.reading(robot)
    if reading is not None:
        hottest = np.argsort(-reading.temperature)[:6]
        names = [joint.name for joint in robot.description.model.joints]
        text += f"{hot}; battery {robot.battery:.1f} %; "
        text += ", ".join(f"{names[joint]} {reading.temperature[joint]:.0f}" for joint in hottest)
    rehearsal.close()
    return text


def cost(engine: str, robots: int, turns: int) -> str:
    """A line about the cost of a cycle."""
    worlds = {kind: crowd(engine, robots, kind) for kind in KINDS}
    times: dict[str, list[float]] = {kind: [] for kind in (*KINDS, "model")}
    for turn in range(turns):
        for kind, world in worlds.items():
            for cycle in range(10 * turn, 10 * turn + 10):
                swing(world, cycle)
                start = time.thread_time()
                world.step()
                times[kind].append(1000.0 * (time.thread_time() - start))
        times["model"].append(cost_of_model(worlds["realistic"]))
    for world in worlds.values():
        world.engine.close()
    # The first turns grow caches.
    ideal, realistic, model = (statistics.median(values[len(values) // 10 :]) for values in times.values())
    text = f"{engine:14} {robots:3} robots: {ideal:6.3f} ms ideal, {realistic:6.3f} ms realistic"
    return f"{text}, x {realistic / ideal:.2f}; model {model:.3f} ms"


def cost_of_model(world: SoccerWorld) -> float:
    """Milliseconds that the motors take in a step, without the engine."""
    control, state = world.motors.control(world.engine.state, 0.02), world.engine.state
    start = time.thread_time()
    world.power.limited(control, state, world.motors.stiffness)
    world.power.advance(state, 0.0)
    return 1000.0 * (time.thread_time() - start)


def crowd(engine: str, robots: int, kind: MotorKind) -> SoccerWorld:
    """A world with robots in rows."""
    name, _, preset = engine.partition(":")
    world = SoccerWorld(create_engine(name, preset or None), load_soccer_settings(), np.random.default_rng(0))
    world.motor_kind = kind
    description = load_robot("nao")
    for index in range(robots):
        world.add_robot(description, (-7.0 + 1.2 * (index % 11), 2.0 * (index // 11), description.spawn_height), 0.0)
    return world


def swing(world: SoccerWorld, cycle: int) -> None:
    """Command all joints to and fro."""
    joints = np.arange(len(world.engine.state.joint_position))
    world.motors.set_velocities(joints, 1.0 * np.sin(0.2 * cycle + joints), world.engine.state)


if __name__ == "__main__":
    main()

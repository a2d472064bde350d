"""Milliseconds a physics cycle takes (motors, drag, step, reading all state), by number of robots.

    python benchmarks/physics.py                     # the default engine and preset
    python benchmarks/physics.py --preset legacy --robots 1 22 --cycles 500

Medians of wall time; standing robots hold their joints, the others march on the spot. `x N=1` is the time over that of
one robot: below the number of robots means that robots share overhead.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time

import numpy as np

from simspark_ros.physics.engine import Array, JointControl, PhysicsEngine
from simspark_ros.physics.model import BallModel, SceneModel
from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.catalogue import load_robot

# Share of the march's speed that each leg joint takes; the other leg does the opposite.
MARCH = {"lj3": 1.0, "lj4": -2.0, "lj5": 1.0}


def main() -> None:
    arguments = parse_arguments()
    print(f"engine {arguments.engine}, preset {arguments.preset or 'default'}, {arguments.cycles} cycles")
    print(f"{'robots':>6} {'standing ms':>12} {'x N=1':>6} {'marching ms':>12} {'x N=1':>6}")
    first: list[float] = []
    for robots in arguments.robots:
        times = [measure(arguments, robots, marching) for marching in (False, True)]
        first = first or times
        standing, marching = times
        print(f"{robots:6} {standing:12.3f} {standing / first[0]:6.1f} {marching:12.3f} {marching / first[1]:6.1f}")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="bullet", help="name of the engine (default: %(default)s)")
    parser.add_argument("--preset", default=None, help="preset of the engine (default: its own)")
    parser.add_argument("--robots", type=int, nargs="+", default=[1, 2, 6, 11, 22], help="numbers of Naos")
    parser.add_argument("--cycles", type=int, default=200, help="measured cycles (default: %(default)s)")
    return parser.parse_args()


def measure(arguments: argparse.Namespace, robots: int, marching: bool) -> float:
    """Median milliseconds of a cycle."""
    engine = create_engine(arguments.engine, arguments.preset)
    engine.load_scene(SceneModel(BallModel(0.042, 0.026, 0.01, 5e-5)))
    engine.place_ball((8.0, 8.0, 0.042))
    model = load_robot("nao", 0).model
    for index in range(robots):
        engine.add_robot(model, (-7.0 + 1.2 * (index % 11), 2.0 * (index // 11), 0.386))
    shares = march_shares(engine)
    control = JointControl(0.0 * shares, engine.state.joint_max_effort.copy(), 0.0 * shares)
    times = []
    for cycle in range(50 + arguments.cycles):
        if marching:
            control.velocity = shares * 0.3 * math.sin(2.0 * math.pi * 1.5 * cycle * engine.cycle_time)
        start = time.perf_counter()
        engine.step(control)
        times.append(1000.0 * (time.perf_counter() - start))
    engine.close()
    return statistics.median(times[50:])


def march_shares(engine: PhysicsEngine) -> Array:
    """(J,) speed of each joint relative to the march's."""
    names = [joint.name for model in engine.state.models for joint in model.joints]
    return np.array([MARCH.get(name[1:], 0.0) * (1.0 if name[0] == "r" else -1.0) for name in names])


if __name__ == "__main__":
    main()

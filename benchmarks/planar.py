"""How many times real time an engine runs the F2000 scene: four robots a side that drive and collide."""

from __future__ import annotations

import argparse
import time

import numpy as np

from simspark_ros.physics.engine import JointControl
from simspark_ros.physics.registry import create_engine, engine_names
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.settings import load_soccer_settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robot", help="file of a robot on two or more wheels")
    parser.add_argument("--engine", default="planar", choices=engine_names())
    parser.add_argument("--robots", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    print(f"{options.engine}: {speed(options):.1f} times real time with {options.robots} robots")


def speed(options: argparse.Namespace) -> float:
    engine, world = create_engine(options.engine), load_soccer_settings("msl")
    engine.load_scene(world.scene)
    description = load_robot(options.robot)
    for index in range(options.robots):
        x, y = index // 2 - options.robots / 4.0, index % 2 - 0.5
        engine.add_robot(description.model, (1.5 * x, 1.5 * y, description.spawn_height), 0.8 * index)
    draw, state = np.random.default_rng(1), engine.state
    control_of = np.zeros(len(state.joint_position))
    cycles = round(options.seconds / engine.cycle_time)
    start = time.process_time()
    for cycle in range(cycles):
        if cycle % 50 == 0:
            control_of = draw.uniform(-10.0, 10.0, len(control_of))
        engine.step(JointControl(control_of, state.joint_max_effort, np.zeros(len(control_of))))
    return options.seconds / (time.process_time() - start)


if __name__ == "__main__":
    main()

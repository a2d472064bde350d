"""How fast a simulation is by level of abstraction, for 1 to 12 robots, by turns.

    python benchmarks/levels.py [--robots 1 2 4 8 12] [--engine ode] [--turns 10]

Robots of the F2000 league (`differential_sensors`) drive in circles on the field of the middle-size league. For each
level and number of robots there is a simulation of its own whose robots use the sensors of that level alone, all ten
times a second; all work by turns of ten cycles, so that what else the machine does hits all of them. Pictures, 320x240
and 320x320 for a mirror, are drawn in the same thread. Printed is simulated time by the thread's processor time, s/s,
of the median turn without the first tenth: what one core can do.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from parts import take_turns  # type: ignore[import-not-found]

from simspark_ros.arena import Arena
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotDescription

INTERVAL = 5
"""Cycles between two measurements: 0.1 s."""

TURN = 2 * INTERVAL


@dataclass(frozen=True)
class Level:
    """The sensors that a robot has, by kind and name, and the camera whose pictures are drawn."""

    sensors: tuple[tuple[str, str], ...] = ()
    camera: str = ""


LEVELS = {
    "no sensors": Level(),
    "camera: image": Level((("camera", "camera"),), "camera"),
    "camera: 2-D, 3-D and model": Level((("camera", "camera"), ("detections", "detections"))),
    "mirror: image": Level((("camera", "omni_camera"),), "omni_camera"),
    "mirror: 2-D, 3-D and model": Level((("camera", "omni_camera"), ("detections", "omni_detections"))),
    "mirror: 3-D, as agents see": Level((("restricted_vision", "omni_vision"),)),
    "laser: 180 distances": Level((("laser", "laser"),)),
    "laser: objects and pose": Level((("laser_objects", "laser_objects"),)),
}


def equipped(level: Level) -> RobotDescription:
    """The robot with the sensors of a level."""
    robot = load_robot("differential_sensors")
    specs = []
    for kind, name in level.sensors:
        spec = next(one for one in robot.perceptors if one.kind == kind and name in (one.name, one.kind))
        timed = {} if kind == "camera" else {"interval": INTERVAL}
        specs.append(replace(spec, parameters={**spec.parameters, **timed}))
    return replace(robot, perceptors=tuple(specs))


class Stage:
    """A simulation whose robots use one level."""

    def __init__(self, engine: str, robots: int, level: Level) -> None:
        self._arena = Arena(world="msl", engine=engine, referee=False)
        description = equipped(level)
        for number in range(robots):
            x, y = -4.0 + 2.5 * (number % 4), -3.0 + 3.0 * (number // 4)
            robot = self._arena.add(description, name=f"r{number}", position=(x, y), heading=number * math.pi / 6.0)
            robot.act("wheels", 0.5, 0.0, 0.5)
        # What is sensed on demand is demanded by the first step.
        self._arena.step()
        self._draw: Callable[[], object] = lambda: None
        if level.camera:
            self._draw = lambda: [robot.picture(level.camera) for robot in self._arena.robots]
        self._times: list[float] = []

    def turn(self) -> None:
        """Some cycles, timed."""
        started = time.thread_time()
        for _ in range(TURN // INTERVAL):
            self._arena.step(INTERVAL)
            self._draw()
        self._times.append(time.thread_time() - started)

    def close(self) -> float:
        """Free the engine; simulated s per s."""
        cycle_time = self._arena.cycle_time
        self._arena.close()
        return TURN * cycle_time / statistics.median(self._times[len(self._times) // 10 :])


def measure(engine: str, numbers: list[int], turns: int) -> dict[tuple[str, int], float]:
    """Simulated s per s, by level and number of robots."""
    stages = {(name, robots): Stage(engine, robots, level) for name, level in LEVELS.items() for robots in numbers}
    take_turns(list(stages.values()), turns)
    return {key: stage.close() for key, stage in stages.items()}


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", type=int, nargs="+", default=[1, 2, 4, 8, 12])
    parser.add_argument("--engine", default="ode")
    parser.add_argument("--turns", type=int, default=10)
    options = parser.parse_args()
    table = measure(options.engine, options.robots, options.turns)
    print(f"{options.engine:28}" + "".join(f"{robots:>9}" for robots in options.robots) + "   robots")
    for level in LEVELS:
        print(f"{level:28}" + "".join(f"{table[level, robots]:9.1f}" for robots in options.robots))


if __name__ == "__main__":
    main()

"""The cost of parts of the simulator: ms of CPU a cycle without and with them, with 1 and 22 robots, by turns.

    python benchmarks/parts.py [--engines mujoco] [--robots 1 22] [--turns 40] [--parts NAME ...]

Each part has a simulation without it; one that has it and does not use it, say a sensor that nobody listens to, where
there is such a thing; and one that uses it. They work by turns of twelve cycles with the same commands, so that what
else the machine does hits all of them. Times are those of the simulation's thread for whole cycles: physics,
perception, referee, and a monitor's frames where the part is seen there; medians of turns without the first tenth.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import trimesh

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.effectors.lola import checked, drive_device
from simspark_ros.protocol.monitor.encoder import MonitorEncoder
from simspark_ros.protocol.monitor.inspection import write
from simspark_ros.protocol.monitor.look import load_look
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import MotorKind, PerceptorSpec, RobotDescription
from simspark_ros.robots.files.foreign import load_foreign
from simspark_ros.robots.files.format_table import MeshCollisions
from simspark_ros.robots.lola import DEVICES
from simspark_ros.server.inspection import Inspector
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.simulation.settings import load_simulation_settings

TURN = 12
"""Cycles of a turn: robots that sense in every second, third or fourth cycle all do so equally often."""

CONTACT_LINKS = ("torso", "head", "rlowerarm", "llowerarm")
"""Links of the Nao that get a sensor of contacts each."""

RING = """<robot name="ring"><link name="ring">
<inertial><mass value="0.5"/><inertia ixx="0.003" iyy="0.003" izz="0.006" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><mesh filename="ring.stl"/></geometry></collision></link></robot>"""
"""A body with a concave mesh."""


class Monitor(ControlNode):
    """The frames of a monitor."""

    def __init__(self, simulation: Simulation) -> None:
        self._encoder = MonitorEncoder(load_look())

    def start_cycle(self, simulation: Simulation) -> None:
        simulation.request_poses()

    def end_cycle(self, simulation: Simulation) -> None:
        percepts = simulation.percepts
        if percepts is not None and percepts.poses is not None:
            self._encoder.adopt(percepts.layout)
            self._encoder.encode(percepts, full=False, partial=True)


class Lights(ControlNode):
    """Drivers that change the eyes of their robots in each cycle."""

    def __init__(self, simulation: Simulation) -> None:
        pass

    def start_cycle(self, simulation: Simulation) -> None:
        world = simulation.world
        for robot in world.robots.values():
            shade = (world.cycle + robot.handle) % 256 / 255.0
            for eye in ("LEye", "REye"):
                drive_device(world, robot, checked(eye, (shade,) * DEVICES[eye]))


class Inspection(Inspector):
    """A monitor that looks into the first robot, in every second cycle as frames are."""

    def __init__(self, simulation: Simulation) -> None:
        super().__init__(simulation)
        self.is_wanted = True

    def end_cycle(self, simulation: Simulation) -> None:
        super().end_cycle(simulation)
        percepts = simulation.percepts
        if percepts is not None and percepts.poses is not None:
            readings = self.readings(next(iter(simulation.world.robots)), percepts)
            if readings is not None:
                write(readings)


@dataclass(frozen=True)
class Variant:
    """A simulation with a part, or without it.

    Attributes:
        robot: the robot, of which there are as many as asked for.
        nodes: makers of control nodes that take part in each cycle.
        demands: kinds of sensors that somebody listens to.
        motors: kind of the robots' motors; "" = as their file says.
    """

    robot: RobotDescription
    nodes: tuple[Callable[[Simulation], ControlNode], ...] = ()
    demands: tuple[str, ...] = ()
    motors: MotorKind | Literal[""] = ""


class Stage:
    """A simulation with robots in rows that move all their joints to and fro."""

    def __init__(self, engine: str, robots: int, variant: Variant) -> None:
        name, _, preset = engine.partition(":")
        settings = replace(load_simulation_settings(), engine=name, preset=preset, motors=variant.motors)
        self._simulation, _ = build_simulation(settings, [], time.monotonic, time.sleep)
        self._times: list[float] = []
        for node in variant.nodes:
            self._simulation.add_node(node(self._simulation))
        world, sensing = self._simulation.world, self._simulation.sensing
        for index in range(robots):
            place = (-7.0 + 1.2 * (index % 11), 2.0 * (index // 11), variant.robot.spawn_height)
            world.add_robot(variant.robot, place, 0.0)
        mounted = [(robot.handle, spec) for robot in world.robots.values() for spec in robot.description.perceptors]
        sensing.demand({(handle, spec.kind, spec.name) for handle, spec in mounted if spec.kind in variant.demands})
        self._joints = np.arange(len(world.engine.state.joint_position))

    def turn(self) -> None:
        """Some cycles, timed."""
        world = self._simulation.world
        started = time.thread_time()
        for _ in range(TURN):
            world.motors.set_velocities(self._joints, np.sin(0.2 * world.cycle + self._joints), world.engine.state)
            self._simulation.run_cycle()
        self._times.append(1000.0 * (time.thread_time() - started) / TURN)

    def close(self) -> float:
        """Free the engine; ms a cycle."""
        self._simulation.world.engine.close()
        return statistics.median(self._times[len(self._times) // 10 :])


@dataclass(frozen=True)
class Part:
    """A part without it, used, and, where it can be there without being used, unused."""

    without: Variant
    used: Variant
    unused: Variant | None = None

    def variants(self) -> dict[str, Variant]:
        """By name."""
        return {"without": self.without, **({"unused": self.unused} if self.unused else {}), "used": self.used}


def parts() -> dict[str, Callable[[], Part]]:
    """What makes each part, by name."""
    nao, v6, sensors = (load_robot(name) for name in ("nao", "nao_v6", "nao_sensors"))
    shown, inspector, inspection = (Variant(v6, (Monitor, *more)) for more in ((), (Inspector,), (Inspection,)))
    blind, seeing = Variant(without(sensors, "detections")), Variant(sensors, demands=("detections",))
    return {
        "realistic motors": lambda: Part(Variant(v6), Variant(v6, motors="realistic")),
        "LoLA's sensors": lambda: Part(Variant(without(v6, "lola")), Variant(v6, demands=("lola",)), Variant(v6)),
        "lights": lambda: Part(shown, Variant(v6, (Monitor, Lights))),
        "inspection": lambda: Part(shown, inspection, inspector),
        "detections, 10 Hz": lambda: Part(blind, seeing, Variant(sensors)),
        "four contact sensors": lambda: Part(Variant(nao), Variant(touching(nao))),
        "convex parts": lambda: Part(Variant(ring("hulls")), Variant(ring("parts"))),
    }


def without(robot: RobotDescription, kind: str) -> RobotDescription:
    """The robot without sensors of a kind."""
    return replace(robot, perceptors=tuple(spec for spec in robot.perceptors if spec.kind != kind))


def touching(robot: RobotDescription) -> RobotDescription:
    """The robot with more sensors of contacts."""
    more = tuple(PerceptorSpec("force_resistance", link, link) for link in CONTACT_LINKS)
    model = replace(robot.model, touch_links=(*robot.model.touch_links, *CONTACT_LINKS))
    return replace(robot, model=model, perceptors=(*robot.perceptors, *more))


def ring(meshes: MeshCollisions) -> RobotDescription:
    """A body that collides as the hull of its mesh or as convex parts, which take a while to be found."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ring.urdf"
        trimesh.creation.torus(0.15, 0.04, 24, 12).export(file.with_suffix(".stl"))
        file.write_text(RING)
        return load_foreign(file, 0, replace(LimitSettings(), robot_file_time=300.0), meshes=meshes)


def take_turns(stages: Sequence[Any], turns: int) -> None:
    """Have each work so many times, forward and back again: who comes later finds other things in the caches."""
    for turn in range(turns):
        for stage in stages if turn % 2 else reversed(stages):
            stage.turn()


def measure(engine: str, robots: int, part: Part, turns: int) -> list[float | None]:
    """Milliseconds a cycle: without it, unused (None if that is the same), used."""
    stages = {name: Stage(engine, robots, variant) for name, variant in part.variants().items()}
    take_turns(list(stages.values()), turns)
    times = {name: stage.close() for name, stage in stages.items()}
    return [times.get(name) for name in ("without", "unused", "used")]


def main() -> None:
    """Print a row for each engine, part and number of robots."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", nargs="+", default=["bullet", "ode", "mujoco"], metavar="ENGINE[:PRESET]")
    parser.add_argument("--robots", type=int, nargs="+", default=[1, 22])
    parser.add_argument("--turns", type=int, default=40, help="of twelve cycles each [40]")
    parser.add_argument("--parts", nargs="+", metavar="NAME", help="default: all")
    options = parser.parse_args()
    known = parts()
    wanted = options.parts or list(known)
    if strange := set(wanted) - set(known):
        parser.error(f"unknown parts {', '.join(sorted(strange))}; there are: {', '.join(known)}")
    made = {name: known[name]() for name in wanted}
    print(f"{'engine':10}{'part':22}{'robots':>7}{'without':>9}{'unused':>9}{'used':>9}   ms a cycle")
    for engine in options.engines:
        for name, part in made.items():
            for robots in options.robots:
                row = measure(engine, robots, part, options.turns)
                cells = "".join(f"{'-' if value is None else format(value, '.3f'):>9}" for value in row)
                print(f"{engine:10}{name:22}{robots:7}{cells}", flush=True)


if __name__ == "__main__":
    main()

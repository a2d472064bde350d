"""How long the world as robots sense it takes to their programs over DDS: 180 beams, lines, poles, goals, odometry.

    .venv/bin/python benchmarks/transfer_times.py [--cycles 500] [--clients 1 2 3]

As measured by Kleiner, Buchheim, "A Plugin-Based Architecture for Simulation in the F2000 League" (2003), section 2.2:
from the end of the measurement until a program has all data of its cycle. Each program is a process with a
`RemoteRobot`, which asks for new data in every cycle; the simulator runs in real time. All have one machine, and so one
clock.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import threading
import time
from dataclasses import replace
from multiprocessing.connection import Connection

import numpy as np
import rclpy
from rclpy.node import Node

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.msg import SeenLines
from simspark_ros.ros.conversions import seconds_of
from simspark_ros.ros.remote_robot import RemoteRobot
from simspark_ros.ros.simulator_node import SimulatorNode, run_simulation
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.simulation.settings import load_simulation_settings
from simspark_stress.own_domain import use_own_domain

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
use_own_domain()

ROBOT = """
based_on: differential
more_perceptors:
  - {kind: laser, link: base_link, parameters: {beams: 180, angle_min_deg: -89.5, angle_max_deg: 89.5}}
  - {kind: odometry}
  - {kind: restricted_vision, name: eye, link: base_link,
     parameters: {interval: 1, horizontal_fov_deg: 360.0, vertical_fov_deg: 360.0}}
"""
FEATURES = ("scan", "goal_distance", "goal_angle", "pole_distance", "pole_angle", "odometry_pose", "odometry_velocity")
PATIENCE = 60.0


class Ends(ControlNode):
    """Notes when the perception of each cycle was complete, by simulated time in ms."""

    def __init__(self) -> None:
        self.ends: dict[int, float] = {}

    def end_cycle(self, simulation: Simulation) -> None:
        self.ends[round(1000.0 * simulation.time)] = time.monotonic()


def client(number: int, cycles: int, pipe: Connection) -> None:
    """Run a robot's program; sends when it had all data of each cycle, and round trips to the simulator, s."""
    rclpy.init(args=[])
    node = Node(f"program_{number}")
    robot = RemoteRobot(node, ROBOT, f"robot_{number}", limits=LimitSettings(robot_file_time=PATIENCE))
    lines: list[float] = []
    node.create_subscription(
        SeenLines, f"{robot.name}/seen_lines", lambda message: lines.append(seconds_of(message.header.stamp)), 10
    )
    wanted = [robot.sensors.get(feature=name) for name in FEATURES]
    robot.sensors.update(*wanted, patience=PATIENCE)
    pipe.send("ready")
    pipe.recv()
    arrived: dict[int, float] = {}
    for _ in range(cycles):
        robot.sensors.update(*wanted, patience=PATIENCE)
        stamps = {one.stamp for one in wanted}
        if len(stamps) == 1 and lines and lines[-1] in stamps:
            arrived[round(1000.0 * lines[-1])] = time.monotonic()
    pipe.send((arrived, [robot.compare_clocks(samples=1).round_trip for _ in range(20)]))
    robot.close()
    node.destroy_node()
    rclpy.shutdown()


def measure(clients: int, cycles: int) -> tuple[list[float], list[float]]:
    """Transfer times and round trips, s, of that many programs."""
    settings = replace(load_simulation_settings(), engine="planar", world="msl", referee=False)
    node = SimulatorNode(settings)
    simulation, _ = node.build()
    ends = Ends()
    simulation.add_node(ends, first=True)
    server = threading.Thread(target=run_simulation, args=(node, simulation), daemon=True)
    server.start()
    context = multiprocessing.get_context("spawn")
    pipes, children = [], []
    for number in range(clients):
        own, other = context.Pipe()
        children.append(context.Process(target=client, args=(number, cycles, other)))
        children[-1].start()
        pipes.append(own)
        own.recv()
    for pipe in pipes:
        pipe.send("go")
    answers = [pipe.recv() for pipe in pipes]
    for child in children:
        child.join()
    simulation.stop()
    server.join()
    simulation.world.engine.close()
    node.destroy_node()
    times = [at - ends.ends[stamp] for arrived, _ in answers for stamp, at in arrived.items() if stamp in ends.ends]
    return times, [trip for _, trips in answers for trip in trips]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cycles", type=int, default=500)
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 2, 3])
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(
        "| clients | cycles with all data | median, ms | quarter to three quarters, ms | 95 % within, ms "
        "| round trip, ms |"
    )
    print("|---|---|---|---|---|---|")
    rclpy.init(args=[])
    for clients in options.clients:
        times, trips = measure(clients, options.cycles)
        low, median, high, most = 1000.0 * np.percentile(times, [25, 50, 75, 95])
        share = len(times) / (clients * options.cycles)
        cells = f"{100.0 * share:.0f} % | {median:.1f} | {low:.1f} to {high:.1f} | {most:.1f}"
        print(f"| {clients} | {cells} | {1000.0 * np.median(trips):.1f} |", flush=True)
    rclpy.shutdown()


if __name__ == "__main__":
    main()

"""How long an exchange between simulator and bridge takes: directly, and over DDS between two processes.

    .venv/bin/python benchmarks/links.py [--seconds 3] [--robots 1 11 22]

The bridge's ports are replaced by something that answers at once with the commands of all joints, so that the figures
are those of the link alone: conversion, messages, threads. Every third cycle has vision; none has poses.
"""

from __future__ import annotations

import argparse
import os
import selectors
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import rclpy
from rclpy.node import Node

from simspark_ros.exchange import Commands, GameSnapshot, Layout, Percepts, RobotLayout, Slot
from simspark_ros.perceptors.readings import Sight
from simspark_ros.ros.bridge.client import BridgeClient
from simspark_ros.ros.bridge.link import DdsAgentLink
from simspark_ros.simulation.agent_control import AgentLink
from simspark_stress.own_domain import use_own_domain

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
use_own_domain()

START = 30.0
"""Longest wait for the other process, s."""

JOINTS = 22
SEEN, LINES, PARTS, LANDMARKS = 60, 15, 5, 9


class Echo(AgentLink):
    """Stands in for a `ClassicServer` whose clients answer at once."""

    ready = True
    participants = 0
    agents = SimpleNamespace(holds_back=False)

    def __init__(self) -> None:
        self.lockstep = True
        self.selector = selectors.DefaultSelector()
        self._commands = Commands()

    def poll(self, timeout: float) -> bool:
        events = self.selector.select(timeout)
        for key, mask in events:
            key.data(mask)
        return bool(events)

    def wait(self, timeout: float) -> None:
        self.poll(timeout)

    def take(self) -> Commands:
        commands, self._commands = self._commands, Commands(participants=self.participants)
        return commands

    def deliver(self, percepts: Percepts) -> None:
        handles = np.repeat([robot.handle for robot in percepts.layout.robots], JOINTS)
        joints = np.tile(np.arange(JOINTS), len(percepts.layout.robots))
        self.participants = len(percepts.layout.robots)
        self._commands = Commands(percepts.cycle, self.participants, handles, joints, np.full(len(handles), 0.5))

    def close(self) -> None:
        self.selector.close()


def percepts_of(count: int) -> tuple[Percepts, Percepts]:
    """Percepts of a number of robots without and with vision."""
    names = tuple(f"hj{joint}" for joint in range(JOINTS))
    robots = []
    for row in range(count):
        start = row * (JOINTS + 18)
        slots = [Slot("hinge_joint", name, ("angle",), start + i) for i, name in enumerate(names)]
        slots += [Slot(kind, "torso", ("x", "y", "z"), start + JOINTS) for kind in ("gyroscope", "accelerometer")]
        slots += [Slot("force_resistance", foot, tuple("abcdef"), start + JOINTS + 6) for foot in ("lf", "rf")]
        parts = tuple(f"part{i}" for i in range(PARTS))
        robots.append(
            RobotLayout(row + 1, f"bench/agent-{row}", "nao", 0, "T", "left", 1, 1, tuple(slots), names, parts, names)
        )
    layout = Layout(1, tuple(robots), tuple(f"F{i}" for i in range(LANDMARKS)))
    random = np.random.default_rng(1)
    flags = sum(len(robot.slots) for robot in robots)
    game = GameSnapshot(0.0, "PlayOn", 0, 0, 1, "A", "B")
    blind = Percepts(1, 0.02, layout, game, random.normal(size=count * (JOINTS + 18)), np.ones(flags, np.bool_))
    seen = min(SEEN, len(layout.targets))
    sight = Sight(
        observers=np.arange(count),
        object_offset=np.arange(count + 1) * seen,
        object_target=np.tile(np.arange(seen), count),
        object_polar=random.normal(size=(count * seen, 3)),
        line_offset=np.arange(count + 1) * LINES,
        line_polar=random.normal(size=(count * LINES, 2, 3)),
    )
    return blind, replace(blind, sight=sight)


@dataclass(frozen=True)
class Figures:
    """Exchanges per second, median and 99th percentile of an exchange, and processor time of all processes, ms."""

    rate: float
    median: float
    slowest: float
    processor: float


def measure(link: AgentLink, count: int, seconds: float) -> Figures:
    """Exchange for a time."""
    blind, seeing = percepts_of(count)
    times = []
    cycle = 0
    processor = time.process_time()
    end = time.perf_counter() + seconds
    while (begin := time.perf_counter()) < end:
        cycle += 1
        link.deliver(replace(seeing if cycle % 3 == 0 else blind, cycle=cycle, time=cycle * 0.02))
        while not link.ready or not link.participants:
            link.wait(0.02)
        commands = link.take()
        assert len(commands.handles) in (0, count * JOINTS)
        times.append(1000 * (time.perf_counter() - begin))
    used = 1000 * (time.process_time() - processor) / len(times)
    return Figures(len(times) / seconds, statistics.median(times), statistics.quantiles(times, n=100)[98], used)


def answer(namespace: str) -> None:
    """Main function of the other process."""
    rclpy.init()
    node = Node("bridge", namespace=namespace)
    client = BridgeClient(node, Echo(), "bench")  # type: ignore[arg-type]
    ending: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: ending.append(number))
    while not ending:
        client.step(0.2)
    os._exit(0)


def _processor_time(pid: int) -> float:
    """Processor time that a process has used so far, s."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def over_dds(count: int, seconds: float) -> Figures:
    """Measure against a fresh process."""
    # Another run on this machine may have drawn the same ROS domain.
    namespace = f"links_{os.getpid()}"
    node = Node("simulator", namespace=namespace)
    link = DdsAgentLink(node)
    link.lockstep = True
    other = subprocess.Popen([sys.executable, __file__, "--answer", namespace])
    try:
        deadline = time.monotonic() + START
        while not link.bridges:
            link.wait(0.02)
            if time.monotonic() > deadline:
                raise SystemExit(f"the other process has not joined within {START:g} s; see its messages above")
        processor = time.process_time() + _processor_time(other.pid)
        figures = measure(link, count, seconds)
        used = time.process_time() + _processor_time(other.pid) - processor
        return Figures(figures.rate, figures.median, figures.slowest, 1000 * used / (figures.rate * seconds))
    finally:
        other.terminate()
        other.wait()
        link.close()
        node.destroy_node()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3.0, help="of each measurement")
    parser.add_argument("--robots", type=int, nargs="+", default=[1, 11, 22], help="numbers of robots")
    parser.add_argument("--answer", metavar="NAMESPACE", help=argparse.SUPPRESS)
    options: Any = parser.parse_args()
    if options.answer:
        answer(options.answer)
    rclpy.init()
    print("link    robots  exchanges/s  median ms  99 % ms  processor ms", flush=True)
    for count in options.robots:
        for name, figures in (
            ("direct", measure(Echo(), count, options.seconds)),
            ("dds", over_dds(count, options.seconds)),
        ):
            row = f"{figures.rate:11.0f}  {figures.median:9.3f}  {figures.slowest:7.3f}  {figures.processor:12.3f}"
            print(f"{name:7} {count:6}  {row}", flush=True)
    rclpy.shutdown()


if __name__ == "__main__":
    main()

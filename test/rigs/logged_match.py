"""A short served match with a monitor that sees everything, and a log."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from simspark_ros.robots.catalogue import load_robot
from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.classic_server import ClassicServer, ClassicServerSettings
from simspark_ros.server.monitor_log import MonitorLog
from simspark_ros.server.monitor_server import MonitorServerSettings
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.settings import load_simulation_settings
from test.rigs.stub_world import Client

STEP = 0.04
"""Simulated time between two frames of monitors, s."""


class LoggedMatch:
    """A served match with a monitor that sees everything, and a log."""

    def __init__(self, path: Path, connect: Callable[..., Client], interval: float = STEP) -> None:
        self.warnings: list[str] = []
        ports = ClassicServerSettings(AgentServerSettings(port=0), MonitorServerSettings(port=0))
        self.core = ClassicServer(ports)
        settings = replace(load_simulation_settings(), pacing="fast")
        self.simulation, _ = build_simulation(settings, [self.core], lambda: 0.0, lambda seconds: None)
        self.simulation.add_node(MonitorLog(path, interval, self.warnings.append))
        assert self.core.monitors is not None
        self.monitor = connect(self.core.monitors.port, lambda: self.core.poll(0.01))
        while not self.core.clients():
            self.core.poll(0.01)
        self.seen: list[bytes] = []

    def run(self, cycles: int) -> None:
        for _ in range(cycles):
            self.simulation.run_cycle()
            self.seen += self.monitor.arrived()

    def say(self, text: str) -> None:
        before = self.core.clients()[0].received
        self.monitor.send(text)
        while self.core.clients()[0].received == before:
            self.core.poll(0.01)

    def play(self) -> None:
        """A short match in which everything changes that can be shown."""
        world = self.simulation.world
        self.run(6)
        world.add_robot(load_robot("nao", 0), (-2.0, 0.0, 0.5), 0.0, name="one")
        self.run(6)
        self.say("(playMode PlayOn)(ball (pos 1 1 1)(vel 3 0 0))(select)")
        self.run(10)
        world.add_robot(load_robot("nao", 4), (2.0, 0.0, 0.5), 0.0, name="two")
        self.say("(score (left 1)(right 0))(select)")
        self.run(10)
        self.say("(kill)")
        self.run(11)

    def end(self) -> None:
        self.simulation.run(0)
        self.simulation.world.engine.close()
        self.seen += self.monitor.arrived()

    def close(self) -> None:
        self.core.close()

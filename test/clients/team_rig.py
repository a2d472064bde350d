"""A lock-step simulation with an agent port, in a thread, that ends when a condition is met."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.classic_server import ClassicServer, ClassicServerSettings
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.simulation.settings import load_simulation_settings
from simspark_ros.soccer.world import SoccerWorld

MOST_CYCLES = 3000
"""Cycles after which every run ends, met or not."""


class Stadium(ControlNode):
    """A running simulation; `world` is to be read in `until` or after the end, `met` is whether that was true."""

    def __init__(
        self, players: int, until: Callable[[SoccerWorld], bool], profile: str = "measured", **changes: Any
    ) -> None:
        self._players, self._until = players, until
        core = ClassicServer(ClassicServerSettings(AgentServerSettings(port=0), None, profile=profile))
        core.lockstep = True
        settings = replace(load_simulation_settings(), pacing="lockstep", wait_for_robots=players, **changes)
        self.simulation, _ = build_simulation(settings, [core], time.monotonic, time.sleep)
        self.simulation.add_node(self)
        self.port = core.agents.port
        self.world = self.simulation.world
        self.met = False

    def end_cycle(self, simulation: Simulation) -> None:
        complete = sum(bool(robot.unum) for robot in self.world.robots.values()) >= self._players
        self.met = complete and self._until(self.world)
        if self.met or self.world.cycle >= MOST_CYCLES:
            simulation.stop()


@contextmanager
def stadium(players: int, until: Callable[[SoccerWorld], bool], **changes: Any) -> Iterator[Stadium]:
    """Run until `players` have joined and the condition is met; leaving waits for the end.

    Keyword arguments replace settings, and the protocol's `profile`.
    """
    one = Stadium(players, until, **changes)
    thread = threading.Thread(target=one.simulation.run)
    thread.start()
    try:
        yield one
    finally:
        one.simulation.stop()
        thread.join(30.0)

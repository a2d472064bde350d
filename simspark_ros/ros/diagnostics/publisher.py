"""The simulator's own statuses on `/diagnostics`."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

from simspark_ros.ros.conversions import set_stamp
from simspark_ros.ros.diagnostics.status import diagnostic_status
from simspark_ros.ros.topic_control import TopicControl
from simspark_ros.server.tcp.client_log import Logger, RateLimitedLog
from simspark_ros.simulation.agent_control import AgentControl
from simspark_ros.simulation.loop import Simulation

_LINES_AT_ONCE = 3
_LINES_PER_SECOND = 0.1
_MAX_ROBOTS = 100
"""Most robots whose refused commands are counted by name; further robots are counted together."""


class Rejections:
    """Refused commands of topics: counted by robot and reason, and logged, few lines for each robot."""

    def __init__(self, logger: Logger) -> None:
        self._logger = logger
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, str, str]] = Counter()
        self._reports: dict[str, RateLimitedLog] = {}

    def reject(self, robot: str, reason: str, text: str, topic: str) -> None:
        """Count and log a command; safe from any thread."""
        with self._lock:
            if robot not in self._reports and len(self._reports) >= _MAX_ROBOTS:
                robot = "other robots"
            if robot not in self._reports:
                self._reports[robot] = RateLimitedLog(self._logger, burst=_LINES_AT_ONCE, rate=_LINES_PER_SECOND)
            self._counts[topic, robot, reason] += 1
            self._reports[robot].warning(f"{topic} of robot '{robot}' refused: {text}")

    def counts(self) -> dict[str, int]:
        """Number by topic, robot and reason."""
        with self._lock:
            return {f"{topic} of {robot}: {reason}": n for (topic, robot, reason), n in sorted(self._counts.items())}


class Diagnostics:
    """Makes the array of statuses; runs in the simulation's thread."""

    def __init__(
        self,
        simulation: Simulation,
        agents: AgentControl,
        topics: TopicControl,
        rejections: Rejections,
        state: Callable[[], int],
    ) -> None:
        self._simulation, self._agents, self._topics, self._rejections = simulation, agents, topics, rejections
        self._state = state
        self._wall, self._simulated = time.monotonic(), 0.0
        self._rejected = self._late = 0
        # Simulated seconds per second of wall time between the last two reports.
        self._factor = 0.0

    def report(self) -> DiagnosticArray:
        """The current statuses, stamped with simulated time."""
        now, simulated = time.monotonic(), self._topics.simulated
        if now > self._wall:
            self._factor = (simulated - self._simulated) / (now - self._wall)
        self._wall, self._simulated = now, simulated
        array = DiagnosticArray(status=[self._overview(), self._inputs(), *self._robots()])
        set_stamp(array.header.stamp, self._simulation.time)
        return array

    def _overview(self) -> DiagnosticStatus:
        simulation = self._simulation
        late, self._late = self._topics.late_cycles - self._late, self._topics.late_cycles
        values = {
            "state": _STATES.get(self._state(), "unknown"),
            "pacing": simulation.scheduler.settings.pacing,
            "simulated time [s]": f"{simulation.time:.2f}",
            "real-time factor": f"{self._factor:.2f}",
            "cycles": simulation.world.cycle,
            "late cycles": self._topics.late_cycles,
            "agents": sum(link.participants for link in self._agents.links),
            "robots": len(simulation.world.without_objects),
            "messages published": self._topics.published,
        }
        message = f"real-time factor {self._factor:.2f}" + (f", {late} late cycles" if late else "")
        return diagnostic_status("simulator: simulation", message, values, warn=late > 0, hardware=_PACKAGE)

    def _inputs(self) -> DiagnosticStatus:
        world = self._simulation.world
        names = {robot.handle: robot.name or robot.client for robot in world.robots.values()} | {-1: "the ball"}
        counts = {
            **dict(sorted(self._agents.rejected.items())),
            **self._rejections.counts(),
            **{f"put back into the world: {names.get(h, h)}": n for h, n in sorted(world.quarantined.items())},
        }
        total = sum(counts.values())
        new, self._rejected = total - self._rejected, total
        message = f"{new} new, {total} since the start" if total else "none"
        values = {"total": total, **counts}
        return diagnostic_status("simulator: rejected input", message, values, warn=new > 0, hardware=_PACKAGE)

    def _robots(self) -> list[DiagnosticStatus]:
        statuses, skipped = [], self._topics.skipped
        for robot in self._simulation.world.robots.values():
            commands = self._topics.commands.get(robot.handle, 0)
            sources = [f"agent '{robot.client}'"] * bool(robot.client) + ["topics"] * bool(commands)
            commander = ", ".join(sources) or "nobody"
            values = {
                "robot": f"{robot.description.name}/{robot.description.variant}",
                "team": robot.team,
                "uniform number": robot.unum,
                "commanded by": commander,
                "cycles commanded by topic": commands,
                "joints skipped as NaN": skipped.get(robot.handle, 0),
            }
            name = robot.name or robot.client
            statuses.append(diagnostic_status(f"simulator: robot {name}", commander, values, hardware=name))
        return statuses


_PACKAGE = "simspark_ros"
_STATES = {0: "stopped", 1: "playing", 2: "paused", 3: "quitting"}

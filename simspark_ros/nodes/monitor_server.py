"""The port of classic monitors: shows the simulation, takes trainer commands (protocol reference, section 6)."""

from __future__ import annotations

import selectors
import socket
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from simspark_ros.nodes.connections import ClientStatus, Connection, FramedServer
from simspark_ros.nodes.ports import PortSettings
from simspark_ros.nodes.reports import Logger
from simspark_ros.protocol import trainer
from simspark_ros.protocol.framing import frame
from simspark_ros.protocol.monitor_encoder import MonitorEncoder
from simspark_ros.simulation.exchange import Action, Percepts

_EARLY = 1e-6
"""Seconds of rounding allowed in simulated time."""


@dataclass(frozen=True)
class MonitorServerSettings(PortSettings):
    """Port of classic monitors and trainers; see `PortSettings` for what all ports have.

    When all connections are taken, a new client takes the place of one that does not read, if there is such.

    Attributes:
        interval: simulated time between two frames, s.
        trainer: which trainer commands are executed, see `simspark_ros.protocol.trainer.permitted`.
    """

    port: int = 3200
    option: str = "--monitor-port"
    kind: str = "monitor"
    max_clients: int = 16
    max_message: int = 16 * 1024
    send_buffer: int = 512 * 1024
    max_input: int = 4 * 1024
    interval: float = 0.04
    trainer: str = "full"


class _Monitor(Connection):
    """A client that watches.

    Attributes:
        needs_full: whether the next frame has to show everything.
    """

    def __init__(self, sock: socket.socket, number: int, settings: PortSettings, since: float) -> None:
        super().__init__(sock, number, settings, since)
        self.needs_full = True


class MonitorServer(FramedServer[_Monitor]):
    """Serves classic monitors; knows nothing of ROS or of how the simulator is reached."""

    def __init__(
        self,
        settings: MonitorServerSettings,
        encoder: MonitorEncoder,
        selector: selectors.BaseSelector | None = None,
        log: Logger | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open the port.

        Args:
            settings: of port and clients.
            encoder: writes the frames; not to be shared with others.
            selector: to be shared with other servers; its own by default.
            log: for lines that name the client.
            clock: time in s.

        Raises:
            PortError: the port cannot be opened; the message names host, port and remedy.
            ConfigurationError: a permitted trainer command does not exist.
        """
        self._permitted = trainer.permitted(settings.trainer)
        super().__init__(settings, selector, log, clock)
        self._settings = settings
        self._encoder = encoder
        self._last_time: float | None = None
        self._actions: list[Action] = []
        self._rejected: Counter[str] = Counter()

    @property
    def wants_poses(self) -> bool:
        """Whether a monitor is connected that reads what it is sent."""
        return any(not monitor.tail for monitor in self._connections.values())

    def clients(self) -> list[ClientStatus]:
        """Return diagnostics of all connected clients."""
        return [monitor.status() for monitor in self._connections.values()]

    def take(self) -> tuple[tuple[Action, ...], dict[str, int]]:
        """Return the trainer commands received since the last call, and what was rejected, by reason."""
        actions, self._actions = tuple(self._actions), []
        rejected, self._rejected = dict(self._rejected), Counter()
        for monitor in tuple(self._connections.values()):
            self.renew(monitor)
        return actions, rejected

    def deliver(self, percepts: Percepts) -> None:
        """Show a cycle to all monitors if it carries poses and a frame is due or a monitor waits for its first."""
        self.notify(percepts.notices)
        if percepts.poses is None or not self._connections:
            return
        if self._encoder.adopt(percepts.layout):
            for monitor in self._connections.values():
                monitor.needs_full = True
        elif not self._due(percepts.time):
            return
        self._last_time = percepts.time
        readers = [monitor for monitor in self._connections.values() if not monitor.tail]
        for monitor in self._connections.values():
            if monitor.tail:
                # Later partial frames build on the one it misses, so that a full one has to come first.
                monitor.needs_full = True
                monitor.dropped += 1
        if not readers:
            return
        full = any(monitor.needs_full for monitor in readers)
        partial = not all(monitor.needs_full for monitor in readers)
        frames = self._encoder.encode(percepts, full=full, partial=partial)
        full_frame, partial_frame = frame(frames.full or b""), frame(frames.partial or b"")
        for monitor in readers:
            whole = monitor.needs_full
            monitor.needs_full = False
            self.send(monitor, full_frame if whole else partial_frame)

    def _due(self, now: float) -> bool:
        """Tell whether the next frame is due; time may have gone back."""
        last = self._last_time
        return last is None or now < last or now - last > self._settings.interval - _EARLY

    def _connected(self, sock: socket.socket, number: int) -> _Monitor:
        # A monitor shows nothing before its first frame, so it need not wait for the next interval.
        self._last_time = None
        return _Monitor(sock, number, self._settings, self._clock())

    def _received(self, client: _Monitor, payload: bytes) -> None:
        trained = trainer.parse(client.key, payload, self._permitted)
        if trained.full_state:
            for monitor in self._connections.values():
                monitor.needs_full = True
        self._actions += trained.actions
        for reason, text in trained.rejected:
            self._reject(client, reason, text)

    def _throttled(self, client: _Monitor) -> None:
        text = f"sends more than {self._settings.max_input} bytes per cycle: the rest has to wait"
        self._reject(client, "too much input", text)

    def _reject(self, client: _Monitor, reason: str, text: str) -> None:
        self.complain(client, reason, text)
        self._rejected[reason] += 1

    def _closed(self, client: _Monitor) -> None:
        """Nothing is kept of a monitor."""

    def _make_room(self) -> bool:
        blocked = next((monitor for monitor in self._connections.values() if monitor.tail), None)
        if blocked is None:
            return False
        self.drop(blocked, "does not read and makes room for a new connection")
        return True

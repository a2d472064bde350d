"""The monitor port of a recording, and the time of the recording, which monitors control."""

from __future__ import annotations

import time
from collections.abc import Callable

from simspark_recording.playing.monitor_state import MonitorState
from simspark_recording.playing.steps import UNKNOWN
from simspark_recording.settings import ReplaySettings
from simspark_ros.exchange import Action
from simspark_ros.protocol.framing import LARGEST_MESSAGE
from simspark_ros.protocol.framing import frame as framed
from simspark_ros.protocol.monitor import trainer
from simspark_ros.protocol.monitor.encoder import Frames
from simspark_ros.protocol.monitor.inspection import ReplayProgress, Roster, write
from simspark_ros.server.monitor_broadcaster import Monitor, MonitorBroadcaster
from simspark_ros.server.monitor_server import MonitorServerSettings
from simspark_ros.server.tcp.framed_server import ServerContext

FASTEST = trainer.MAX_SPEED
"""Speed for playing as fast as possible, with times as recorded."""


class ReplayTime:
    """The time of a recording: its speed, times as recorded, and whether only single frames are shown.

    Attributes:
        sought: recorded time to go to, s since the beginning; None = no other time is wanted.
    """

    def __init__(self, speed: float) -> None:
        self.speed, self.paused = speed, False
        self.sought: float | None = None
        self._usual, self._steps = speed, 0

    def order(self, action: Action) -> None:
        """Carry out a command of `trainer.TIME_COMMANDS`; a step is a frame."""
        if action.kind in ("pause", "run"):
            self.paused, self._steps = action.kind == "pause", 0
        elif action.kind == "step":
            self.paused = True
            self._steps += int(action.arguments[0])
        else:
            self.speed = (float(action.arguments[0]) or FASTEST) if action.arguments else self._usual

    def take_step(self) -> bool:
        """Whether a step was asked for; if so, it is taken."""
        taken = self._steps > 0
        self._steps -= taken
        return taken


class ReplayServer(MonitorBroadcaster):
    """A monitor port that shows recorded frames. Monitors can control the time of the recording only."""

    def __init__(self, options: ReplaySettings, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(MonitorServerSettings.of(options), ServerContext(clock=clock))
        self.time = ReplayTime(options.speed)
        self._roster, self._revision = UNKNOWN, -1

    @property
    def has_newcomers(self) -> bool:
        """Whether a monitor that reads needs a full frame."""
        return any(monitor.needs_full and not monitor.tail for monitor in self._connections.values())

    def show_frame(self, frame: bytes, state: MonitorState) -> None:
        """Send a frame to monitors that have the ones before it, and the whole state to the others."""
        self.show(lambda full, partial: Frames(state.full() if full else None, frame if partial else None))
        for monitor in tuple(self._connections.values()):
            self.reset_quota(monitor)

    def tell(self, where: Callable[[], ReplayProgress], roster: Roster) -> None:
        """Tell the replay's position and, before the full frame, robots to monitors that inspect."""
        if roster is not self._roster:
            self._roster, self._revision = roster, self._revision + 1
        if asking := self.asking():
            message = framed(write(where()))
            for monitor in asking:
                if monitor.roster != self._revision:
                    monitor.roster, monitor.needs_full = self._revision, True
                    told = write(roster)
                    self.send(monitor, framed(told if len(told) <= LARGEST_MESSAGE else write(UNKNOWN)))
                self.send(monitor, message)

    @property
    def is_flushed(self) -> bool:
        """Whether everything was sent."""
        return not any(monitor.tail for monitor in self._connections.values())

    def _received(self, client: Monitor, payload: bytes) -> None:
        trained = trainer.parse(client.key, payload, trainer.TIME_COMMANDS)
        if trained.full_state:
            self.show_all()
        if trained.inspect is not None:
            client.inspects, client.needs_full = trained.inspect, True
        if trained.seek is not None:
            self.time.sought = trained.seek
        for action in trained.actions:
            self.time.order(action)
        for _reason, text in trained.rejected:
            self.record_rejection(client, "command to a replay", f"this is a replay: {text}")

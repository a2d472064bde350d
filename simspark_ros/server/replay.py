"""`simspark replay`: plays a log, or another recording, to monitors at the pace at which it was recorded."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Protocol

from simspark_ros.exchange import Action
from simspark_ros.protocol.framing import LARGEST_MESSAGE
from simspark_ros.protocol.framing import frame as framed
from simspark_ros.protocol.monitor import trainer
from simspark_ros.protocol.monitor.encoder import Frames
from simspark_ros.protocol.monitor.inspection import ReplayProgress, Roster, write
from simspark_ros.protocol.monitor.log import FULL, LogError, MonitorState, pause, read_frames
from simspark_ros.protocol.monitor.reader import FrameError
from simspark_ros.protocol.monitor.rosters import read_rosters, without_handles
from simspark_ros.protocol.monitor.rsmp_log import OPENING, RsmpReader, classic_frames, simulated_time
from simspark_ros.server.inspection import roster_of
from simspark_ros.server.monitor_broadcaster import Monitor, MonitorBroadcaster
from simspark_ros.server.monitor_server import MonitorServerSettings
from simspark_ros.server.settings import ReplaySettings
from simspark_ros.server.signals import Signals
from simspark_ros.server.tcp.framed_server import ServerContext
from simspark_ros.soccer.settings import load_soccer_settings
from simspark_ros.terminal import log_lines

PATIENCE = 5.0
"""Longest time that monitors may take to read the end of the log, s."""

_CHECK_INTERVAL = 0.1
"""Seconds between two checks for the end of the replay."""


_WORLDS = ("fifa7vs7", "fifa", "spl", "kidsize", "msl")
"""Worlds of leagues, each with a field and a ball of its own; others are shown as soccer's."""

_TIME = re.compile(rb"\(time (\d+(?:\.\d*)?)\)")

FASTEST = trainer.MAX_SPEED
"""Speed for playing as fast as possible, with times as recorded."""


_UNKNOWN = Roster()


@dataclass(frozen=True)
class ReplayStep:
    """One step of a recording.

    Attributes:
        pause: recorded time since the step before, s.
        frame: message for monitors; empty if nothing has changed for them.
        act: function that shows the step elsewhere.
        roster: the robots of the last full frame; empty if nothing tells what they look like.
    """

    pause: float
    frame: bytes
    act: Callable[[], object] = lambda: None
    roster: Roster = _UNKNOWN


class StepSource(Protocol):
    """A recording; its methods raise UserError if it cannot be read, or no further."""

    def __call__(self, state: MonitorState) -> Iterator[ReplayStep]:
        """Steps from its beginning, each after its frame was shown to the state."""

    def duration(self) -> float:
        """Recorded time of all steps, s."""


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
        self._roster, self._revision = _UNKNOWN, -1

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
                    self.send(monitor, framed(told if len(told) <= LARGEST_MESSAGE else write(_UNKNOWN)))
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


class Replay:
    """Plays a recording from its first to its last step; `source` None = the log named in the settings."""

    def __init__(
        self, options: ReplaySettings, clock: Callable[[], float] = time.monotonic, source: StepSource | None = None
    ) -> None:
        if source is None:
            source = log_source(options)
        self._source = source
        self._options = options
        self._clock = clock
        self._ending = False
        # Recorded time until the next step is due, s, and the time when that was computed.
        self._left = self._updated = 0.0
        self._position = 0.0
        self._roster = _UNKNOWN
        self.server = ReplayServer(options, clock)

    def stop(self) -> None:
        """End soon; for signal handlers."""
        self._ending = True

    def run(self, delay: float | None = None) -> None:
        """Play to the last step or `stop`, after a delay, s; None = when a monitor has connected.

        Raises:
            UserError: as of the source.
        """
        begin = self._clock() + (delay or 0.0)
        self._wait(lambda: bool(self.server.clients()) if delay is None else self._clock() >= begin)
        while not self._ending:
            self._play()
            if not self._options.loop and self.server.time.sought is None:
                break
        end = self._clock() + PATIENCE
        self._wait(lambda: self.server.is_flushed or self._clock() >= end)

    def close(self) -> None:
        """Disconnect all monitors."""
        self.server.close()

    def _play(self) -> None:
        """Play from the first step until the last, `stop`, or an order to go to a time before the current step."""
        state, first, pace = MonitorState(), True, self.server.time
        self._left, self._updated, self._position = 0.0, self._clock(), 0.0
        position = 0.0
        for step in self._source(state):
            self._left += step.pause
            position += step.pause
            if not first and pace.sought is None:
                self._pass(state)
            first = False
            if self._ending or (pace.sought is not None and pace.sought < self._position):
                return
            if pace.sought is not None and position < pace.sought:
                continue
            if pace.sought is not None:
                pace.sought, self._left = None, 0.0
                self.server.show_all()
            self._position = position
            step.act()
            if step.frame:
                self._roster = step.roster
                self.server.tell(self._playback, step.roster)
                self.server.show_frame(step.frame, state)
        pace.sought = None

    def _playback(self) -> ReplayProgress:
        return ReplayProgress(self._position, self._duration)

    @cached_property
    def _duration(self) -> float:
        return self._source.duration()

    def _pass(self, state: MonitorState) -> None:
        """Serve monitors until the next frame is due by what is left of recorded time, or by a step."""
        pace = self.server.time
        self.server.poll(0.0)
        while not self._ending and pace.sought is None:
            now = self._clock()
            if not pace.paused:
                self._left -= (now - self._updated) * pace.speed
            self._updated = now
            if pace.paused and pace.take_step():
                self._left = 0.0
                return
            if not pace.paused and self._left <= 0.0:
                return
            if pace.paused and state.shown and self.server.has_newcomers:
                self.server.show_all()
                self.server.tell(self._playback, self._roster)
                self.server.show_frame(b"", state)
            self.server.poll(_CHECK_INTERVAL if pace.paused else min(self._left / pace.speed, _CHECK_INTERVAL))

    def _wait(self, condition: Callable[[], bool]) -> None:
        """Serve monitors until a condition holds."""
        while not condition() and not self._ending:
            self.server.poll(_CHECK_INTERVAL)


class LogSource:
    """The steps of a monitor log; a `LogError` names a malformed frame."""

    def __init__(self, options: ReplaySettings) -> None:
        self._path, self._interval = options.path, options.interval

    def __call__(self, state: MonitorState) -> Iterator[ReplayStep]:
        """See `StepSource`."""
        return _steps(self._path, self._interval, self._shown(state))

    def _shown(self, state: MonitorState) -> Iterator[tuple[bytes, float]]:
        for number, frame in enumerate(read_frames(self._path), 1):
            try:
                state.show(frame)
            except LogError as error:
                raise LogError(f"{self._path}, line {number}: {error}") from None
            yield frame, state.time

    def duration(self) -> float:
        """See `StepSource`; reads no more of the frames than their times."""
        found = (_TIME.search(frame) for frame in read_frames(self._path))
        return _length((float(match[1]) for match in found if match), self._interval)


class RsmpLogSource:
    """The steps of a log of monitors of the league since 2026; a `LogError` names a malformed frame."""

    def __init__(self, options: ReplaySettings) -> None:
        self._path, self._interval = options.path, options.interval

    def __call__(self, state: MonitorState) -> Iterator[ReplayStep]:
        """See `StepSource`."""
        reader = RsmpReader()
        return _steps(self._path, self._interval, self._shown(reader, state), lambda: _roster_of(reader))

    def _shown(self, reader: RsmpReader, state: MonitorState) -> Iterator[tuple[bytes, float]]:
        try:
            for frame in classic_frames(reader, read_frames(self._path, OPENING)):
                state.show(frame)
                yield frame, reader.simulated
        except FrameError as error:
            raise LogError(f"{self._path}, {error}") from None

    def duration(self) -> float:
        """See `StepSource`."""
        times = map(simulated_time, read_frames(self._path, OPENING))
        return _length((time for time in times if time is not None), self._interval)


def _steps(
    path: Path,
    interval: float,
    shown: Iterable[tuple[bytes, float]],
    own_roster: Callable[[], Roster | None] = lambda: None,
) -> Iterator[ReplayStep]:
    """Yield a step for each frame and its time, s; the file beside a log tells of robots that it does not."""
    rosters, roster = iter(read_rosters(path)), _UNKNOWN
    earlier: float | None = None
    for frame, now in shown:
        if FULL in frame:
            roster = own_roster() or next(rosters, _UNKNOWN)
        yield ReplayStep(0.0 if earlier is None else pause(earlier, now, interval), frame, roster=roster)
        earlier = now


def _length(times: Iterable[float], interval: float) -> float:
    """Time that a replay takes, s."""
    return sum(pause(earlier, later, interval) for earlier, later in pairwise(times))


def _roster_of(reader: RsmpReader) -> Roster | None:
    """The robots of a log as their files describe them, None if one has no file."""
    if not reader.descriptions:
        return None
    names = (robot.robot for robot in reader.layout.robots)
    return without_handles(roster_of(reader.layout, list(zip(names, reader.descriptions, strict=True))))


def world_of_log(path: Path) -> str:
    """The league's world in which the game of a log is played, by field and ball; empty if it is none of `_WORLDS`."""
    first = next(read_frames(path, b""))

    def told(name: str) -> str:
        found = re.search(rb"\(%s ([^()]*)\)" % name.encode(), first)
        return found[1].decode("latin-1") if found else ""

    sizes = {name: told(name) for name in ("FieldLength", "FieldWidth", "BallRadius")}
    for world in _WORLDS:
        environment = load_soccer_settings(world).environment
        if all(text == f"{environment[name]:g}" for name, text in sizes.items()):
            return world
    return ""


def log_source(options: ReplaySettings) -> StepSource:
    """The steps of a log of either kind of monitors.

    Raises:
        LogError: the file is no monitor log, or cannot be read.
    """
    first = next(read_frames(options.path, b""))
    if first.startswith(OPENING):
        return RsmpLogSource(options)
    next(read_frames(options.path))
    return LogSource(options)


def replay(options: ReplaySettings) -> int:
    """Replay until the end of the log, SIGINT or SIGTERM; returns the exit status."""
    log_lines()
    signals = Signals()
    with closing(Replay(options)) as player:
        signals.on_signal(player.stop)
        host, port = options.bind, player.server.port
        print(f"{options.path} begins when a monitor connects to {host}:{port}, e.g. RoboViz --serverPort={port}")
        print("  Ctrl-C ends it.", flush=True)
        player.run()
    return 0

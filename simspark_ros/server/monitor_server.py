"""The port of classic monitors: shows the simulation, takes trainer commands (protocol reference, section 6)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from simspark_ros.configuration.errors import cut, shown
from simspark_ros.configuration.limits import MAX_MONITOR_MESSAGE, MAX_MONITORS
from simspark_ros.configuration.ports import MONITOR_PORT, RSMP_PORT
from simspark_ros.exchange import Action, Notice, Percepts
from simspark_ros.protocol.framing import LARGEST_MESSAGE, frame
from simspark_ros.protocol.monitor import trainer
from simspark_ros.protocol.monitor.drawings import write_drawing
from simspark_ros.protocol.monitor.encoder import MonitorEncoder
from simspark_ros.protocol.monitor.inspection import Roster, TrainerNote, WorldShown, write
from simspark_ros.server.inspection import Inspector
from simspark_ros.server.monitor_broadcaster import Monitor, MonitorBroadcaster, is_frame_due
from simspark_ros.server.tcp.framed_server import ALONE, ServerContext
from simspark_ros.server.tcp.ports import PortSettings
from simspark_ros.simulation.drawings import Drawing, Drawings
from simspark_ros.simulation.pacing.time_control import SimulationTime

_WAITING_INTERVAL = 1.0
"""Changes in the number of agents without a robot are shown at most this often, s: each costs a full frame."""

DRAWN_AT_ONCE, LARGEST_DRAWING = 128 * 1024, 448 * 1024
"""Most bytes of drawings sent with a frame, unless the first one is larger, and of one drawing."""

_LONGEST_NOTE = 300
"""Longest text of a note, characters."""

_STILL_INTERVAL = 0.05
"""Seconds between two times at which commands are carried out and changes shown while time stands still."""


@dataclass(frozen=True)
class MonitorServerSettings(PortSettings):
    """Port of classic monitors and trainers; see `PortSettings` for what all ports have.

    Attributes:
        interval: simulated time between two frames, s.
        trainer: trainer commands that are executed, see `simspark_ros.protocol.monitor.trainer.permitted`.
    """

    port: int = MONITOR_PORT
    option: str = "--monitor-port"
    max_clients_setting: str = "max_monitors"
    kind: str = "monitor"
    max_clients: int = MAX_MONITORS
    max_message: int = MAX_MONITOR_MESSAGE
    send_buffer: int = 512 * 1024
    max_input: int = 4 * 1024
    interval: float = 0.04
    trainer: str = "full"

    options: ClassVar[Mapping[str, str]] = {
        "host": "bind",
        "port": "monitor_port",
        "max_clients": "max_monitors",
        "max_message": "max_monitor_message",
        "interval": "monitor_period",
        "trainer": "trainer",
    }


@dataclass(frozen=True)
class RsmpServerSettings(MonitorServerSettings):
    """Port of monitors and trainers of the league since 2026 (RSMP); see `MonitorServerSettings`."""

    port: int = RSMP_PORT
    option: str = "--rsmp-port"
    kind: str = "rsmp monitor"

    options: ClassVar[Mapping[str, str]] = {**MonitorServerSettings.options, "port": "rsmp_port"}


class MonitorServer(MonitorBroadcaster):
    """Serves classic monitors, for a simulator in this or another process.

    Attributes:
        time_control: taker of commands about time; None if the simulator is in another process.
        inspector: reader of the inside of robots; None if the simulator is in another process.
        drawings: programs' drawings, sent to monitors that inspect; None if the simulator is in another process.

    Raises:
        PortError: the port cannot be opened; the message names host, port and remedy.
        ConfigurationError: a permitted trainer command does not exist.
    """

    def __init__(
        self,
        settings: MonitorServerSettings,
        encoder: MonitorEncoder,
        context: ServerContext = ALONE,
        commands: Mapping[str, trainer.CommandReader] = trainer.COMMANDS,
    ) -> None:
        self._permitted = trainer.permitted(settings.trainer)
        super().__init__(settings, context)
        self._settings = settings
        self._encoder = encoder
        self._commands = commands
        self.time_control: SimulationTime | None = None
        self.inspector: Inspector | None = None
        self.drawings: Drawings | None = None
        self._still_due = 0.0
        self._still: object = None
        self._wanted_from = -math.inf
        self._last_time: float | None = None
        self._waiting = 0
        self._is_asked_anew = False
        self._revision: int | None = None
        # Layout that a pause has shown last: the first percepts after it may be older.
        self._shown_in_pause = -1
        self._waiting_since = -math.inf
        self._actions: list[Action] = []
        self._rejected: Counter[str] = Counter()

    @property
    def wants_poses(self) -> bool:
        """Whether a connected monitor reads its messages and wants a frame by now."""
        return bool(self._connections) and self.has_readers and self._clock() >= self._wanted_from

    def check_timeouts(self) -> None:
        """Run periodic checks; while simulated time stands still, carry out commands and show what has changed, too."""
        super().check_timeouts()
        if not ((self._connections or self._actions) and self.time_control and self.time_control.paused):
            return
        if self._clock() >= self._still_due:
            self._still_due = self._clock() + _STILL_INTERVAL
            actions, rejected = self.take()
            # They are counted in the next cycle.
            self._rejected.update(rejected)
            if actions:
                self.notify(self.time_control.carry_out(actions))
            if self.has_readers:
                self._show_still(self.time_control)

    def take(self) -> tuple[tuple[Action, ...], dict[str, int]]:
        """Return the trainer commands received since the last call, and the number of rejections by reason."""
        if not (self._connections or self._actions or self._rejected):
            return (), {}
        actions, self._actions = tuple(self._actions), []
        rejected, self._rejected = dict(self._rejected), Counter()
        for monitor in tuple(self._connections.values()):
            self.reset_quota(monitor)
        return actions, rejected

    def deliver(self, percepts: Percepts, waiting: int = 0) -> None:
        """Show a cycle to all monitors if it has poses and a frame is due; `waiting` agents have no robot."""
        if percepts.notices:
            self.notify(percepts.notices)
        if percepts.poses is None or not self._connections:
            return
        is_old, self._shown_in_pause = percepts.layout.revision < self._shown_in_pause, -1
        if is_old:
            return
        # With another layout all monitors get a full frame in any case.
        recent = 0 <= percepts.time - self._waiting_since < _WAITING_INTERVAL
        if waiting != self._waiting and (percepts.layout.revision != self._revision or not recent):
            self._waiting, self._waiting_since = waiting, percepts.time
        self._revision = percepts.layout.revision
        if self._encoder.adopt(percepts.layout, self._waiting):
            self.show_all()
        elif not is_frame_due(self._last_time, percepts.time, self._settings.interval):
            return
        self._last_time = percepts.time
        self._wanted_from = self._clock() + min(1.0 / monitor.frame_rate for monitor in self._connections.values())
        self._tell_rosters(percepts)
        self._tell_world()
        self.show(lambda full, partial: self._encoder.encode(percepts, full=full, partial=partial))
        self._tell_readings(percepts)

    def _tell_rosters(self, percepts: Percepts) -> None:
        """Send the list of robots to monitors that inspect, before the first frame that shows these robots."""
        revision = percepts.layout.revision
        for monitor in self.asking():
            if monitor.roster != revision and self.inspector and (roster := self.inspector.roster(percepts.layout)):
                monitor.roster, monitor.needs_full = revision, True
                if not self._inform(
                    monitor, roster, "gets an empty list of robots to inspect, since the full one takes {} bytes"
                ):
                    self._inform(monitor, Roster(), "")

    def _tell_world(self) -> None:
        """Send the world to monitors that inspect, whenever it is another one; nobody else has it written."""
        for monitor in self.asking():
            if self.inspector and monitor.world != (world := self.inspector.world):
                monitor.world = world
                text = "gets no description of the world, since it takes {} bytes: start the viewer with --world"
                self._inform(monitor, WorldShown(world), text)

    def _inform(self, monitor: Monitor, message: Roster | WorldShown, refusal: str) -> bool:
        """Send a message, unless it is so long that it would end the monitor's connection; whether it was sent."""
        payload = write(message)
        fits = len(payload) <= LARGEST_MESSAGE
        if fits:
            self.send(monitor, frame(payload))
        else:
            self.record_rejection(monitor, "inspection", refusal.format(len(payload)))
        return fits

    def _tell_readings(self, percepts: Percepts) -> None:
        for monitor in self.asking():
            wanted = -1 if monitor.inspects is None else monitor.inspects
            if wanted >= 0 and self.inspector and (found := self.inspector.readings(wanted, percepts)):
                self.send(monitor, frame(write(found)))
            if self.drawings is not None:
                self._tell_drawings(monitor, self.drawings)

    def _tell_drawings(self, monitor: Monitor, drawings: Drawings) -> None:
        """Send new drawings, as many as go with a frame; the rest goes with the next frames."""
        told = 0
        for revision, name, drawing in drawings.since(monitor.drawn):
            if monitor.tail:
                return
            payload = write_drawing(name, drawing)
            if len(payload) > LARGEST_DRAWING:
                text = f"gets no drawing {shown(name)}, since it takes {len(payload)} bytes"
                self.record_rejection(monitor, "drawing", text)
                payload = write_drawing(name, Drawing())
            if told and told + len(payload) > DRAWN_AT_ONCE:
                return
            told += len(payload)
            monitor.drawn = revision
            self.send(monitor, frame(payload))

    def _closed(self, client: Monitor) -> None:
        super()._closed(client)
        self._follow_wishes()

    def _follow_wishes(self) -> None:
        if self.inspector:
            wishes = [one.inspects for one in self._connections.values() if one.inspects is not None]
            if self.drawings is not None:
                self.drawings.is_wanted = bool(wishes)
            self.inspector.looked_at.clear()
            self.inspector.looked_at.update(wishes)

    def _show_still(self, control: SimulationTime) -> None:
        """Send the world as it is to monitors that have not received it."""
        percepts = control.snapshot_while_paused()
        if percepts is None or percepts.poses is None:
            return
        poses = percepts.poses
        places = (one.tobytes() for one in (poses.positions, poses.rotations, poses.ball, poses.ball_quaternion))
        still = percepts.cycle, percepts.layout.revision, percepts.game, *places
        new = any(monitor.needs_full for monitor in self._connections.values()) or self._is_asked_anew
        if new or still != self._still:
            self._still, self._last_time = still, None
            self._is_asked_anew = False
            if self.inspector and self.inspector.looked_at:
                self.inspector.look(percepts.layout)
            self.deliver(percepts, self._waiting)
            self._shown_in_pause = percepts.layout.revision

    def _connected(self) -> None:
        # A monitor shows nothing before its first frame, so it need not wait for the next interval.
        self._last_time, self._wanted_from = None, -math.inf

    def _received(self, client: Monitor, payload: bytes) -> None:
        trained = trainer.parse(client.key, payload, self._permitted, self._commands)
        if trained.full_state:
            self.show_all()
        if trained.frame_rate:
            client.frame_rate = trained.frame_rate
        if trained.inspect is not None:
            client.inspects, self._is_asked_anew = trained.inspect, True
            self._follow_wishes()
        if trained.seek is not None:
            self.record_rejection(client, "seek", "(seek ...) works only in replays: a match cannot go back in time")
        for action in trained.actions:
            if action.kind not in trainer.TIME_COMMANDS:
                self._actions.append(action)
            elif self.time_control:
                self.time_control.order(action)
            else:
                text = f"({action.kind}) needs simulator and bridge in one process; use the simulator's services"
                self.record_rejection(client, "trainer command", text)
        for reason, text in trained.rejected:
            self.record_rejection(client, reason, text)

    def record_rejection(self, client: Monitor, reason: str, text: str) -> None:
        """Count rejected input for the simulator, too."""
        super().record_rejection(client, reason, text)
        self._rejected[reason] += 1
        self._tell(client, text)

    def notify(self, notices: Iterable[Notice]) -> None:
        """Tell the simulator's notices to the operator and to those monitors themselves."""
        super().notify(notices)
        for notice in notices:
            if monitor := self._connections.get(notice.client):
                self._tell(monitor, notice.text)

    def _tell(self, monitor: Monitor, text: str) -> None:
        """Show a text to the people at a monitor that inspects; not if it reads more slowly than it commands."""
        if monitor.inspects is not None and not monitor.tail:
            self.send(monitor, frame(write(TrainerNote(cut(text, _LONGEST_NOTE)))))

"""The bridge's side of DDS: passes percepts to the ports and what they collect to the simulator."""

from __future__ import annotations

import secrets
import time
from collections import deque
from dataclasses import replace
from typing import Any

from rclpy.node import Node

from simspark_ros.exchange import Commands
from simspark_ros.ros.bridge.fast_subscriber import COMMANDS_TOPIC, PERCEPTS_TOPIC, FastSubscriber
from simspark_ros.server.classic_server import ClassicServer
from simspark_ros.server.remote.codec import (
    MAX_PERCEPTS,
    CommandsMessage,
    PerceptsMessage,
    PerceptsReader,
    decode,
    encode,
    identity_of,
)
from simspark_ros.server.remote.serialization import CodecError, UnknownLayoutError, check
from simspark_ros.server.remote.view import RemoteView
from simspark_ros.server.tcp.connection import WakeUp

MAX_INBOX = 64
"""Most percepts kept for the ports; beyond that the oldest are dropped, since clients would not read them either."""


HEARTBEAT = 0.25
"""Longest time between two messages, s."""

GATHER = 0.004
"""Real time between the first command and the message with the commands of all clients, s; well within a cycle."""

GATHER_LOCKSTEP = 0.02
"""The same delay in lock-step, s. It matters for clients that are not waited for and for commands kept for a later
cycle; all others are sent when all clients have answered."""

TAKEOVER = 1.0
"""Silence after which a simulator may be replaced by another one, s."""


class BridgeClient:
    """Runs a `ClassicServer` for a simulator elsewhere. All but the reception of messages happens in `step`.

    The node need not be spun; `name` is the identity of this run of the bridge.

    Attributes:
        core: the server of the ports.
        connected: whether a simulator listens.
        refused: number of messages of the simulator that could not be understood.
        missed: number of cycles whose percepts did not arrive, or were not read in time; in lock-step none.
    """

    def __init__(self, node: Node, core: ClassicServer, name: str) -> None:
        self.core = core
        self.refused = self.missed = 0
        self._name = name
        self._secret = secrets.token_hex(16)
        self._log = node.get_logger()
        self._reader = PerceptsReader()
        self._view: RemoteView | None = None
        self._session = 0
        self._rival = 0
        self._welcome: int | None = None
        self._received = self._answered = 0
        self._needs_layout = True
        self._message_at = self._sent_at = -1e9
        # Latest time to send the collected commands.
        self._flush_at: float | None = None
        self._reported = Commands()
        self.connected = False
        self._inbox: deque[bytes] = deque(maxlen=MAX_INBOX)
        self._wake_up = WakeUp(core.selector)
        self._ros = FastSubscriber(node, "link", COMMANDS_TOPIC, PERCEPTS_TOPIC, self._receive)

    def wake(self) -> None:
        """End the wait of `step`; safe from any thread and from signal handlers."""
        self._wake_up.set()

    def step(self, timeout: float) -> None:
        """Serve clients and simulator; waits at most `timeout` s for an event."""
        if self.core.poll(min(timeout, self._patience())) and self._flush_at is None:
            self._flush_at = time.monotonic() + self._gather
        while self._inbox:
            self._take_in(self._inbox.popleft())
        self._send_if_due()

    def close(self) -> None:
        """Inform the simulator that all clients leave, and close the ports."""
        if self._session:
            self._publish(Commands(), farewell=self._secret)
            self._ros.wait_for_all_acked(0.5)
        self._ros.close()
        self._wake_up.close()
        self.core.close()

    def _receive(self, data: bytes) -> None:
        """Take a message; called in the thread of the subscriber."""
        self._inbox.append(data)
        self.wake()

    def _patience(self) -> float:
        """Time until the next message is due, s."""
        due = self._sent_at + HEARTBEAT
        if self._flush_at is not None and self.connected:
            due = min(due, self._flush_at)
        return max(0.0, due - time.monotonic())

    @property
    def _is_heard(self) -> bool:
        """Whether messages reach the simulator being followed. Messages sent earlier would be lost, with their actions.

        A subscriber of a simulator that was killed counts as `matched` for seconds.
        """
        return self._welcome is not None

    @property
    def _gather(self) -> float:
        return GATHER_LOCKSTEP if self.core.lockstep and self.core.participants else GATHER

    def _take_in(self, data: bytes) -> None:
        try:
            check(f"it is longer than {MAX_PERCEPTS} bytes", len(data) <= MAX_PERCEPTS)
            self._follow(decode(data, PerceptsMessage))
        except CodecError as error:
            self.refused += 1
            if self.refused == 1:
                text = f"a message of the simulator was refused: {error} (more of this is counted, not logged)"
                self._log.warning(text)

    def _follow(self, message: PerceptsMessage) -> None:
        if not self._is_ours(message.session):
            return
        self._message_at = time.monotonic()
        self._check_welcome(message.welcomes)
        if message.cycle == 0:
            self._needs_layout = self._reader.layout is None or self._received == 0
            return
        if message.cycle <= self._received:
            # Sent again: our answer may have been lost.
            self._sent_at = -1e9
            return
        try:
            percepts = self._reader.read(message)
        except UnknownLayoutError:
            self._needs_layout, self._sent_at = True, -1e9
            return
        if self._flush_at is not None and self._is_heard:
            self._flush()
        self._needs_layout = False
        if self._received:
            self.missed += message.cycle - self._received - 1
        self.core.lockstep = message.waits
        if self._view is None or self._view.layout.revision != percepts.layout.revision:
            self._view = RemoteView(percepts.layout, f"{self._name}/", whole=True)
        self.core.deliver(self._view.of(percepts))
        self._received = message.cycle
        if not self.core.ready and self.core.participants != self._reported.participants:
            # The simulator waits only for reported participants.
            self._flush()

    def _is_ours(self, session: int) -> bool:
        """Whether a message comes from the simulator that the clients play in; follow a new one."""
        if session == self._session:
            return True
        if self._session and time.monotonic() - self._message_at < TAKEOVER:
            if session != self._rival:
                self._rival = session
                self._log.warning("a second simulator sends percepts to this bridge; it is ignored. Use namespaces.")
            return False
        if self._session:
            self.core.agents.drop_all("the simulator was restarted and this agent's robot is gone; connect again")
        self._log.info("a simulator was found")
        self._session = session
        self._received = self._answered = 0
        self._reported = Commands()
        self._welcome, self._needs_layout, self._sent_at = None, True, -1e9
        return True

    def _check_welcome(self, welcomes: dict[str, int]) -> None:
        mine = welcomes.get(self._name)
        if mine is None:
            return
        if self._welcome is not None and mine != self._welcome:
            self.core.agents.drop_all(
                "the simulator had dropped this bridge and this agent's robot is gone; connect again"
            )
        self._welcome = mine

    def _send_if_due(self) -> None:
        now = time.monotonic()
        connected = self._ros.matched
        if connected != self.connected:
            self.connected, self._sent_at = connected, -1e9
            if not connected:
                self._log.warning("the simulator is gone; clients get no percepts until a simulator is back")
        if connected and self._is_heard:
            answers = self._received > self._answered and self.core.ready
            gathered = self._flush_at is not None and now >= self._flush_at
            if answers or gathered:
                self._flush()
        if now - self._sent_at >= HEARTBEAT:
            self._publish(replace(self._reported, participants=self.core.participants))

    def _flush(self) -> None:
        """Send the collected commands, if any."""
        if self.core.ready:
            self._answered = self._received
        commands = replace(self.core.take(), answers=self._answered)
        # Before time starts no percepts come that would take the rest along.
        self._flush_at = time.monotonic() + GATHER_LOCKSTEP if self.core.agents.holds_back else None
        state = replace(commands, actions=(), rejected={}, **_NO_JOINTS)
        is_news = len(commands.handles) or commands.actions or commands.rejected
        if is_news or _state(state) != _state(self._reported):
            self._reported = state
            self._publish(commands)

    def _publish(self, commands: Commands, *, farewell: str = "") -> None:
        self._sent_at = time.monotonic()
        message = CommandsMessage(
            commands,
            received=self._received,
            name=self._name,
            session=self._session,
            needs_layout=self._needs_layout,
            identity=identity_of(self._secret),
            farewell=farewell,
        )
        self._ros.send(encode(message))


_EMPTY = Commands()
_NO_JOINTS: dict[str, Any] = {"handles": _EMPTY.handles, "joints": _EMPTY.joints, "velocities": _EMPTY.velocities}


def _state(commands: Commands) -> tuple[int, int, bool]:
    return commands.answers, commands.participants, commands.wants_poses

"""The bridge's side of DDS: passes percepts to the ports and what they collect to the simulator."""

from __future__ import annotations

import contextlib
import selectors
import socket
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from rclpy.duration import Duration
from rclpy.node import Node

from simspark_ros.exchange import Commands
from simspark_ros.msg import CommandFrame, PerceptFrame
from simspark_ros.ros.bridge.fast_subscriber import COMMANDS_TOPIC, PERCEPTS_TOPIC, LeanNode
from simspark_ros.ros.bridge.flat_arrays import FrameError
from simspark_ros.ros.bridge.frames import LayoutMissingError, PerceptReader, write_commands
from simspark_ros.server.classic_server import ClassicServer

MAX_INBOX = 64
"""Percepts kept for the ports; beyond that the oldest are forgotten, as the clients would not read them either."""


@dataclass(frozen=True)
class PumpSettings:
    """Times of the exchange.

    Attributes:
        heartbeat: between two signs of life, s.
        gather: in real time, commands are sent so long after the first one came in, s: not each client's alone, and
            well within a cycle.
        gather_lockstep: the same in lock-step, where commands are sent when all have answered; for those who are not
            waited for, and for what is kept for a later cycle, s.
        takeover: a simulator that was silent for so long is replaced by another one, s.
    """

    heartbeat: float = 0.25
    gather: float = 0.004
    gather_lockstep: float = 0.02
    takeover: float = 1.0


class BridgePump:
    """Runs a `ClassicServer` for a simulator elsewhere. All but the reception of messages happens in `step`.

    Attributes:
        core: the ports.
        refused: frames of the simulator that could not be understood, by field.
    """

    def __init__(
        self,
        node: Node,
        core: ClassicServer,
        name: str,
        settings: PumpSettings | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start receiving.

        Args:
            node: of the bridge: gives namespace, remapping and logger. It need not be spun for the pump.
            core: with clients whose names begin with `name` and a slash.
            name: identity of this run of the bridge.
            settings: see there.
            clock: monotonic, s.
        """
        self.core = core
        self.refused: dict[str, int] = {}
        self._name = name
        self._settings = settings or PumpSettings()
        self._clock = clock
        self._log = node.get_logger()
        self._reader = PerceptReader(f"{name}/")
        self._session = 0
        self._rival = 0
        self._welcome: int | None = None
        self._received = self._answered = 0
        self._needs_layout = True
        self._frame_at = self._sent_at = -1e9
        # When to send what has come in, unless there is a reason to do it earlier.
        self._flush_at: float | None = None
        self._told = Commands()
        self._connected = False
        self._inbox: deque[Any] = deque(maxlen=MAX_INBOX)
        self._wake_up, self._waker = socket.socketpair()
        self._wake_up.setblocking(False)
        self._waker.setblocking(False)
        core.selector.register(self._wake_up, selectors.EVENT_READ, self._woken)
        self._ros = LeanNode(
            node, "link", (CommandFrame, COMMANDS_TOPIC), (PerceptFrame, PERCEPTS_TOPIC), self._receive
        )

    @property
    def connected(self) -> bool:
        """Whether a simulator listens."""
        return self._connected

    def wake(self) -> None:
        """End the wait of `step`; safe from any thread and from signal handlers."""
        # It may be full of wake-ups already, or closed.
        with contextlib.suppress(OSError):
            self._waker.send(b"\0")

    def step(self, timeout: float) -> None:
        """Serve clients and simulator.

        Args:
            timeout: s to wait for something to happen at most.
        """
        if self.core.poll(min(timeout, self._patience())) and self._flush_at is None:
            self._flush_at = self._clock() + self._gather
        while self._inbox:
            self._take_in(self._inbox.popleft())
        self._send_if_due()

    def close(self) -> None:
        """Tell the simulator that all clients are gone, and close the ports."""
        if self._session:
            self._publish(Commands(), closing=True)
            self._ros.publisher.wait_for_all_acked(Duration(seconds=0.5))
        self._ros.close()
        self.core.selector.unregister(self._wake_up)
        self.core.close()
        self._waker.close()
        self._wake_up.close()

    def _receive(self, frame: Any) -> None:
        """Take a frame; called in the thread of the executor."""
        self._inbox.append(frame)
        self.wake()

    def _woken(self, _mask: int) -> None:
        with contextlib.suppress(BlockingIOError):
            self._wake_up.recv(4096)

    def _patience(self) -> float:
        """How long nothing has to be done, s."""
        due = self._sent_at + self._settings.heartbeat
        if self._flush_at is not None and self._connected:
            due = min(due, self._flush_at)
        return max(0.0, due - self._clock())

    @property
    def _gather(self) -> float:
        waited_for = self.core.lockstep and self.core.participants
        return self._settings.gather_lockstep if waited_for else self._settings.gather

    def _take_in(self, frame: Any) -> None:
        if not self._is_ours(frame):
            return
        self._frame_at = self._clock()
        self._check_welcome(dict(zip(frame.bridges, frame.welcomes, strict=False)))
        if frame.cycle == 0:
            self._needs_layout = self._reader.layout is None or self._received == 0
            return
        if frame.cycle <= self._received:
            # Sent again: our answer may have been lost.
            self._sent_at = -1e9
            return
        try:
            percepts = self._reader.read(frame)
        except LayoutMissingError:
            self._needs_layout, self._sent_at = True, -1e9
            return
        except FrameError as error:
            self._refuse(str(error))
            return
        if self._flush_at is not None:
            self._flush()
        self._needs_layout = False
        self.core.lockstep = frame.waits
        self.core.deliver(percepts)
        self._received = frame.cycle
        if not self.core.ready and self.core.participants != self._told.participants:
            # The simulator waits only for those it knows of.
            self._flush()

    def _is_ours(self, frame: Any) -> bool:
        """Tell whether a frame comes from the simulator that the clients play in; follow a new one."""
        if frame.session == self._session:
            return True
        if self._session and self._clock() - self._frame_at < self._settings.takeover:
            if frame.session != self._rival:
                self._rival = frame.session
                self._log.warning("a second simulator sends percepts to this bridge; it is ignored. Use namespaces.")
            return False
        if self._session:
            self.core.agents.drop_all("the simulator was started anew and its robot is gone; it has to connect again")
        self._log.info("a simulator was found")
        self._session = frame.session
        self._received = self._answered = 0
        self._told = Commands()
        self._welcome, self._needs_layout, self._sent_at = None, True, -1e9
        return True

    def _check_welcome(self, welcomes: dict[str, int]) -> None:
        mine = welcomes.get(self._name)
        if mine is None:
            return
        if self._welcome is not None and mine != self._welcome:
            self.core.agents.drop_all(
                "the simulator had given this bridge up and its robot is gone; it has to connect again"
            )
        self._welcome = mine

    def _send_if_due(self) -> None:
        now = self._clock()
        connected = self._ros.matched
        if connected != self._connected:
            self._connected, self._sent_at = connected, -1e9
            if not connected:
                self._log.warning("the simulator is gone; clients get no percepts until there is one again")
        if connected and self._session:
            answers = self._received > self._answered and self.core.ready
            gathered = self._flush_at is not None and now >= self._flush_at
            if answers or gathered:
                self._flush()
        if now - self._sent_at >= self._settings.heartbeat:
            self._publish(replace(self._told, participants=self.core.participants))

    def _flush(self) -> None:
        """Send what has come in, unless there is nothing to tell."""
        if self.core.ready:
            self._answered = self._received
        commands = replace(self.core.take(), answers=self._answered)
        # Before time starts no percepts come that would take the rest along.
        self._flush_at = self._clock() + self._settings.gather_lockstep if self.core.agents.holds_back else None
        state = replace(commands, actions=(), rejected={}, **_NO_JOINTS)
        is_news = len(commands.handles) or commands.actions or commands.rejected
        if is_news or _state(state) != _state(self._told):
            self._told = state
            self._publish(commands)

    def _publish(self, commands: Commands, *, closing: bool = False) -> None:
        self._sent_at = self._clock()
        self._ros.publisher.publish(
            write_commands(
                commands,
                self._name,
                self._session,
                received=self._received,
                needs_layout=self._needs_layout,
                closing=closing,
            )
        )

    def _refuse(self, why: str) -> None:
        field = why.partition(" ")[0]
        if field not in self.refused:
            self._log.warning(f"a frame of the simulator was refused: {why} (more of this is counted, not logged)")
        self.refused[field] = self.refused.get(field, 0) + 1


_EMPTY = Commands()
_NO_JOINTS: dict[str, Any] = {"handles": _EMPTY.handles, "joints": _EMPTY.joints, "velocities": _EMPTY.velocities}


def _state(commands: Commands) -> tuple[int, int, bool]:
    return commands.answers, commands.participants, commands.wants_poses

"""The link to bridges in other processes or on other machines: one message each way a cycle."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from rclpy.node import Node

from simspark_ros.exchange import Commands, GameSnapshot, Layout, Percepts
from simspark_ros.msg import CommandFrame, PerceptFrame
from simspark_ros.ros.bridge.fast_subscriber import COMMANDS_TOPIC, PERCEPTS_TOPIC, LeanNode
from simspark_ros.ros.bridge.frames import write_percepts
from simspark_ros.ros.bridge.remote_bridges import BridgeRegister
from simspark_ros.simulation.agent_control import AgentLink

_HELLO = Percepts(0, 0.0, Layout(0, (), ()), GameSnapshot(0, "", 0, 0, 1, "", ""), np.zeros(0), np.zeros(0, np.bool_))
"""Cycle 0 says nothing but which simulator this is."""


@dataclass(frozen=True)
class DdsLinkSettings:
    """Settings of the simulator's side.

    Attributes:
        bridge_timeout: a bridge that is not heard of for this time is given up, and its clients leave, s; a living
            one sends a sign of life four times a second.
        max_bridges: at a time.
        resend_after: a bridge that has not even received the last percepts after this time gets them again, s.
    """

    bridge_timeout: float = 3.0
    max_bridges: int = 16
    resend_after: float = 0.5


class DdsAgentLink(AgentLink):
    """Exchanges percepts and commands with any number of bridges.

    Messages are received in a thread of its own. With two threads of the simulation `deliver` runs in another one
    beside physics, and never while a different method runs.

    Attributes:
        lockstep: whether the simulation waits for all participants; to be kept up to date by whoever changes the
            pacing.
    """

    def __init__(
        self,
        node: Node,
        settings: DdsLinkSettings | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start receiving.

        Args:
            node: of the simulator: gives namespace, remapping and logger. It need not be spun for the link.
            settings: see there.
            clock: monotonic, s.
        """
        self.lockstep = False
        self._settings = settings or DdsLinkSettings()
        self._clock = clock
        self._session = secrets.randbits(64) | 1
        self._lock = threading.Condition()
        self._register = BridgeRegister(self._session, self._settings.max_bridges, node.get_logger())
        self._news = False
        self._introduce = False
        self._percepts: Percepts | None = None
        self._cycle = 0
        self._sent_at = clock()
        self._sent_layout: int | None = None
        self._ros = LeanNode(
            node, "link", (PerceptFrame, PERCEPTS_TOPIC), (CommandFrame, COMMANDS_TOPIC), self._receive
        )

    @property
    def bridges(self) -> tuple[str, ...]:
        """Names of the bridges that are known."""
        with self._lock:
            return tuple(self._register.bridges)

    @property
    def participants(self) -> int:
        """How many clients lock-step has to wait for, as last told by all bridges."""
        with self._lock:
            return self._register.participants

    @property
    def ready(self) -> bool:
        """Whether every bridge with participants has answered the last delivered percepts."""
        with self._lock:
            return self._register.ready(self._cycle)

    def wait(self, timeout: float) -> None:
        """Wait until something came in or the timeout (s) has passed."""
        self._tend()
        with self._lock:
            if not self._news and timeout > 0.0:
                self._lock.wait(timeout)
            self._news = False

    def take(self) -> Commands:
        """Everything that came in since the last call, bridges and clients in the order of their names."""
        with self._lock:
            return self._register.take()

    def deliver(self, percepts: Percepts) -> None:
        """Publish perception if a bridge listens."""
        with self._lock:
            if self._percepts is None or percepts.layout is not self._percepts.layout:
                self._register.own(percepts.layout, percepts.cycle)
            self._percepts = percepts
            self._cycle = percepts.cycle
        self._publish(percepts)

    def close(self) -> None:
        """Stop receiving."""
        self._ros.close()

    def _publish(self, percepts: Percepts, *, again: bool = False) -> None:
        self._sent_at = self._clock()
        if not self._ros.matched:
            self._sent_layout = None
            return
        with self._lock:
            bridges = self._register.bridges.values()
            layout = again or self._sent_layout != percepts.layout.revision or any(b.needs_layout for b in bridges)
            welcomes = self._register.welcomes
        frame = write_percepts(percepts, self._session, waits=self.lockstep, bridges=welcomes, layout=layout)
        if layout:
            self._sent_layout = percepts.layout.revision
        self._ros.publisher.publish(frame)

    def _tend(self) -> None:
        """Give up silent bridges, and send again what a bridge has missed: in lock-step all would wait for ever."""
        now = self._clock()
        with self._lock:
            self._register.give_up(
                now - self._settings.bridge_timeout,
                f"was not heard of for {self._settings.bridge_timeout:g} s",
            )
            introduce, self._introduce = self._introduce, False
            bridges = self._register.bridges.values()
            missing = any(bridge.received < self._cycle or bridge.needs_layout for bridge in bridges)
        if introduce:
            self._publish(_HELLO)
        if self._percepts and missing and now - self._sent_at > self._settings.resend_after:
            self._publish(self._percepts, again=True)

    def _receive(self, frame: Any) -> None:
        """Take a frame; called in the thread of the executor."""
        now = self._clock()
        with self._lock:
            self._introduce |= self._register.accept(frame, now)
            self._news = True
            self._lock.notify()

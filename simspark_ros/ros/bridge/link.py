"""The link to bridges in other processes or on other machines: one message each way a cycle."""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass, field

from rclpy.node import Node

from simspark_ros.configuration.limits import REMOTE_MESSAGE
from simspark_ros.exchange import Commands, Percepts
from simspark_ros.ros.bridge.fast_subscriber import COMMANDS_TOPIC, PERCEPTS_TOPIC, FastSubscriber
from simspark_ros.ros.limits import MAX_BRIDGE_AGENTS
from simspark_ros.server.hold_up import HoldUp
from simspark_ros.server.remote.codec import (
    CommandsMessage,
    PerceptsMessage,
    check_name,
    decode,
    encode,
    identity_of,
    pack_layout,
    pack_percepts,
)
from simspark_ros.server.remote.ledger import Ledger, RemoteSide
from simspark_ros.server.remote.serialization import CodecError, check
from simspark_ros.simulation.agent_control import AgentLink
from simspark_ros.simulation.pacing.awake_clock import awake_time

RESEND_AFTER = 0.5
"""Time after which a bridge that has not received the last percepts gets them again, s."""


_IMPOSTOR = "another process already has this bridge's name; give each bridge its own `bridge_name`"


@dataclass(eq=False)
class _Bridge(RemoteSide):
    """One bridge.

    Attributes:
        welcome: serial number of its admission.
        identity: hash of the bridge's secret; tells its messages from messages of other bridges with the same name.
        needs_layout: whether it waits for the layout.
        hold_up: time for which robots of others have waited for it in lock-step.
    """

    name: str = ""
    identity: str = ""
    welcome: int = 0
    needs_layout: bool = True
    hold_up: HoldUp = field(default_factory=HoldUp)


class DdsAgentLink(AgentLink):
    """Exchanges percepts and commands with any number of bridges.

    A thread of the link's own receives messages, so the node need not be spun. If the simulation has two threads,
    `deliver` runs in the second one beside physics, but never while another method runs. A bridge that is silent for
    `bridge_timeout`, s, is dropped, and its clients leave; heartbeats come four times a second. In lock-step a bridge
    is also dropped if it is alive but has not answered percepts for `answer_timeout`, s, or has held up others for six
    times as long in all; None = never. Messages of more than `max_message` bytes are refused.

    Attributes:
        lockstep: whether the simulation waits for all participants; follows the pacing.
    """

    def __init__(
        self,
        node: Node,
        answer_timeout: float | None = None,
        bridge_timeout: float = 3.0,
        max_bridges: int = 16,
        max_message: int = REMOTE_MESSAGE,
    ) -> None:
        self.lockstep = False
        self._max_message = max_message
        self._answer_timeout, self._bridge_timeout, self._max_bridges = answer_timeout, bridge_timeout, max_bridges
        self._log = node.get_logger()
        self._session = secrets.randbits(62) | 1
        self._lock = threading.Condition()
        self._ledger = Ledger(MAX_BRIDGE_AGENTS)
        self._bridges: dict[str, _Bridge] = {}
        self._welcomes = 0
        self._warned: set[str] = set()
        self._news = False
        self._introduce = False
        self._percepts: Percepts | None = None
        self._sent_at = self._delivered_at = awake_time()
        self._sent_layout: int | None = None
        self._ros = FastSubscriber(node, "link", PERCEPTS_TOPIC, COMMANDS_TOPIC, self._receive)

    @property
    def bridges(self) -> tuple[str, ...]:
        """Names of the bridges that are known."""
        with self._lock:
            return tuple(self._bridges)

    @property
    def participants(self) -> int:
        """How many clients lock-step has to wait for, as last reported by all bridges."""
        with self._lock:
            return self._ledger.participants

    @property
    def ready(self) -> bool:
        """Whether every bridge with participants has answered the last delivered percepts."""
        with self._lock:
            return self._ledger.is_ready

    def wait(self, timeout: float) -> None:
        """Wait until something came in or the timeout (s) has passed."""
        self._check_timeouts()
        with self._lock:
            if not self._news and timeout > 0.0:
                self._lock.wait(timeout)
            self._news = False

    def take(self) -> Commands:
        """Everything that came in since the last call, bridges and clients in the order of their names."""
        with self._lock:
            return self._ledger.take()

    def deliver(self, percepts: Percepts) -> None:
        """Publish perception if a bridge listens."""
        with self._lock:
            self._ledger.cycle = percepts.cycle
            if self._percepts is None or percepts.layout is not self._percepts.layout:
                self._ledger.adopt(percepts.layout, percepts.cycle)
            for bridge in self._bridges.values():
                bridge.delivered = percepts.cycle
            self._percepts = percepts
            self._delivered_at = awake_time()
        self._publish(percepts)

    def close(self) -> None:
        """Stop receiving."""
        self._ros.close()

    def _publish(self, percepts: Percepts | None, *, again: bool = False) -> None:
        """Send percepts, or only the session."""
        self._sent_at = awake_time()
        if not self._ros.matched:
            self._sent_layout = None
            return
        with self._lock:
            layout = again or any(bridge.needs_layout for bridge in self._bridges.values())
            welcomes = {bridge.name: bridge.welcome for bridge in self._bridges.values()}
        cycle, data, packed = 0, b"", b""
        if percepts is not None:
            if layout or self._sent_layout != percepts.layout.revision:
                packed, self._sent_layout = pack_layout(percepts.layout), percepts.layout.revision
            cycle, data = percepts.cycle, pack_percepts(percepts)
        self._ros.send(encode(PerceptsMessage(cycle, self.lockstep, data, packed, self._session, welcomes)))

    def _check_timeouts(self) -> None:
        """Drop silent bridges, and repeat what a bridge has missed: else everybody would wait forever in lock-step."""
        now, limit, patience = awake_time(), self._bridge_timeout, self._answer_timeout
        with self._lock:
            for remote in self._ledger.silent(now - limit):
                self._drop(self._bridges[remote.prefix[:-1]], f"has sent nothing for {limit:g} s (bridge_timeout)")
            if self.lockstep and patience is not None:
                self._check_answers(now - self._delivered_at, patience)
            introduce, self._introduce = self._introduce, False
            bridges = self._bridges.values()
            missing = any(bridge.received < self._ledger.cycle or bridge.needs_layout for bridge in bridges)
        if introduce:
            self._publish(None)
        if self._percepts and missing and now - self._sent_at > RESEND_AFTER:
            self._publish(self._percepts, again=True)

    def _check_answers(self, silence: float, patience: float) -> None:
        for bridge in [one for one in self._bridges.values() if not one.is_ready]:
            holding = silence if bridge.others else 0.0
            if silence > patience:
                self._drop(bridge, f"is alive but has not answered for {patience:g} s (bridge_answer_timeout)")
            elif why := bridge.hold_up.refusal(holding, patience):
                self._drop(bridge, f"{why} (six times bridge_answer_timeout)")

    def _receive(self, data: bytes) -> None:
        """Take a message; called in the thread of the subscriber. Never raises: anything may be published."""
        with self._lock:
            try:
                check(f"it is longer than {self._max_message} bytes", len(data) <= self._max_message)
                self._accept(decode(data, CommandsMessage))
            except CodecError as error:
                self._refuse("", str(error))
            self._news = True
            self._lock.notify()

    def _accept(self, message: CommandsMessage) -> None:
        """Take the message of a bridge, which may be new or may take this simulator for another one."""
        bridge = self._bridges.get(message.name)
        is_new = bridge is None
        if message.farewell:
            self._end(bridge, message)
            return
        if bridge is None:
            check_name(message.name)
            if len(self._bridges) >= self._max_bridges:
                self._refuse(message.name, f"{self._max_bridges} bridges have joined, which is the limit (max_bridges)")
                return
            bridge = self._add(message)
        elif message.identity != bridge.identity:
            self._refuse(message.name, _IMPOSTOR)
            return
        bridge.silent_since = awake_time()
        # Commands for another simulator are not executed.
        is_meant = message.session == self._session
        self._introduce |= is_new or not is_meant
        bridge.needs_layout = message.needs_layout or not is_meant
        if is_meant:
            was_ready = bridge.is_ready
            try:
                self._ledger.accept(bridge, message)
            except CodecError as error:
                self._refuse(message.name, str(error))
            if self.lockstep and bridge.is_ready and not was_ready:
                bridge.hold_up.answered(awake_time() - self._delivered_at if bridge.others else 0.0)

    def _end(self, bridge: _Bridge | None, message: CommandsMessage) -> None:
        """Let a bridge end itself, and no other one."""
        if bridge is None:
            return
        if identity_of(message.farewell) != bridge.identity:
            self._refuse(message.name, _IMPOSTOR)
            return
        self._log.info(f"bridge '{message.name}' ends")
        self._remove(bridge)

    def _add(self, message: CommandsMessage) -> _Bridge:
        name = message.name
        self._welcomes += 1
        bridge = _Bridge(f"{name}/", name=name, identity=message.identity, welcome=self._welcomes)
        self._bridges[name] = bridge
        self._ledger.add(bridge)
        self._log.info(f"bridge '{name}' joins")
        return bridge

    def _drop(self, bridge: _Bridge, why: str) -> None:
        clients = f"its {len(bridge.clients)} clients leave" if bridge.clients else "it had no clients"
        self._log.warning(f"bridge '{bridge.name}' {why}; {clients}, and the match goes on without it")
        self._remove(bridge)

    def _remove(self, bridge: _Bridge) -> None:
        self._ledger.remove(bridge)
        del self._bridges[bridge.name]

    def _refuse(self, name: str, why: str) -> None:
        self._ledger.count("message of a bridge")
        if name not in self._warned and len(self._warned) < MAX_BRIDGE_AGENTS:
            self._warned.add(name)
            self._log.warning(f"a message of bridge {name!a} was refused: {why} (more of this is counted, not logged)")

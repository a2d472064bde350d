"""The bridges that a simulator knows, what it accepts from them, and when it gives one up. No ROS, no clock."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from simspark_ros.exchange import Action, Commands, Layout
from simspark_ros.ros.bridge.flat_arrays import FrameError
from simspark_ros.ros.bridge.frames import read_commands
from simspark_ros.server.classic_server import in_client_order
from simspark_ros.server.client_log import Logger

MAX_PENDING = 256
"""Frames of one bridge kept until the simulation takes them; more come in only while it is paused."""

MAX_CLIENTS = 1024
"""Clients of one bridge at a time."""

_MAX_NAME = 64


@dataclass
class KnownBridge:
    """One bridge.

    Attributes:
        name: its identity.
        welcome: serial number of its welcome.
        seen: when it was heard of last, s.
        state: answers, participants and wishes as last told.
        received: cycle of the last percepts that it has.
        needs_layout: whether it waits for the layout.
        pending: what it sent since the last `take`.
        clients: that have acted and are not gone, in the order in which they came.
        handles: of all robots that its clients ever had.
        robots: how many of them there are now.
        robots_since: cycle of the first percepts that show so many.
    """

    name: str
    welcome: int
    seen: float
    state: Commands = field(default_factory=Commands)
    received: int = 0
    needs_layout: bool = True
    pending: deque[Commands] = field(default_factory=deque)
    clients: dict[str, None] = field(default_factory=dict)
    handles: set[int] = field(default_factory=set)
    robots: int = 0
    robots_since: int = 0

    @property
    def participants(self) -> int:
        """How many clients lock-step has to wait for.

        Until the bridge has said what it makes of new robots, all of them: time must not run on in between.
        """
        told = self.state.participants
        return told if self.received >= self.robots_since else max(told, self.robots)


class BridgeRegister:
    """Keeps account of bridges. Whoever shares it between threads locks it.

    Attributes:
        bridges: by name.
        rejected: what was refused since the last `take`, by reason.
    """

    def __init__(self, session: int, max_bridges: int, log: Logger) -> None:
        """Start without bridges.

        Args:
            session: identity of this run of the simulator.
            max_bridges: at a time.
            log: for the operator.
        """
        self.bridges: dict[str, KnownBridge] = {}
        self.rejected: Counter[str] = Counter()
        self._session = session
        self._max_bridges = max_bridges
        self._log = log
        self._welcomes = 0
        self._leaving: list[Action] = []
        self._warned: set[tuple[str, str]] = set()

    @property
    def participants(self) -> int:
        """Clients that lock-step has to wait for."""
        return sum(bridge.participants for bridge in self.bridges.values())

    @property
    def welcomes(self) -> dict[str, int]:
        """Serial number of the welcome of each bridge."""
        return {bridge.name: bridge.welcome for bridge in self.bridges.values()}

    def ready(self, cycle: int) -> bool:
        """Whether every bridge with participants has answered a cycle."""
        return all(b.state.answers >= cycle for b in self.bridges.values() if b.participants)

    def accept(self, frame: Any, now: float) -> bool:
        """Take a `CommandFrame` whole, or refuse it whole; never raises.

        Args:
            frame: from whomever.
            now: s.

        Returns:
            Whether its bridge has to be told about this simulator: it is new or takes it for another one.
        """
        name = str(frame.bridge)[:_MAX_NAME]
        try:
            bridge, is_new = self._bridge(frame.bridge, now, frame.closing)
            if bridge is None:
                return False
            bridge.seen = now
            stranger = is_new or frame.session != self._session
            if frame.session == self._session:
                self._fill(bridge, frame)
            else:
                # Nothing in it was meant for this simulator.
                bridge.needs_layout = True
        except FrameError as error:
            self._refuse(name, str(error))
            return False
        except Exception as error:
            # Whatever else a frame is capable of, it must not end the thread that receives.
            self._refuse(name, f"cannot be understood ({type(error).__name__}: {error})")
            return False
        if frame.closing:
            self._log.info(f"bridge '{name}' ends")
            self._forget(bridge)
            return False
        return stranger

    def own(self, layout: Layout, cycle: int) -> None:
        """Note whose robots there are since a cycle."""
        counts: Counter[str] = Counter()
        for robot in layout.robots:
            name, slash, _ = robot.client.partition("/")
            if slash and name in self.bridges:
                self.bridges[name].handles.add(robot.handle)
                counts[name] += 1
        for bridge in self.bridges.values():
            if counts[bridge.name] > bridge.robots:
                bridge.robots_since = cycle
            bridge.robots = counts[bridge.name]

    def give_up(self, before: float, why: str) -> None:
        """Have the clients of all bridges leave that were not heard of since some time (s)."""
        for bridge in [bridge for bridge in self.bridges.values() if bridge.seen < before]:
            clients = f"its {len(bridge.clients)} clients leave" if bridge.clients else "it had no clients"
            self._log.warning(f"bridge '{bridge.name}' {why}; {clients}, and the match goes on without it")
            self._forget(bridge)

    def take(self) -> Commands:
        """Everything that came in since the last call, bridges in the order of their names."""
        parts: list[Commands] = []
        actions: list[Action] = []
        for bridge in sorted(self.bridges.values(), key=lambda bridge: bridge.name):
            pending = list(bridge.pending)
            bridge.pending.clear()
            parts += pending
            own = [action for commands in pending for action in commands.actions]
            # Clients whose commands came in several frames are not to depend on which one was fastest.
            actions += in_client_order(own) if len(pending) > 1 else own
        for part in parts:
            self.rejected.update(part.rejected)
        rejected, self.rejected = dict(self.rejected), Counter()
        actions, self._leaving = actions + self._leaving, []
        active = [bridge.state for bridge in self.bridges.values() if bridge.state.participants]
        commands = Commands(
            answers=min((state.answers for state in active), default=0),
            participants=self.participants,
            actions=tuple(actions),
            wants_poses=any(bridge.state.wants_poses for bridge in self.bridges.values()),
            rejected=rejected,
        )
        moving = [part for part in parts if len(part.handles)]
        if not moving:
            return commands
        return replace(
            commands,
            handles=np.concatenate([part.handles for part in moving]),
            joints=np.concatenate([part.joints for part in moving]),
            velocities=np.concatenate([part.velocities for part in moving]),
        )

    def _bridge(self, name: str, now: float, closing: bool) -> tuple[KnownBridge | None, bool]:
        if name in self.bridges:
            return self.bridges[name], False
        if not name or len(name) > _MAX_NAME or not name.isprintable() or "/" in name:
            raise FrameError("bridge is not a name of 1 to 64 printable characters without a slash")
        if closing:
            return None, False
        if len(self.bridges) >= self._max_bridges:
            raise FrameError(f"bridge is one too many: {self._max_bridges} are known, which is the limit")
        self._welcomes += 1
        self.bridges[name] = KnownBridge(name, self._welcomes, now)
        self._log.info(f"bridge '{name}' joins")
        return self.bridges[name], True

    def _fill(self, bridge: KnownBridge, frame: Any) -> None:
        commands = read_commands(frame)
        start = f"{bridge.name}/"
        acting = {action.client for action in commands.actions}
        if not all(client.startswith(start) for client in acting):
            raise FrameError("action_clients names a client of another bridge")
        if not bridge.handles.issuperset(set(commands.handles.tolist())):
            raise FrameError("handles names a robot that is not of this bridge's clients")
        if len(bridge.clients.keys() | acting) > MAX_CLIENTS:
            raise FrameError(f"action_clients names more than {MAX_CLIENTS} clients in all")
        bridge.state = replace(commands, actions=(), rejected={})
        bridge.received, bridge.needs_layout = frame.received, frame.needs_layout
        if len(bridge.pending) >= MAX_PENDING:
            # The simulation stands still; only that somebody left must not get lost.
            self.rejected["commands while the simulation is paused"] += 1
            known = [a for a in commands.actions if a.kind == "leave" and a.client in bridge.clients]
            commands = Commands(actions=tuple(known))
        for action in commands.actions:
            if action.kind == "leave":
                bridge.clients.pop(action.client, None)
            else:
                bridge.clients[action.client] = None
        if len(commands.handles) or commands.actions or commands.rejected:
            bridge.pending.append(commands)

    def _forget(self, bridge: KnownBridge) -> None:
        for commands in bridge.pending:
            self._leaving += [action for action in commands.actions if action.kind == "leave"]
        self._leaving += [Action(client, "leave") for client in bridge.clients]
        del self.bridges[bridge.name]

    def _refuse(self, name: str, why: str) -> None:
        self.rejected[f"frame of a bridge: {why.partition(' ')[0]}"] += 1
        key = (name, why.partition(" ")[0])
        if key not in self._warned and len(self._warned) < MAX_CLIENTS:
            self._warned.add(key)
            self._log.warning(f"a frame of bridge {name!a} was refused: {why} (more of this is counted, not logged)")

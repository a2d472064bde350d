"""Account of remote sides: their clients and robots, what is pending, who has to answer, who is late. No sockets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field, replace

import numpy as np

from simspark_ros.exchange import Action, Commands, Layout, RobotLayout
from simspark_ros.server.remote.codec import CommandsMessage
from simspark_ros.server.remote.serialization import check

LATE = "late for its cycle"
"""Start of the reasons counted for commands that have to wait for the next cycle."""

MAX_PENDING = 256
"""Most messages of one remote side kept until the simulation takes them; more come in only while it is paused."""

MAX_ACTIONS = 512
"""Most actions of one side's clients kept until the simulation takes them: as many as 64 agents give in a cycle."""

_MAX_HANDLES = 1024
"""Most robots of one side's clients that are remembered, many more than it can have at a time."""

_MAX_REASONS = 512
"""Most reasons counted by themselves; later ones are counted together."""


@dataclass(eq=False)
class RemoteSide:
    """One remote side: a proxy or a bridge.

    Attributes:
        prefix: start of the keys of its clients in the simulator, and of no others.
        label: start of the reasons under which its rejected input is counted.
        clients: clients that have acted and have not left, as the remote side names them, in order of arrival.
        handles: handles of its clients' present and recent robots: commands for a lost robot may be on their way.
        robots_since: first cycle that showed the number of robots.
        reported: participants by its last message.
        received: cycle of the last percepts that it has.
        delivered: the last cycle whose percepts it was sent.
        answered: the last cycle whose percepts it has answered.
        acted: number of its clients' actions since the last `take`, including those left out.
        silent_since: start of its silence, s; None while it need not say anything.
        others: number of robots in the world that are not of its clients.
    """

    prefix: str
    label: str = ""
    clients: dict[str, None] = field(default_factory=dict)
    robots: tuple[RobotLayout, ...] = ()
    handles: dict[int, None] = field(default_factory=dict)
    robots_since: int = 0
    reported: int = 0
    received: int = 0
    delivered: int = 0
    answered: int = 0
    acted: int = 0
    wants_poses: bool = False
    pending: list[Commands] = field(default_factory=list)
    silent_since: float | None = None
    others: int = 0

    @property
    def participants(self) -> int:
        """How many clients lock-step has to wait for.

        Until the remote side has answered with new robots, all of its robots count: time must not run on in between.
        """
        count = len(self.robots)
        return min(self.reported, count) if self.received >= self.robots_since else count

    @property
    def is_ready(self) -> bool:
        """Whether it has answered the last percepts that it was sent."""
        return self.answered >= self.delivered or not self.participants


class Ledger:
    """Keeps account of remote sides. Threads that share it have to lock it.

    One side has `max_clients` at a time at most; `kinds` of actions are accepted, None = all.
    """

    def __init__(self, max_clients: int, kinds: Collection[str] | None = None) -> None:
        self.remotes: dict[str, RemoteSide] = {}
        self.cycle = 0
        self._max_clients = max_clients
        self._kinds = kinds
        self._leaving: list[Action] = []
        self._rejected: Counter[str] = Counter()
        self._reasons: set[str] = set()
        self._late_counted = 0

    @property
    def participants(self) -> int:
        """How many clients lock-step has to wait for."""
        return sum(remote.participants for remote in self.remotes.values())

    @property
    def is_ready(self) -> bool:
        """Whether every remote side with participants has answered the last percepts that it was sent."""
        return all(remote.is_ready for remote in self.remotes.values())

    def add(self, remote: RemoteSide) -> None:
        """Add a remote side, which need not answer earlier percepts."""
        remote.delivered = remote.answered = self.cycle
        self.remotes[remote.prefix] = remote

    def remove(self, remote: RemoteSide) -> None:
        """Forget a remote side; its clients leave with the next `take`."""
        for commands in remote.pending:
            self._leaving += [action for action in commands.actions if action.kind == "leave"]
        self._leaving += [Action(remote.prefix + client, "leave") for client in remote.clients]
        del self.remotes[remote.prefix]

    def adopt(self, layout: Layout, cycle: int) -> None:
        """Note the robots of each remote side since a cycle."""
        for remote in self.remotes.values():
            robots = tuple(robot for robot in layout.robots if robot.client.startswith(remote.prefix))
            if len(robots) > len(remote.robots):
                remote.robots_since = cycle
            remote.robots, remote.others = robots, len(layout.robots) - len(robots)
            for robot in robots:
                # The oldest come first, and are forgotten first.
                remote.handles.pop(robot.handle, None)
                remote.handles[robot.handle] = None
            for handle in list(remote.handles)[:-_MAX_HANDLES]:
                del remote.handles[handle]

    def accept(self, remote: RemoteSide, message: CommandsMessage) -> int:
        """Take a message, or refuse it whole; returns how many actions of other kinds were left out.

        Actions beyond the limits are left out, too: a crowd of clients must not harm the others.

        Raises:
            CodecError: the message has commands for robots of other clients.
        """
        commands = message.commands
        is_own = remote.handles.keys() >= set(commands.handles.tolist())
        check("a command is for a robot that belongs to none of the sender's clients", is_own)
        check(f"commands answer cycle {commands.answers}, which was never sent", commands.answers <= remote.delivered)
        remote.answered = max(remote.answered, commands.answers)
        remote.received = max(remote.received, commands.answers, message.received)
        remote.reported, remote.wants_poses = commands.participants, commands.wants_poses
        for reason, count in commands.rejected.items():
            self._count_of(remote, reason[:100], count)
        actions = [action for action in commands.actions if self._kinds is None or action.kind in self._kinds]
        if len(remote.pending) >= MAX_PENDING:
            self.count("commands while the simulation is paused")
            # A client's leave must not get lost.
            actions = [action for action in actions if action.kind == "leave" and action.client in remote.clients]
            commands = Commands()
        actions = [action for action in actions if self._admits(remote, action)]
        if actions or len(commands.handles):
            named = tuple(replace(action, client=remote.prefix + action.client) for action in actions)
            remote.pending.append(replace(commands, actions=named))
        return sum(action.kind not in self._kinds for action in commands.actions) if self._kinds is not None else 0

    def _admits(self, remote: RemoteSide, action: Action) -> bool:
        """Note who acts and who leaves; returns whether the action and its client are within the limits."""
        if action.kind == "leave" and action.client in remote.clients:
            del remote.clients[action.client]
            return True
        remote.acted += 1
        if remote.acted > MAX_ACTIONS:
            self._count_of(remote, f"more than {MAX_ACTIONS} actions in one cycle")
            return False
        if action.kind == "leave":
            return True
        if action.client in remote.clients or len(remote.clients) < self._max_clients:
            remote.clients[action.client] = None
            return True
        self._count_of(remote, f"more than {self._max_clients} clients at a time")
        return False

    def _count_of(self, remote: RemoteSide, reason: str, count: int = 1) -> None:
        self.count(f"{remote.label}: {reason}" if remote.label else reason, count)

    def count(self, reason: str, count: int = 1) -> None:
        """Count rejected input."""
        if reason not in self._reasons and len(self._reasons) >= _MAX_REASONS:
            reason = "further reasons of remote clients"
        self._reasons.add(reason)
        self._rejected[reason] += count

    def count_late(self) -> list[RemoteSide]:
        """Count, once a cycle, the clients whose commands are late; return their sides."""
        if self._late_counted >= self.cycle:
            return []
        self._late_counted = self.cycle
        late = [remote for remote in self.remotes.values() if not remote.is_ready]
        for remote in late:
            for robot in remote.robots:
                self.count(f"{LATE}: {remote.label} {client_name(robot.client[len(remote.prefix) :], robot)}")
        return late

    def silent(self, before: float) -> list[RemoteSide]:
        """Remote sides that have been silent since before a time (s)."""
        return [r for r in self.remotes.values() if r.silent_since is not None and r.silent_since < before]

    def take(self) -> Commands:
        """Everything that came in since the last call, remote sides and their clients in the order of their names."""
        parts: list[Commands] = []
        actions: list[Action] = []
        remotes = sorted(self.remotes.values(), key=lambda remote: _client_order(remote.prefix[:-1]))
        for remote in remotes:
            pending, remote.pending, remote.acted = remote.pending, [], 0
            parts += [commands for commands in pending if len(commands.handles)]
            own = [action for commands in pending for action in commands.actions]
            # Clients whose commands came in several messages must not depend on which one was fastest.
            actions += sorted(own, key=lambda action: _client_order(action.client)) if len(pending) > 1 else own
        actions, self._leaving = actions + self._leaving, []
        rejected, self._rejected = dict(self._rejected), Counter()
        moving = parts or [Commands()]
        return Commands(
            answers=min((remote.answered for remote in remotes if remote.participants), default=0),
            participants=self.participants,
            handles=np.concatenate([part.handles for part in moving]),
            joints=np.concatenate([part.joints for part in moving]),
            velocities=np.concatenate([part.velocities for part in moving]),
            actions=tuple(actions),
            wants_poses=any(remote.wants_poses for remote in remotes),
            rejected=rejected,
        )


def client_name(client: str, robot: RobotLayout | None) -> str:
    """Name an agent for people, e.g. `agent-3 (Red 7)`."""
    return f"{client} ({robot.team} {robot.unum})" if robot and robot.unum else client


def _client_order(client: str) -> tuple[str, int]:
    """Key that sorts clients as `ClassicServer.take` orders their actions: agents first, by their numbers."""
    stem = client.rstrip("0123456789")
    digits = client[len(stem) :]
    return stem, int(digits[:18] or "0")

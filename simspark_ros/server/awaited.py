"""The participants that all wait for in lock-step, and since when."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from operator import attrgetter

from simspark_ros.server.agent_connection import AgentConnection, AgentServerSettings

_MORE_PATIENCE = "--silent-timeout or silent_timeout allows more, 0 = any time"

_NUMBER = attrgetter("number")


class Awaited:
    """Agents of one server that have not answered the last percepts.

    Attributes:
        agents: agents that have not answered yet.
        lockstep: whether the next cycle waits for them, so that silent ones have to be disconnected.
        others_wait: tells whether participants of other servers have answered, and wait for the agents here.
    """

    def __init__(self, settings: AgentServerSettings, clock: Callable[[], float]) -> None:
        self.agents: set[AgentConnection] = set()
        self.lockstep = False
        self.others_wait: Callable[[], bool] = lambda: False
        self._settings, self._clock = settings, clock
        self._players: Collection[AgentConnection] = ()
        self._delivered_at = clock()
        self._others_wait_since: float | None = None
        self._first_answer_at: float | None = None

    def begin(self, players: Collection[AgentConnection]) -> None:
        """Wait for the players, to whom percepts have just been delivered; the server takes out those that leave."""
        self._delivered_at, self._players = self._clock(), players
        self.agents = {agent for agent in players if agent.is_read}
        self._others_wait_since = self._first_answer_at = None

    def answered(self, agent: AgentConnection) -> None:
        """Wait for an agent no more; in lock-step, charge it with the time for which half of the others have waited."""
        if agent not in self.agents:
            return
        self.agents.discard(agent)
        if not self.lockstep:
            return
        now = self._first_answer_at
        if now is None:
            now = self._first_answer_at = self._clock()
        if self._others_wait_since is not None:
            agent.hold_up.answered(self._clock() - self._others_wait_since)
            return
        players = len(self._players)
        if 2 * len(self.agents) <= players:
            self._others_wait_since = now if len(self.agents) == players - 1 else self._clock()
        agent.hold_up.answered(0.0)

    def overdue(self, now: float) -> Iterator[tuple[AgentConnection, str]]:
        """Agents that lock-step waits for no longer, and why; those that have just joined are let go in peace."""
        if not (self.lockstep and self.agents):
            return
        grace, limit = self._settings.grace, self._settings.silent_timeout
        silence = now - self._delivered_at
        # An agent may think as long as it likes while nobody waits for it.
        since = self._delivered_at if self.others_wait() else self._first_answer_at
        waited = 0.0 if since is None else now - since
        holding = 0.0 if self._others_wait_since is None else now - self._others_wait_since
        for agent in sorted(self.agents, key=_NUMBER):
            if agent.percepts <= grace and silence > self._settings.grace_timeout:
                self.agents.discard(agent)
            elif limit and (waited > limit or (silence > limit and agent.received and not agent.synchronises)):
                why = f"has not answered with (syn) for {limit:g} s and is disconnected, as all wait for it"
                if agent.received and not agent.synchronises:
                    why += (
                        "; it has never sent (syn), so it is one for real time: run the server with --pacing realtime, "
                        "or have it send (syn) after each answer"
                    )
                yield agent, f"{why}; {_MORE_PATIENCE}"
            elif limit and (why := agent.hold_up.refusal(holding, limit)):
                yield agent, f"{why} and is disconnected; {_MORE_PATIENCE}"

"""The link to a bridge in the simulator's own process: the same values pass as through DDS, by plain calls."""

from __future__ import annotations

from simspark_ros.exchange import Commands, Percepts
from simspark_ros.server.classic_server import BridgeCore
from simspark_ros.server.tcp_server import ClientStatus
from simspark_ros.simulation.agent_control import AgentLink


class DirectLink(AgentLink):
    """Serves clients whenever the simulation waits.

    With two threads `deliver` runs in another one beside physics, and never while a different method runs.

    Attributes:
        core: the bridge.
    """

    def __init__(self, core: BridgeCore) -> None:
        """Link to a bridge, which `close` will close."""
        self.core = core

    @property
    def lockstep(self) -> bool:
        """Whether the simulation waits for all participants; to be kept up to date by whoever changes the pacing."""
        return self.core.lockstep

    @lockstep.setter
    def lockstep(self, value: bool) -> None:
        self.core.lockstep = value

    @property
    def participants(self) -> int:
        """How many clients lock-step has to wait for."""
        return self.core.agents.participants

    @property
    def ready(self) -> bool:
        """Whether every participant has answered the last perception."""
        return self.core.agents.ready

    def wait(self, timeout: float) -> None:
        """Serve clients until something came in or the timeout (s) has passed."""
        self.core.poll(timeout)

    def take(self) -> Commands:
        """Everything that came in since the last call."""
        return self.core.take()

    def deliver(self, percepts: Percepts) -> None:
        """Send perception to all clients."""
        self.core.deliver(percepts)

    def clients(self) -> list[ClientStatus]:
        """Return diagnostics of all connected clients."""
        return self.core.clients()

    def close(self) -> None:
        """Disconnect all clients and give the ports back."""
        self.core.close()

"""The ports of classic agents and monitors, in the process of a simulation or in a bridge to it over DDS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace

from simspark_ros.exchange import Commands, Percepts
from simspark_ros.kernels.sockets import Selector
from simspark_ros.protocol.agent.dialect import load_dialect
from simspark_ros.protocol.monitor.encoder import MonitorEncoder
from simspark_ros.protocol.monitor.look import load_look
from simspark_ros.protocol.monitor.rsmp import RSMP_COMMANDS, RsmpEncoder
from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.agents.server import AgentServer
from simspark_ros.server.monitor_server import MonitorServer, MonitorServerSettings, RsmpServerSettings
from simspark_ros.server.tcp.client_log import LOG, Logger
from simspark_ros.server.tcp.connection import ClientStatus
from simspark_ros.server.tcp.framed_server import CHECK_INTERVAL, ServerContext
from simspark_ros.simulation.agent_control import AgentLink
from simspark_ros.simulation.pacing.awake_clock import awake_time


@dataclass(frozen=True)
class ClassicServerSettings:
    """Ports, and the dialect of agents: a name or a file, see `load_dialect`. None = no port of monitors.

    Attributes:
        types: number of types of robots to choose from, where that is not as the profile says; else 0.
        rsmp: port of monitors of the league since 2026; None = no such port.
    """

    agents: AgentServerSettings = field(default_factory=AgentServerSettings)
    monitors: MonitorServerSettings | None = field(default_factory=MonitorServerSettings)
    profile: str = "measured"
    types: int = 0
    rsmp: RsmpServerSettings | None = None


class ClassicServer(AgentLink):
    """Serves agents and monitors with one selector. One thread at a time may call it.

    In the simulator's process it is an `AgentLink` itself: percepts and commands pass by reference. If the simulation
    has two threads, `deliver` runs in the second one beside physics, but never while another method runs.

    Attributes:
        selector: selector of all clients; other file descriptors may be added, with a function of the events' mask.
        profile: the dialect of agents.
        monitors, rsmp: ports of classic monitors and of monitors of the league since 2026, if there are such ports.

    Raises:
        PortError: a port cannot be opened; the message names it and the remedy.
        ConfigurationError: the profile cannot be used.
    """

    def __init__(
        self, settings: ClassicServerSettings, *, log: Logger = LOG, clock: Callable[[], float] = awake_time
    ) -> None:
        profile = load_dialect(settings.profile)
        self.profile = profile.with_types(settings.types) if settings.types else profile
        with ExitStack() as failed:
            self.selector = failed.enter_context(closing(Selector()))
            context = ServerContext(self.selector, log, clock)
            self.monitors: MonitorServer | None = None
            if settings.monitors:
                self.monitors = MonitorServer(settings.monitors, MonitorEncoder(load_look()), context)
                failed.callback(self.monitors.close)
            self.rsmp: MonitorServer | None = None
            if settings.rsmp:
                self.rsmp = MonitorServer(settings.rsmp, RsmpEncoder(load_look()), context, RSMP_COMMANDS)
                failed.callback(self.rsmp.close)
            # Last: a learner that finds the agents' port open connects to the monitors' port at once.
            self.agents = AgentServer(settings.agents, self.profile, context)
            self._monitor_ports = [port for port in (self.monitors, self.rsmp) if port]
            failed.pop_all()

    @property
    def lockstep(self) -> bool:
        """Whether the simulator waits for all participants, so that silent ones have to be disconnected."""
        return self.agents.lockstep

    @lockstep.setter
    def lockstep(self, value: bool) -> None:
        self.agents.lockstep = value

    @property
    def participants(self) -> int:
        """How many clients lock-step has to wait for."""
        return self.agents.participants

    @property
    def ready(self) -> bool:
        """Whether every participant has answered the last perception."""
        return self.agents.ready

    def poll(self, timeout: float) -> bool:
        """Serve all clients for one event or `timeout` s at most; returns whether something happened."""
        happened: bool = self.selector.serve(min(timeout, CHECK_INTERVAL))
        self.agents.check_timeouts()
        for port in self._monitor_ports:
            port.check_timeouts()
        return happened

    def wait(self, timeout: float) -> None:
        """Serve clients until something came in or the timeout (s) has passed."""
        self.poll(timeout)

    def take(self) -> Commands:
        """Commands of all clients since the last call: agents in the order of their names, then monitors."""
        commands = self.agents.take()
        actions, rejected = commands.actions, commands.rejected
        for port in self._monitor_ports:
            trained, refused = port.take()
            if trained or refused:
                actions += trained
                rejected = dict(Counter(rejected) + Counter(refused))
        if actions or rejected is not commands.rejected:
            sound = tuple(action for action in actions if action.is_finite)
            if faults := len(actions) - len(sound):
                rejected = dict(Counter(rejected) + Counter({"number that is not finite": faults}))
            commands = replace(commands, actions=sound, rejected=rejected)
        return replace(commands, wants_poses=True) if self._wants_poses else commands

    def deliver(self, percepts: Percepts) -> None:
        """Send perception to all clients."""
        self.agents.deliver(percepts)
        for port in self._monitor_ports:
            port.deliver(percepts, self.agents.robotless)

    @property
    def _wants_poses(self) -> bool:
        for port in self._monitor_ports:
            if port.wants_poses:
                return True
        pictures = self.agents.pictures
        return pictures is not None and self.participants > 0 and pictures.wants_poses

    def clients(self) -> list[ClientStatus]:
        """Return diagnostics of all connected clients, agents first."""
        return [*self.agents.clients(), *(status for port in self._monitor_ports for status in port.clients())]

    def close(self) -> None:
        """Disconnect all clients and close the ports; repeated calls do nothing."""
        self.agents.close()
        for port in self._monitor_ports:
            port.close()
        self.selector.close()

"""A proxy, its simulator and the network between them in virtual time: sockets are real, every clock is made up."""

import heapq
import itertools
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from simspark_ros.protocol.agent.profile import Profile
from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.remote.codec import Hello, encode
from simspark_ros.server.remote.link import ProxyLink, ProxyLinkSettings
from simspark_ros.server.remote.proxy import ProxyCore
from simspark_ros.server.settings import ProxySettings
from simspark_ros.server.tcp.framed_server import ServerContext
from test.rigs.stub_world import AgentServerRig, Client, Clock, Lines, ServerRig, StubWorld
from test.rigs.waiting import until

CYCLE = 0.02
SCENE = "(scene rsg/agent/nao/nao.rsg)"


class Simulator:
    """The simulator's end of a proxy's connection, made of lists.

    Attributes:
        inbox: messages for the proxy.
        sent: messages of the proxy.
        idle: whether the proxy may send.
    """

    def __init__(self) -> None:
        self.inbox: deque[bytes] = deque()
        self.sent: list[bytes] = []
        self.idle = True
        self.on_send: Callable[[bytes], None] = self.sent.append

    def send(self, payload: bytes) -> None:
        assert self.idle
        self.on_send(payload)


class ProxyRig(ServerRig):
    """A proxy with agents on one side and a made-up simulator on the other."""

    def __init__(self, **settings: object) -> None:
        self.clock, self.log, self.simulator = Clock(), Lines(), Simulator()
        agents = AgentServerSettings(port=0, grace=0)
        made = ProxySettings(("", 0), name="east", **settings)  # type: ignore[arg-type]
        self.core = ProxyCore(made, agents, log=self.log, clock=self.clock)
        super().__init__(self.core.agents, self.step)

    def step(self) -> None:
        self.core.step(self.simulator, 0.0)

    def close(self) -> None:
        super().close()
        self.core.close()


class ProxyLinkRig(ServerRig):
    """The simulator's port of proxies, with hand-made proxies."""

    def __init__(self, **settings: object) -> None:
        self.clock, self.log, self.world = Clock(), Lines(), StubWorld()
        made = ProxyLinkSettings(port=0, **settings)  # type: ignore[arg-type]
        self.link = ProxyLink(made, ServerContext(log=self.log, clock=self.clock))
        self.link.lockstep = True
        super().__init__(self.link, lambda: self.link.wait(0.01))

    def greet(self, name: str = "east", cycle: float = CYCLE) -> Client:
        client = self.connect()
        self.tell(client, encode(Hello(name, cycle)))
        return client

    def close(self) -> None:
        super().close()
        self.link.close()


class Timeline:
    """Events in the order of virtual time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()

    def at(self, when: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._events, (when, next(self._numbers), action))

    def run(self, end: Callable[[], bool]) -> None:
        while not end():
            self._clock.now, _, action = heapq.heappop(self._events)
            action()


@dataclass
class Counts:
    """The commands of all agents, by their time of arrival.

    Attributes:
        in_time: number of commands taken in the cycle for which they were meant.
        late: number of commands taken later.
        thinking: time of each percept's reader until the last moment for an answer, s.
    """

    in_time: int = 0
    late: int = 0
    thinking: list[float] = field(default_factory=list)

    def note(self, stamps: list[float], cycle: int) -> None:
        self.in_time += sum(stamp == cycle for stamp in stamps)
        self.late += sum(stamp < cycle for stamp in stamps)


class Delays:
    """Delays of a network, one for each message, s; from a seed."""

    def __init__(self, seed: int, largest: float) -> None:
        self._random = np.random.default_rng(seed)
        self._largest = largest

    def __call__(self) -> float:
        return float(self._random.uniform(0.0, self._largest))


def play_direct(profile: Profile, delay: Callable[[], float], think: float, cycles: int) -> Counts:
    """Agents behind a network, connected to the simulator itself, which runs in real time."""
    rig, counts = AgentServerRig(profile, AgentServerSettings(port=0, grace=0)), Counts()
    rig.server.lockstep = False
    world, timeline, start = rig.world, Timeline(rig.clock), rig.clock.now
    agents = [rig.connect() for _ in range(2)]

    def cycle() -> None:
        counts.note(rig.cycle().velocities.tolist(), world.cycle - 1)
        for client in agents:
            down, up = delay(), delay()
            stamp = world.cycle
            counts.thinking.append(CYCLE - down - up)
            timeline.at(rig.clock.now + down + think + up, lambda c=client, s=stamp: rig.tell(c, f"(he1 {s})(syn)"))  # type: ignore[misc]
        timeline.at(start + world.cycle * CYCLE, cycle)

    try:
        for client in agents:
            rig.tell(client, SCENE)
        world.apply(rig.server.take())
        cycle()
        timeline.run(lambda: world.cycle >= cycles)
    finally:
        rig.close()
    return counts


def play_with_proxy(delay: Callable[[], float], think: float, cycles: int) -> Counts:
    """The same agents at a proxy near them, and the network between proxy and simulator in lock-step."""
    proxy_rig, link_rig, counts = ProxyRig(), ProxyLinkRig(), Counts()
    link_rig.link._clock = proxy_rig.clock
    timeline, world, link = Timeline(proxy_rig.clock), link_rig.world, link_rig.link
    wire = link_rig.greet()
    agents = [proxy_rig.connect() for _ in range(2)]
    until(wire.arrived, link_rig.poll)

    readers: list[float] = []

    def arrive_at_simulator(payload: bytes) -> None:
        link_rig.tell(wire, payload)
        if link.ready:
            cycle()

    def arrive_at_proxy(payloads: list[bytes]) -> None:
        proxy_rig.simulator.inbox.extend(payloads)
        proxy_rig.step()
        now, stamp = proxy_rig.clock.now, world.cycle
        timeline.at(now + CYCLE, proxy_rig.step)
        for client in agents:
            client.receive()
            readers.append(now)
            timeline.at(now + think, lambda c=client: proxy_rig.tell(c, f"(he1 {stamp})(syn)"))  # type: ignore[misc]

    def cycle() -> None:
        commands = link.take()
        counts.note(commands.velocities.tolist(), world.cycle)
        world.apply(commands)
        link.deliver(world.percepts())
        messages: list[bytes] = []
        until(lambda: messages, lambda: messages.extend(wire.arrived()))
        timeline.at(proxy_rig.clock.now + delay(), lambda: arrive_at_proxy(messages))

    def send(payload: bytes) -> None:
        counts.thinking += [proxy_rig.clock.now - since for since in readers]
        readers.clear()
        timeline.at(proxy_rig.clock.now + delay(), lambda: arrive_at_simulator(payload))

    def join() -> None:
        proxy_rig.clock.now += CYCLE
        proxy_rig.step()
        world.apply(link.take())

    try:
        proxy_rig.simulator.on_send = lambda payload: link_rig.tell(wire, payload)
        for client in agents:
            proxy_rig.tell(client, SCENE)
        until(lambda: len(world.robots) == len(agents), join)
        proxy_rig.simulator.on_send = send
        cycle()
        timeline.run(lambda: world.cycle >= cycles)
    finally:
        proxy_rig.close()
        link_rig.close()
    return counts

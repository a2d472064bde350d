"""A stub world and clients with real sockets, for the servers' tests."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from simspark_ros.exchange import Action, Commands, GameSnapshot, Layout, Notice, Percepts, Poses, RobotLayout, Slot
from simspark_ros.kernels.sockets import Selector
from simspark_ros.protocol.agent.dialect import load_dialect
from simspark_ros.protocol.agent.profile import Profile
from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.agents.server import AgentServer
from simspark_ros.server.monitor_server import MonitorServer
from simspark_ros.server.remote.link import ProxyLink
from simspark_ros.server.tcp.framed_server import ServerContext
from test.rigs.waiting import DEADLINE, until

if TYPE_CHECKING:
    from test.rigs.ros_processes import Domain

EFFECTORS = ("he1", "he2", "lae1")
LINKS = ("torso", "neck", "head")


def packed(*messages: str | bytes) -> bytes:
    data = [message.encode() if isinstance(message, str) else message for message in messages]
    return b"".join(struct.pack(">I", len(payload)) + payload for payload in data)


class Lines:
    """Collects log lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def info(self, message: str, /) -> None:
        self.lines.append(message)

    warning = info

    def having(self, text: str) -> list[str]:
        return [line for line in self.lines if text in line]


class Clock:
    """Stands still unless a test moves it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Client:
    """The other end of a connection; `poll` serves this one."""

    def __init__(self, port: int, poll: Callable[[], object], receive_buffer: int = 0) -> None:
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setblocking(False)
        self._poll = poll
        self._data = b""

    def send(self, *messages: str | bytes) -> None:
        self.send_raw(packed(*messages))

    def send_raw(self, data: bytes) -> None:
        deadline = time.monotonic() + DEADLINE
        while data:
            assert time.monotonic() < deadline, "the server does not read"
            try:
                data = data[self.socket.send(data) :]
            except BlockingIOError:
                self._poll()

    def arrived(self) -> list[bytes]:
        """All complete messages that have arrived by now."""
        while True:
            try:
                chunk = self.socket.recv(1 << 20)
            except BlockingIOError:
                break
            if not chunk:
                break
            self._data += chunk
        messages = []
        while len(self._data) >= 4:
            (length,) = struct.unpack_from(">I", self._data)
            if len(self._data) < 4 + length:
                break
            messages.append(self._data[4 : 4 + length])
            self._data = self._data[4 + length :]
        return messages

    def receive(self) -> bytes:
        """The next message; there must be one at most."""
        deadline = time.monotonic() + DEADLINE
        while time.monotonic() < deadline:
            messages = self.arrived()
            if messages:
                assert len(messages) == 1
                return messages[0]
            self._poll()
        raise AssertionError("no message came")

    @property
    def is_closed(self) -> bool:
        """Whether the server has closed the connection."""
        try:
            while self.socket.recv(1 << 20):
                pass
        except BlockingIOError:
            return False
        except ConnectionError:
            pass
        return True

    def reset(self) -> None:
        """Leave in the rudest way: with a reset instead of an end."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def robot_layout(handle: int, client: str, number: int = 0, team: str = "") -> RobotLayout:
    slots = (Slot("time", "", (), 0), Slot("game_state", "", (), 0), Slot("hinge_joint", "hj1", ("angle",), handle - 1))
    side = "left" if number else ""
    return RobotLayout(
        handle, client, "nao", 0, team, side, number, int(bool(number)), slots, EFFECTORS, ("head",), LINKS
    )


@dataclass
class StubWorld:
    """A simulator as far as a bridge can see it."""

    robots: list[RobotLayout] = field(default_factory=list)
    cycle: int = 0
    revision: int = 0
    handles: int = 0
    notices: list[Notice] = field(default_factory=list)
    taken: list[Commands] = field(default_factory=list)
    angle: float = 0.0
    mode: str = "BeforeKickOff"

    def apply(self, commands: Commands) -> None:
        self.taken.append(commands)
        for action in commands.actions:
            self._act(action)

    def _act(self, action: Action) -> None:
        if action.kind == "create":
            self.handles += 1
            self.robots.append(robot_layout(self.handles, action.client))
        elif action.kind == "init":
            team, unum = str(action.arguments[0]), int(action.arguments[1])
            self.robots = [
                robot._replace(unum=unum, team=team, side="left", registrations=1)
                if robot.client == action.client
                else robot
                for robot in self.robots
            ]
        elif action.kind == "leave":
            self.robots = [robot for robot in self.robots if robot.client != action.client]
        else:
            self.mode = str(action.arguments[0]) if action.kind == "play_mode" else self.mode
            return
        self.revision += 1

    def percepts(self, poses: bool = False) -> Percepts:
        self.cycle += 1
        notices, self.notices = tuple(self.notices), []
        count = len(self.robots) * len(LINKS)
        positions = np.full((count, 3), self.angle)
        return Percepts(
            cycle=self.cycle,
            time=round(0.02 * self.cycle, 2),
            layout=Layout(self.revision, tuple(self.robots), ("B",)),
            game=GameSnapshot(0.0, self.mode, 0, 0, 1, "A", ""),
            values=np.full(self.handles, self.angle),
            present=np.ones(3 * len(self.robots), np.bool_),
            poses=Poses(positions, np.tile(np.eye(3), (count, 1, 1)), np.zeros(3)) if poses else None,
            notices=notices,
        )


class ServerRig:
    """A server on a real socket and its clients; nothing advances by itself.

    Args:
        server: the server of the clients.
        poll: function that serves the clients.
    """

    def __init__(self, server: AgentServer | MonitorServer | ProxyLink, poll: Callable[[], object]) -> None:
        self._server = server
        self.poll = poll
        self.clients: list[Client] = []

    def connect(self, receive_buffer: int = 0) -> Client:
        """Connect, and have the connection accepted."""
        before = len(self._server.clients())
        client = self.knock(receive_buffer)
        until(lambda: len(self._server.clients()) != before, self.poll)
        return client

    def knock(self, receive_buffer: int = 0) -> Client:
        """Connect, whether or not the connection is accepted."""
        self.clients.append(Client(self._server.port, self.poll, receive_buffer))
        return self.clients[-1]

    def tell(self, client: Client, *payloads: str | bytes) -> None:
        """Send messages, and have them read."""
        before = self.received
        client.send(*payloads)
        until(lambda: self.received >= before + len(payloads), self.poll)

    @property
    def received(self) -> int:
        """Messages of all clients."""
        return sum(status.received for status in self._server.clients())

    def close(self) -> None:
        for client in self.clients:
            client.socket.close()


class AgentServerRig(ServerRig):
    """An agent server, its clients and a world."""

    def __init__(self, profile: Profile, settings: AgentServerSettings) -> None:
        self.log = Lines()
        self.clock = Clock()
        self.server = AgentServer(settings, profile, ServerContext(log=self.log, clock=self.clock))
        self.server.lockstep = True
        self.world = StubWorld()
        super().__init__(self.server, lambda: self.server.poll(0.01))

    def until(self, condition: Callable[[], bool]) -> None:
        until(condition, self.poll)

    def passes(self, seconds: float) -> None:
        """Let time pass."""
        self.clock.now += seconds
        self.poll()

    def heard(self, messages: int) -> None:
        """Wait until the server has read this number of messages in all."""
        self.until(lambda: self.received >= messages)

    def cycle(self) -> Commands:
        """One cycle, whether or not all are ready."""
        commands = self.server.take()
        self.world.apply(commands)
        self.server.deliver(self.world.percepts())
        return commands

    def ready_cycle(self) -> Commands:
        """One cycle in lock-step."""
        self.until(lambda: self.server.ready)
        return self.cycle()

    def join(self, number: int, team: str = "A") -> Client:
        """Connect a client that has a robot, a team and the last percepts."""
        client = self.connect()
        self.tell(client, "(scene rsg/agent/nao/nao.rsg)", f"(init (unum {number})(teamname {team}))(syn)")
        self.cycle()
        client.receive()
        return client

    def close(self) -> None:
        super().close()
        self.server.close()


@pytest.fixture(scope="session")
def profile() -> Profile:
    return load_dialect("measured")


@pytest.fixture
def close_later() -> Iterator[Callable[[Any], Any]]:
    """Closes what it is given at the end of the test."""
    with ExitStack() as stack:
        yield lambda made: stack.enter_context(closing(made))


@pytest.fixture
def serve_agents(profile: Profile, close_later: Callable[[Any], Any]) -> Callable[..., AgentServerRig]:
    """Makes an `AgentServerRig`; its arguments are the profile and settings of the server."""

    def make(profile: Profile = profile, **settings: Any) -> AgentServerRig:
        rig: AgentServerRig = close_later(AgentServerRig(profile, AgentServerSettings(port=0, **settings)))
        return rig

    return make


@pytest.fixture
def lines() -> Lines:
    return Lines()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def stub_world() -> StubWorld:
    return StubWorld()


@pytest.fixture
def connect_to(close_later: Callable[[Any], Any]) -> Callable[..., Client]:
    """Makes clients of a port that some function polls."""

    def connect(port: int, poll: Callable[[], object], receive_buffer: int = 0) -> Client:
        client = Client(port, poll, receive_buffer)
        close_later(client.socket)
        return client

    return connect


@pytest.fixture
def selector() -> Iterator[Selector]:
    with closing(Selector()) as one:
        yield one


@pytest.fixture(scope="module")
def domain() -> Iterator[Domain]:
    """A ROS domain for the tests of one file."""
    # Most tests here run without ROS.
    from test.rigs.ros_processes import Domain

    domain = Domain()
    yield domain
    domain.close()

"""The monitor port with real sockets: frames that build on one another, trainers, and monitors that misbehave."""

import socket
from collections.abc import Callable

import numpy as np
import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.exchange import Action, Notice
from simspark_ros.protocol.monitor.encoder import MonitorEncoder
from simspark_ros.protocol.monitor.look import load_look
from simspark_ros.protocol.sexpr import parse
from simspark_ros.server.monitor_server import MonitorServer, MonitorServerSettings
from simspark_ros.server.tcp.framed_server import ServerContext
from simspark_ros.server.tcp.ports import PortError
from test.rigs.messages.monitor_reader import Board, read
from test.rigs.stub_world import ServerRig
from test.rigs.waiting import until

FIRST_ROBOT = 36
"""Child of the scene (protocol reference, section 6, "Scene order")."""


class Screen:
    """What a monitor knows after the frames it got; a partial frame of another tree is an error."""

    def __init__(self, client) -> None:
        self.client = client
        self.board = Board()
        self.frames: list[str] = []

    def receive(self) -> None:
        self._show_frame(self.client.receive())

    def show_arrived(self) -> None:
        for frame in self.client.arrived():
            self._show_frame(frame)

    def _show_frame(self, payload: bytes) -> None:
        frame = read(payload.decode())
        self.frames.append("full" if frame.full else "partial")
        self.board.show(frame)

    @property
    def torso(self) -> float:
        """Its position along x."""
        matrix = self.board.nodes[0].children[FIRST_ROBOT].children[0].matrix
        assert matrix is not None
        return matrix[12]


class MonitorServerRig(ServerRig):
    def __init__(self, world, log, settings: MonitorServerSettings) -> None:
        self.log = log
        self.world = world
        self.server = MonitorServer(settings, MonitorEncoder(load_look()), ServerContext(log=log))
        world._act(Action("c-1", "create"))
        world._act(Action("c-1", "init", ("A", 5)))
        super().__init__(self.server, lambda: self.server.poll(0.01))

    def cycle(self, cycles: int = 1) -> None:
        for _ in range(cycles):
            actions, _rejected = self.server.take()
            for action in actions:
                self.world._act(action)
            self.server.deliver(self.world.percepts(poses=self.server.wants_poses))

    def move_until(self, condition: Callable[[], object], *screens: Screen) -> None:
        """Cycles in which the robot moves; the screens show what their monitors receive."""

        def move() -> None:
            self.world.angle += 0.01
            self.cycle()
            self.look(*screens)

        until(condition, move)

    def look(self, *screens: Screen) -> None:
        """Poll; the screens show what has arrived."""
        self.poll()
        for screen in screens:
            screen.show_arrived()

    def remain(self, clients: int) -> None:
        until(lambda: len(self.server.clients()) == clients, self.poll)

    def show(self, screen: Screen, frames: int) -> None:
        """Wait until a screen has shown this number of frames in all, and no more."""
        until(lambda: len(screen.frames) >= frames, lambda: self.look(screen))
        assert len(screen.frames) == frames

    def screen(self, receive_buffer: int = 0) -> Screen:
        return Screen(self.connect(receive_buffer))

    def close(self) -> None:
        super().close()
        self.server.close()


@pytest.fixture
def studio(stub_world, lines, close_later) -> Callable[..., MonitorServerRig]:
    """Makes a `MonitorServerRig`; its arguments are settings of the server."""
    return lambda **settings: close_later(
        MonitorServerRig(stub_world, lines, MonitorServerSettings(port=settings.pop("port", 0), **settings))
    )


def test_a_monitor_gets_a_full_frame_and_then_one_every_interval_of_simulated_time(studio):
    here = studio()
    assert not here.server.wants_poses
    here.cycle(3)
    screen = here.screen()
    assert here.server.wants_poses
    here.cycle()
    screen.receive()
    for step in range(1, 4):
        here.world.angle = 0.1 * step
        here.cycle()
        assert screen.client.arrived() == []
        here.cycle()
        screen.receive()
        assert screen.torso == pytest.approx(0.1 * step)
    assert screen.frames == ["full", "partial", "partial", "partial"]
    here = studio(interval=0.1)
    screen = here.screen()
    here.cycle(11)
    here.show(screen, 3)
    here.world.cycle = 0
    here.cycle()
    here.show(screen, 4)


def test_a_change_of_structure_shows_everything_again(studio):
    here = studio()
    screen = here.screen()
    here.cycle(3)
    here.show(screen, 2)
    here.world._act(Action("c-2", "create"))
    # At once: the next partial frame would have another tree.
    here.cycle()
    screen.receive()
    here.cycle(2)
    screen.receive()
    assert screen.frames == ["full", "partial", "full", "partial"]


def test_agents_without_a_robot_are_empty_transforms_whose_number_changes_once_a_second(studio):
    here = studio()
    client, counts = here.connect(), []
    for cycle in range(120):
        waiting = 2 if cycle < 10 else cycle % 3
        here.server.deliver(here.world.percepts(poses=True), waiting)
        for frame in client.arrived():
            scene = parse(frame)[2]
            assert isinstance(scene, list)
            kind = "full" if b"(RSG" in frame else "partial"
            counts.append((kind, len(scene) - FIRST_ROBOT - 1))
            empty = scene[FIRST_ROBOT + 1 :]
            unit = ["nd", "TRF", ["SLT", *map(str, np.eye(4, dtype=int).ravel())]]
            assert all(node == (unit if kind == "full" else ["nd"]) for node in empty)
    assert counts[0] == ("full", 2)
    # 2.4 s: the start and two changes.
    assert [kind for kind, _ in counts].count("full") == 3
    assert len({count for _, count in counts}) > 1


def test_monitors_come_late_leave_and_return(studio):
    here = studio()
    one = here.screen()
    here.cycle()
    one.receive()
    here.world.angle = 0.004
    here.cycle(2)
    one.receive()
    two = here.screen()
    here.world.angle = 0.008
    here.cycle()
    one.receive()
    two.receive()
    assert one.board == two.board and one.frames[-1] == "partial"
    one.client.socket.close()
    here.remain(1)
    here.world.angle = 2.0
    here.cycle(2)
    two.receive()
    three = here.screen()
    here.cycle()
    three.receive()
    two.receive()
    assert two.board == three.board and two.torso == 2.0
    two.client.socket.close()
    three.client.socket.close()
    here.remain(0)
    assert not here.server.wants_poses


def test_one_that_never_reads_costs_nothing_and_stays_consistent(studio):
    here = studio(send_buffer=4096)
    good, bad = here.screen(), here.screen(receive_buffer=2048)
    here.move_until(lambda: here.server.clients()[1].dropped > 20, good)
    assert here.server.clients()[0].dropped == 0
    assert here.server.wants_poses
    # It reads again: the partial frames after those it missed must not count on them.
    here.move_until(lambda: bad.frames.count("full") > 1 and bad.frames[-1] == "partial", good, bad)
    here.cycle(2)
    until(lambda: good.board == bad.board, lambda: here.look(good, bad))
    assert good.torso == pytest.approx(here.world.angle, abs=0.03)
    # Poses are not wanted for those alone who do not read.
    good.client.socket.close()
    here.remain(1)
    here.move_until(lambda: not here.server.wants_poses)


def test_trainer_asks_for_a_full_frame_and_may_be_restricted_by_a_list(studio):
    here = studio()
    clients = [here.connect(), here.connect()]
    here.cycle()
    for client in clients:
        client.receive()
    here.tell(clients[0], "(reqfullstate)")
    here.cycle(2)
    assert all(b"(RSG 0 1)" in client.receive() for client in clients)
    here.cycle(2)
    assert all(b"(RDS 0 1)" in client.receive() for client in clients)
    here = studio(trainer="playMode,killsim")
    client = here.connect()
    here.tell(client, "(kickOff Left)(playMode PlayOn)(killsim)")
    actions, rejected = here.server.take()
    assert [action.kind for action in actions] == ["play_mode", "kill_simulation"]
    assert rejected == {"trainer command not permitted": 1}
    with pytest.raises(ConfigurationError, match="'fly' is unknown"):
        studio(trainer="fly")
    here = studio(trainer="none")
    here.tell(here.connect(), "(playMode PlayOn)", "(playMode PlayOn)")
    assert here.server.take() == ((), {"trainer switched off": 2})
    assert len(here.log.having("switched off")) == 1


def test_trainer_commands_that_cannot_be_executed_are_named_and_counted(studio):
    here = studio()
    client = here.connect()
    here.tell(client, "(killsim)", "(bogus)", "(playMode Nonsense)(playMode PlayOn)", ")", "(ball (pos 1 2 nan))")
    actions, rejected = here.server.take()
    assert [action.arguments for action in actions] == [("PlayOn",)]
    named = ("trainer command", "playMode", "ball", "malformed message", "trainer command not permitted")
    assert rejected == dict.fromkeys(named, 1)
    assert here.server.clients()[0].last_error
    assert here.log.having("(killsim ...) is not a permitted trainer command")
    # One line for each command, however many mistakes.
    assert here.log.having("'Nonsense' is not a play mode") and here.log.having("ball: pos: 'nan'")
    here.world.notices = [Notice(here.server.clients()[0].key, "no such thing")]
    here.cycle()
    assert here.log.having("no such thing")[0].startswith("monitor 1 (127.0.0.1:")


def test_when_all_places_are_taken_those_who_do_not_read_go_first(studio):
    here = studio(send_buffer=4096, max_clients=2)
    good = here.screen()
    here.connect(receive_buffer=2048)
    # The first frames are dropped before its buffers are full for good.
    here.move_until(lambda: here.server.clients()[1].dropped > 8, good)
    newcomer = socket.create_connection(("127.0.0.1", here.server.port))
    until(lambda: here.log.having("makes room"), here.poll)
    assert [status.name.split(" (")[0] for status in here.server.clients()] == ["monitor 1", "monitor 3"]
    refused = socket.create_connection(("127.0.0.1", here.server.port))
    until(lambda: here.log.having("was refused"), here.poll)
    assert len(here.server.clients()) == 2
    newcomer.close()
    refused.close()


def test_a_flood_of_commands_is_bounded_and_a_port_in_use_is_named_with_the_remedy(studio):
    here = studio(max_input=1024)
    client = here.connect()
    client.send(*["(playMode PlayOn)"] * 500)
    for _ in range(20):
        here.poll()
    for _ in range(12):
        actions, _ = here.server.take()
        assert 0 < len(actions) <= 1024 // 81 + 1
        here.poll()
    assert len(here.log.having("the rest has to wait")) == 1
    with pytest.raises(PortError, match=r"port \d+ is in use; choose another with --monitor-port, or 0"):
        studio(port=here.server.port)

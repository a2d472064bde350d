"""The monitor port with real sockets: frames that build on one another, trainers, and monitors that misbehave."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.exchange import Action, Notice
from simspark_ros.protocol.monitor.encoder import MonitorEncoder
from simspark_ros.protocol.monitor.look import load_look
from simspark_ros.protocol.sexpr import parse
from simspark_ros.server.monitor_server import MonitorServer, MonitorServerSettings
from simspark_ros.server.ports import PortError
from simspark_ros.server.tcp_server import ServerContext
from test.rigs.waiting import until

FIRST_ROBOT = 36
"""Child of the scene (protocol reference, section 6, "Scene order")."""


class Screen:
    """What a monitor knows after the frames it got: position x of every node, by its place in the tree."""

    def __init__(self, client) -> None:
        self.client = client
        self.x: dict[tuple[int, ...], float] = {}
        self.frames: list[str] = []

    def receive(self) -> bytes:
        """Show the next frame."""
        payload = self.client.receive()
        self._show_frame(payload)
        return bytes(payload)

    def show_arrived(self) -> None:
        for frame in self.client.arrived():
            self._show_frame(frame)

    def _show_frame(self, payload: bytes) -> None:
        environment, header, scene = parse(payload)
        assert isinstance(environment, list) and isinstance(header, list) and isinstance(scene, list)
        full = header[0] == "RSG"
        self.frames.append("full" if full else "partial")
        assert full or self.x, "a partial frame before the first full one"
        before = set(self.x)
        if full:
            self.x = {}
        places: set[tuple[int, ...]] = set()
        self._show(scene, (), places)
        assert full or places == before, "a partial frame of another tree"

    def _show(self, items, place: tuple[int, ...], places: set[tuple[int, ...]]) -> None:
        nodes = [item for item in items if isinstance(item, list) and item and item[0] == "nd"]
        for number, node in enumerate(nodes):
            here = (*place, number)
            places.add(here)
            self.x.setdefault(here, 0.0)
            for item in node:
                if isinstance(item, list) and item[0] == "SLT":
                    self.x[here] = float(item[13])
            self._show(node, here, places)

    @property
    def torso(self) -> float:
        return self.x[FIRST_ROBOT, 0]


class MonitorServerRig:
    """A monitor server, a world with one robot, and monitors."""

    def __init__(self, world, log, connect, settings: MonitorServerSettings) -> None:
        self.log = log
        self.world = world
        self._connect = connect
        self.server = MonitorServer(settings, MonitorEncoder(load_look()), ServerContext(log=log))
        world._act(Action("c-1", "create"))
        world._act(Action("c-1", "init", ("A", 5)))

    def connect(self, receive_buffer: int = 0):
        before = len(self.server.clients())
        client = self._connect(self.server.port, self.poll, receive_buffer)
        until(lambda: len(self.server.clients()) != before, self.poll)
        return client

    def poll(self) -> None:
        self.server.poll(0.01)

    def cycle(self, cycles: int = 1) -> None:
        for _ in range(cycles):
            actions, _rejected = self.server.take()
            for action in actions:
                self.world._act(action)
            self.server.deliver(self.world.percepts(poses=self.server.wants_poses))

    def tell(self, client, *messages: str) -> None:
        """Send messages of a monitor, and have them read."""
        wanted = sum(status.received for status in self.server.clients()) + len(messages)
        client.send(*messages)
        until(lambda: sum(status.received for status in self.server.clients()) >= wanted, self.poll)

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
        """Wait for monitors to leave."""
        until(lambda: len(self.server.clients()) == clients, self.poll)

    def show(self, screen: Screen, frames: int) -> None:
        """Wait until a screen has shown this number of frames in all, and no more."""
        until(lambda: len(screen.frames) >= frames, lambda: self.look(screen))
        assert len(screen.frames) == frames

    def screen(self, receive_buffer: int = 0) -> Screen:
        """A new monitor."""
        return Screen(self.connect(receive_buffer))


@pytest.fixture
def studio(stub_world, lines, connect_to) -> Iterator[Callable[..., MonitorServerRig]]:
    """Makes a `MonitorServerRig`; its arguments are settings of the server."""
    studios = []

    def make(**settings: object) -> MonitorServerRig:
        made = MonitorServerRig(stub_world, lines, connect_to, replace(MonitorServerSettings(port=0), **settings))  # type: ignore[arg-type]
        studios.append(made)
        return made

    yield make
    for one in studios:
        one.server.close()


def test_a_monitor_gets_a_full_frame_and_then_one_every_interval(studio):
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


def test_interval_is_simulated_time_and_time_may_go_back(studio):
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
    assert one.x == two.x and one.frames[-1] == "partial"
    one.client.socket.close()
    here.remain(1)
    here.world.angle = 2.0
    here.cycle(2)
    two.receive()
    three = here.screen()
    here.cycle()
    three.receive()
    two.receive()
    assert two.x == three.x and two.torso == 2.0
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
    until(lambda: good.x == bad.x, lambda: here.look(good, bad))
    assert good.torso == pytest.approx(here.world.angle, abs=0.03)


def test_poses_are_not_wanted_for_those_who_do_not_read(studio):
    here = studio(send_buffer=4096)
    here.connect(receive_buffer=2048)
    assert here.server.wants_poses
    here.move_until(lambda: not here.server.wants_poses)


def test_trainer_sets_the_play_mode(studio):
    here = studio()
    client = here.connect()
    here.tell(client, "(playMode PlayOn)")
    here.cycle()
    assert here.world.mode == "PlayOn"
    assert b"(play_mode 3)" in client.receive()
    here.tell(client, "(playMode KickOff_Left)(playMode free_kick_left)")
    here.cycle(2)
    assert b"(time 0)(play_mode 15))(RDS 0 1)" in client.receive()


def test_trainer_asks_for_a_full_frame(studio):
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


def test_trainer_switched_off(studio):
    here = studio(trainer="none")
    client = here.connect()
    here.tell(client, "(playMode PlayOn)", "(playMode PlayOn)")
    assert here.server.take() == ((), {"trainer switched off": 2})
    (line,) = here.log.having("switched off")
    assert line.startswith("monitor 1 (127.0.0.1:")


def test_trainer_commands_that_cannot_be_executed_are_named_and_counted(studio):
    here = studio()
    client = here.connect()
    here.tell(client, "(killsim)", "(bogus)", "(playMode Nonsense)(playMode PlayOn)", ")", "(ball (pos 1 2 nan))")
    actions, rejected = here.server.take()
    assert [action.arguments for action in actions] == [("PlayOn",)]
    assert rejected == {
        "trainer command": 1,
        "playMode": 1,
        "ball": 1,
        "malformed message": 1,
        "trainer command not permitted": 1,
    }
    assert here.server.clients()[0].last_error
    assert here.log.having("(killsim ...) is not among those permitted")
    # One line for each command, however many mistakes.
    assert here.log.having("'Nonsense' is not a play mode") and here.log.having("ball: pos: 'nan'")


def test_a_list_restricts_the_trainer(studio):
    here = studio(trainer="playMode,killsim")
    client = here.connect()
    here.tell(client, "(kickOff Left)(playMode PlayOn)(killsim)")
    actions, rejected = here.server.take()
    assert [action.kind for action in actions] == ["play_mode", "kill_simulation"]
    assert rejected == {"trainer command not permitted": 1}
    with pytest.raises(ConfigurationError, match="'fly' is unknown"):
        studio(trainer="fly")


def test_a_flood_of_commands_is_bounded(studio):
    here = studio(max_input=1024)
    client = here.connect()
    client.send(*["(playMode PlayOn)"] * 500)
    for _ in range(20):
        here.poll()
    actions, _ = here.server.take()
    assert 0 < len(actions) <= 1024 // 81 + 1
    assert len(here.log.having("the rest has to wait")) == 1


def test_notices_reach_the_monitors_name(studio):
    here = studio()
    here.connect()
    here.world.notices = [Notice(here.server.clients()[0].key, "no such thing")]
    here.cycle()
    assert here.log.having("no such thing")[0].startswith("monitor 1 (127.0.0.1:")


@pytest.mark.parametrize("announced", [16 * 1024 + 1, 2**32 - 1])
def test_an_absurd_length_ends_only_that_connection(studio, announced):
    here = studio()
    good, bad = here.connect(), here.connect()
    bad.send_raw(struct.pack(">I", announced))
    here.remain(1)
    assert bad.is_closed
    here.cycle()
    assert b"(RSG 0 1)" in good.receive()


def test_resets_in_a_loop(studio):
    here = studio()
    screen = here.screen()
    for _ in range(50):
        bad = here.connect()
        here.cycle()
        bad.reset()
        here.move_until(lambda: len(here.server.clients()) == 1, screen)
    assert len(screen.frames) > 10
    assert screen.frames[0] == "full" and set(screen.frames[1:]) == {"partial"}


def test_when_all_places_are_taken_those_who_do_not_read_go_first(studio):
    here = studio(send_buffer=4096, max_clients=2)
    good = here.screen()
    here.connect(receive_buffer=2048)
    here.move_until(lambda: here.server.clients()[1].dropped, good)
    newcomer = socket.create_connection(("127.0.0.1", here.server.port))
    until(lambda: here.log.having("makes room"), here.poll)
    assert [status.name.split(" (")[0] for status in here.server.clients()] == ["monitor 1", "monitor 3"]
    refused = socket.create_connection(("127.0.0.1", here.server.port))
    until(lambda: here.log.having("was refused"), here.poll)
    assert len(here.server.clients()) == 2
    newcomer.close()
    refused.close()


def test_a_port_in_use_is_named_with_the_remedy(studio):
    here = studio()
    with pytest.raises(PortError, match=r"port \d+ is in use; choose another with --monitor-port, or 0"):
        studio(port=here.server.port)

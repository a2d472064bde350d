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

FIRST_ROBOT = 36
"""Child of the scene (protocol reference, section 6, "Scene order")."""


class Screen:
    """What a monitor knows after the frames it got: position x of every node, by its place in the tree."""

    def __init__(self) -> None:
        self.x: dict[tuple[int, ...], float] = {}
        self.frames: list[str] = []

    def show(self, payload: bytes) -> None:
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
        self.server = MonitorServer(settings, MonitorEncoder(load_look()), log=log)
        world._act(Action("c-1", "create"))
        world._act(Action("c-1", "init", ("A", 5)))

    def connect(self, receive_buffer: int = 0):
        before = len(self.server.clients())
        client = self._connect(self.server.port, self.poll, receive_buffer)
        for _ in range(100):
            if len(self.server.clients()) != before:
                return client
            self.poll()
        raise AssertionError("not accepted")

    def poll(self) -> None:
        self.server.poll(0.01)

    def cycle(self, cycles: int = 1) -> None:
        for _ in range(cycles):
            actions, _rejected = self.server.take()
            for action in actions:
                self.world._act(action)
            self.server.deliver(self.world.percepts(poses=self.server.wants_poses))

    def heard(self, messages: int) -> None:
        for _ in range(1000):
            if sum(status.received for status in self.server.clients()) >= messages:
                return
            self.poll()
        raise AssertionError("messages did not arrive")


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
    client, screen = here.connect(), Screen()
    assert here.server.wants_poses
    here.cycle()
    screen.show(client.receive())
    for step in range(1, 4):
        here.world.angle = 0.1 * step
        here.cycle()
        assert client.arrived() == []
        here.cycle()
        screen.show(client.receive())
        assert screen.torso == pytest.approx(0.1 * step)
    assert screen.frames == ["full", "partial", "partial", "partial"]


def test_interval_is_simulated_time_and_time_may_go_back(studio):
    here = studio(interval=0.1)
    client = here.connect()
    here.cycle(11)
    assert len(_wait(client, 3)) == 3
    here.world.cycle = 0
    here.cycle()
    assert len(_wait(client, 1)) == 1


def _wait(client, messages):
    arrived: list[bytes] = []
    while len(arrived) < messages:
        arrived += client.arrived()
        client._poll()
    return arrived + client.arrived()


def test_a_change_of_structure_shows_everything_again(studio):
    here = studio()
    client, screen = here.connect(), Screen()
    here.cycle(3)
    for frame in _wait(client, 2):
        screen.show(frame)
    here.world._act(Action("c-2", "create"))
    # At once: the next partial frame would have another tree.
    here.cycle()
    screen.show(client.receive())
    here.cycle(2)
    screen.show(client.receive())
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
    first, one = here.connect(), Screen()
    here.cycle()
    one.show(first.receive())
    here.world.angle = 0.004
    here.cycle(2)
    one.show(first.receive())
    second, two = here.connect(), Screen()
    here.world.angle = 0.008
    here.cycle()
    one.show(first.receive())
    two.show(second.receive())
    assert one.x == two.x and one.frames[-1] == "partial"
    first.socket.close()
    while len(here.server.clients()) == 2:
        here.poll()
    here.world.angle = 2.0
    here.cycle(2)
    two.show(second.receive())
    again, three = here.connect(), Screen()
    here.cycle()
    three.show(again.receive())
    two.show(second.receive())
    assert two.x == three.x and two.torso == 2.0
    second.socket.close()
    again.socket.close()
    while here.server.clients():
        here.poll()
    assert not here.server.wants_poses


def test_one_that_never_reads_costs_nothing_and_stays_consistent(studio):
    here = studio(send_buffer=4096)
    good, screen = here.connect(), Screen()
    bad, late = here.connect(receive_buffer=2048), Screen()
    for step in range(3000):
        here.world.angle = step / 100
        here.cycle()
        here.poll()
        for frame in good.arrived():
            screen.show(frame)
        if here.server.clients()[1].dropped > 20:
            break
    status = here.server.clients()
    assert status[1].dropped > 20 and status[0].dropped == 0
    assert here.server.wants_poses
    # It wakes up: what is missing must not be built upon.
    for _ in range(200):
        here.world.angle += 0.01
        here.cycle()
        here.poll()
        for frame in bad.arrived():
            late.show(frame)
        for frame in good.arrived():
            screen.show(frame)
        if late.frames.count("full") > 1 and late.frames[-1] == "partial":
            break
    assert late.frames.count("full") > 1
    here.cycle(2)
    for client, view in ((bad, late), (good, screen)):
        for frame in _wait(client, 1):
            view.show(frame)
    assert late.x == screen.x


def test_poses_are_not_wanted_for_those_who_do_not_read(studio):
    here = studio(send_buffer=4096)
    here.connect(receive_buffer=2048)
    for step in range(3000):
        here.world.angle = step / 100
        here.cycle()
        here.poll()
        if not here.server.wants_poses:
            return
    raise AssertionError("its buffers never filled")


def test_trainer_sets_the_play_mode(studio):
    here = studio()
    client, screen = here.connect(), Screen()
    client.send("(playMode PlayOn)")
    here.heard(1)
    here.cycle()
    assert here.world.mode == "PlayOn"
    frame = client.receive()
    screen.show(frame)
    assert b"(play_mode 3)" in frame
    client.send("(playMode KickOff_Left)(playMode free_kick_left)")
    here.heard(2)
    here.cycle(2)
    assert b"(time 0)(play_mode 15))(RDS 0 1)" in client.receive()


def test_trainer_asks_for_a_full_frame(studio):
    here = studio()
    clients = [here.connect(), here.connect()]
    here.cycle()
    for client in clients:
        client.receive()
    clients[0].send("(reqfullstate)")
    here.heard(1)
    here.cycle(2)
    assert all(b"(RSG 0 1)" in client.receive() for client in clients)
    here.cycle(2)
    assert all(b"(RDS 0 1)" in client.receive() for client in clients)


def test_trainer_switched_off(studio):
    here = studio(trainer="none")
    client = here.connect()
    client.send("(playMode PlayOn)", "(playMode PlayOn)")
    here.heard(2)
    assert here.server.take() == ((), {"trainer switched off": 2})
    (line,) = here.log.having("switched off")
    assert line.startswith("monitor 1 (127.0.0.1:")


def test_trainer_commands_that_cannot_be_executed_are_named_and_counted(studio):
    here = studio()
    client = here.connect()
    client.send("(killsim)", "(bogus)", "(playMode Nonsense)(playMode PlayOn)", ")", "(ball (pos 1 2 nan))")
    here.heard(5)
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
    client.send("(kickOff Left)(playMode PlayOn)(killsim)")
    here.heard(1)
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
    while len(here.server.clients()) == 2:
        here.poll()
    assert bad.is_closed
    here.cycle()
    assert b"(RSG 0 1)" in good.receive()


def test_resets_in_a_loop(studio):
    here = studio()
    good, screen = here.connect(), Screen()
    for _ in range(50):
        bad = here.connect()
        here.cycle()
        bad.reset()
        while len(here.server.clients()) > 1:
            here.cycle()
            here.poll()
    for frame in _wait(good, 10):
        screen.show(frame)
    assert screen.frames[0] == "full" and set(screen.frames[1:]) == {"partial"}


def test_when_all_places_are_taken_those_who_do_not_read_go_first(studio):
    here = studio(send_buffer=4096, max_clients=2)
    good = here.connect()
    here.connect(receive_buffer=2048)
    for step in range(3000):
        here.world.angle = step / 100
        here.cycle()
        here.poll()
        good.arrived()
        if here.server.clients()[1].dropped:
            break
    newcomer = socket.create_connection(("127.0.0.1", here.server.port))
    while not here.log.having("makes room"):
        here.poll()
    assert [status.name.split(" (")[0] for status in here.server.clients()] == ["monitor 1", "monitor 3"]
    refused = socket.create_connection(("127.0.0.1", here.server.port))
    while not here.log.having("was refused"):
        here.poll()
    assert len(here.server.clients()) == 2
    newcomer.close()
    refused.close()


def test_a_port_in_use_is_named_with_the_remedy(studio):
    here = studio()
    with pytest.raises(PortError, match=r"port \d+ is in use; choose another with --monitor-port, or 0"):
        studio(port=here.server.port)

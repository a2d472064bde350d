"""Drivers on real sockets, in a real simulation."""

import socket
import stat
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from simspark_ros.exchange import Action
from simspark_ros.protocol.lola.sensors import SIZE
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.server.lola.server import LolaServer
from simspark_ros.server.lola.settings import LolaOptions
from simspark_ros.server.tcp.framed_server import ServerContext
from simspark_ros.server.tcp.ports import PortError
from simspark_ros.worlds.robot import Robot
from test.conftest import Played
from test.rigs.messages.messagepack import packed
from test.rigs.stub_world import Clock, Lines
from test.rigs.waiting import until


class Driver:
    """A client of a robot's socket; `serve` serves this one."""

    def __init__(self, path: Path, serve: Callable[[], object]) -> None:
        self._serve = serve
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.socket.setblocking(False)

    def send(self, message: object) -> None:
        self.send_raw(packed(message))

    def send_raw(self, data: bytes) -> None:
        self.socket.sendall(data)
        self._serve()

    def receive(self) -> bytes:
        received = b""

        def arrived() -> bool:
            nonlocal received
            try:
                received = self.socket.recv(SIZE)
            except BlockingIOError:
                return False
            return True

        until(arrived, self._serve)
        return received

    def position(self, joint: int) -> float:
        message = self.receive()
        place = message.index(b"\xa8Position") + 9 + 3 + 5 * joint + 1
        (angle,) = struct.unpack(">f", message[place : place + 4])
        return float(angle)


class Here:
    def __init__(self, played: Played, directory: Path, **options: object) -> None:
        self.played, self.log, self.clock = played, Lines(), Clock()
        self.directory = directory
        options["lola"] = str(directory)
        context = ServerContext(log=self.log, clock=self.clock)
        self.server = LolaServer(LolaOptions(**options), context)  # type: ignore[arg-type]
        self.add("a")
        self.server.attach(played.simulation, ExitStack())

    def add(self, name: str, client: str = "") -> Robot:
        x = 3.0 * len(self.played.world.robots)
        robot = load_robot("nao_lola")
        return self.played.world.add_robot(robot, (x, 3.0, 0.386), 0.0, name=name, client=client)

    def serve(self) -> None:
        self.server.wait(0.001)

    def connect(self, name: str = "a") -> Driver:
        driver = Driver(self.directory / name, self.serve)
        before = len(self.server.clients())
        until(lambda: len(self.server.clients()) > before, self.serve)
        # The sensors of a robot have nothing to tell in the first cycle in which somebody reads them.
        self.played.run(1)
        return driver

    def heard(self, messages: int) -> None:
        until(lambda: sum(client.received for client in self.server.clients()) >= messages, self.serve)


@pytest.fixture
def here(play: Callable[..., Played], tmp_path: Path) -> Iterator[Here]:
    made = Here(play(), tmp_path / "sockets")
    yield made
    made.server.close()


def test_a_session(here):
    driver = here.connect()
    here.played.run(1)
    assert len(driver.receive()) == SIZE
    driver.send({"Position": [0.4] + [0.0] * 24, "LEye": [0.5] * 24})
    here.heard(1)
    here.played.run(30)
    # Few messages wait for a driver; the first ones are older.
    for _ in range(20):
        here.played.run(1)
        angle = driver.position(0)
    assert angle == pytest.approx(0.4, abs=0.01)
    (robot,) = here.played.world.robots.values()
    assert robot.devices["LEye"] == (0.5,) * 24
    (status,) = here.server.clients()
    assert status.name.startswith("driver of a 1 (process ") and status.received == 1
    driver.socket.close()
    until(lambda: not here.server.clients(), here.serve)
    assert here.log.having("disconnected")
    here.played.run(1)
    assert here.connect()


def test_sensors_are_sensed_for_the_robots_that_have_a_driver(here):
    def told() -> list[bool]:
        percepts = here.played.run(1)
        kinds = [slot.kind for robot in percepts.layout.robots for slot in robot.slots]
        return [bool(flag) for kind, flag in zip(kinds, percepts.present, strict=True) if kind == "lola"]

    here.add("b")
    driver = here.connect()
    assert told() == [True, False]
    driver.socket.close()
    until(lambda: not here.server.clients(), here.serve)
    assert told() == [False, False]


def test_cycles_of_12_ms_are_served_as_those_of_20_ms(play, tmp_path):
    here = Here(play(world="spl_12ms"), tmp_path)
    driver = here.connect()
    before = here.played.simulation.time
    for number in range(1, 21):
        here.played.run(1)
        angle = driver.position(0)
        driver.send({"Position": [0.4] + [0.0] * 24})
        here.heard(number)
    assert here.played.simulation.time - before == pytest.approx(20 * 0.012)
    assert angle == pytest.approx(0.4, abs=0.01)
    here.server.close()


@pytest.mark.parametrize(
    "bad",
    [
        packed([1.0]),
        b"hello",
        packed({"Position": [0.2]}),
        packed({"Position": [float("nan")] * 25}),
        packed({"Position": [0.2] * 24 + ["a"]}),
        packed({1: [0.2] * 25}),
        packed({"Position": [float("-inf")] * 25}),
    ],
)
def test_a_bad_message_changes_nothing_and_is_counted(here, bad):
    driver = here.connect()
    driver.send({"Position": [0.4] + [0.0] * 24})
    here.heard(1)
    driver.send_raw(bad)
    here.heard(2)
    here.played.run(40)
    (status,) = here.server.clients()
    assert status.rejected.total() >= 1
    assert here.log.having("driver of a 1 (process ")
    received = status.received
    driver.send({"Skull": [1.0] * 12})
    here.heard(received + 1)
    here.played.run(1)
    (robot,) = here.played.world.robots.values()
    assert robot.devices.keys() == {"Position", "Skull"} and robot.devices["Position"][0] == pytest.approx(0.4)


@pytest.mark.parametrize("announced", [b"\xdb\x40\x00\x00\x00", b"\xdd\x40\x00\x00\x00", b"\xc1"])
def test_what_cannot_be_a_message_disconnects(here, announced):
    driver = here.connect()
    driver.send_raw(announced)
    until(lambda: not here.server.clients(), here.serve)
    assert here.log.having("it is disconnected")
    here.played.run(1)


def test_a_message_in_pieces_counts_for_its_robot_when_it_is_whole(here):
    here.add("b")
    here.played.run(1)
    driver, message = here.connect("b"), packed({"Chest": [1.0, 0.0, 0.0], "Beak": [1.0]})
    other, robot = here.played.world.robots.values()
    for byte in message[:-1]:
        driver.send_raw(bytes([byte]))
    here.played.run(1)
    assert robot.devices == {}
    driver.send_raw(message[-1:])
    here.heard(1)
    here.played.run(1)
    assert (other.devices, robot.devices) == ({}, {"Chest": (1.0, 0.0, 0.0)})
    assert here.log.having("commands a device that does not exist, 'Beak'; use one of")


def test_a_flood_waits_for_the_next_cycles(here):
    driver, message = here.connect(), packed({"Chest": [1.0, 0.0, 0.0]})
    with pytest.raises(BlockingIOError):
        while True:
            driver.socket.send(message * 1000)
    here.heard(1)
    for _ in range(20):
        for _ in range(50):
            here.serve()
        here.played.run(1)
    (status,) = here.server.clients()
    assert here.log.having("bytes per cycle for over 10 cycles: the rest has to wait")
    assert status.received < 20 * 1000


def test_a_driver_that_does_not_read_holds_up_nobody_and_makes_room_for_another(here):
    stuck = here.connect()
    here.played.run(20)
    (status,) = here.server.clients()
    assert status.dropped > 0 and status.sent < 20
    assert here.log.having("does not read its messages")
    other = Driver(here.directory / "a", here.serve)
    until(lambda: any(client.key.endswith("-2") for client in here.server.clients()), here.serve)
    here.played.run(1)
    assert len(other.receive()) == SIZE
    assert stuck.socket.fileno() >= 0


def test_a_robot_has_one_driver(here):
    first = here.connect()
    second = Driver(here.directory / "a", here.serve)
    until(lambda: here.log.having("1 clients are connected to"), here.serve)
    assert here.log.having(str(here.directory / "a"))
    here.played.run(1)
    assert len(first.receive()) == SIZE
    assert second.receive() == b""


def test_sockets_follow_the_robots(here):
    world = here.played.world
    robot = here.add("b")
    here.add("", client="agent")
    world.add_robot(load_robot("nao"), (6.0, 3.0, 0.386), 0.0, name="c")
    here.played.run(1)
    assert sorted(path.name for path in here.directory.iterdir()) == ["a", "b"]
    driver = here.connect("b")
    here.played.run(1)
    driver.receive()
    world.remove_robot(robot)
    here.played.run(1)
    assert driver.receive() == b""
    assert [path.name for path in here.directory.iterdir()] == ["a"]
    here.server.close()
    assert not list(here.directory.iterdir())


def test_a_robot_that_a_trainer_removes_in_the_cycle_of_a_command_ends_nothing(here):
    driver = here.connect()
    driver.send({"Position": [0.1] * 25})
    here.heard(1)
    world = here.played.world
    world.select(next(iter(world.robots.values())))
    # Trainers come before drivers in a cycle.
    here.played.act(Action("trainer", "kill"), cycles=3)
    assert not here.played.world.robots and not here.server.clients()


def test_in_lock_step_the_driver_is_waited_for_and_dropped_when_it_is_silent(here):
    assert here.server.participants == 0 and here.server.ready
    driver = here.connect()
    assert here.server.participants == 0
    here.played.run(1)
    assert here.server.participants == 1 and not here.server.ready
    driver.send({})
    here.heard(1)
    assert here.server.ready
    here.played.run(1)
    driver.send({"Position": [0.0]})
    here.heard(2)
    assert here.server.ready
    here.played.run(1)
    driver.socket.close()
    until(lambda: here.server.ready, here.serve)
    assert here.server.participants == 0
    here.server.lockstep = True
    driver = here.connect()
    here.played.run(1)
    here.clock.now += 9.0
    here.serve()
    assert here.server.clients()
    here.clock.now += 2.0
    here.serve()
    assert here.server.ready and not here.server.clients()
    assert here.log.having(
        "has not answered for 10 s and is disconnected, since all others wait for it; raise lola_timeout"
    )
    assert len(driver.receive()) == len(driver.receive()) == SIZE and driver.receive() == b""


def test_in_lock_step_a_driver_that_always_answers_just_before_the_limit_is_dropped_where_others_wait(here):
    here.server.lockstep = True
    driver = here.connect()
    assert _slow_answers(here, driver) == 10, "nobody else waits"
    here.add("b")
    here.played.run(1)
    driver.receive()
    # 60 s may be owed: 7 * 8.5 + 9 s are more.
    assert _slow_answers(here, driver) == 7
    assert here.log.having("delayed the others by 60 s in all (beyond 0.5 s a cycle) and is disconnected")


def _slow_answers(here: Here, driver: Driver) -> int:
    """Answers after 9 s each until the driver is dropped; 10 at most."""
    for answers in range(10):
        here.played.run(1)
        driver.receive()
        here.clock.now += 9.0
        here.serve()
        if not here.server.clients():
            return answers
        driver.send({})
        until(lambda: here.server.ready, here.serve)
    return 10


def test_a_socket_in_use_and_a_file_stay_and_one_that_a_dead_server_left_is_taken(play, tmp_path):
    with socket.socket(socket.AF_UNIX) as living:
        living.bind(str(tmp_path / "a"))
        living.listen()
        with pytest.raises(PortError, match=r"cannot open the socket .*/a: it is in use; choose another directory"):
            Here(play(), tmp_path)
        assert stat.S_ISSOCK((tmp_path / "a").stat().st_mode)
    other = tmp_path / "other"
    other.mkdir()
    (other / "a").write_text("a file")
    with pytest.raises(PortError, match="not a socket"):
        Here(play(), other)
    assert (other / "a").read_text() == "a file"
    with pytest.raises(PortError, match="cannot make that directory"):
        Here(play(), other / "a" / "b")
    # One that a dead server left is taken.
    here = Here(play(), tmp_path)
    driver = here.connect()
    here.server.close()
    assert driver.receive() == b""


def test_a_robot_that_comes_later_without_a_socket_is_reported(here):
    (here.directory / "b").write_text("a file")
    here.add("b")
    here.played.run(2)
    (line,) = here.log.having("has no driver")
    assert "robot 'b'" in line and "not a socket" in line


def test_nothing_is_sent_while_a_recorded_run_is_repeated(here):
    driver = here.connect()
    driver.send({"Chest": [1.0, 0.0, 0.0]})
    here.heard(1)
    simulation = here.played.simulation
    simulation.past = [1] * 5
    simulation.run(0)
    (robot,) = here.played.world.robots.values()
    assert robot.devices == {}
    with pytest.raises(BlockingIOError):
        driver.socket.recv(1)

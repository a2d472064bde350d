"""The door of LoLA's sockets: what is drawn, how it is sent, and that a dead socket is noticed."""

import contextlib
import random
import socketserver
import threading
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from simspark_ros.protocol.framing import FramingError
from simspark_ros.protocol.lola.commands import read_commands
from simspark_ros.protocol.lola.messagepack import MessageCutter, MessagePackReader
from simspark_ros.protocol.lola.sensors import SIZE
from simspark_stress.fuzz.doors import lola
from simspark_stress.fuzz.doors.lola import LOLA, ROBOTS, LolaDoor
from simspark_stress.fuzz.doors.messagepack import compact
from simspark_stress.fuzz.server import Server
from test.rigs.waiting import until


def sent(seed: int, quiet: bool) -> dict[str, bytes]:
    """What each driver of a case sends."""
    data: dict[str, bytes] = defaultdict(bytes)
    for verb, *arguments in LOLA.draw(random.Random(seed), quiet):
        if verb == "packed":
            data[arguments[0]] += compact(arguments[1])
        elif verb == "raw":
            data[arguments[0]] += arguments[1].encode("latin-1")
    return data


def read(data: bytes) -> tuple[int, int]:
    """How many commands a stream has, and how many that are refused."""
    try:
        messages = MessageCutter(4096).feed(data)
    except FramingError as error:
        messages = error.messages
    found = [read_commands(message) for message in messages]
    return sum(len(one.commands) for one in found), sum(len(one.refused) for one in found)


def test_drivers_send_commands_refused_ones_and_what_is_no_messagepack():
    streams = [data for seed in range(60) for data in sent(seed, False).values()]
    counts = [read(data) for data in streams]
    assert sum(commands > 0 for commands, _ in counts) > 20
    assert sum(refused > 0 for _, refused in counts) > 20
    assert {name.split()[0] for seed in range(20) for name in sent(seed, False)} == set(ROBOTS)


def test_quiet_drivers_command_nothing():
    assert not any(read(data)[0] for seed in range(100) for data in sent(seed, True).values())


def test_values_are_packed_as_drivers_send_them():
    values: dict[str, Any] = {"Position": [0.5, 1, -2, 2**63], "x" * 300: [True, None, "y", 1e300]}
    reader = MessagePackReader(compact(values))
    assert reader.entries() == 2
    for key, value in values.items():
        assert reader.value() == key and reader.value() == value
    assert compact({"a": [0.5]}) == b"\x81\xa1a\x91\xca\x3f\0\0\0"


class Driven(socketserver.BaseRequestHandler):
    """Sends sensors at once, and again after an answer."""

    def handle(self) -> None:
        with contextlib.suppress(OSError):
            self.request.sendall(bytes(SIZE))
        # A driver leaves when it likes; what it has sent before is heard.
        with contextlib.suppress(OSError):
            while data := self.request.recv(4096):
                HEARD[Path(str(self.server.server_address)).name] += data
                with contextlib.suppress(OSError):
                    self.request.sendall(bytes(SIZE))


HEARD: dict[str, bytes] = defaultdict(bytes)
"""Bytes that the sockets of robots have heard, by their names."""


@pytest.fixture
def sockets(tmp_path: Path) -> Iterator[None]:
    """Sockets of all robots, as a server has them."""
    with contextlib.ExitStack() as stack:
        for robot in ROBOTS:
            server = stack.enter_context(socketserver.ThreadingUnixStreamServer(str(tmp_path / robot), Driven))
            server.daemon_threads = True
            thread = threading.Thread(target=server.serve_forever, args=(0.01,))
            thread.start()
            stack.callback(thread.join)
            stack.callback(server.shutdown)
        yield


@pytest.mark.usefixtures("sockets")
def test_messages_go_to_the_socket_of_their_robot_and_a_dead_socket_is_a_fault(tmp_path, monkeypatch):
    door = LolaDoor(cast("Server", SimpleNamespace(options=("--headless", f"--lola={tmp_path}"))))
    assert door.fault() == ""
    steps = (["read", "other 0", 0.3], ["packed", "other 0", {"Chest": [1.0]}, [3, 5], 0.0], ["read", "other 0", 0.3])
    door.play((*steps, ["close", "other 0"]))
    until(lambda: HEARD["other"].endswith(compact({"Chest": [1.0]})))
    assert b"Chest" not in HEARD["driven"]
    (tmp_path / "other").unlink()
    monkeypatch.setattr(lola, "PATIENCE", 0.05)
    assert "other: the server takes no driver" in door.fault()

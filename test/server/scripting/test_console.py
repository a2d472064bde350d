"""The console of a server: a person types, the simulation's thread answers."""

import io
import json
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from simspark_ros.clients.console import ConsoleError, talk
from simspark_ros.server.scripting.console import Console
from simspark_ros.server.tcp.ports import PortError
from test.conftest import Played
from test.rigs.waiting import until


@pytest.fixture
def path(played, tmp_path) -> Iterator[Path]:
    console = Console(tmp_path / "console", played.simulation)
    yield tmp_path / "console"
    console.close()


def typed(played: Played, path: Path, *lines: str) -> str:
    """What a person who types lines sees, while the simulation serves requests."""
    left, seen, failed = list(lines), io.StringIO(), []

    def read(prompt: str) -> str:
        if not left:
            raise EOFError
        return left.pop(0)

    def person() -> None:
        try:
            talk(path, read, seen)
        except ConsoleError as error:
            failed.append(error)

    thread = threading.Thread(target=person, daemon=True)
    thread.start()
    until(lambda: not thread.is_alive(), played.simulation.requests.run)
    assert not failed
    return seen.getvalue()


def test_statements_act_on_the_simulation_for_the_user_alone_and_their_faults_stop_nothing(played, path):
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    seen = typed(played, path, "game.spawn('nao').name", "for name in game.world.robots:", "    print('a robot')", "")
    assert seen == "'nao'\na robot\n"
    assert len(played.world.robots) == 1
    # Names live as long as the session, and long output is cut.
    assert typed(played, path, "x = 5", "x + 1") == "6\n"
    assert "NameError" in typed(played, path, "x")
    assert typed(played, path, "print('x' * 10**6)").endswith("... (1000001 characters)\n")
    seen = typed(played, path, "1 / 0", "def (", "exit()", "game.trainer('(fly)')", "print('on')")
    for text in ("ZeroDivisionError", "SyntaxError", "leave the console with Ctrl-D", "OperatorError", "on\n"):
        assert text in seen


@pytest.mark.parametrize("data", [b"hello\n", b"{}\n", b"[1]\n", b'{"line": "' + b"x" * 70000 + b'"}\n'])
def test_what_is_no_line_ends_the_session(path, data):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        connection.sendall(data)
        stream = connection.makefile("rb")
        assert "64 KiB" in json.loads(stream.readline())["output"]


def test_a_client_that_waits_is_let_go_when_the_simulation_ends(played, path):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        connection.sendall(b'{"line": "1"}\n')
        played.simulation.stop()
        assert connection.makefile("rb").readline() == b""


@pytest.mark.parametrize("make", [Path.touch, lambda path: None], ids=["a file", "a served socket"])
def test_a_path_in_use_is_refused(played, path, tmp_path, make: Callable[[Path], None]):
    taken = tmp_path / "taken" if make is Path.touch else path
    make(taken)
    with pytest.raises(PortError, match=f"{taken}.*choose another path"):
        Console(taken, played.simulation)


def test_without_a_server_the_remedy_is_named_and_the_socket_of_one_that_was_killed_is_taken_over(tmp_path, played):
    with pytest.raises(ConsoleError, match=r"No such file.*serve --console PATH"):
        talk(tmp_path / "nothing", input, io.StringIO())
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / "console"))
    Console(tmp_path / "console", played.simulation).close()
    assert not (tmp_path / "console").exists()

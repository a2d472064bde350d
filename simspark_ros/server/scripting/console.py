"""A Python console in a running server, on a Unix socket for the server's own user: `serve --console PATH`."""

from __future__ import annotations

import code
import contextlib
import io
import json
import os
import socketserver
import threading
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as NoAnswerError
from pathlib import Path

from simspark_ros.server.scripting.operator import Operator
from simspark_ros.server.tcp.ports import PortError, clear_socket
from simspark_ros.simulation.loop import Simulation

LONGEST_LINE = 64 * 1024
"""Longest line of a client, bytes."""

LONGEST_OUTPUT = 256 * 1024
"""Longest output of a statement, characters; the rest is cut."""

_POLL = 0.2
"""Time between two checks whether the simulation has ended, s."""


class Console:
    """Runs statements of clients in the simulation's thread, between two cycles, one after the other.

    Each client has its own names, with `game`, an `Operator`, among them. A client sends JSON lines `{"line": TEXT}`
    and gets for each `{"output": TEXT, "more": BOOL}`: the output, and whether the statement goes on.

    Raises:
        PortError: the socket cannot be made.
    """

    def __init__(self, path: Path, simulation: Simulation) -> None:
        self._path = path
        self._server = _listen(path, simulation)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(_POLL,), name="console", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take the socket away; clients get no more answers."""
        self._server.shutdown()
        self._server.server_close()
        self._path.unlink(missing_ok=True)


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False
    simulation: Simulation


class _Session(socketserver.StreamRequestHandler):
    """One client."""

    server: _Server

    def handle(self) -> None:
        simulation = self.server.simulation
        interpreter = code.InteractiveInterpreter({"game": Operator(simulation)})
        lines: list[str] = []
        while data := self.rfile.readline(LONGEST_LINE):
            try:
                lines.append(str(json.loads(data)["line"]))
            except (ValueError, TypeError, KeyError, RecursionError):
                self._answer('the console takes JSON lines {"line": TEXT} of at most 64 KiB\n', more=False)
                return
            source = "\n".join(lines)
            ran = simulation.requests.submit(lambda source=source: _run(interpreter, source))  # type: ignore[misc]
            result = _result(ran, simulation)
            if result is None:
                return
            output, more = result
            if not more:
                lines.clear()
            self._answer(output, more)

    def _answer(self, output: str, more: bool) -> None:
        with contextlib.suppress(OSError):
            self.wfile.write(json.dumps({"output": output, "more": more}).encode() + b"\n")


def _run(interpreter: code.InteractiveInterpreter, source: str) -> tuple[str, bool]:
    """Run a statement; returns what it printed, and whether it goes on."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            more = interpreter.runsource(source, "<console>")
        # `exit()` is for the client.
        except SystemExit:
            print("leave the console with Ctrl-D; (killsim) ends the server")
            more = False
    output = printed.getvalue()
    cut = f"{output[:LONGEST_OUTPUT]}... ({len(output)} characters)\n" if len(output) > LONGEST_OUTPUT else output
    return cut, more


def _result(ran: Future[tuple[str, bool]], simulation: Simulation) -> tuple[str, bool] | None:
    """The result of a statement, None if the simulation has ended before."""
    while True:
        try:
            return ran.result(_POLL)
        except NoAnswerError:
            if simulation.stopping:
                return None
        except CancelledError:
            return None


def _listen(path: Path, simulation: Simulation) -> _Server:
    # Only this user may connect, from the first moment on.
    mask = os.umask(0o177)
    try:
        clear_socket(path)
        server = _Server(str(path), _Session)
    except OSError as error:
        raise PortError(f"--console {path}: cannot make that socket: {error.strerror}; choose another path") from None
    finally:
        os.umask(mask)
    server.simulation = simulation
    return server

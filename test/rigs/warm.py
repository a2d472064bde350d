"""Programs of the package in copies of a process that has imported them: a start takes a quarter of the time.

A copy runs as `python -m MODULE` does, with these differences: it has the parent and `__main__` of the copied process,
all copies hash texts with the same seed and share everything that process has read and cached, and its input is empty.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from typing import IO, NoReturn

_NODES = ("simulator_node", "bridge.node", "camera.node", "player.node")
PROGRAMS = ("simspark_ros.cli", *(f"simspark_ros.ros.{name}" for name in _NODES))
"""Modules that copies may run."""

_MORE = ("simspark_ros.commands.serving.serve", "simspark_ros.server.composition", "simspark_ros.ros.composition")
_READ_AT_START = ("PYTHON", "LD_", "OPENBLAS_", "OMP_", "LC_", "LANG", "TZ")
"""Beginnings of variables that a copy would read too late."""
_LONGEST_REQUEST = 1 << 20
_ENVIRONMENT = {**os.environ}
"""Environment of the copied process: later changes belong to single tests."""


class Copy:
    """A copy that runs a program, with what tests use of `subprocess.Popen`; errors come with its output or `apart`."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], apart: bool = False) -> None:
        self.returncode: int | None = None
        self.stdout, output = _pipe()
        self.stderr: IO[str] | None = None
        errors = output
        if apart:
            self.stderr, errors = _pipe()
        self._answers, theirs = socket.socketpair()
        request = {"command": [*command], "environment": {**environment}, "folder": os.getcwd()}
        with theirs:
            socket.send_fds(_original(), [json.dumps(request).encode()], [output, errors, theirs.fileno()])
        for number in {output, errors}:
            os.close(number)
        self.pid = self._answer()

    def poll(self) -> int | None:
        """Its exit status, None while it runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0.0)
        return self.returncode

    def wait(self, timeout: float) -> int:
        """Wait for its end, s; returns the exit status, negative for a signal."""
        if self.returncode is None:
            if not select.select([self._answers], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            self.returncode = os.waitstatus_to_exitcode(self._answer())
            self._answers.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, if it runs."""
        if self.poll() is None:
            # It may end meanwhile.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def _answer(self) -> int:
        answer = self._answers.recv(4)
        assert answer, "the process that is copied has ended"
        return int.from_bytes(answer, "big")


def _pipe() -> tuple[IO[str], int]:
    """A pipe: what reads it, and the file number that writes."""
    reading, writing = os.pipe()
    return os.fdopen(reading, encoding="utf-8"), writing


def can_copy(command: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Whether a copy would do what this command does with these variables."""
    changed = [name for name, _ in {*environment.items()} ^ {*_ENVIRONMENT.items()}]
    known = len(command) > 2 and command[0] == sys.executable and command[1] == "-m" and command[2] in PROGRAMS
    return known and not any(name.startswith(_READ_AT_START) for name in changed)


@cache
def _original() -> socket.socket:
    """Where this process asks for copies; the process that is copied ends with this one."""
    ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
    with theirs:
        number = str(theirs.fileno())
        process = subprocess.Popen(
            [sys.executable, __file__, number],
            env=_ENVIRONMENT,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def main() -> int:
    """Copy this process whenever asked, until nobody can ask any more; a copy returns its exit status from here."""
    # Ctrl-C is for the tests, which end what they started.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for program in (*PROGRAMS, *_MORE):
        # Without ROS some are missing.
        with contextlib.suppress(ImportError):
            import_module(program)
    _build_once()
    # The garbage collector of a copy would write to all that it shares with this process.
    gc.collect()
    gc.freeze()
    return _copy_on_demand(socket.socket(fileno=int(sys.argv[1])))


def _copy_on_demand(requests: socket.socket) -> int:
    running: dict[int, tuple[int, socket.socket]] = {}
    while True:
        for ready in select.select([requests.fileno(), *running], [], [])[0]:
            if ready in running:
                pid, answers = running.pop(ready)
                with answers, contextlib.suppress(BrokenPipeError):
                    answers.sendall(os.waitpid(pid, 0)[1].to_bytes(4, "big"))
                os.close(ready)
                continue
            request, files, *_ = socket.recv_fds(requests, _LONGEST_REQUEST, 3)
            if not request:
                return 0
            outputs, answers = files[:2], socket.socket(fileno=files[2])
            pid = os.fork()
            if pid == 0:
                signal.signal(signal.SIGINT, signal.default_int_handler)
                for number, (_, other) in running.items():
                    other.close()
                    os.close(number)
                answers.close()
                requests.close()
                _end(partial(_run, outputs, **json.loads(request)))
            for output in outputs:
                os.close(output)
            answers.sendall(pid.to_bytes(4, "big"))
            running[os.pidfd_open(pid)] = pid, answers


def _build_once() -> None:
    from simspark_ros.simulation.assembly import Assembly
    from simspark_ros.simulation.settings import load_simulation_settings

    simulation, _ = Assembly(load_simulation_settings()).build([], lambda: 0.0, lambda seconds: None)
    simulation.world.engine.close()


def _run(outputs: Sequence[int], command: Sequence[str], environment: Mapping[str, str], folder: str) -> int:
    for output, stream in zip(outputs, (sys.stdout, sys.stderr), strict=True):
        os.dup2(output, stream.fileno())
        os.close(output)
    os.chdir(folder)
    sys.path[0] = folder
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [*command]
    status: int = import_module(command[0]).main()
    return status


def _end(run: Callable[[], int]) -> NoReturn:
    """End this copy with the status of a program, as Python does, but for what libraries do after that.

    One of ROS's cancels a thread of its own, which only the copied process has: a copy would be killed for that.
    """
    try:
        status = run()
    except KeyboardInterrupt:
        sys.stdout.flush()
        sys.stderr.flush()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)
        raise
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    sys.exit(main())

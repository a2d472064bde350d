"""Copies of a process that has imported their programs: they start in milliseconds, not in the time of the imports.

A copy calls the function `main` of a module as `python -m MODULE` would, with these differences: it has `__main__` of
the copied process and what that process has read and cached, all copies hash texts with the same seed, and their input
is empty. `multiprocessing`'s fork server would import the main module of the asking program into each copy, and a
script without a guard would run again there.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from multiprocessing.connection import Connection, Pipe, wait
from multiprocessing.reduction import recv_handle, send_handle
from typing import NoReturn

from simspark_ros.configuration.c_library import die_with_parent

_SIZE = 1 << 16
"""Most bytes read at a time."""

_PATIENCE = 60.0
"""Time that a copy may take to begin, the imports of its program included, s."""

_Request = tuple[str, list[str], dict[str, str], str]
"""A module, its arguments, the environment and the working folder of a copy."""


class Copy:
    """A copy that runs, as the process that has asked for it sees it.

    Attributes:
        pid: id of the process.
        returncode: exit status, negative for a signal; None until `wait` has seen the end.
    """

    def __init__(self, answers: Connection) -> None:
        self._answers = answers
        self.returncode: int | None = None
        if not answers.poll(_PATIENCE):
            raise TimeoutError(f"no copy has started within {_PATIENCE:g} s")
        self.pid = self._answer()

    def wait(self, timeout: float) -> int:
        """Wait for its end; returns the exit status.

        Raises:
            subprocess.TimeoutExpired: it still runs after the timeout, s.
        """
        if self.returncode is None:
            if not self._answers.poll(timeout):
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            self.returncode = os.waitstatus_to_exitcode(self._answer())
            self._answers.close()
        return self.returncode

    def poll(self) -> int | None:
        """Its exit status, None while it runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0.0)
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
        try:
            answer: int = self._answers.recv()
        except EOFError:
            raise ConnectionResetError("the process to be copied has ended") from None
        return answer


class Original:
    """A process that imports the modules of its copies, and is copied on demand; safe from any thread.

    It ends with this process; if somebody else has ended it, it starts again.
    """

    def __init__(self, environment: Mapping[str, str], modules: Sequence[str] = ()) -> None:
        """Nothing starts before the first copy.

        Args:
            environment: variables of the process, for what is read at an import; copies get their own.
            modules: modules to import before the first copy, beside the module of each copy.
        """
        self._environment, self._modules = environment, modules
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: Connection | None = None
        atexit.register(self.close)

    def copy(
        self, module: str, arguments: Sequence[str], environment: Mapping[str, str], files: tuple[int, int]
    ) -> Copy:
        """Start a copy that runs `main` of a module in the present folder; returns when the copy has begun.

        Args:
            module: the module.
            arguments: its arguments, without the name of the program.
            environment: variables of the copy.
            files: numbers of the files for its output and its errors.

        Raises:
            OSError: no process can be started.
        """
        request = (module, [*arguments], {**environment}, _present_folder())
        try:
            return self._asked(request, files)
        # Somebody has killed it.
        except OSError:
            return self._asked(request, files)

    def prepare(self, module: str) -> None:
        """Start now, and import a module that copies will run, beside whatever the asking process does meanwhile."""
        with contextlib.suppress(OSError):
            requests = self._running()
            with self._lock:
                requests.send((module,))

    def close(self) -> None:
        """End it and all copies that run."""
        self._leave(self._requests)

    def _leave(self, requests: Connection | None) -> None:
        """End the process that takes these requests, if it is the present one."""
        with self._lock:
            if requests is not None and requests is self._requests and self._process is not None:
                requests.close()
                self._process.wait()
                self._process = self._requests = None

    def _asked(self, request: _Request, files: tuple[int, int]) -> Copy:
        requests = self._running()
        ours, theirs = Pipe()
        try:
            with theirs, self._lock:
                requests.send(request)
                for file in (*files, theirs.fileno()):
                    send_handle(requests, file, None)
            return Copy(ours)
        # Whatever breaks a request off half-way: what comes next would be read as the rest of it.
        except BaseException:
            ours.close()
            self._leave(requests)
            raise

    def _running(self) -> Connection:
        with self._lock:
            if self._requests is None:
                requests, theirs = Pipe()
                with theirs:
                    self._process = subprocess.Popen(
                        [sys.executable, "-m", __name__, str(theirs.fileno()), *self._modules],
                        env=self._environment,
                        pass_fds=[theirs.fileno()],
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL,
                        # In a session of its own it does not end by Ctrl-C in the terminal of those who ask.
                        start_new_session=True,
                    )
                self._requests = requests
            return self._requests


def read_all(file: int, timeout: float) -> bytes:
    """All that others write into a pipe until its end.

    Raises:
        subprocess.TimeoutExpired: the end has not come after the timeout, s.
    """
    parts, deadline = list[bytes](), time.monotonic() + timeout
    while True:
        if not wait([file], max(0.0, deadline - time.monotonic())):
            raise subprocess.TimeoutExpired("a copy", timeout)
        if not (part := os.read(file, _SIZE)):
            return b"".join(parts)
        parts.append(part)


def _present_folder() -> str:
    """The working folder, or the root if somebody has removed it."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return os.sep


def main() -> NoReturn:
    """Be copied until nobody can ask any more."""
    for module in sys.argv[2:]:
        _import(module)
    _copy_on_demand(Connection(int(sys.argv[1])))
    # Copies that run end with this process. To end in order takes the libraries a third of a second.
    os._exit(0)


def _import(module: str) -> None:
    """Import a module for all copies; if it cannot be, a copy that runs it says why."""
    if module not in sys.modules:
        with contextlib.suppress(Exception):
            import_module(module)
        # The garbage collector of a copy would write to all that it shares with this process.
        gc.collect()
        gc.freeze()


def _copy_on_demand(requests: Connection) -> None:
    running: dict[int, tuple[int, Connection]] = {}
    while True:
        for ready in wait([requests, *running]):
            if isinstance(ready, int):
                pid, answers = running.pop(ready)
                with answers, contextlib.suppress(BrokenPipeError):
                    answers.send(os.waitpid(pid, 0)[1])
                os.close(ready)
                continue
            try:
                module, *request = requests.recv()
                if not request:
                    _import(module)
                    continue
                *outputs, answering = (recv_handle(requests) for _ in range(3))
            except (EOFError, OSError, RuntimeError):
                return
            _import(module)
            answers = Connection(answering)
            original, pid = os.getpid(), os.fork()
            if pid == 0:
                die_with_parent(original)
                for number, (_, other) in running.items():
                    other.close()
                    os.close(number)
                answers.close()
                requests.close()
                _end(partial(_run, outputs, module, *request))
            for output in outputs:
                os.close(output)
            with contextlib.suppress(BrokenPipeError):
                answers.send(pid)
            running[os.pidfd_open(pid)] = pid, answers


def _run(
    outputs: Sequence[int], module: str, arguments: Sequence[str], environment: Mapping[str, str], folder: str
) -> int:
    for output, stream in zip(outputs, (sys.stdout, sys.stderr), strict=True):
        os.dup2(output, stream.fileno())
        os.close(output)
    os.chdir(folder)
    # From Python 3.11 on there may be no place for the folder: the asking process keeps the first one.
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = folder
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [module, *arguments]
    status: int = import_module(module).main()
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
    main()

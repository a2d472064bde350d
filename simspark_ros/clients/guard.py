"""Ends all processes of a match when its runner has ended for any reason. Runs as a program of its own.

    python guard.py MARK PATIENCE [RESULT]

It waits for the end of its standard input, which its parent holds open, and then ends every process that carries the
mark in its environment: processes inherit it, even in another session. The server is ended first: otherwise it could
record that the players leave, and a continued match would begin without them. Needs Linux's /proc; elsewhere only the
processes that the runner has started itself are ended. A runner that ends in order says so by a byte; of any other
the guard makes the will the result, see `fulfil`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

VARIABLE = "SIMSPARK_MATCH"
"""The environment variable with the mark."""

SERVER = "server"
"""Name of the process that is ended first; its mark is `MARK:server`."""

POLL = 0.05
"""Time between two searches, s."""


def marked(mark: str) -> list[int]:
    """Ids of all living processes of this user whose mark begins like this."""
    wanted = f"{VARIABLE}={mark}".encode()
    own = os.getpid()
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            environment = (entry / "environ").read_bytes()
        except OSError:
            # It has ended since, or belongs to another user.
            continue
        if int(entry.name) != own and any(text.startswith(wanted) for text in environment.split(b"\0")):
            found.append(int(entry.name))
    return found


def end_all(mark: str, patience: float) -> None:
    """Send SIGTERM to all marked processes, and SIGKILL after `patience` s to those that are left."""
    for number, limit in ((signal.SIGTERM, patience), (signal.SIGKILL, patience)):
        signalled: set[int] = set()
        end = time.monotonic() + limit
        while (left := marked(mark)) and time.monotonic() < end:
            # Processes that started in between get the signal, too.
            for process in set(left) - signalled:
                _send(process, number)
            signalled.update(left)
            time.sleep(POLL)
        if not left:
            return


def _send(process: int, number: signal.Signals) -> None:
    try:
        os.kill(process, number)
        # Until it continues, a stopped process reacts to SIGKILL only.
        os.kill(process, signal.SIGCONT)
    except (ProcessLookupError, PermissionError):
        pass


def will_of(result: Path) -> Path:
    """The file beside a result into which the runner writes what is to be the result if it is killed."""
    return result.with_name(result.name + ".part")


def fulfil(result: Path) -> None:
    """Make the will of the runner its result, if it has left one that is whole; it may have blanks at its end."""
    will = will_of(result)
    try:
        text = will.read_text(encoding="utf-8").rstrip()
        json.loads(text)
        with will.open("r+b") as file:
            file.write(f"{text}\n".encode())
            file.truncate()
        os.replace(will, result)
    except (OSError, ValueError):
        # It was killed before the match began, or on a disk that fails: there is no result.
        return


def main() -> None:
    """Wait until the parent has ended or closed the pipe."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    in_order = False
    while os.read(0, 4096):
        in_order = True
    mark, patience, result = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
    end_all(f"{mark}:{SERVER}", patience)
    end_all(mark, patience)
    if result and not in_order:
        fulfil(Path(result[0]))


if __name__ == "__main__":
    main()

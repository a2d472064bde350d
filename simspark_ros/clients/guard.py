"""Ends all processes of a match when its runner has ended for any reason. Runs as a program of its own.

    python guard.py MARK RUNNER PATIENCE [WILL RESULT]

It waits for the end of its standard input, which its parent holds open, and then ends every process that carries the
mark in its environment: processes inherit it, even in another session. The server is ended first: otherwise it could
record that the players leave, and a continued match would begin without them. Needs Linux's /proc; elsewhere only the
processes that the runner has started itself are ended. If the runner does not live then, the guard makes its will its
result, see `fulfil`.
"""

from __future__ import annotations

import glob
import json
import os
import signal
import sys
import time
from contextlib import suppress
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
    """Send SIGTERM to all marked processes, and SIGKILL after `patience` s to processes that are left."""
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


def fulfil(will: Path, result: Path) -> None:
    """Make the will of a killed runner, the file with the result for that case, its result.

    There is no result if the will is not whole, as before the match began, or if another runner has begun there
    meanwhile. Blanks at the will's end are left out.
    """
    try:
        text = will.read_text(encoding="utf-8").rstrip()
        json.loads(text)
        others = set(will.parent.glob(f"{glob.escape(result.name)}.*.part")) - {will}
        if any(Path("/proc", other.name.split(".")[-2]).exists() for other in others):
            raise FileExistsError
        with will.open("r+b") as file:
            file.write(f"{text}\n".encode())
            file.truncate()
        os.replace(will, result)
    except (OSError, ValueError):
        with suppress(OSError):
            will.unlink(missing_ok=True)


def main() -> None:
    """Wait until the parent has ended or closed the pipe."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while os.read(0, 4096):
        pass
    mark, runner, patience, *files = sys.argv[1:]
    end_all(f"{mark}:{SERVER}", float(patience))
    end_all(mark, float(patience))
    # One that was killed may have been so before this process began: who the parent is now does not say.
    if files and os.getppid() != int(runner):
        fulfil(*map(Path, files))


if __name__ == "__main__":
    main()

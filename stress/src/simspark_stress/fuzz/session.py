"""One server under test with its witnesses: good clients, the processes, their output and the doors."""

from __future__ import annotations

import contextlib
import random
import re
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from simspark_stress.dialects import dialect_of
from simspark_stress.fuzz.case import Case, Step
from simspark_stress.fuzz.server import Server
from simspark_stress.hostile_client import HostileClient, framed
from simspark_stress.probe import Probe
from simspark_stress.probe_checks import LATE
from simspark_stress.settings import FuzzSettings

_GOOD = 10
"""Faultless messages in a row after which the good client is well."""

_LAST_BREATH = 2.0
"""Time to wait for the end of a process that has closed the connection of a good client, s."""

_RESUMED = 0.2
"""Time between two commands that make simulated time run, since some cases stop it, s."""

_OUTRUN = ("bridge", "lost message")
"""Process and kind of fault that are accepted.

In real time the simulator does not wait for a bridge, and cases make it run hundreds of cycles a second.
"""

_SHOWN, _LAST_WORDS = 300, 3
"""Most characters per line, and most lines, of a process's output in a finding."""

_POOLED = 12
"""Open files, or threads, that a server may keep from its first busy moment on; a leak grows in every round."""

_NOT_UNDERSTOOD = re.compile(r"its message was not understood: (\w+) in ")
"""Report of an exception that a server has survived by disconnecting the client."""

_QUIET = ("--headless", "--pacing=lockstep", "--wait-for-robots=1")
"""Options of a quiet server: time begins with the good client, and each cycle waits for its answer."""


FOLDER = "{folder}"
"""Placeholder in options of a door for a folder of the server's own."""

UDP_PORT = "{udp_port}"
"""Placeholder in options of a door for a free UDP port."""


class OpenDoor(Protocol):
    """A door of a running server."""

    def play(self, steps: tuple[Step, ...]) -> None:
        """Play the steps of a case."""

    def fault(self) -> str:
        """Return the fault of the door; empty if it serves a well-behaved client."""

    def tidy(self) -> None:
        """Remove what cases may leave behind, e.g. spawned robots."""

    def close(self) -> None:
        """Release the connections to the server."""


@dataclass(frozen=True)
class Door:
    """A way into a server.

    Attributes:
        name: name of the door for `--doors` and the report.
        draw: function that draws the steps of a case; its second argument says whether they must not change the state
            hash.
        open: function that opens the door of a server.
        options: options that give a server the door; they may contain `FOLDER` and `UDP_PORT`.
        share: weight of the door when cases are drawn, relative to other doors.
        quiet: whether `draw` can draw quiet cases.
        heaviest: steps of a case that uses as much of a server's memory as the heaviest drawn cases; empty if all cases
            are light.
    """

    name: str
    draw: Callable[[random.Random, bool], list[Step]]
    open: Callable[[Server], OpenDoor]
    options: tuple[str, ...] = ()
    share: float = 1.0
    quiet: bool = True
    heaviest: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Fault:
    """A fault that a witness has seen.

    Attributes:
        kind: kind of the fault, by which similar faults are counted together.
        text: details of the fault.
    """

    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}" if self.text else self.kind


class Session(contextlib.ExitStack):
    """A fresh server, the doors of the cases, and a good client at each port for agents; `with` ends all of them.

    Attributes:
        server: the server under test.
        gap: longest wait of a good client for a message between `begin` and `faults`, s.
        usual: resources of the processes before any case.

    `folder` is created for the server's output. The cycles of all `quiet` sessions must have the same hashes.

    Raises:
        NotStartedError: the server does not start.
        NoServerError: a good client cannot play.
    """

    def __init__(
        self, options: Sequence[str], doors: Sequence[Door], settings: FuzzSettings, folder: Path, quiet: bool = False
    ) -> None:
        super().__init__()
        self._settings = settings
        self.gap = 0.0
        self._hash_log = folder / "hashes"
        folder.mkdir()
        given = [*options, *(_filled(option, folder) for door in doors for option in door.options)]
        if quiet:
            given += [*_QUIET, f"--hash-log={self._hash_log}"]
        try:
            self.server = self.enter_context(Server(given, folder / "output"))
            self._doors = {door.name: self.enter_context(contextlib.closing(door.open(self.server))) for door in doors}
            # Doors may have started processes with further ports for agents.
            self._probes = {name: self._probe_at(name, address) for name, address in self.server.agents.items()}
            if not quiet:
                self.enter_context(contextlib.closing(TimeKeeper(self.server.address("monitor_port"))))
            self._settle()
        except BaseException:
            self.close()
            raise
        self.usual = self.server.use()

    def play(self, case: Case) -> None:
        """Play a case; several threads may call this at a time."""
        self._doors[case.door].play(case.steps)

    def begin(self) -> None:
        """Begin a new observation."""
        for probe in self._probes.values():
            probe.begin()

    def tidy(self) -> None:
        """Remove what the cases played so far may have left behind, as `faults` does."""
        for door in self._doors.values():
            door.tidy()

    def faults(self) -> list[Fault]:
        """Return the faults that the witnesses have seen since `begin`; call it when no case is playing."""
        self.tidy()
        settled = self._settle()
        if ended := self._ended():
            return ended
        printed = self.server.new_output()
        seen = [fault for name in self._probes for fault in self._seen_by_good_client(name, settled[name], printed)]
        self.gap = max(probe.observation().longest_gap for probe in self._probes.values())
        return [*_tracebacks(printed), *seen, *self._closed_doors(), *self._left_behind()]

    def hashes(self) -> list[str]:
        """Return the state hashes of a quiet session written so far, one per cycle."""
        return self._hash_log.read_text(encoding="ascii").split("\n")[:-1]

    @property
    def healthy(self) -> bool:
        """Whether the session can go on."""
        return self.server.ended is None and not self._lost

    @property
    def _lost(self) -> bool:
        return any(probe.lost for probe in self._probes.values())

    def _probe_at(self, name: str, address: tuple[str, int]) -> Probe:
        settings = self._settings
        # On a busy machine a process in between may pass messages on late, which a client cannot see.
        late = LATE if name == "server" else settings.max_gap
        dialect = dialect_of(settings.league, settings.robot)
        probe = Probe(address, settings.team, settings.cycle, settings.recovery, late, dialect)
        return self.enter_context(contextlib.closing(probe))

    def _settle(self) -> dict[str, bool]:
        return {name: probe.settle(_GOOD, self._settings.recovery) for name, probe in self._probes.items()}

    def _ended(self) -> list[Fault]:
        end = time.monotonic() + _LAST_BREATH
        while (ended := self.server.ended) is None and self._lost and time.monotonic() < end:
            time.sleep(0.01)
        if ended is None:
            return []
        name, status = ended
        last = self.server.new_output().strip()[-_SHOWN:]
        return [Fault(f"the {name} has ended", f"exit status {status}; {last}")]

    def _seen_by_good_client(self, name: str, settled: bool, printed: str) -> list[Fault]:
        """Return the faults that the good client at the port of a process has seen."""
        probe = self._probes[name]
        who = "good client" if name == "server" else f"good client of the {name}"
        seen = probe.observation()
        examples = f" ({seen.examples[0]})" if seen.examples else ""
        faults = [
            Fault(f"{who}: {kind}", f"{count} times{examples}")
            for kind, count in seen.problems.items()
            if (name, kind) != _OUTRUN
        ]
        if seen.longest_gap > self._settings.max_gap:
            faults.append(Fault(f"{who}: no message", f"for {seen.longest_gap:.2f} s"))
        if not settled:
            why = [probe.lost or "it does not recover", *last_words(name, printed)]
            faults.append(Fault(f"{who}: lost", "; ".join(why)))
        return faults

    def _closed_doors(self) -> list[Fault]:
        return [Fault(f"door {name}", text) for name, door in self._doors.items() if (text := door.fault())]

    def _left_behind(self) -> list[Fault]:
        """Return a fault if files and threads stay open although all attackers have left."""
        end = time.monotonic() + self._settings.recovery
        while True:
            use = self.server.use()
            files, threads = use.files - self.usual.files, use.threads - self.usual.threads
            if files <= _POOLED and threads <= _POOLED:
                return []
            if time.monotonic() > end:
                return [Fault("left behind", f"there are {files} open files and {threads} threads more than before")]
            time.sleep(0.05)


class TimeKeeper:
    """Keeps simulated time running at the usual speed whatever trainers among the cases do, in its own thread."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._address = address
        self._client = HostileClient(address)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="time keeper", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread and the connection."""
        self._end.set()
        self._thread.join()
        self._client.close()

    def _run(self) -> None:
        while not self._end.wait(_RESUMED):
            if not self._client.is_open:
                with contextlib.suppress(OSError):
                    self._client = HostileClient(self._address)
            self._client.push(framed("(frameRate 1)(run)(speed)"))
            while self._client.receive():
                pass


def _filled(option: str, folder: Path) -> str:
    if UDP_PORT in option:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            option = option.replace(UDP_PORT, str(free.getsockname()[1]))
    return option.replace(FOLDER, str(folder))


def last_words(name: str, printed: str) -> list[str]:
    """Return the last lines of output that name a process, e.g. why the simulator has dropped the bridge."""
    return [line[:_SHOWN] for line in printed.splitlines() if name in line][-_LAST_WORDS:]


def _tracebacks(printed: str) -> list[Fault]:
    return [Fault(f"traceback: {name}", line[:_SHOWN]) for name, line in printed_errors(printed).items()]


def printed_errors(printed: str) -> dict[str, str]:
    """Return lines with exceptions, by name: last lines of tracebacks, and reports of survived exceptions."""
    found: dict[str, str] = {}
    inside = False
    for line in printed.splitlines():
        if line.lstrip().startswith("Traceback"):
            inside = True
        elif inside and (name := re.match(r"[A-Za-z_][\w.]*", line)):
            found.setdefault(name[0], line)
            inside = False
        elif name := _NOT_UNDERSTOOD.search(line):
            found.setdefault(name[1], line)
    return found

"""Draws and plays cases round by round, asks the witnesses after each, and keeps what does harm."""

from __future__ import annotations

import contextlib
import itertools
import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from simspark_ros.clients.stress.fuzz.case import Case, Finding, write_finding
from simspark_ros.clients.stress.fuzz.reference import difference, hashes_alone, other_hash
from simspark_ros.clients.stress.fuzz.report import FuzzReport
from simspark_ros.clients.stress.fuzz.session import Door, Fault, Session
from simspark_ros.clients.stress.fuzz.trials import Trials
from simspark_ros.clients.stress.settings import FuzzSettings

_JUDGED = 60
"""Rounds that a session needs for its memory to be judged: a fifth of them plays each door alone at least once."""

_HEAVIEST = 3
"""How often all workers at a time play the heaviest case of each door first."""

_MIXED = 4
"""Every so many rounds all doors are attacked at a time, in the others one."""


class Campaign:
    """One search.

    Attributes:
        report: what has been found so far.

    `work` is a folder for what servers write, `kept` one for findings, None = they are not kept. `say` gets a line for
    each new finding.
    """

    def __init__(
        self,
        settings: FuzzSettings,
        doors: Sequence[Door],
        work: Path,
        kept: Path | None,
        say: Callable[[str], None],
    ) -> None:
        self.report = FuzzReport([door.name for door in doors])
        self._settings, self._doors, self._work, self._kept, self._say = settings, doors, work, kept, say
        self._case_numbers, self._sessions = itertools.count(), itertools.count()
        self._quiet_doors = [door for door in doors if door.quiet]
        self._reference: list[str] = []
        self._found: set[str] = set()

    def run(self) -> None:
        """Search for as long as the settings say.

        Raises:
            UserError: no server can be started, or a finding cannot be written.
        """
        seconds = 60.0 * self._settings.minutes
        quiet = seconds * self._settings.quiet if self._quiet_doors else 0.0
        if quiet:
            self._search_quietly(quiet)
        left = seconds - quiet
        while left > 0.0:
            left -= self._search(left)

    def _search(self, seconds: float) -> float:
        """Attack one server until it is unwell or the time (s) is over; returns how long that was without shrinking."""
        spent = 0.0
        with self._start(False) as session:
            self.report.uses.clear()
            self._play_heaviest(session)
            for number in itertools.count():
                alone = self._doors[(number - number // _MIXED) % len(self._doors)]
                began = time.monotonic()
                cases, faults = self._round(session, [alone] if number % _MIXED else self._doors, False)
                spent += time.monotonic() - began
                if session.healthy:
                    self.report.uses.append(session.server.uses())
                self._judge(faults, cases, False)
                if not session.healthy or spent > seconds:
                    break
            self._judge_memory()
            self._judge_end(session)
        return spent

    def _search_quietly(self, seconds: float) -> None:
        """Attack one server with cases that must leave the match as it is, then play the same match alone."""
        end = time.monotonic() + seconds
        rounds: list[tuple[int, list[Case]]] = []
        with self._start(True) as session:
            while time.monotonic() < end and session.healthy:
                cases, faults = self._round(session, self._quiet_doors, True)
                rounds.append((len(session.hashes()), cases))
                self._judge(faults, cases, True)
            attacked = session.hashes()
        with self._start(True) as alone:
            self._reference = hashes_alone(alone, len(attacked))
        self.report.compared = min(len(attacked), len(self._reference))
        for fault in other_hash(self._reference, attacked):
            at = difference(self._reference, attacked)
            late = (number for number, (cycles, _) in enumerate(rounds) if at is not None and cycles > at)
            first = next(late, len(rounds) - 1)
            # What is drawn in a round may have shown in the log in the next one only.
            suspects = [case for _, cases in rounds[max(first - 1, 0) : first + 1] for case in cases]
            self._judge([fault], suspects, True)

    def _round(self, session: Session, doors: Sequence[Door], quiet: bool) -> tuple[list[Case], list[Fault]]:
        """Play drawn cases for some time; returns them, and the faults seen."""
        cases: list[Case] = []
        session.begin()
        before = session.server.use().memory
        end = time.monotonic() + self._settings.round

        def work(worker: int) -> None:
            while time.monotonic() < end and session.server.ended is None:
                case = self._draw(doors, quiet)
                cases.append(case)
                session.play(case)

        with ThreadPoolExecutor(self._settings.workers) as pool:
            list(pool.map(work, range(self._settings.workers)))
        faults = session.faults()
        grown = session.server.use().memory - before
        self.report.count(cases, [door.name for door in doors], session.gap, grown)
        return cases, faults

    def _play_heaviest(self, session: Session) -> None:
        """Let heaps see at once what cases bring together by chance only: what grows later is lost."""
        for case in [Case(door.name, door.heaviest) for door in self._doors if door.heaviest]:
            for _ in range(_HEAVIEST):
                session.begin()
                with ThreadPoolExecutor(self._settings.workers) as pool:
                    list(pool.map(session.play, [case] * self._settings.workers))
                self._judge(session.faults(), [case] * self._settings.workers, False)

    def _draw(self, doors: Sequence[Door], quiet: bool) -> Case:
        source = random.Random(f"{self._settings.seed} {next(self._case_numbers)}")
        (door,) = source.choices(doors, [door.share for door in doors])
        return Case(door.name, tuple(door.draw(source, quiet)))

    def _start(self, quiet: bool) -> Session:
        folder = self._work / str(next(self._sessions))
        doors = self._quiet_doors if quiet else self._doors
        return Session(self._settings.server, doors, self._settings, folder, quiet)

    def _judge(self, faults: Sequence[Fault], cases: Sequence[Case], quiet: bool) -> None:
        """Count faults; shrink and keep the first of a new kind: others may follow from it, or show again."""
        for fault in faults:
            self.report.note(fault.kind)
        for fault in [fault for fault in faults if fault.kind not in self._found][:1]:
            self._found.add(fault.kind)
            finding = self._shrink(fault, cases, quiet)
            path = self._keep(finding, len(self.report.findings))
            self.report.add(finding)
            known = f"{len(finding.cases)} cases" if finding.reproduced else "not seen again on a fresh server"
            self._say(f"{finding.fault} [{', '.join(finding.doors)}; {known}]" + (f" -> {path}" if path else ""))

    def _shrink(self, fault: Fault, cases: Sequence[Case], quiet: bool) -> Finding:
        settings = self._settings

        def extra(session: Session) -> list[Fault]:
            return other_hash(self._reference, session.hashes()) if quiet else []

        trials = Trials(lambda: self._start(quiet), fault, settings.shrinking, settings.workers, extra)
        with contextlib.closing(trials):
            smallest = trials.smallest(cases)
        return Finding(str(fault), settings.server, tuple(smallest or cases), quiet, bool(smallest))

    def _keep(self, finding: Finding, number: int) -> Path | None:
        if self._kept is None or not finding.cases:
            return None
        self._kept.mkdir(parents=True, exist_ok=True)
        path = self._kept / f"{self._settings.seed}-{number + 1}-{'-'.join(finding.doors)}.json"
        write_finding(finding, path)
        return path

    def _judge_memory(self) -> None:
        if len(self.report.uses) < _JUDGED:
            return
        for name, memory in self.report.memory().items():
            if memory.growth > self._settings.memory:
                grown = f"from {memory.before / 1e6:.1f} to {memory.after / 1e6:.1f} MB"
                self._judge_lasting(Fault(f"memory of {name} grows", grown))

    def _judge_end(self, session: Session) -> None:
        """Processes end when they are asked to, with status 0."""
        for name, status in session.server.end().items() if session.server.ended is None else ():
            if status != 0:
                self._judge_lasting(Fault(f"the {name} does not end as asked", f"exit status {status}"))

    def _judge_lasting(self, fault: Fault) -> None:
        """A fault of all the rounds of a session together, which no small case shows."""
        self.report.note(fault.kind)
        if fault.kind not in self._found:
            self._found.add(fault.kind)
            finding = Finding(str(fault), self._settings.server, (), reproduced=False)
            self.report.add(finding)
            self._say(str(fault))

"""Draws and plays cases round by round, checks the witnesses after each round, and keeps the cases that do harm."""

from __future__ import annotations

import contextlib
import itertools
import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from simspark_stress.fuzz.case import Case, Finding, write_finding
from simspark_stress.fuzz.reference import difference, hashes_alone, other_hash
from simspark_stress.fuzz.report import FuzzReport
from simspark_stress.fuzz.session import Door, Fault, Session
from simspark_stress.fuzz.trials import Trials
from simspark_stress.settings import FuzzSettings

_JUDGED = 60
"""Fewest rounds of a session whose memory is judged, so that a fifth of them plays each door alone at least once."""

_HEAVIEST = 3
"""Number of times that all workers together play the heaviest case of each door at the start."""

_MIXED = 4
"""One round in so many attacks all doors at a time; each other round attacks one door."""

_SILENCE = 1.5
"""Time that a cycle in lock-step waits for drawn players, s; a joining good client withholds its answer for less."""

_LOCKSTEP = ("--headless", "--pacing=lockstep", "--wait-for-robots=1", f"--silent-timeout={_SILENCE}")


@dataclass(frozen=True)
class _Phase:
    """A part of the search.

    Attributes:
        doors: doors to attack.
        options: further options of the servers.
        quiet: whether the cases must not change the state hash.
        more_gap: addition to the longest harmless gap between messages to a good client, s.
    """

    doors: Sequence[Door]
    options: tuple[str, ...] = ()
    quiet: bool = False
    more_gap: float = 0.0


class Campaign:
    """One search.

    Attributes:
        report: report of the cases played and the findings so far.

    `work` is a folder for the output of servers and `kept` a folder for findings; None = findings are not kept. `say`
    is called with a line for each new finding.
    """

    def __init__(
        self, settings: FuzzSettings, doors: Sequence[Door], work: Path, kept: Path | None, say: Callable[[str], None]
    ) -> None:
        self.report = FuzzReport([door.name for door in doors])
        self._settings, self._doors, self._work, self._kept, self._say = settings, doors, work, kept, say
        self._case_numbers, self._sessions = itertools.count(), itertools.count()
        # At the other doors, other clocks drive simulated time.
        orderly = [door for door in doors if door.quiet]
        self._quiet, self._lockstep = _Phase(orderly, quiet=True), _Phase(orderly, _LOCKSTEP, more_gap=_SILENCE)
        self._real_time = _Phase(doors)
        self._reference: list[str] = []
        self._found: set[str] = set()

    def run(self) -> None:
        """Search for the time that the settings name.

        Raises:
            UserError: no server can be started, or a finding cannot be written.
        """
        seconds = 60.0 * self._settings.minutes
        left = seconds
        for phase, share, search in (
            (self._quiet, self._settings.quiet, self._search_quietly),
            (self._lockstep, self._settings.lockstep, self._search_in_lockstep),
        ):
            if share and phase.doors:
                search(seconds * share)
                left -= seconds * share
        while left > 0.0:
            left -= self._search(left)

    def _search(self, seconds: float) -> float:
        """Attack one server until it is harmed or the time (s) is over; returns the time spent without shrinking, s."""
        spent, phase = 0.0, self._real_time
        with self._start(phase) as session:
            self.report.uses.clear()
            self._play_heaviest(session)
            for number in itertools.count():
                alone = self._doors[(number - number // _MIXED) % len(self._doors)]
                began = time.monotonic()
                cases, faults = self._round(session, [alone] if number % _MIXED else self._doors, phase)
                spent += time.monotonic() - began
                if session.healthy:
                    self.report.uses.append(session.server.uses())
                self._judge(faults, cases, phase)
                if not session.healthy or spent > seconds:
                    break
            self._judge_memory()
            self._judge_end(session)
        return spent

    def _search_quietly(self, seconds: float) -> None:
        """Attack one server with cases that must not change the match, then play the same match without attackers."""
        end, phase = time.monotonic() + seconds, self._quiet
        rounds: list[tuple[int, list[Case]]] = []
        with self._start(phase) as session:
            while time.monotonic() < end and session.healthy:
                cases, faults = self._round(session, phase.doors, phase)
                rounds.append((len(session.hashes()), cases))
                self._judge(faults, cases, phase)
            attacked = session.hashes()
        with self._start(phase) as alone:
            self._reference = hashes_alone(alone, len(attacked))
        self.report.compared = min(len(attacked), len(self._reference))
        for fault in other_hash(self._reference, attacked):
            at = difference(self._reference, attacked)
            late = (number for number, (cycles, _) in enumerate(rounds) if at is not None and cycles > at)
            first = next(late, len(rounds) - 1)
            # The effect of a case may appear in the log one round late.
            suspects = [case for _, cases in rounds[max(first - 1, 0) : first + 1] for case in cases]
            self._judge([fault], suspects, phase)

    def _search_in_lockstep(self, seconds: float) -> None:
        """Attack one server in lock-step, which waits for drawn players too, until it is harmed or the time is over."""
        end, phase = time.monotonic() + seconds, self._lockstep
        with self._start(phase) as session:
            while True:
                cases, faults = self._round(session, phase.doors, phase)
                self._judge(faults, cases, phase)
                if not session.healthy or time.monotonic() > end:
                    break
            self._judge_end(session)

    def _round(self, session: Session, doors: Sequence[Door], phase: _Phase) -> tuple[list[Case], list[Fault]]:
        """Play drawn cases for one round; returns the cases and the faults seen."""
        cases: list[Case] = []
        session.begin()
        before = session.server.use().memory
        end = time.monotonic() + self._settings.round

        def work(worker: int) -> None:
            while time.monotonic() < end and session.server.ended is None:
                case = self._draw(doors, phase.quiet)
                cases.append(case)
                session.play(case)

        with ThreadPoolExecutor(self._settings.workers) as pool:
            list(pool.map(work, range(self._settings.workers)))
        faults = session.faults()
        grown = session.server.use().memory - before
        self.report.count(cases, [door.name for door in doors], session.gap, grown)
        return cases, faults

    def _play_heaviest(self, session: Session) -> None:
        """Fill the heaps at once with the heaviest load, which cases reach only by chance; later growth is a leak."""
        for case in [Case(door.name, door.heaviest) for door in self._doors if door.heaviest]:
            for _ in range(_HEAVIEST):
                session.begin()
                with ThreadPoolExecutor(self._settings.workers) as pool:
                    list(pool.map(session.play, [case] * self._settings.workers))
                self._judge(session.faults(), [case] * self._settings.workers, self._real_time)

    def _draw(self, doors: Sequence[Door], quiet: bool) -> Case:
        source = random.Random(f"{self._settings.seed} {next(self._case_numbers)}")
        (door,) = source.choices(doors, [door.share for door in doors])
        return Case(door.name, tuple(door.draw(source, quiet)))

    def _start(self, phase: _Phase) -> Session:
        folder = self._work / str(next(self._sessions))
        settings = replace(self._settings, max_gap=self._settings.max_gap + phase.more_gap)
        return Session(self._options(phase), phase.doors, settings, folder, phase.quiet)

    def _options(self, phase: _Phase) -> tuple[str, ...]:
        return (*self._settings.server, *phase.options)

    def _judge(self, faults: Sequence[Fault], cases: Sequence[Case], phase: _Phase) -> None:
        """Count faults; shrink and keep the first of a new kind: the others may follow from it or appear again."""
        for fault in faults:
            self.report.note(fault.kind)
        for fault in [fault for fault in faults if fault.kind not in self._found][:1]:
            self._found.add(fault.kind)
            finding = self._shrink(fault, cases, phase)
            path = self._keep(finding, len(self.report.findings))
            self.report.add(finding)
            known = f"{len(finding.cases)} cases" if finding.reproduced else "a fresh server did not repeat it"
            self._say(f"{finding.fault} [{', '.join(finding.doors)}; {known}]" + (f" -> {path}" if path else ""))

    def _shrink(self, fault: Fault, cases: Sequence[Case], phase: _Phase) -> Finding:
        settings = self._settings

        def extra(session: Session) -> list[Fault]:
            return other_hash(self._reference, session.hashes()) if phase.quiet else []

        trials = Trials(lambda: self._start(phase), fault, settings.shrinking, settings.workers, extra)
        with contextlib.closing(trials):
            smallest = trials.smallest(cases)
        return Finding(str(fault), self._options(phase), tuple(smallest or cases), phase.quiet, bool(smallest))

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
        """Judge whether all processes end with status 0 when they are asked to."""
        for name, status in session.server.end().items() if session.server.ended is None else ():
            if status != 0:
                self._judge_lasting(Fault(f"the {name} does not end properly", f"exit status {status}"))

    def _judge_lasting(self, fault: Fault) -> None:
        """Report a fault of a whole session, which no small set of cases reproduces."""
        self.report.note(fault.kind)
        if fault.kind not in self._found:
            self._found.add(fault.kind)
            finding = Finding(str(fault), self._settings.server, (), reproduced=False)
            self.report.add(finding)
            self._say(str(fault))

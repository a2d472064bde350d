"""The report of a search with drawn cases: a table for people, JSON for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass
from typing import Any

from simspark_stress.fuzz.case import Case, Finding
from simspark_stress.fuzz.server import Use

_WARM_UP = 0.4
"""Fraction of a session's rounds before its memory is judged.

Heaps grow until they have held the largest load of all doors, ever more slowly: by some percent in the first half of
20 minutes. A leak goes on growing: 2 % of 150 MB over the 50,000 cases of the second half are 60 bytes per case.
"""

_WINDOW = 0.2
"""Fraction of a session's rounds, after the warm-up and at the end, whose lowest memory is compared."""


@dataclass(frozen=True)
class Memory:
    """Resident memory of a process, bytes.

    The lowest memory of many rounds shows leaks, since the memory of robots and long messages is freed in between.

    Attributes:
        first: memory after the first round.
        before: lowest memory in the rounds after the warm-up.
        after: lowest memory in the last rounds.
        most: highest memory of all rounds.
    """

    first: int
    before: int
    after: int
    most: int

    @property
    def growth(self) -> float:
        """Growth from `before` to `after`, as a fraction of `before`."""
        return self.after / self.before - 1.0


class FuzzReport:
    """Cases and findings by door, and the resources of the server.

    Attributes:
        findings: findings so far, one for each kind of fault.
        uses: resources of the current server's processes after each round, by command.
        compared: number of cycles whose state hash was compared with a match without attackers.
    """

    def __init__(self, doors: Sequence[str]) -> None:
        self.findings: list[Finding] = []
        self.uses: list[dict[str, Use]] = []
        self.compared = 0
        self._doors = doors
        self._cases: Counter[str] = Counter()
        self._gaps, self._grown = dict.fromkeys(doors, 0.0), dict.fromkeys(doors, 0)
        self._faults: Counter[str] = Counter()

    @property
    def cases(self) -> int:
        """Number of cases played, without those for shrinking."""
        return self._cases.total()

    def memory(self) -> dict[str, Memory]:
        """Return the memory of each process that was there in all rounds of the server, by command."""
        rounds = len(self.uses)
        begin, window = int(rounds * _WARM_UP), max(int(rounds * _WINDOW), 1)
        lasting = set.intersection(*(set(uses) for uses in self.uses)) if self.uses else set()
        found = {}
        for name in sorted(lasting):
            held = [uses[name].memory for uses in self.uses]
            found[name] = Memory(held[0], min(held[begin : begin + window]), min(held[-window:]), max(held))
        return found

    def count(self, cases: Sequence[Case], doors: Sequence[str], gap: float, grown: int) -> None:
        """Add a round: its cases and doors, the good client's longest wait, s, and the growth of memory, bytes."""
        if len(doors) == 1:
            self._grown[doors[0]] += grown
        self._cases.update(case.door for case in cases)
        for door in doors:
            self._gaps[door] = max(self._gaps[door], gap)

    def note(self, kind: str) -> None:
        """Count a fault."""
        self._faults[kind] += 1

    def add(self, finding: Finding) -> None:
        """Add a finding."""
        self.findings.append(finding)

    def table(self) -> str:
        """Return the report as a table for people."""
        lines = [f"{'door':<12} {'cases':>8} {'findings':>9} {'longest gap':>12} {'memory':>11}"]
        for door in self._doors:
            found = sum(door in finding.doors for finding in self.findings)
            gap, grown = self._gaps[door], self._grown[door] / 1e6
            lines.append(f"{door:<12} {self._cases[door]:>8} {found:>9} {gap:>10.2f} s {grown:>+8.1f} MB")
        lines.append(f"\n{self.cases} cases, {len(self.findings)} findings")
        lines += [f"  {count} x {kind}" for kind, count in self._faults.items()]
        for name, memory in self.memory().items():
            first, before, after, most = (f"{held / 1e6:.1f}" for held in astuple(memory))
            change = f"{before} -> {after} MB ({memory.growth:+.1%})"
            lines.append(f"memory of {name}: {first} MB at first, {change} after warming up, at most {most} MB")
        if self.compared:
            lines.append(f"state hashes of {self.compared} cycles compared with a match without attackers")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        doors = {
            door: {"cases": self._cases[door], "longest_gap": self._gaps[door], "memory": self._grown[door]}
            for door in self._doors
        }
        return {
            "clean": not self.findings,
            "cases": self.cases,
            "doors": doors,
            "faults": dict(self._faults),
            "memory": {name: asdict(memory) for name, memory in self.memory().items()},
            "uses": [{name: asdict(use) for name, use in uses.items()} for uses in self.uses],
            "compared_cycles": self.compared,
            "findings": [asdict(finding) for finding in self.findings],
        }

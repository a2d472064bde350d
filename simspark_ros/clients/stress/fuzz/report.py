"""What a search with drawn cases has done and found: a table for people, JSON for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from simspark_ros.clients.stress.fuzz.case import Case, Finding
from simspark_ros.clients.stress.fuzz.server import Use


class FuzzReport:
    """Cases and findings by door, and what the server held.

    Attributes:
        findings: one for each kind of fault.
        uses: of the current server and the processes that it has started, by their commands, round by round.
        before, after: the same of the last server that was watched for long enough, after its warm-up and at its end.
        compared: cycles whose state hash was compared with that of a match without attackers.
    """

    def __init__(self, doors: Sequence[str]) -> None:
        self.findings: list[Finding] = []
        self.uses: list[dict[str, Use]] = []
        self.before: dict[str, Use] = {}
        self.after: dict[str, Use] = {}
        self.compared = 0
        self._doors = doors
        self._cases: Counter[str] = Counter()
        self._gaps, self._grown = dict.fromkeys(doors, 0.0), dict.fromkeys(doors, 0)
        self._faults: Counter[str] = Counter()

    @property
    def cases(self) -> int:
        """How many cases were played, those of shrinking apart."""
        return self._cases.total()

    def memory(self) -> dict[str, tuple[float, float]]:
        """Memory of each process before and after, MB."""
        return {name: (use.memory / 1e6, self.after.get(name, use).memory / 1e6) for name, use in self.before.items()}

    def count(self, cases: Sequence[Case], doors: Sequence[str], gap: float, grown: int) -> None:
        """Add a round: its doors, the longest wait of the good client, s, and the memory that was lost, bytes."""
        if len(doors) == 1:
            self._grown[doors[0]] += grown
        self._cases.update(case.door for case in cases)
        for door in doors:
            self._gaps[door] = max(self._gaps[door], gap)

    def seen(self, kind: str) -> bool:
        """Count a fault; whether its kind was known."""
        self._faults[kind] += 1
        return self._faults[kind] > 1

    def add(self, finding: Finding) -> None:
        """Add a finding."""
        self.findings.append(finding)

    def table(self) -> str:
        """The report for people."""
        lines = [f"{'door':<12} {'cases':>8} {'findings':>9} {'longest gap':>12} {'memory':>11}"]
        for door in self._doors:
            found = sum(door in finding.doors for finding in self.findings)
            gap, grown = self._gaps[door], self._grown[door] / 1e6
            lines.append(f"{door:<12} {self._cases[door]:>8} {found:>9} {gap:>10.2f} s {grown:>+8.1f} MB")
        lines.append(f"\n{self.cases} cases, {len(self.findings)} findings")
        lines += [f"  {count} x {kind}" for kind, count in self._faults.items()]
        for name, (before, after) in self.memory().items():
            lines.append(f"memory of {name}: {before:.1f} -> {after:.1f} MB ({after / before - 1.0:+.1%})")
        if self.compared:
            lines.append(f"state hashes of {self.compared} cycles compared with those of a match without attackers")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """The report for programs."""
        doors = {
            door: {"cases": self._cases[door], "longest_gap": self._gaps[door], "memory": self._grown[door]}
            for door in self._doors
        }
        return {
            "clean": not self.findings,
            "cases": self.cases,
            "doors": doors,
            "faults": dict(self._faults),
            "before": {name: asdict(use) for name, use in self.before.items()},
            "after": {name: asdict(use) for name, use in self.after.items()},
            "compared_cycles": self.compared,
            "findings": [asdict(finding) for finding in self.findings],
        }

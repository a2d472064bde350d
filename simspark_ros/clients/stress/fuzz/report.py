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
        uses: of the current server, round by round.
        before, after: of the last server that was watched for long enough, after its warm-up and at its end.
        compared: cycles whose state hash was compared with that of a match without attackers.
    """

    def __init__(self, doors: Sequence[str]) -> None:
        self.findings: list[Finding] = []
        self.uses: list[Use] = []
        self.before = self.after = Use()
        self.compared = 0
        self._doors = doors
        self._cases: Counter[str] = Counter()
        self._gaps = dict.fromkeys(doors, 0.0)
        self._faults: Counter[str] = Counter()

    @property
    def cases(self) -> int:
        """How many cases were played, those of shrinking apart."""
        return self._cases.total()

    def count(self, cases: Sequence[Case], doors: Sequence[str], gap: float) -> None:
        """Add a round at some doors, with the longest wait of the good client, s."""
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
        lines = [f"{'door':<12} {'cases':>8} {'findings':>9} {'longest gap':>12}"]
        for door in self._doors:
            found = sum(door in finding.doors for finding in self.findings)
            lines.append(f"{door:<12} {self._cases[door]:>8} {found:>9} {self._gaps[door]:>10.2f} s")
        before, after = self.before, self.after
        lines.append(f"\n{self.cases} cases, {len(self.findings)} findings")
        lines += [f"  {count} x {kind}" for kind, count in self._faults.items()]
        if before.memory:
            grown = after.memory / before.memory - 1.0
            lines.append(
                f"memory {before.memory / 1e6:.1f} -> {after.memory / 1e6:.1f} MB ({grown:+.1%}), open files "
                f"{before.files} -> {after.files}, threads {before.threads} -> {after.threads}"
            )
        if self.compared:
            lines.append(f"state hashes of {self.compared} cycles compared with those of a match without attackers")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """The report for programs."""
        doors = {door: {"cases": self._cases[door], "longest_gap": self._gaps[door]} for door in self._doors}
        return {
            "clean": not self.findings,
            "cases": self.cases,
            "doors": doors,
            "faults": dict(self._faults),
            "before": asdict(self.before),
            "after": asdict(self.after),
            "compared_cycles": self.compared,
            "findings": [asdict(finding) for finding in self.findings],
        }

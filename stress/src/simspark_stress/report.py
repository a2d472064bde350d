"""The report of a run: a table for people, JSON for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any


class Verdict(Enum):
    """Effect of an attack on the server. A stuck server still runs, but no good client can play on it."""

    CLEAN = "clean"
    HARMED = "harmed"
    STUCK = "stuck"
    DEAD = "dead"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class AttackResult:
    """One row of the report.

    Attributes:
        attack: name of the attack.
        verdict: effect of the attack on the server.
        longest_gap: longest time between two messages to the good client, s of wall time.
        messages, lost: numbers of messages that the good client received and missed.
        rate: simulated time per wall time.
        seconds: duration of the attack with the recovery after it, s.
        seen: description of the faults; empty without faults.
    """

    attack: str
    verdict: Verdict
    longest_gap: float = 0.0
    messages: int = 0
    lost: int = 0
    rate: float = 0.0
    seconds: float = 0.0
    seen: str = ""


HEADINGS = f"{'attack':<26} {'verdict':<8} {'longest gap':>11} {'messages':>9} {'x real time':>11}  seen"


def row(result: AttackResult) -> str:
    """Return one line of the table."""
    numbers = f"{result.longest_gap:>9.2f} s {result.messages:>9} {result.rate:>11.2f}"
    if result.verdict is Verdict.NOT_RUN:
        numbers = f"{'-':>11} {'-':>9} {'-':>11}"
    return f"{result.attack:<26} {result.verdict.value:<8} {numbers}  {result.seen or 'nothing'}"


def summary(results: Sequence[AttackResult]) -> str:
    """Return the last line of the table: the attacks that did harm."""
    harmful = [result.attack for result in results if result.verdict not in (Verdict.CLEAN, Verdict.NOT_RUN)]
    missing = sum(result.verdict is Verdict.NOT_RUN for result in results)
    text = f"{len(results) - missing} run, {len(harmful)} did harm"
    if harmful:
        text += ": " + ", ".join(harmful)
    if missing:
        text += f"; {missing} not run"
    return text


def families(results: Sequence[AttackResult]) -> str:
    """Return a table of the families of attacks whose names have one: how many attacks had which effect."""
    counts: dict[str, Counter[Verdict]] = {}
    for result in results:
        family, slash, _ = result.attack.partition("/")
        if slash:
            counts.setdefault(family, Counter())[result.verdict] += 1
    lines = [f"{'family':<20} {'inputs':>7}" + "".join(f"{verdict.value:>9}" for verdict in Verdict)]
    for family, seen in counts.items():
        lines.append(f"{family:<20} {seen.total():>7}" + "".join(f"{seen[verdict]:>9}" for verdict in Verdict))
    return "\n".join(lines)


def is_clean(results: Sequence[AttackResult]) -> bool:
    """Whether all attacks were run and none did harm."""
    return all(result.verdict is Verdict.CLEAN for result in results)


def as_json(results: Sequence[AttackResult], **about: Any) -> dict[str, Any]:
    """Return the report as a JSON object; `about` gives it further keys."""
    rows = [{**asdict(result), "verdict": result.verdict.value} for result in results]
    return {**about, "clean": is_clean(results), "attacks": rows}

"""The findings about a robot on several engines as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from simspark_conformance.robot_checks.finding import Finding, Verdict

_MARKS = {Verdict.RIGHT: "", Verdict.WRONG: " WRONG", Verdict.NOTE: " *"}
_PART = 32


def table(findings: Mapping[str, Sequence[Finding]]) -> Iterator[str]:
    """A line for each part of each check, with a column for each engine; then the reasons of what is wrong, and notes.

    findings: engine -> its findings.
    """
    cells = {(one.check, one.part, engine): one for engine, found in findings.items() for one in found}
    rows = list(dict.fromkeys((check, part) for check, part, _ in cells))
    width = max((len(_cell(one)) for one in cells.values()), default=0) + 2
    part = max(len("part"), *(len(_short(name)) for _, name in rows)) if rows else 4
    yield f"{'check':11} {'part':{part}}  " + "".join(f"{engine:{width}}" for engine in findings).rstrip()
    for check, name in rows:
        told = "".join(f"{_cell(cells.get((check, name, engine))):{width}}" for engine in findings)
        yield f"{check:11} {_short(name):{part}}  {told}".rstrip()
    for verdict, title in ((Verdict.WRONG, "wrong"), (Verdict.NOTE, "notes")):
        reasons: dict[tuple[str, str, str], list[str]] = {}
        for engine, found in findings.items():
            for one in found:
                if one.verdict is verdict:
                    reasons.setdefault((one.check, one.part, one.why), []).append(engine)
        if reasons:
            yield from ("", title)
        for (check, name, why), engines in reasons.items():
            yield f"  {check}{f' {_short(name)}' if name else ''} ({', '.join(engines)}): {why}"


def summary(findings: Mapping[str, Sequence[Finding]]) -> str:
    """The numbers of findings of each engine that are right and wrong, and of notes, in one line."""
    counts = []
    for engine, found in findings.items():
        wrong = sum(one.verdict is Verdict.WRONG for one in found)
        notes = sum(one.verdict is Verdict.NOTE for one in found)
        told = f"{wrong} of {len(found)} wrong" if wrong else f"all of {len(found)} right"
        counts.append(f"{engine}: {told}" + (f", {notes} notes" if notes else ""))
    return "; ".join(counts)


def is_right(findings: Mapping[str, Sequence[Finding]]) -> bool:
    """Whether nothing is wrong on any engine."""
    return all(one.verdict is not Verdict.WRONG for found in findings.values() for one in found)


def _cell(finding: Finding | None) -> str:
    return "-" if finding is None else f"{finding.figure}{_MARKS[finding.verdict]}"


def _short(name: str) -> str:
    return name if len(name) <= _PART else f"{name[: _PART - 3]}..."

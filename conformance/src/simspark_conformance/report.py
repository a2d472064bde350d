"""Runs the whole suite and reports the outcomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from simspark_conformance.harness import Check, ConformanceError, Factory, NotApplicableError, Subject
from simspark_conformance.suite import CHECKS


class CheckOutcome(Enum):
    """Outcome of a check."""

    KEPT = "kept"
    BROKEN = "BROKEN"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class CheckResult:
    """The outcome of one check.

    Attributes:
        check: check that was made.
        outcome: outcome of the check.
        message: the fault, or the reason for skipping the check; empty if the promise is kept.
    """

    check: Check
    outcome: CheckOutcome
    message: str = ""

    def __str__(self) -> str:
        """One line, or two lines with a message."""
        line = f"{self.outcome.value:8} {self.check.name}: {self.check.promise}"
        return f"{line}\n         {self.message}" if self.message else line


@dataclass(frozen=True)
class Report:
    """All results, in the order of the suite."""

    results: tuple[CheckResult, ...]

    @property
    def conforms(self) -> bool:
        """Whether no promise is broken."""
        return all(result.outcome is not CheckOutcome.BROKEN for result in self.results)

    def __str__(self) -> str:
        """A line per check and a summary."""
        outcomes = [result.outcome for result in self.results]
        counts = ", ".join(f"{outcomes.count(outcome)} {outcome.value.lower()}" for outcome in CheckOutcome)
        return "\n".join([*map(str, self.results), f"{len(self.results)} promises: {counts}"])


def run_all(
    factory: Factory,
    engine: str | None = None,
    preset: str | None = None,
    checks: Sequence[Check] = CHECKS,
    watch: Callable[[CheckResult], None] = lambda result: None,
) -> Report:
    """Check the promises of the engine of a `Subject(factory, engine, preset)`; `watch` is called with each result."""
    subject, results = Subject(factory, engine, preset), list[CheckResult]()
    for check in checks:
        results.append(_try(check, subject))
        watch(results[-1])
    return Report(tuple(results))


def _try(check: Check, subject: Subject) -> CheckResult:
    try:
        check.run(subject)
    except ConformanceError as error:
        return CheckResult(check, CheckOutcome.BROKEN, str(error))
    except NotApplicableError as error:
        return CheckResult(check, CheckOutcome.SKIPPED, str(error))
    return CheckResult(check, CheckOutcome.KEPT)

"""Which constants of the rules do the shipped cases cover? Changes each one and checks whether a case fails.

    python benchmarks/referee_mutations.py [--only TEXT] [--engine bullet]

Every number of the rule book is made half as large and half as large again (0 becomes 0.1, whole numbers change by at
least 1), every switch is turned, every choice is exchanged. A change that no case notices is printed as SURVIVED.
"""

import argparse
import dataclasses
import time
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from simspark_matches.commands.referee_check import shipped_files
from simspark_matches.referee_cases.case import Case, load_cases
from simspark_matches.referee_cases.check import check
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.soccer.referee.rulebook import RuleBook, load_rule_book
from simspark_ros.soccer.referee.rules import rule_settings, rule_types

LIKELY = {
    "game": ("halves", "kick_off", "goals"),
    "set_plays": ("set_plays", "kick_off"),
    "ball": ("ball_out", "goals"),
    "pass_mode": ("goals",),
    "offside": ("ball_out",),
    "kick_off_foul": ("kick_off",),
    "order": ("kick_off", "set_plays", "ball_out", "goals", "halves", "fouls"),
}
"""Section of the rule book -> files whose cases are the likeliest to notice; else the files of fouls."""


@dataclasses.dataclass(frozen=True)
class Mutation:
    """One constant changed.

    Attributes:
        section, key: name of the constant; section `order` switches a rule.
        change: `smaller`, `larger`, `turned`, or the value to take.
    """

    section: str
    key: str
    change: str

    def __call__(self, book: RuleBook) -> RuleBook:
        """The rule book with that change."""
        if self.section == "order":
            return dataclasses.replace(book, order={**book.order, self.key: not book.order[self.key]})
        section = _sections(book)[self.section]
        new = {self.key: self._new(section)}
        if self.section in book.own:
            return dataclasses.replace(book, own={**book.own, self.section: {**book.own[self.section], **new}})
        return dataclasses.replace(book, **{self.section: dataclasses.replace(section, **new)})

    def _new(self, section: object) -> Any:
        value = getattr(section, self.key)
        if isinstance(value, bool):
            return not value
        if isinstance(value, str):
            return self.change
        factor = 1.5 if self.change == "larger" else 0.5
        if isinstance(value, int):
            return max(value + 1, round(value * factor)) if factor > 1 else min(value - 1, round(value * factor))
        return value * factor if value else 0.1

    def __str__(self) -> str:
        """One line for the report."""
        return f"{self.section}.{self.key} {self.change}"


def _sections(book: RuleBook) -> dict[str, Any]:
    """All sections with numbers."""
    shared = {field.name: getattr(book, field.name) for field in dataclasses.fields(book)}
    sections = {name: section for name, section in shared.items() if dataclasses.is_dataclass(section)}
    return {**sections, **rule_settings(book, rule_types())}


def mutations(book: RuleBook) -> Iterator[Mutation]:
    """All changes of a rule book."""
    yield from (Mutation("order", name, "turned") for name in book.order)
    for name, section in _sections(book).items():
        hints = typing.get_type_hints(type(section))
        for constant in dataclasses.fields(section):
            value = getattr(section, constant.name)
            if isinstance(value, bool):
                changes = ["turned"]
            elif isinstance(value, str):
                changes = [choice for choice in typing.get_args(hints[constant.name]) if choice != value]
            else:
                changes = ["smaller", "larger"] if value else ["larger"]
            yield from (Mutation(name, constant.name, change) for change in changes)


def noticed_by(mutation: Mutation, cases: list[tuple[Path, Case]], engine: str) -> str:
    """Name of the first case that fails, empty if none does."""
    likely = sorted(cases, key=lambda entry: entry[0].stem not in LIKELY.get(mutation.section, ("fouls",)))
    for path, case in likely:
        try:
            if not check(case, engine, path, mutation).passed:
                return case.case
        except ConfigurationError as error:
            return str(error)
        except ValueError as error:
            return f"refused: {error}"
    return ""


def main() -> None:
    """Print which changes made a case fail."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only constants whose name contains this")
    parser.add_argument("--engine", default="bullet")
    options = parser.parse_args()
    cases = [(path, case) for path in shipped_files() for case in load_cases(path)]
    # What needs physics is slow: last.
    cases.sort(key=lambda entry: (entry[1].physics, entry[1].duration))
    started, survived, tried = time.perf_counter(), [], 0
    for mutation in mutations(load_rule_book()):
        if options.only not in str(mutation):
            continue
        tried += 1
        case = noticed_by(mutation, cases, options.engine)
        if not case:
            survived.append(str(mutation))
        print(f"{'noticed ' if case else 'SURVIVED'}  {mutation!s:48} {case}", flush=True)
    minutes = (time.perf_counter() - started) / 60
    print(f"{tried} changes, {len(survived)} not noticed, {minutes:.1f} min: {', '.join(survived)}")


if __name__ == "__main__":
    main()

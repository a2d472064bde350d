"""All rules, rules of other distributions included, and the numbers of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from simspark_ros.configuration.entry_points import Group
from simspark_ros.configuration.errors import suggestion
from simspark_ros.configuration.schema import ConfigurationError, Declaration, Setting, build, declarations
from simspark_ros.soccer.referee.fouls import FOULS
from simspark_ros.soccer.referee.league import LEAGUE
from simspark_ros.soccer.referee.play import PLAY
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.referee.rulebook import SECTIONS, RuleBook
from simspark_ros.soccer.referee.ssim import SSIM

RULES: dict[str, type[Rule]] = {rule.name: rule for rule in (*PLAY, *FOULS, *LEAGUE, *SSIM)}

RuleNumber = tuple[str, Declaration, Any]
"""A number of a rule book: its section, declaration and value."""

RULE_GROUP = Group("simspark_ros.rules", Rule, built_in=RULES, own_name="name")


def rule_types() -> dict[str, type[Rule]]:
    """All rules by their names in rule books, rules of other distributions included."""
    return RULE_GROUP.parts()


def rule_numbers(book: RuleBook, types: Mapping[str, type[Rule]]) -> Iterator[RuleNumber]:
    """All numbers of a book, and whether each rule applies; errors as in `rule_settings`."""
    for section in fields(book):
        numbers = getattr(book, section.name)
        if is_dataclass(numbers):
            for declaration in declarations(type(numbers)):
                yield section.name, declaration, getattr(numbers, declaration.name)
    # In a section of their own the names of other distributions' rules never meet those of later sections.
    for name, numbers in rule_settings(book, types).items():
        for declaration in declarations(type(numbers)):
            yield (name if name in RULES else f"plug_ins.{name}"), declaration, getattr(numbers, declaration.name)
    for name in types:
        yield "order", Declaration(name, bool, False, (), None, Setting("")), book.order.get(name, False)


def rule_settings(book: RuleBook, types: Mapping[str, type[Rule]]) -> dict[str, Any]:
    """The numbers of all rules with numbers, by the rule's name.

    Raises:
        ConfigurationError: the book orders an unknown rule, has numbers that a rule does not take, or numbers of a rule
            that is not in its order.
    """
    for name in book.order:
        if name not in types:
            known = RULE_GROUP.suggestion(name, sorted(types))
            raise ConfigurationError(f"rules: order: unknown rule '{name}'; {known}")
    options = {name: kind.options for name, kind in types.items() if kind.options is not None}
    _check_sections(book, options)
    settings = {name: build(numbers, {}, name) for name, numbers in options.items()}
    for where, section in (("rules", book.own), ("rules: plug_ins", book.plug_ins)):
        for name, numbers in section.items():
            if name not in book.order:
                raise ConfigurationError(
                    f"{where}: {name}: these numbers have no effect, since the rule is missing in `order` of the rule "
                    f"book ({', '.join(book.order)}); add '{name}: true' to `order`"
                )
            settings[name] = build(options[name], numbers, f"{where}: {name}")
    return settings


def _check_sections(book: RuleBook, options: Mapping[str, Any]) -> None:
    """Refuse sections of rules that do not exist or have no numbers, and a rule with two sections."""
    for name in book.own:
        if name not in options:
            raise ConfigurationError(f"rules: unknown key '{name}'; {suggestion(name, [*SECTIONS, *options])}")
    for name in book.plug_ins:
        if name not in options:
            known = ", ".join(options)
            raise ConfigurationError(
                f"rules: plug_ins: there is no rule '{name}' with numbers of its own; rules with numbers are: {known}"
            )
        if name in book.own:
            raise ConfigurationError(f"rules: plug_ins: {name}: write these numbers into the section '{name}' itself")

"""The numbers of the rule book as parameters of the simulator node, which may change in the running game."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rclpy.node import Node
from rclpy.parameter import Parameter

from simspark_ros.configuration.schema import ConfigurationError, Declaration, Setting
from simspark_ros.ros.parameters.declared import RULE_PREFIX, declare
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.referee import Referee
from simspark_ros.soccer.referee.rulebook import explanations
from simspark_ros.soccer.referee.rules import RuleNumber

Change = tuple[str, str, Any]
"""Section, number and value."""


def rule_declarations(numbers: Iterable[RuleNumber]) -> dict[str, tuple[Declaration, Any]]:
    """The parameters: `rule_book.SECTION.NUMBER` -> declaration and value in the book."""
    texts = explanations()
    found = {}
    for section, declaration, value in numbers:
        name = f"{RULE_PREFIX}{section}.{declaration.name}"
        about = "whether the rule is applied" if section == "order" else texts.get(name.removeprefix(RULE_PREFIX), "")
        about = about or declaration.setting.help or "a number of a plug-in's rule"
        setting = Setting(f"{about}; in effect from the next cycle", at_run_time=True)
        found[name] = declaration._replace(name=name, setting=setting), value
    return found


class RuleParameters:
    """Declares the parameters, and has changes carried out between two cycles.

    A loaded world has a book of its own, whose numbers the parameters take over. Everything except the work that
    `apply` submits belongs to the executor's thread; `wake` ends the simulation's wait for its next cycle.

    Raises:
        ConfigurationError: a value has the wrong type; the message names the parameter.
    """

    def __init__(self, node: Node, simulation: Simulation, referee: Referee, wake: Callable[[], None]) -> None:
        self._node, self._simulation, self._referee, self._wake = node, simulation, referee, wake
        found = rule_declarations(referee.numbers())
        self._book = referee.match.book
        declared = (declaration for declaration, _ in found.values())
        declare(node, declared, {name: value for name, (_, value) in found.items()})

    def refusal(self, parameters: Iterable[Parameter]) -> str:
        """Why new values cannot be taken; empty if they can."""
        changes = self._changes(parameters)
        if changes and not self._simulation.has_world:
            return "no world is loaded, so there is no rule book; call load_world first"
        try:
            self._referee.check(changes)
        except ConfigurationError as error:
            return str(error)
        return ""

    def apply(self, parameters: Iterable[Parameter]) -> None:
        """Apply all values that are not refused, from the next cycle on."""
        changes = self._changes(parameters)
        if changes:
            self._simulation.requests.submit(lambda: self._carry_out(changes))
            self._wake()

    def refresh(self) -> None:
        """Show the numbers of another book."""
        book = self._referee.match.book
        if book is self._book:
            return
        self._book = book
        values = self._values()
        old = self._node.get_parameters(list(values))
        self._node.set_parameters([Parameter(p.name, value=values[p.name]) for p in old if p.value != values[p.name]])

    def _values(self) -> dict[str, Any]:
        return {f"{RULE_PREFIX}{section}.{one.name}": value for section, one, value in self._referee.numbers()}

    def _changes(self, parameters: Iterable[Parameter]) -> list[Change]:
        given = {p.name: p.value for p in parameters if p.name.startswith(RULE_PREFIX)}
        values = self._values() if given else {}
        new = {name: value for name, value in given.items() if name in values and value != values[name]}
        return [(*_place(name), value) for name, value in new.items()]

    def _carry_out(self, changes: Sequence[Change]) -> None:
        """Change the book; in the simulation's thread."""
        for change in changes:
            try:
                self._referee.change(*change)
            # The book has become another one meanwhile.
            except ConfigurationError as error:
                self._node.get_logger().warning(f"the rules stay as they are: {error}")
            else:
                self._simulation.note("rule", *change)


def _place(parameter: str) -> tuple[str, str]:
    """Section and number."""
    section, _, name = parameter.removeprefix(RULE_PREFIX).rpartition(".")
    return section, name

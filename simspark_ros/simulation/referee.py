"""The referee: applies the rules of its book in their order after physics; a trainer may overrule it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from simspark_ros.exchange import Notice
from simspark_ros.physics.errors import EngineFailedError
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.referee import restarts
from simspark_ros.soccer.referee.decision import Decision
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.referee.rulebook import RuleBook
from simspark_ros.soccer.referee.rules import RULE_GROUP, RuleNumber, rule_numbers, rule_settings
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import SoccerWorld
from simspark_ros.trainer import Trainer

TRAINER = "trainer"
"""Name of the rule in decisions of a person."""


class Referee(ControlNode):
    """Applies rules to a match, between physics and perception, and carries out a trainer's decisions.

    The book has the numbers of the rules and their order; `types` has all known rules by name. Without `applies_rules`
    only a trainer decides.

    Attributes:
        failed: exceptions of rules, by name of the rule; such a rule is no longer applied.

    Raises:
        ConfigurationError: the book orders a rule that does not exist, or has numbers that a rule refuses.
    """

    def __init__(
        self,
        world: SoccerWorld,
        book: RuleBook,
        random: np.random.Generator,
        types: Mapping[str, type[Rule]],
        applies_rules: bool = True,
    ) -> None:
        self._types = types
        self._applies_rules = applies_rules
        self._mode: PlayMode | None = None
        self.failed: dict[str, Exception] = {}
        self._troubles: list[Notice] = []
        settings = rule_settings(book, types)
        self.match = Match(world, book, random)
        self.rules: tuple[Rule, ...] = ()
        self._take_rules(settings)

    def load(self, book: RuleBook) -> None:
        """Apply another book from now on, to a new game; on an error, as in the constructor, nothing is changed."""
        settings = rule_settings(book, self._types)
        self.match.book = book
        self.match.end_requested = False
        self.rules = ()
        self._take_rules(settings)
        self.reset()

    def change(self, section: str, name: str, value: Any) -> None:
        """Change a number of the book, or switch a rule on or off (section `order`), in the running game.

        Rules keep their memory, except rules that are switched off.

        Raises:
            ConfigurationError: as in `RuleBook.changed` and the constructor; then nothing is changed.
        """
        book = self.match.book.changed(section, name, value)
        settings = rule_settings(book, self._types)
        self.match.book = book
        self.match.world.change_rules(book)
        self._take_rules(settings)

    def check(self, changes: Sequence[tuple[str, str, Any]]) -> None:
        """Raise the error with which one of the changes would be refused, if they were made one after the other."""
        book = self.match.book
        for change in changes:
            book = book.changed(*change)
            rule_settings(book, self._types)

    def numbers(self) -> Iterator[RuleNumber]:
        """All numbers of the book."""
        return rule_numbers(self.match.book, self._types)

    def _take_rules(self, settings: Mapping[str, Any]) -> None:
        names = [name for name, applies in self.match.book.order.items() if applies]
        known = {rule.name: rule for rule in self.rules}
        self.rules = tuple(known.get(name) or self._types[name]() for name in names)
        for name, rule in zip(names, self.rules, strict=True):
            rule.settings = settings.get(name)
        self._rules_of = {mode: tuple(rule for rule in self.rules if mode in rule.modes) for mode in PlayMode}
        self._mode = None

    def act_agent(self, simulation: Simulation) -> None:
        """End the simulation if a rule wants that."""
        if self.match.end_requested:
            simulation.stop()

    def sense_agent(self, simulation: Simulation) -> None:
        """Apply the rules, in a world in which there is a game."""
        if self._applies_rules and self.match.world.settings.plays_soccer:
            self.apply_rules()
            for trouble in self._troubles:
                simulation.notice(trouble)
            self._troubles.clear()

    def apply_rules(self) -> None:
        """Look at the world after a cycle of physics, and apply the rules; in the first cycle of a mode all of them."""
        match = self.match
        match.begin_cycle()
        match.repositioning.update()
        mode = match.game.play_mode
        applied = self._rules_of[mode] if mode is self._mode else self.rules
        self._mode = mode
        for rule in applied:
            match.rule = rule.name
            try:
                if rule.name not in self.failed:
                    rule.apply(match)
            # Any code may run in a plug-in.
            except Exception as error:
                self._give_up(rule, error)
            if match.game.play_mode is not mode:
                self._apply_after(rule)
                break
        match.rule = TRAINER

    def kick_off(self, side: Side | None) -> None:
        """A person lets a side kick off; None = the side whose turn it is."""
        self._step_in()
        restarts.kick_off(self.match, side, "as the trainer says")

    def drop_ball(self) -> None:
        """A person has the ball dropped."""
        self._step_in()
        restarts.drop_ball(self.match, "as the trainer says")

    def note_ball(self) -> None:
        """A person has put the ball elsewhere: it crossed no line on the way."""
        self.match.look_at_ball()

    def overrule(self, number: int) -> Decision:
        """Undo a decision as a person asks, and return it; errors as in `DecisionLog.overrule`."""
        self._step_in()
        decision = self.match.log.overrule(self.match.world, number)
        self.match.ball.forget_kick()
        text = f"Decision {number} is overruled: {decision.kind.replace('_', ' ')}."
        self.match.decide("overruled", text, decision, place=decision.place, evidence={"decision": number})
        return decision

    def reset(self) -> None:
        """Forget the game."""
        self.match.reset()
        for rule in self.rules:
            self._run_guarded(rule, rule.reset)

    def _run_guarded(self, rule: Rule, work: Callable[..., None], *arguments: Match) -> None:
        """Apply a rule, unless it has failed: a rule that raises is no longer applied."""
        try:
            if rule.name not in self.failed:
                work(*arguments)
        except Exception as error:
            self._give_up(rule, error)

    def _give_up(self, rule: Rule, error: Exception) -> None:
        """Stop applying a rule that has raised an error, unless the engine has failed."""
        if isinstance(error, EngineFailedError):
            raise error
        self.failed[rule.name] = error
        self._troubles.append(Notice("", RULE_GROUP.fails(rule.name, error, "it is no longer applied")))

    def _apply_after(self, changer: Rule) -> None:
        """Apply all rules after the one that has changed the play mode."""
        for rule in self.rules[self.rules.index(changer) + 1 :]:
            self.match.rule = rule.name
            self._run_guarded(rule, rule.apply, self.match)
        # The next cycle is the first one of its mode, even if that has been changed back.
        self._mode = None

    def _step_in(self) -> None:
        """A person acts between two cycles."""
        self.match.rule = TRAINER
        self.match.look_again()


def trainer_of(simulation: Simulation) -> Trainer:
    """A trainer of a simulation."""
    referee = simulation.node(Referee) if simulation.world.settings.plays_soccer else None
    parts = simulation.players, simulation.saving, simulation.editing
    return Trainer(simulation.world, referee, simulation.stop, simulation.reset, *parts)

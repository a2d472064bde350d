"""Runs cases and reports which expectations did not come true."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from simspark_matches.referee_cases.case import Case, Expectation
from simspark_matches.referee_cases.case_run import BookChange, CaseRun
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.simulation.referee import TRAINER
from simspark_ros.soccer.game_state import GameState, PlayMode
from simspark_ros.soccer.referee.decision import KINDS, Decision
from simspark_ros.soccer.referee.rules import RULES, rule_types
from simspark_ros.soccer.teams import Side

NEVER = math.inf


@dataclass
class ExpectationCheck:
    """One expectation while a case is played.

    Attributes:
        first: time at which its facts held first, s, ignoring times before `after` for `never`; infinite = not yet.
        wrong: differences in the last cycle that mattered.
    """

    expectation: Expectation
    first: float = NEVER
    wrong: str = ""

    def update(self, run: CaseRun) -> None:
        """Check the facts after a cycle."""
        expected, half = self.expectation, run.cycle_time / 2
        if expected.at is not None and abs(run.now - expected.at) > half:
            return
        if self.first < NEVER or (expected.never and run.now < expected.after - half):
            return
        wrong = [text for text in _differences(run, expected) if text]
        if wrong:
            self.wrong = "; ".join(wrong)
        else:
            self.first = run.now

    def failure(self, half_cycle: float) -> str:
        """The failure as text, empty if there is none. Differences of time below `half_cycle`, s, are rounding."""
        expected = self.expectation
        facts = ", ".join(f"{key} {_shown(value)}" for key, value in expected.facts.items())
        if expected.never:
            return f"must never be: {facts}; but it was so at {self.first:.2f} s" if self.first < NEVER else ""
        if expected.at is not None:
            return f"expected at {expected.at:g} s: {facts}; but {self.wrong}" if self.first == NEVER else ""
        assert expected.by is not None
        if self.first > expected.by + half_cycle:
            return f"expected by {expected.by:g} s: {facts}; last seen: {self.wrong}"
        if self.first < expected.after - half_cycle:
            return f"expected not before {expected.after:g} s: {facts}; but it was so at {self.first:.2f} s"
        return ""


@dataclass(frozen=True)
class CaseOutcome:
    """The outcome of a case: failures, decisions with their times (s), and changes of the play mode that rules made."""

    case: Case
    failures: tuple[str, ...] = ()
    decisions: tuple[tuple[float, Decision], ...] = field(default=())
    transitions: frozenset[tuple[PlayMode, PlayMode]] = frozenset()

    @property
    def passed(self) -> bool:
        """Whether everything came true."""
        return not self.failures

    def __str__(self) -> str:
        """For people: the name, and for a failed case all decisions."""
        if self.passed:
            return f"ok      {self.case.case}"
        lines = [f"FAILED  {self.case.case}", *(f"        {text}" for text in self.failures)]
        lines += [f"        {time:7.2f} s  {d.rule}: {d.kind}: {d.text}" for time, d in self.decisions]
        return "\n".join(lines if self.decisions else [*lines, "        nothing was decided"])


def check(case: Case, engine: str, beside: Path, change: BookChange | None = None) -> CaseOutcome:
    """Play one case of the file `beside`; relative paths of rule books start in its folder.

    `change` changes the case's rule book, to see whether the case notices. A `ConfigurationError` names the file, the
    case and the thing that does not exist.
    """
    try:
        return _played(case, engine, beside, change)
    except ConfigurationError as error:
        raise ConfigurationError(f"{beside}: case '{case.case}': {error}") from None


def _played(case: Case, engine: str, beside: Path, change: BookChange | None) -> CaseOutcome:
    _require_known(case)
    run = CaseRun(case, engine, beside, change)
    try:
        checks = [ExpectationCheck(expectation) for expectation in case.expect]
        decisions: list[tuple[float, Decision]] = []
        transitions: set[tuple[PlayMode, PlayMode]] = set()
        while run.now < case.duration - run.cycle_time / 2:
            run.cycle()
            decisions += [(run.now, decision) for decision in run.decided]
            if run.mode_before is not run.world.game.play_mode:
                transitions.add((run.mode_before, run.world.game.play_mode))
            for one in checks:
                one.update(run)
        failures = (one.failure(run.cycle_time / 2) for one in checks)
        return CaseOutcome(case, tuple(text for text in failures if text), tuple(decisions), frozenset(transitions))
    finally:
        run.close()


def _require_known(case: Case) -> None:
    """Refuse a decision or rule that no referee has; rules of other distributions may decide what they like."""
    rules = rule_types()
    for expected in case.expect:
        if expected.rule and expected.rule not in (*rules, TRAINER):
            known = ", ".join(sorted([*rules, TRAINER]))
            raise ConfigurationError(f"expect: rule: unknown rule '{expected.rule}'; use one of: {known}")
        if expected.decision and expected.decision not in KINDS and len(rules) == len(RULES):
            known = ", ".join(sorted(KINDS))
            raise ConfigurationError(f"expect: decision: unknown decision '{expected.decision}'; use one of: {known}")


def _differences(run: CaseRun, expected: Expectation) -> Iterable[str]:
    world, game = run.world, run.world.game
    wait = {side.value for side in Side} - {side.value for side in game.score_wait}
    seen = {
        "play_mode": game.play_mode.value,
        "score": (game.score_left, game.score_right),
        "half": game.half,
        "fouls": len(game.fouls),
        "stage": game.league.stage.value if game.league else "",
        "penalties": _penalties(game),
        "quits": run.referee.match.end_requested,
        "may_score": "both" if len(wait) == 2 else min(wait, default="none"),
    }
    for key, value in seen.items():
        wanted = expected.facts.get(key)
        if wanted is not None and wanted != value:
            yield f"{key} is {_shown(value)}"
    if expected.time is not None and abs(game.time - expected.time) > run.cycle_time / 2:
        yield f"time is {game.time:.2f}"
    if expected.ball is not None:
        yield _elsewhere("the ball", world.engine.state.ball_position.tolist(), expected.ball, expected.tolerance)
    for name, spot in expected.places.items():
        row = world.engine.state.row(run.robot(name).handle)
        yield _elsewhere(name, world.engine.state.position[row].tolist(), spot, expected.tolerance)
    if expected.frozen:
        row = world.engine.state.row(run.robot(expected.frozen).handle)
        if not world.motors.frozen[world.engine.state.joints_of(row)].any():
            yield f"no joint of {expected.frozen} is frozen"
    if expected.decision:
        yield _undecided(run.decided, expected)


def _penalties(game: GameState) -> dict[str, str]:
    """Penalty of each punished player, by name."""
    penalties = game.league.penalties if game.league else {}
    return {f"{side.value} {unum}": penalty.kind.value for (side, unum), penalty in penalties.items()}


def _elsewhere(name: str, place: list[float], wanted: tuple[float, ...], tolerance: float) -> str:
    near = all(abs(is_ - was) <= tolerance for is_, was in zip(place, wanted, strict=False))
    return "" if near else f"{name} is at ({', '.join(f'{number:.3f}' for number in place)})"


def _undecided(decided: tuple[Decision, ...], expected: Expectation) -> str:
    """Empty if one of the decisions is the expected one."""
    for decision in decided:
        player = f"{decision.side.value} {decision.unum}" if decision.side else ""
        if (
            decision.kind == expected.decision
            and expected.rule in ("", decision.rule)
            and expected.player in ("", player)
            and (not expected.side or decision.side is Side(expected.side))
            and all(
                abs(decision.evidence.get(name, math.nan) - number) <= expected.tolerance
                for name, number in expected.evidence.items()
            )
        ):
            return ""
    said = [f"{d.kind} ({d.text} {dict(d.evidence)})" for d in decided if d.kind == expected.decision]
    return f"the decision was {' and '.join(said)}" if said else f"there was no decision {expected.decision}"


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(f"{number:g}" for number in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_shown(item)}" for key, item in value.items()) + "}"
    return str(value)

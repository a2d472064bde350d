"""What a file of cases may say, and what is reported when a case fails."""

from collections.abc import Callable
from pathlib import Path

import pytest

from simspark_matches.referee_cases.case import load_cases
from simspark_matches.referee_cases.check import check
from simspark_ros.cli import main
from simspark_ros.configuration.schema import ConfigurationError

GOAL = """
cases:
- case: a goal
  physics: false
  players: {{left 2: {{at: [3, 8]}}}}
  ball: {{at: [14.9, 0], velocity: [6, 0]}}
  events: [{{at: 0, touch: [left 2]}}]
  expect: [{expect}]
"""


@pytest.fixture
def cases(tmp_path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path: Path = tmp_path / "cases.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def outcome(path):
    (case,) = load_cases(path)
    return check(case, "bullet", path)


@pytest.mark.parametrize(
    ("expect", "message"),
    [
        ("{at: 0.2, play_mode: PlayOn}", "play_mode is Goal_Left"),
        ("{at: 0.2, score: [2, 0]}", "score is [1, 0]"),
        ("{by: 0.2, after: 0.1, score: [1, 0]}", "was so at 0.02 s"),
        ("{never: true, decision: goal}, {at: 0.5, half: 1}", "must never be: decision goal; but it was so at 0.02 s"),
        ("{by: 0.2, decision: goal, player: left 3}", "Goal for the left team"),
        ("{by: 0.2, decision: corner_kick}", "no decision corner_kick"),
        ("{at: 0.02, ball: [14, 0]}", "the ball is at (15.020"),
        ("{at: 0.02, places: {left 2: [3, 7]}}", "left 2 is at (3.000, 8.000"),
        ("{at: 0.02, frozen: left 2}", "no joint of left 2 is frozen"),
        ("{at: 0.2, may_score: none}", "may_score is both"),
    ],
)
def test_a_failed_case_reports_what_was_different(cases, expect, message):
    result = outcome(cases(GOAL.format(expect=expect)))
    assert not result.passed
    assert message in str(result)
    assert "Goal for the left team" in str(result)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cases: [{case: x, expect: []}]", "'x' has no expectation"),
        ("cases: [{case: x, expect: [{play_mode: PlayOn}]}]", "exactly one of at, by and never"),
        ("cases: [{case: x, expect: [{at: 1}]}]", "the expectation is empty"),
        ("cases: [{case: x, expect: [{at: 1, play_mode: Play}]}]", "unknown play mode 'Play'"),
        ("cases: [{case: x, players: {red 1: {at: [0, 0]}}, expect: [{at: 1, half: 1}]}]", "'red 1' is not a player"),
        ("cases: [{case: x, expect: [{at: 1, half: 1}], lasts: 9999}]", "at most 700"),
        ("cases: [{case: x, events: [{trainer: dance}], expect: [{at: 1, half: 1}]}]", "'dance' is not one of"),
        ("cases: [{case: x, balls: 2, expect: [{at: 1, half: 1}]}]", "unknown key 'balls'"),
        ("cases: [{case: x, expect: [{at: 1, half: 1}]}, {case: x, expect: [{at: 1, half: 1}]}]", "two cases"),
    ],
)
def test_mistakes_are_named_by_key(cases, text, message):
    with pytest.raises(ConfigurationError, match=r"cases\.yaml") as error:
        load_cases(cases(text))
    assert message in str(error.value)


AT = "expect: [{at: 0.1, half: 1}]"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("events: [{at: 0, touch: [left 9]}], " + AT, "left 9 is not on the field"),
        ("players: {left 2: {at: [0, 0], joints: {knee: 3}}}, " + AT, "no joint 'knee'"),
        ("set: {game: {half_times: 3}}, " + AT, "unknown key 'half_times'"),
        ("rules: chess, " + AT, "unknown rule book 'chess'"),
        ("events: [{at: 0, trainer: overrule 7}], " + AT, "there is no decision 7"),
        ("set: {order: {dance: true}}, " + AT, "rule book rcssserver3d: rules: order: unknown rule 'dance'"),
        ("expect: [{by: 0.1, decision: dance}]", "unknown decision 'dance'; use one of: ball_free, ball_holding, "),
        ("expect: [{by: 0.1, decision: goal, rule: goals}]", "expect: rule: unknown rule 'goals'; use one of: "),
    ],
)
def test_what_does_not_exist_is_named_when_a_case_is_played(cases, text, message):
    with pytest.raises(ConfigurationError, match=r"cases\.yaml: case 'x': ") as error:
        outcome(cases(f"cases: [{{case: x, {text}}}]"))
    assert message in str(error.value)


def test_command_says_what_failed_by_its_exit_status(cases, capsys):
    good, bad = GOAL.format(expect="{by: 1, score: [1, 0]}"), GOAL.format(expect="{by: 1, score: [0, 1]}")
    assert main(["referee-check", str(cases(good))]) == 0
    assert "1 cases, all as expected" in capsys.readouterr().out
    assert main(["referee-check", str(cases(bad))]) == 1
    assert "1 cases, 1 failed" in capsys.readouterr().out
    assert main(["referee-check", str(cases("cases: 3"))]) == 2
    assert "cases.yaml" in capsys.readouterr().err

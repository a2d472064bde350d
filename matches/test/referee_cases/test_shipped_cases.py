"""Every case that comes with the package."""

from functools import cache

import pytest

from simspark_matches.commands.referee_check import shipped_files
from simspark_matches.referee_cases.case import load_cases
from simspark_matches.referee_cases.check import check
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.referee.decision import KINDS
from simspark_ros.soccer.referee.rules import RULES

CASES = [(path, case) for path in shipped_files() for case in load_cases(path)]

RESTARTS = "KickOff_{} KickIn_{} corner_kick_{} goal_kick_{} free_kick_{} direct_free_kick_{}"
OUT = "Goal_{} KickIn_{} corner_kick_{} goal_kick_{}"
ONE_SIDE = {
    "BeforeKickOff": "KickOff_{}",
    "PlayOn": f"{OUT} free_kick_{{}} offside_{{}} pass_{{}}",
    "offside_{}": "free_kick_<>",
    "Goal_{}": "KickOff_<>",
    **dict.fromkeys(RESTARTS.split(), "PlayOn BeforeKickOff"),
    "pass_{}": f"PlayOn {OUT.removeprefix('Goal_{} ')} {OUT.replace('{}', '<>')} BeforeKickOff",
}
"""Play modes that rules may set after each play mode, for either side {}; <> is the other side."""

ENDS = {("PlayOn", "BeforeKickOff"), ("PlayOn", "GameOver")}


def expected_transitions() -> set[tuple[str, str]]:
    found = set(ENDS)
    for side, others in (("left", "right"), ("right", "left")):
        for before, afters in ONE_SIDE.items():
            found |= {(_named(before, side, others), _named(after, side, others)) for after in afters.split()}
    return found


def _named(mode: str, side: str, others: str) -> str:
    # Some modes are written with a capital, as monitors know them.
    text = mode.replace("{}", side).replace("<>", others)
    return {known.value.lower(): known.value for known in PlayMode}[text.lower()]


played = cache(lambda number: check(CASES[number][1], "bullet", CASES[number][0]))


@pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{path.stem}: {case.case}" for path, case in CASES])
def test_referee_decides_as_expected(number):
    assert played(number).passed, str(played(number))


def test_every_rule_and_every_play_mode_has_a_case_and_what_is_decided_is_of_a_known_kind():
    text = "\n".join(path.read_text(encoding="utf-8") for path in shipped_files())
    assert [mode.value for mode in PlayMode if mode.value not in text] == []
    decisions = [decision for number in range(len(CASES)) for _, decision in played(number).decisions]
    assert set(RULES) - {decision.rule for decision in decisions} == set()
    assert {decision.kind for decision in decisions} <= KINDS


def test_every_transition_has_a_case_on_either_side():
    seen = {(a.value, b.value) for number in range(len(CASES)) for a, b in played(number).transitions}
    assert sorted(expected_transitions() - seen) == []

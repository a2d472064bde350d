"""Every case that comes with the package."""

from __future__ import annotations

from functools import cache

import pytest

from simspark_ros.simulation.referee_cases.case import load_cases
from simspark_ros.simulation.referee_cases.check import check
from simspark_ros.simulation.referee_cases.command import shipped_files
from simspark_ros.simulation.registry import RULES
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.referee.decision import KINDS

CASES = [(path, case) for path in shipped_files() for case in load_cases(path)]


played = cache(lambda number: check(CASES[number][1], "bullet", CASES[number][0]))


@pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{path.stem}: {case.case}" for path, case in CASES])
def test_referee_decides_as_expected(number):
    assert played(number).passed, str(played(number))


def test_every_rule_and_every_play_mode_has_a_case():
    text = "\n".join(path.read_text(encoding="utf-8") for path in shipped_files())
    assert [mode.value for mode in PlayMode if mode.value not in text] == []
    decided = {decision.rule for number in range(len(CASES)) for _, decision in played(number).decisions}
    assert set(RULES) - decided == set()


def test_what_is_decided_is_of_a_known_kind():
    kinds = {decision.kind for number in range(len(CASES)) for _, decision in played(number).decisions}
    assert kinds <= KINDS

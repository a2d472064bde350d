"""Answers of users' functions that are no commands."""

import re
from typing import Any

import pytest

from simspark_ros.motion.interface import Walk
from simspark_ros.players.answer import Answer, WrongAnswerError, checked_command
from simspark_ros.players.percepts import Percept
from simspark_ros.players.team import Reacting

PERCEPT = Percept(0.0, {"hj1": 0.0, "hj2": 0.0})


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (None, "return speeds of joints in rad/s"),
        ("hj1", "return speeds of joints in rad/s"),
        ({"hj1": "fast"}, "'fast' as speed of hj1"),
        ({"hj1": float("nan")}, "nan as speed of hj1"),
        ({"hj3": 1.0}, "did you mean 'hj2'"),
    ],
)
def test_an_agent_that_answers_no_speeds_is_told_what_to_return(answer: Any, hint: str) -> None:
    with pytest.raises(WrongAnswerError, match=re.escape(hint)):
        Reacting(lambda percept: answer).act(PERCEPT)


def test_speeds_and_answers_are_taken() -> None:
    assert Reacting(lambda percept: {"hj1": 1}).act(PERCEPT) == Answer({"hj1": 1})
    assert Reacting(lambda percept: Answer(say="hello")).act(PERCEPT).say == "hello"


def test_only_commands_are_commands() -> None:
    assert checked_command(Walk(0.3)) == Walk(0.3)
    for wrong in (None, "walk", (0.3, 0.0, 0.0), Walk):
        with pytest.raises(WrongAnswerError, match="return Walk"):
            checked_command(wrong)

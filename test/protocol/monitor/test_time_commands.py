"""Our own trainer commands about time."""

from __future__ import annotations

import pytest

from simspark_ros.exchange import Action
from simspark_ros.protocol.monitor import trainer


@pytest.mark.parametrize(
    ("message", "kind", "arguments"),
    [
        ("(pause)", "pause", ()),
        ("(run)", "run", ()),
        ("(step)", "step", (1,)),
        ("(step 25)", "step", (25,)),
        ("(speed)", "speed", ()),
        ("(speed 0.5)", "speed", (0.5,)),
        ("(speed 0)", "speed", (0.0,)),
    ],
)
def test_commands_about_time_are_read(message, kind, arguments):
    trained = trainer.parse("m-1", message.encode())
    assert trained.actions == [Action("m-1", kind, arguments)] and not trained.rejected
    assert kind in trainer.TIME_COMMANDS


@pytest.mark.parametrize("message", ["(step 0)", "(step 1.5)", "(step 1e9)", "(step x)", "(speed -1)", "(speed nan)"])
def test_numbers_that_make_no_sense_are_refused_by_name(message):
    trained = trainer.parse("m-1", message.encode())
    assert not trained.actions
    ((reason, text),) = trained.rejected
    assert reason == text.partition(":")[0] == message[1:].split()[0]


def test_they_are_permitted_or_not_like_all_others():
    assert trainer.permitted("full") >= trainer.TIME_COMMANDS
    trained = trainer.parse("m-1", b"(pause)", trainer.permitted("playMode"))
    assert not trained.actions and trained.rejected

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspark_ros.protocol import trainer
from simspark_ros.protocol.monitor_encoder import PLAY_MODES
from simspark_ros.simulation.exchange import Action


@pytest.mark.parametrize("mode", PLAY_MODES)
def test_play_mode(mode):
    trained = trainer.parse("m-1", f"(playMode {mode})".encode())
    assert trained.actions == [Action("m-1", "play_mode", (mode,))]
    assert trained.rejected == []


def test_several_commands_in_a_message():
    trained = trainer.parse("m-1", b"(playMode PlayOn) (reqfullstate)(playMode GameOver)")
    assert [action.words[0] for action in trained.actions] == ["PlayOn", "GameOver"]
    assert trained.full_state


@pytest.mark.parametrize(
    ("message", "reason", "text"),
    [
        (b"(playMode playon)", "trainer command", "playMode: 'playon' is not a play mode"),
        (b"(playMode)", "trainer command", "playMode: '' is not a play mode"),
        (b"(playMode (PlayOn))", "trainer command", "playMode: a list is not a play mode"),
        (b"(playmode PlayOn)", "trainer command", "unknown command 'playmode'"),
        (b"(kickOff Left)", "trainer command", "(kickOff ...) is not supported yet"),
        (b"(killsim)", "trainer command", "(killsim ...) is not supported yet"),
        (b"hello", "trainer command", "something that is not a list"),
        (b"()", "trainer command", "something that is not a list"),
        (b"((playMode PlayOn))", "trainer command", "something that is not a list"),
        (b"(playMode PlayOn", "malformed message", "'(' without ')'"),
        (b")(playMode PlayOn)", "malformed message", "')' without '('"),
        (b"(reqfullstate)" * 65, "too many trainer commands", "more than 64 commands"),
    ],
)
def test_what_is_wrong_is_said_and_the_rest_is_executed(message, reason, text):
    trained = trainer.parse("m-1", message)
    assert trained.actions == []
    assert len(trained.rejected) == 1
    assert trained.rejected[0][0] == reason
    assert text in trained.rejected[0][1]


def test_a_mistake_costs_only_itself():
    trained = trainer.parse("m-1", b"(nonsense)(playMode PlayOn)(ball (pos 0 0 0))")
    assert [action.kind for action in trained.actions] == ["play_mode"]
    assert len(trained.rejected) == 2


@given(st.binary(max_size=300))
def test_nothing_makes_it_fail(message):
    trained = trainer.parse("m-1", message)
    assert all(len(text) < 300 for _, text in trained.rejected)

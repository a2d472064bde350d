"""Commands of trainers become actions; test/trainer tests those for players, ball and game by what they do."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.exchange import Action
from simspark_ros.protocol.monitor import trainer


@pytest.mark.parametrize(
    ("message", "reason", "text"),
    [
        (b"(playMode playon)", "playMode", "playMode: 'playon' is not a play mode"),
        (b"(playMode)", "playMode", "playMode: '' is not a play mode"),
        (b"(playmode PlayOn)", "trainer command", "unknown command 'playmode'"),
        (b"(kickOff Foo)", "kickOff", "kickOff: needs Left, Right or None, not 'Foo'"),
        (b"(agent (unum 1)(team Left))", "agent", "agent: needs (pos ...)"),
        (b"(agent (unum 1)(team Left)(pos 1 2))", "agent", "(pos ...) needs 3 numbers, not 2"),
        (b"(agent (unum 1)(team Left)(press chest))", "agent", "(press ...) needs a word and a number"),
        (b"(agent (unum 1)(team Left)(press chest x))", "agent", "press: 'x' is not a finite number"),
        (b"(agent (unum x)(team Left)(pos 1 2 3))", "agent", "agent: unum: 'x' is not a finite number"),
        (b"(agent (unum 1.5)(team Left)(pos 1 2 3))", "agent", "unum must be a whole number up to 1000, not 1.5"),
        (b"(agent (unum 1e300)(team Left)(pos 1 2 3))", "agent", "unum must be a whole number"),
        (b"(agent (unum 1)(team left)(pos 1 2 3))", "agent", "agent: team 'left' is unknown; it must be Left or Right"),
        (b"(kill (unum 1)(team (Left)))", "kill", "kill: team a list is unknown"),
        (b"(ball)", "ball", "ball: needs (pos x y z), (vel x y z) or both"),
        (b"(ball (pos nan 0 0))", "ball", "pos: 'nan' is not a finite number"),
        (b"(ball (pos (1) 0 0))", "ball", "pos: a list is not a finite number"),
        (b"(time -1)", "time", "time: -1 is negative"),
        (b"(time)", "time", "time: value: '' is not a finite number"),
        (b"(score (left 1))", "score", "(right ...) needs 1 numbers, not 0"),
        (b"(score (left 0.5)(right 1))", "score", "goals must be whole numbers"),
        (b"(step 0)", "step", "step: the number of cycles must be 1 to 10000, not 0"),
        (b"(step 1.5)", "step", "step: the number of cycles must be 1 to 10000, not 1.5"),
        (b"(step x)", "step", "step: value: 'x' is not a finite number"),
        (b"(speed -1)", "speed", "speed: -1 times real time is not between 0 and 1000"),
        (b"(speed nan)", "speed", "speed: value: 'nan' is not a finite number"),
        (b"((playMode PlayOn))", "trainer command", "an expression is ignored"),
        (b"(playMode PlayOn", "malformed message", "'(' without ')'"),
        (b")(playMode PlayOn)", "malformed message", "')' without '('"),
        (b"(reqfullstate)" * 65, "too many trainer commands", "more than 64 commands"),
    ],
)
def test_what_is_wrong_is_said_and_the_rest_is_executed(message, reason, text):
    trained = trainer.parse("m-1", message)
    assert trained.actions == [] and len(trained.rejected) == 1
    assert trained.rejected[0][0] == reason and text in trained.rejected[0][1]


@pytest.mark.parametrize(
    ("message", "orders"),
    [
        ("(agent (unum 0)(team None)(temperature 4))", [("agent_temperature", ("", 0, 4.0))]),
        ("(saveWorld mine)", [("save_world", ("mine",))]),
        ("(addRobot two=nao/4@1,2)", [("add_robot", ("two=nao/4@1,2",))]),
        ("(addObject box/0.4,0.4,0.2/2@1,2)", [("add_object", ("box/0.4,0.4,0.2/2@1,2",))]),
        ("(changeObject (robot 7) sphere/0.1)", [("change_object", (7, "sphere/0.1"))]),
        ("(placeRobot (robot 7)(pos 1 2))", [("place_robot", (7, 1.0, 2.0, False))]),
        ("(placeRobot (robot 7)(height 1)(drag))", [("lift_robot", (7, 1.0, True))]),
        (
            "(placeRobot (robot 7)(pos 1 2)(heading 180))",
            [("place_robot", (7, 1.0, 2.0, False)), ("turn_robot", (7, math.pi, True))],
        ),
        ("(removeRobot (robot 7))(undo)", [("remove_robot", (7,)), ("undo", ())]),
        ("(startPlayer k=goalkeeper?policy=block)", [("start_player", ("k=goalkeeper?policy=block",))]),
        ("(stopPlayer)(stopPlayer k)", [("stop_player", ("",)), ("stop_player", ("k",))]),
        ("(killsim)", [("kill_simulation", ())]),
        ("(getAck)", []),
        ("(pause)(run)", [("pause", ()), ("run", ())]),
        ("(reset)", [("reset", ())]),
        ("(step)(step 25)", [("step", (1,)), ("step", (25,))]),
        ("(speed)(speed 0.5)(speed 0)", [("speed", ()), ("speed", (0.5,)), ("speed", (0.0,))]),
    ],
)
def test_commands_become_actions(message, orders):
    trained = trainer.parse("m-1", message.encode())
    assert trained.actions == [Action("m-1", *order) for order in orders] and trained.rejected == []


def test_a_list_permits_its_commands_and_full_all_but_the_end_and_what_is_not_permitted_is_named():
    assert trainer.permitted("playMode,kickOff") == {"playMode", "kickOff"}
    assert trainer.permitted("full") == {*trainer.COMMANDS} - {"killsim"}
    assert trainer.permitted("full,killsim") == {*trainer.COMMANDS}
    assert trainer.permitted("none") == frozenset() and trainer.permitted("full") >= trainer.TIME_COMMANDS
    for wrong in ("playmode", "full,fly", "", "all"):
        with pytest.raises(ConfigurationError, match="use full, none, or names"):
            trainer.permitted(wrong)
    message = b"(killsim)(playMode PlayOn)(pause)(reqfullstate)"
    trained = trainer.parse("m-1", message, frozenset(["playMode"]))
    assert [action.kind for action in trained.actions] == ["play_mode"] and trained.full_state
    assert trained.rejected == [
        ("trainer command not permitted", "(killsim ...) is not a permitted trainer command"),
        ("trainer command not permitted", "(pause ...) is not a permitted trainer command"),
    ]


@given(st.binary(max_size=300))
def test_nothing_makes_it_fail(message):
    trained = trainer.parse("m-1", message)
    assert all(len(text) < 300 for _, text in trained.rejected)

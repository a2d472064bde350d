"""The strict reader of the hostile-client suite accepts what was recorded and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspark_stress.reader import NonFiniteError, WrongMessageError, read_newer_percept, read_percept
from test.rigs.messages.sessions import messages_to_agents

HEAD = "(time (now 1.28))(GS (sl 0) (sr 0) (t 0.00) (pm BeforeKickOff))"


def test_every_recorded_message_of_the_reference_is_accepted():
    messages = [read_percept(text.encode()) for text in messages_to_agents()]
    assert len(messages) > 200
    assert all(len(message.joints) >= 22 for message in messages)
    assert messages[0].game["pm"] == "BeforeKickOff"


@pytest.mark.parametrize(
    "rest",
    [
        "(hear Left 0.02 self nan)",
        "(hear nan 0.02 -35.00 inf)",
        "(hear 12.30 self helloworld)",
        "(See (P (team nan) (id 1) (head (pol 1.00 2.00 -3.00))))",
        "(See (P (team x) (id 1) (pol 1.00 2.00 -3.00)))",
        "(See)",
        "(See (mypos 1.00 2.00 3.00) (L (pol 1.00 2.00 3.00) (pol 1.00 2.00 3.00)))",
        "(TCH n bumper val 1)",
        "(AgentState (temp 48) (battery 75))",
        "(UJ (n laj1_2) (ax1 -1.32) (ax2 2.00))",
        "(somethingNew (x 1.0) 2)",
    ],
)
def test_lists_of_other_years_and_words_that_look_like_numbers_are_accepted(rest):
    read_percept((HEAD + rest).encode())


@pytest.mark.parametrize(
    "rest",
    [
        "(HJ (n hj1) (ax nan))",
        "(HJ (n hj1) (ax -inf))",
        "(See (L (pol nan nan nan) (pol 1.00 2.00 3.00)))",
        "(GYR (n torso) (rt 0.00 inf 0.00))",
        "(somethingNew NaN)",
    ],
)
def test_a_non_finite_number_is_distinguished_from_other_faults(rest):
    with pytest.raises(NonFiniteError):
        read_percept((HEAD + rest).encode())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(GS (t 0.00) (pm PlayOn))",
        "(time (now 1.28))",
        "(time (now 1e-05))(GS (t 0.00) (pm PlayOn))",
        "(time (now 1.28))(GS (t 0.00))",
        HEAD + " ",
        HEAD + "(HJ (n hj1) (ax 0.00)",
        HEAD + "(HJ (n hj1)  (ax 0.00))",
        HEAD + "(HJ (n hj1) (ax 1e-05))",
        HEAD + "(HJ (n hj1) (ax 1))",
        HEAD + "(See (B (pol 1.00 2.00)))",
        HEAD + "(FRP (n rf) (c 0.00 -0.01 -0.01))",
        HEAD + "(new (x)",
        HEAD + "(new\t1)",
        HEAD + "(hj\xe4 1)",
        HEAD.replace(")(", ") ("),
    ],
)
def test_anything_outside_of_the_grammar_is_refused(text):
    with pytest.raises(WrongMessageError):
        read_percept(text.encode("latin-1"))


@given(st.text(alphabet="()HJnax tGSime0123456789.-", max_size=60) | st.binary(max_size=60))
def test_no_message_breaks_the_reader(tail):
    data = tail if isinstance(tail, bytes) else tail.encode()
    try:
        read_percept(HEAD.encode() + data)
    except WrongMessageError as error:
        assert str(error)


NEWER = (
    "(time (now 0.34))(GS (t 0.0)(pm BeforeKickOff)(tl A)(sl 0)(sr 0))(quat (n torso_quat) (q 1.0 0.0 0.0 -0.003))"
    "(pos (n torso_pos) (p -2.0 1.0 0.672))(GYR (n torso_gyro) (rt 0.0 -0.1 0.0))(ACC (n torso_acc) (a 0.0 0.0 9.8))"
    "(HJ (n q_hj1)(ax 0.5)(vx -1.25))(HJ (n q_hj2)(ax 0.0)(vx 0.0))(MIC hear (12 aGVsbG8=)(-3 eA==))"
    "(See (l_ruf (pol 33.96 30.04 -1.85))(P (team B)(id 3)(head (pol 2.0 1.0 0.5))(l_foot (pol 2.0 1.0 -9.5)))"
    "(B (pol 2.35 -27.91 -24.8)))"
)


def test_messages_of_the_league_since_2026_are_read() -> None:
    percept = read_newer_percept(NEWER.encode())
    assert (percept.time, percept.joints) == (0.34, {"q_hj1": 0.5, "q_hj2": 0.0})
    assert percept.game["pm"] == "BeforeKickOff"
    nothing = NEWER.partition("(See")[0] + "(See )"
    assert read_newer_percept(nothing.encode()).joints == percept.joints


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("(ax 0.5)", "(ax nan)", NonFiniteError),
        ("(ax 0.5)", "(ax 5e-1)", WrongMessageError),
        ("(n q_hj1)(ax", "(n q_hj1) (ax", WrongMessageError),
        ("(time (now 0.34))", "", WrongMessageError),
        ("(sl 0)", "(sl )", WrongMessageError),
        ("(GYR", "(XYZ", WrongMessageError),
        (" -24.8)))", " -24.8))", WrongMessageError),
        ("hj1", "h\xe41", WrongMessageError),
    ],
)
def test_wrong_messages_of_the_league_since_2026_are_found(old: str, new: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        read_newer_percept(NEWER.replace(old, new, 1).encode("latin-1"))

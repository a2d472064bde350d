import math
import time
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from simspark_ros.exchange import Action
from simspark_ros.protocol.agent.actions import READERS
from simspark_ros.protocol.agent.decoder import MAX_ACTIONS, MAX_REJECTED, AgentDecoder
from simspark_ros.protocol.agent.dialect import load_dialect, with_declared
from simspark_ros.protocol.agent.profile import SPECIAL_WORDS, CommandRules, Profile

EFFECTORS = ("he1", "he2", "", "lae1")
PROFILE = load_dialect("measured")


def bound(profile: Profile = PROFILE) -> AgentDecoder:
    decoder = AgentDecoder(profile)
    decoder.bind("me", 7, EFFECTORS)
    return decoder


def decode(payload: bytes):
    return bound().decode("me", payload)


@pytest.mark.parametrize("payload", [b"(syn)", b"(syn)(he1 1)", b"(he1 1)(syn)(he2 1)", b"(pass)(syn)", b"x (syn 1)"])
def test_syn_counts_wherever_it_stands_and_a_message_without_it_is_executed_too(payload):
    without = decode(b"(he1 1)")
    assert decode(payload).syn and (without.joints, without.syn) == ([0], False)


def test_not_a_number_is_full_negative_speed_infinity_full_speed_and_degrees_per_cycle_are_converted():
    expected = [-math.inf, math.inf, -math.inf, 1.0]
    assert decode(b"(he1 nan)(he1 inf)(he1 -inf)(he1 1)").numbers == expected
    # Only the first number counts.
    assert decode(b"(he1 -nan 3)(he1 1e999)(he1 -INFINITY)(he1 1 2 3)").numbers == expected
    decoder = bound(Profile(commands=CommandRules(hinge_unit="deg_cycle", cycle_time=0.02)))
    decoded = decoder.decode("me", b"(he1 7.035)(he2 nan)(syn)")
    assert decoded.numbers == pytest.approx([6.1392, -math.inf], abs=1e-4)


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"(lae9 1)", "unknown effector 'lae9'"),
        (b"(he1 abc)", "he1: 'abc' is not a number"),
        (b"(he1 1_0)", "he1: '1_0' is not a number"),
        (b"(he1 (1))", "he1: a list is not a number"),
        (b"(he1 0x10)", "he1: '0x10' is not a number"),
        (b"(he1)", "he1: the command has no speed"),
        (b"()", "empty list"),
        (b"((he1) 1)", "a command must begin with its name"),
        (b"he1 ", "'he1' is outside of brackets"),
        (b"(scene ../../etc/passwd)", "scene: unknown scene '../../etc/passwd'; use one of: rsg/agent/nao/nao.rsg, "),
        (b"(scene)", "scene: unknown scene ''"),
        (b"(scene rsg/agent/nao/nao_hetero.rsg)", "is missing, must be 0 to 4"),
        (b"(scene rsg/agent/nao/nao_hetero.rsg 5)", "is '5', must be 0 to 4"),
        (b"(scene rsg/agent/nao/nao_hetero.rsg (1))", "is a list, must be 0 to 4"),
        (b"(init (teamname A))", "init: (unum ...) is missing"),
        (b"(init (unum 1))", "init: (teamname ...) is missing"),
        (b"(init (unum -1)(teamname A))", "init: unum '-1' is not a number from 0 to 11"),
        (b"(init (unum 12)(teamname A))", "init: unum '12' is not a number from 0 to 11"),
        (b"(init (unum x)(teamname A))", "init: unum 'x' is not"),
        (b"(init (unum 1)(teamname (A)))", "init: teamname a list is not"),
        (b'(init (unum 1)(teamname "A B"))', "init: teamname 'A B' is not 1 to 32 printable"),
        (b"(init (unum 1)(teamname " + b"A" * 33 + b"))", "is not 1 to 32 printable"),
        (b"(init (unum 1)(teamname \xe9))", r"init: teamname '\xe9' is not"),
        (b"(beam 1 2)", "beam: 2 numbers; the command needs x, y and angle"),
        (b"(beam nan 0 0)", "beam: x, y and angle must be finite"),
        (b"(beam 0 x 0)", "beam: 'x' is not a number"),
        (b"(say)", "say: the text is not"),
        (b'(say "quo te")', "say: the text is not"),
        (b"(say 123456789012345678901)", "say: a message may have at most 20 characters"),
        (b"(he2 1)(syn))", "rest of the message: ')' without '('"),
        (b"(he2 1)(syn)\x00(", "rest of the message: control byte 0x00"),
        (b"(he2 1)(syn)(", "rest of the message: '(' without ')'"),
    ],
)
def test_what_cannot_be_executed_is_named_and_the_rest_is_executed(payload, reason):
    decoded = decode(b"(he2 1)(syn)" + payload)
    assert len(decoded.rejected) == 1 and reason in decoded.rejected[0]
    assert decoded.joints == [1] * payload.count(b"he2") + [1] and decoded.syn
    assert decoded.actions == ()


@pytest.mark.parametrize(
    ("payload", "action"),
    [
        (b"(scene rsg/agent/nao/nao.rsg)", Action("me", "create", ("nao", 0))),
        (b"(scene rsg/agent/nao/nao.rsg 3)", Action("me", "create", ("nao", 0))),
        (b"(scene rsg/agent/nao/nao_hetero.rsg 4 more)", Action("me", "create", ("nao", 4))),
        (b"(init (unum 11)(teamname Ref-Left_1))", Action("me", "init", ("Ref-Left_1", 11))),
        (b"(init (teamname A) (unum 0))", Action("me", "init", ("A", 0))),
        (b"(beam -5 1.5 90)", Action("me", "beam", (-5.0, 1.5, math.pi / 2))),
        (b"(say <%uh*eRCL_}#bkS_L]B)", Action("me", "say", ("<%uh*eRCL_}#bkS_L]B",))),
        (b"(say two words)", Action("me", "say", ("two",))),
        (b"(say a'b;c|d)", Action("me", "say", ("a",))),
        (b"(pass)", Action("me", "pass")),
    ],
)
def test_actions_are_understood_alone_and_before_joint_speeds(payload, action):
    assert decode(payload).actions == (action,)
    decoded = decode(payload + b"(he1 1)(syn)")
    assert (decoded.actions, decoded.joints, decoded.syn) == ((action,), [0], True) and decoded.rejected == []


def test_joint_commands_work_on_the_own_robot_alone_and_actions_without_one_too():
    decoder = bound()
    decoder.unbind("me")
    decoder.unbind("me")
    decoded = decoder.decode("me", b"(he1 1)(lae9 2)(init (unum 1)(teamname A))(syn)")
    assert (decoded.handle, decoded.joints, decoded.numbers, decoded.rejected) == (None, [], [], [])
    assert [action.kind for action in decoded.actions] == ["init"] and decoded.syn
    decoder = bound()
    decoder.bind("other", 8, ("he1",))
    assert decoder.decode("other", b"(he1 1)").handle == 8
    assert decoder.decode("other", b"(lae1 1)").rejected == ["unknown effector 'lae1'"]
    assert decoder.decode("third", b"(he1 1)").joints == []


def test_reasons_and_actions_are_bounded_in_number_and_reasons_in_length():
    decoded = decode(b"(" + b"x" * 10_000 + b" 1)" + b"(y 1)" * 1000)
    assert len(decoded.rejected) == MAX_REJECTED
    assert decoded.rejected[-1] == f"{1001 - MAX_REJECTED + 1} more expressions"
    assert max(map(len, decoded.rejected)) < 300
    decoded = decode(b"(pass)" * 1000 + b"(syn)")
    assert len(decoded.actions) == MAX_ACTIONS
    assert decoded.rejected[0] == f"more than {MAX_ACTIONS} actions in one message" and decoded.syn


@pytest.mark.parametrize(
    "part", [b"(he1 1)", b"(say a)", b"(say ", b"(he1 ", b"(scene", b" ", b"(", b"1", b"(beam 1 1 1)"]
)
def test_hostile_messages_take_linear_time(part):
    decoder = bound()
    begin = time.process_time()
    decoder.decode("me", part * (200_000 // len(part)))
    assert time.process_time() - begin < 5.0


plain = [b"(he1 1)", b"(he2 -2.5)", b"(he1 nan)", b"(syn)", b"(say hi)", b"(beam 1 2 3)", b"(pass)"]
odd = [b"(lae9 1)", b"(he1 )", b"(he1 1 2)", b"(say a'b)", b"(he1 1_0)", b"he1", b"1"]
odd += [b"(", b")", b" ", b"\t", b"\n", b"'", b'"', b";", b"\\", b"\x00"]
fragments = st.sampled_from(plain + odd)
messages = st.lists(fragments, max_size=12).map(b"".join) | st.binary(max_size=60)


@given(messages)
@example(b"he1( 1)")
@example(b"(he1 )1(syn)")
@settings(max_examples=500)
def test_plain_and_tolerant_reading_agree(payload):
    # A line break changes nothing for the reader, but only the tolerant one accepts it.
    decoder = bound()
    assert decoder.decode("me", payload) == decoder.decode("me", payload + b"\n")


@given(messages)
def test_garbage_never_raises_and_never_commands_a_joint_that_is_not_there(payload):
    decoded = bound().decode("me", payload)
    assert len(decoded.joints) == len(decoded.numbers) and set(decoded.joints) <= {0, 1, 3}
    assert not any(math.isnan(velocity) for velocity in decoded.numbers)


def year(*words: str) -> Profile:
    """A profile with these commands."""
    return with_declared(replace(PROFILE, commands=CommandRules(actions=words)))


def test_a_profile_says_which_commands_a_year_knows():
    decoder = AgentDecoder(year("pantilt", "stiffness", "drive", "kick", "catch"))
    decoder.bind("me", 1, ("he1",))
    text = b"(pantilt 90 -45)(stiffness 0.5)(drive 20.0 50.0 0.0)(kick 20.0 80.0)(catch)(pass)(he1 1)"
    decoded = decoder.decode("me", text)
    expected = {"pantilt": [math.pi / 2, -math.pi / 4], "stiffness": [0.5], "drive": [0.2, 0.5, 0.0]}
    expected |= {"kick": [math.radians(20), 0.8], "catch": []}
    assert {action.kind: pytest.approx(list(action.arguments)) for action in decoded.actions} == expected
    assert decoded.rejected == ["unknown effector 'pass'"]
    assert AgentDecoder(PROFILE).decode("me", b"(kick 20 80)").actions == ()
    (action,) = decoder.decode("me", b"(stiffness rle3 0.25)").actions
    assert action.arguments == (0.25, "rle3"), "the stiffness of one joint comes before its value"


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (b"(pantilt 1)", "pantilt: 1 numbers; the command needs pan and tilt"),
        (b"(stiffness)", "stiffness: 0 numbers; the command needs a stiffness"),
        (b"(stiffness rle3 soft)", "stiffness: 'soft' is not a number"),
        (b"(drive 1 2 inf)", "drive: x, y and z must be finite"),
        (b"(kick a 1)", "kick: 'a' is not a number"),
    ],
)
def test_commands_of_other_years_are_refused_by_name(message, reason):
    assert {*SPECIAL_WORDS} == {*READERS, "syn"}
    decoder = AgentDecoder(year("pantilt", "stiffness", "drive", "kick"))
    assert decoder.decode("me", message).rejected == [reason]


def test_joints_are_found_again_when_a_client_names_others_or_has_another_robot():
    decoder = bound()
    for payload, joints in ((b"(he1 1)(he2 1)", [0, 1]), (b"(he2 1)(he1 1)", [1, 0]), (b"(he1 1)", [0])):
        assert decoder.decode("me", payload).joints == joints
        assert decoder.decode("me", payload).joints == joints
    decoder.bind("me", 8, ("", "he1"))
    assert decoder.decode("me", b"(he1 1)").joints == [1]


@pytest.mark.parametrize(
    ("payload", "joints"),
    [(b"(beam 1 2 3)(he1 1)(syn)", [0]), (b"(syn 1)(he1 1)", [0]), (b"(he1 1)(syn 1)", [0]), (b"(kick 1)(syn)", [3])],
)
def test_the_name_of_an_action_is_that_of_a_joint_only_if_the_profile_lacks_it(payload, joints):
    decoder = AgentDecoder(PROFILE)
    decoder.bind("me", 7, ("he1", "beam", "syn", "kick"))
    decoded = decoder.decode("me", payload)
    assert (decoded.joints, decoded.numbers, decoded.syn) == (joints, [1.0], True)
    assert len(decoded.actions) == payload.count(b"beam")


@pytest.mark.parametrize("between", [b"(syn)", b"(say hi)(syn)", b"(beam 1 2 3)"])
def test_joints_stay_known_while_a_client_sends_something_else_between_their_speeds(between):
    decoder = bound()
    before = decoder.decode("me", b"(he1 1)(lae1 2)")
    other = decoder.decode("me", between)
    assert (other.handle, other.joints, other.numbers, other.rejected) == (7, [], [], [])
    assert other.syn == (b"syn" in between)
    # The very list: it was not looked up again.
    assert decoder.decode("me", b"(he1 1)(lae1 2)").joints is before.joints


def test_a_scene_takes_parameters_of_the_body_where_the_profile_says_so():
    path = "rsg/agent/nao/nao_hetero.rsg"
    message = f"(scene {path} 1 (thigh_z -0.05)(ankle_z -6e-2))".encode()
    open_to_all = replace(PROFILE, scenes={path: replace(PROFILE.scenes[path], parameters=True)})
    (action,) = AgentDecoder(open_to_all).decode("me", message).actions
    assert action.arguments == ("nao?ankle_z=-0.06&thigh_z=-0.05", 1)
    # Further arguments never counted otherwise.
    assert AgentDecoder(PROFILE).decode("me", message).actions[0].arguments == ("nao", 1)
    for wrong in ("(thigh_z)", "(thigh_z nan)", "(thigh_z (a))", "x", "(a 1)" * 33):
        decoded = AgentDecoder(open_to_all).decode("me", f"(scene {path} 1 {wrong})".encode())
        assert not decoded.actions and len(decoded.rejected) == 1, wrong


def test_as_many_types_can_be_chosen_from_as_are_offered():
    decoder, sixth = bound(), b"(scene rsg/agent/nao/nao_hetero.rsg 6)"
    assert decoder.decode("me", sixth).rejected
    decoder.offer_types(7)
    assert decoder.decode("me", sixth).actions == (Action("me", "create", ("nao", 6)),)
    assert decoder.decode("me", b"(scene rsg/agent/nao/nao.rsg)").actions[0].arguments == ("nao", 0)

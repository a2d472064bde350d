"""What simulator and remote sides exchange survives its way through bytes bit by bit, and nothing else gets through."""

import struct
import zlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspark_ros.exchange import Action, Commands, Percepts
from simspark_ros.protocol.agent.encoder import AgentEncoder
from simspark_ros.protocol.agent.profile import load_profile
from simspark_ros.server.remote.codec import (
    MAX_ITEMS,
    MAX_PERCEPTS,
    VERSION,
    CommandsMessage,
    Hello,
    Message,
    PerceptsMessage,
    PerceptsReader,
    Refusal,
    Welcome,
    decode,
    encode,
    header,
    pack_layout,
    pack_percepts,
)
from simspark_ros.server.remote.serialization import CodecError, UnknownLayoutError
from simspark_ros.server.remote.view import RemoteView
from test.rigs.messages.percepts import commands, layout, percepts, same

ANY: tuple[type[Message], ...] = (Hello, Welcome, Refusal, PerceptsMessage, CommandsMessage)

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
finite = st.floats(allow_nan=False, allow_infinity=False)
int64 = st.integers(-(2**63) + 1, 2**63 - 1)
arguments = st.lists(words | finite | int64 | st.booleans()).map(tuple)


def message_of(sent: Percepts, session: int = 0, *, with_layout: bool = True, **fields: Any) -> PerceptsMessage:
    packed = pack_layout(sent.layout) if with_layout else b""
    return PerceptsMessage(sent.cycle, True, pack_percepts(sent), packed, session, **fields)


def behind(sent: Percepts, reader: PerceptsReader | None = None, session: int = 0, *, layout: bool = True) -> Percepts:
    data = encode(message_of(sent, session, with_layout=layout))
    return (reader or PerceptsReader()).read(decode(data, PerceptsMessage))


def passed(sent: Commands) -> Commands:
    return decode(encode(CommandsMessage(sent)), CommandsMessage).commands


@pytest.mark.parametrize("count", [0, 1, 22])
@pytest.mark.parametrize("full", [True, False])
def test_percepts_are_the_same_behind_with_all_their_fields(count: int, full: bool) -> None:
    sent = percepts(layout([f"agent-{n}" for n in range(count)]), 7, full=full)
    assert same(behind(sent), sent)


@given(
    values=st.lists(st.floats(), min_size=15, max_size=15),
    time=finite,
    names=st.lists(words, min_size=3, max_size=3),
    numbers=st.lists(int64, min_size=3, max_size=3),
)
@settings(max_examples=50)
def test_any_numbers_and_names_pass(values: list[float], time: float, names: list[str], numbers: list[int]) -> None:
    structure = layout(["agent-1"])
    (robot,) = structure.robots
    robot = robot._replace(team=names[0], variant=numbers[0], unum=numbers[1], links=(names[1], names[2]))
    game = percepts(structure, 1).game._replace(play_mode=names[0], score_left=numbers[2], time=time)
    sent = Percepts(3, time, structure._replace(robots=(robot,)), game, np.array(values), np.zeros(15, np.bool_))
    assert same(behind(sent), sent)


@pytest.mark.parametrize("count", [0, 1, 22])
def test_commands_are_the_same_behind(count: int) -> None:
    sent = CommandsMessage(commands([f"agent-{n}" for n in range(count)], 7), 8, "b", 5, True, "f00d", "secret")
    received = decode(encode(sent), CommandsMessage)
    assert same(received.commands, sent.commands)
    assert replace(received, commands=sent.commands) == sent


@given(st.lists(st.builds(Action, words, words, arguments)).map(tuple), st.lists(st.integers(-(2**63), 2**63 - 1)))
@settings(max_examples=100)
def test_any_actions_pass_with_their_types_and_any_integers(actions: tuple[Action, ...], numbers: list[int]) -> None:
    none = np.zeros(len(numbers))
    sent = Commands(handles=np.array(numbers, np.int64), joints=none.astype(np.int64), velocities=none, actions=actions)
    assert same(passed(sent), sent)
    behind = passed(sent).actions
    assert behind == actions
    assert [[*map(type, action.arguments)] for action in behind] == [[*map(type, a.arguments)] for a in actions]


def test_what_bytes_cannot_carry_is_replaced_and_messages_are_small_where_nothing_happened() -> None:
    (action,) = passed(Commands(actions=(Action("a", "say", ("\ud800", 10**30)),))).actions
    assert action.arguments == ("?", 2**63 - 1)
    quiet = percepts(layout([]), 1, full=False)
    assert len(encode(message_of(quiet, with_layout=False))) < 350
    assert len(encode(CommandsMessage(Commands()))) < 150


@pytest.mark.parametrize("message", [Hello("east", 0.02), Welcome(0.25), Refusal("why")])
def test_greetings_pass(message: Message) -> None:
    assert decode(encode(message), *ANY) == message
    assert encode(message).startswith(header(type(message)))


def test_the_layout_is_sent_once_and_missed_if_it_was_not_received_also_of_another_simulator() -> None:
    first, second = layout(["agent-1"]), layout(["agent-1", "agent-2"], revision=2)
    reader = PerceptsReader()
    with pytest.raises(UnknownLayoutError):
        behind(percepts(first, 1), reader, layout=False)
    known = behind(percepts(first, 2), reader).layout
    assert behind(percepts(first, 3), reader, layout=False).layout is known
    assert behind(percepts(first, 4), reader).layout is known
    with pytest.raises(UnknownLayoutError):
        behind(percepts(second, 5), reader, layout=False)
    assert behind(percepts(second, 6), reader).layout == second
    reader = PerceptsReader()
    behind(percepts(layout([""], revision=4), 9), reader, 1)
    with pytest.raises(UnknownLayoutError):
        behind(percepts(layout([""], revision=4), 1), reader, 2, layout=False)
    assert behind(percepts(layout([""], revision=1), 2), reader, 2).layout.revision == 5
    assert behind(percepts(layout([""], revision=2), 3), reader, 2).layout.revision == 6


@given(st.binary(max_size=200), st.integers(1, len(ANY)))
@settings(max_examples=500)
def test_no_bytes_do_anything_but_be_refused(data: bytes, kind: int) -> None:
    try:
        message = decode(bytes([VERSION, kind]) + data, *ANY)
        if isinstance(message, PerceptsMessage):
            PerceptsReader().read(message)
    except CodecError:
        pass


@pytest.mark.parametrize(
    "message", [CommandsMessage(commands(["agent-1"], 1)), message_of(percepts(layout(["a"]), 1)), Hello("a", 1.0)]
)
def test_every_cut_and_every_addition_is_refused(message: Message) -> None:
    whole = encode(message)
    for length in range(len(whole)):
        with pytest.raises(CodecError):
            decode(whole[:length], type(message))
    with pytest.raises(CodecError, match="follow the end"):
        decode(whole + b"\0", type(message))


SENT = percepts(layout(["agent-1", "agent-2"]), 1)
assert SENT.sight is not None and SENT.poses is not None
MESSAGE, PROFILE = message_of(SENT), load_profile("measured")


@given(position=st.integers(0, 5000), value=st.integers(0, 255))
@settings(max_examples=300)
def test_a_changed_byte_gives_other_percepts_or_a_refusal(position: int, value: int) -> None:
    data = bytearray(MESSAGE.percepts)
    data[position % len(data)] = value
    try:
        changed = PerceptsReader().read(replace(MESSAGE, percepts=bytes(data)))
    except CodecError:
        return
    AgentEncoder(PROFILE).encode(changed)


BAD_PERCEPTS = {
    "values": replace(SENT, values=np.zeros(1)),
    "values is not an array": replace(SENT, values=np.array(1.0)),
    "present": replace(SENT, present=np.zeros(1, np.bool_)),
    "time": replace(SENT, time=float("nan")),
    **{
        name: replace(SENT, sight=replace(SENT.sight, **{name: array}))
        for name, array in {
            "observers": np.array([0, 2]),
            "object_offset": np.array([0, 5, 4]),
            "line_offset": np.array([0, 0]),
            "object_target": np.full(len(SENT.sight.object_target), -1),
            "object_polar": np.zeros((len(SENT.sight.object_target), 2)),
            "line_polar": np.zeros(3),
        }.items()
    },
    **{
        name: replace(SENT, poses=replace(SENT.poses, **{name: np.zeros(3) if name != "ball" else np.zeros(2)}))
        for name in ("positions", "rotations", "ball", "ball_quaternion")
    },
}


ONE = commands(["a"], 1)
BAD_COMMANDS = {
    "joints has the shape": replace(ONE, joints=np.zeros(1, np.int64)),
    "handles has the shape": replace(ONE, handles=np.zeros((12, 1), np.int64)),
    "joints has a negative": replace(ONE, joints=np.full(12, -1)),
    "velocities": replace(ONE, velocities=np.full(12, np.nan)),
    "velocities is not an array": replace(ONE, velocities=np.zeros(12, np.int64)),
    "arguments": Commands(actions=(Action("a", "beam", (float("inf"),)),)),
    "answers": Commands(answers=-1),
    "participants": Commands(participants=-1),
    "rejected": Commands(rejected={"why": -1}),
}


@pytest.mark.parametrize("field", [*BAD_PERCEPTS, *BAD_COMMANDS])
def test_malformed_messages_are_refused_by_the_name_of_the_field(field: str) -> None:
    with pytest.raises(CodecError, match=field):
        behind(BAD_PERCEPTS[field]) if field in BAD_PERCEPTS else passed(BAD_COMMANDS[field])


def test_more_actions_than_clients_can_give_are_refused() -> None:
    most = Commands(actions=(Action("agent-1", "say"),) * MAX_ITEMS)
    assert len(passed(most).actions) == MAX_ITEMS
    with pytest.raises(CodecError, match=f"more than {MAX_ITEMS}"):
        passed(replace(most, actions=(*most.actions, Action("agent-1", "say"))))


@pytest.mark.parametrize("shape", [(0, 2**32 - 1, 2**32 - 1), (2**32 - 1, 2**32 - 1, 0)])
def test_an_array_of_no_size_with_endless_axes_is_refused(shape: tuple[int, ...]) -> None:
    empty = struct.pack("<BBI", 4, 1, 0)
    head, found, tail = encode(CommandsMessage(Commands())).partition(empty)
    assert found
    with pytest.raises(CodecError, match="impossible shape"):
        decode(head + struct.pack("<BB3I", 4, 3, *shape) + tail, CommandsMessage)


def test_other_versions_and_kinds_are_refused_and_a_layout_cannot_blow_up() -> None:
    for data in (b"(scene rsg/agent/nao/nao.rsg)", b""):
        with pytest.raises(CodecError, match="same release"):
            decode(data, *ANY)
    with pytest.raises(CodecError, match="unknown kind 99"):
        decode(bytes([VERSION, 99]), *ANY)
    with pytest.raises(CodecError, match="Welcome came at the wrong time"):
        decode(encode(Welcome(1.0)), Hello)
    quiet = message_of(percepts(layout([]), 1, full=False))
    with pytest.raises(CodecError, match="more than"):
        PerceptsReader().read(replace(quiet, layout=zlib.compress(bytes(MAX_PERCEPTS + 1))))
    many = zlib.compress(struct.pack("<qI", 1, 0xFFFFFFFF))
    with pytest.raises(CodecError, match="too short"):
        PerceptsReader().read(replace(quiet, layout=many))
    slot = layout(["a"]).robots[0].slots[0]._replace(start=-1)
    robot = layout(["a"]).robots[0]._replace(slots=(slot,))
    with pytest.raises(CodecError, match="negative"):
        PerceptsReader().read(replace(quiet, layout=pack_layout(layout([])._replace(robots=(robot,)))))


@pytest.mark.parametrize(
    "hello", [Hello("", 0.02), Hello("a\n", 0.02), Hello("a/b", 0.02), Hello("a", -1.0), Hello("a", float("nan"))]
)
def test_bad_greetings_are_refused(hello: Hello) -> None:
    with pytest.raises(CodecError):
        decode(encode(hello), Hello)


def test_a_remote_side_gets_its_own_robots_readings_only_but_everything_with_monitors() -> None:
    structure = layout(["p:agent-1", "other-3", "p:agent-2", ""])
    whole = percepts(structure, 3)
    own = RemoteView(structure, "p:").of(whole)
    assert [robot.client for robot in own.layout.robots] == ["agent-1", "", "agent-2", ""]
    assert [len(robot.slots) for robot in own.layout.robots][1::2] == [0, 0]
    assert len(own.values) == len(whole.values) // 2
    assert own.sight is not None and own.sight.observers.tolist() == [0, 2]
    assert {heard.handle for heard in own.heard} == {10, 12}
    assert [notice.client for notice in own.notices] == ["agent-1"]
    assert own.poses is None and own.game == whole.game
    direct, received = AgentEncoder(PROFILE).encode(whole), AgentEncoder(PROFILE).encode(behind(own))
    assert received == {f"agent-{number}": direct[f"p:agent-{number}"] for number in (1, 2)}
    only_other = RemoteView(structure, "other-").of(whole).sight
    assert only_other is not None
    assert RemoteView(structure, "p:").of(replace(whole, sight=only_other)).sight is None
    # Clients of others have no name.
    own = RemoteView(structure, "p:", whole=True).of(whole)
    assert [robot.client for robot in own.layout.robots] == ["agent-1", "", "agent-2", ""]
    assert [notice.client for notice in own.notices] == ["agent-1"]
    assert same(replace(own, layout=structure, notices=whole.notices), whole)

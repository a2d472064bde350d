"""What proxy and simulator exchange survives its way through bytes bit by bit, and nothing else gets through."""

from __future__ import annotations

import struct
import zlib
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspark_ros.exchange import Action, Commands, GameSnapshot, Layout, Percepts, RobotLayout, Slot
from simspark_ros.perceptors.readings import Heard, Sight
from simspark_ros.protocol.agent.encoder import AgentEncoder
from simspark_ros.protocol.agent.profile import load_profile
from simspark_ros.server.remote.bytes import ProxyFrameError
from simspark_ros.server.remote.frames import (
    MAX_PERCEPTS,
    VERSION,
    Hello,
    Kind,
    ProxyPerceptReader,
    kind_of,
    pack_commands,
    pack_hello,
    pack_layout,
    pack_percepts,
    pack_refusal,
    pack_welcome,
    unpack_commands,
    unpack_hello,
    unpack_refusal,
    unpack_welcome,
)
from simspark_ros.server.remote.view import ProxyView
from test.rigs.percepts import commands, layout, percepts, same

MEASURED = load_profile("measured")
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
finite = st.floats(allow_nan=False, allow_infinity=False)
arguments = words | finite | st.integers(-9, 9) | st.booleans()


def sent(count: int, cycle: int = 7, *, full: bool = True) -> Percepts:
    """What a proxy with so many agents is sent."""
    whole = percepts(layout([f"agent-{n}" for n in range(count)]), cycle, full=full)
    return ProxyView(whole.layout, "").of(whole)


def reader(structure: Layout) -> ProxyPerceptReader:
    one = ProxyPerceptReader()
    one.read_layout(pack_layout(structure))
    return one


@pytest.mark.parametrize("count", [0, 1, 22])
@pytest.mark.parametrize("full", [True, False])
def test_percepts_are_the_same_behind(count, full):
    before = sent(count, full=full)
    behind, waits = reader(before.layout).read(pack_percepts(before, waits=full))
    assert same(behind, before)
    assert waits is full


@pytest.mark.parametrize("count", [0, 1, 22])
def test_commands_are_the_same_behind(count):
    before = replace(commands([f"agent-{n}" for n in range(count)], 7), participants=0, wants_poses=False)
    assert same(unpack_commands(pack_commands(before)), before)


@given(st.lists(st.builds(Action, words, words, st.lists(arguments).map(tuple))))
@settings(deadline=None, max_examples=50)
def test_any_actions_pass(actions):
    before = Commands(actions=tuple(actions))
    assert same(unpack_commands(pack_commands(before)), before)


def test_greetings_pass():
    assert unpack_hello(pack_hello(Hello("east", 0.02))) == Hello("east", 0.02)
    assert unpack_welcome(pack_welcome(0.25)) == 0.25
    assert unpack_refusal(pack_refusal("why\ud800")) == "why?"
    assert kind_of(pack_welcome(1.0)) is Kind.WELCOME


def test_every_field_travels_that_is_for_agents():
    """Whoever adds a field has to add it to the messages (and change their version), or to those that stay behind."""
    for_others = "poses participants wants_poses environment score_wait_left score_wait_right fouls selected"
    known = {
        Percepts: "cycle time layout game values present sight heard notices",
        Commands: "answers handles joints velocities actions rejected",
        GameSnapshot: "time play_mode score_left score_right half team_left team_right",
        Sight: "observers object_offset object_target object_polar line_offset line_polar",
        Heard: "handle team direction message time",
        Slot: "kind name columns start",
        Layout: "revision robots landmarks",
        RobotLayout: "handle client robot variant team side unum registrations"
        " slots hinge_effectors visible_parts links",
    }
    for kind, names in known.items():
        assert {field.name for field in fields(kind)} - set(for_others.split()) == set(names.split())


def test_a_proxy_is_shown_its_own_robots_readings_only():
    structure = layout(["p:agent-1", "other-3", "p:agent-2", ""])
    whole = percepts(structure, 3)
    view = ProxyView(structure, "p:")
    own = view.of(whole)
    assert [robot.client for robot in own.layout.robots] == ["agent-1", "", "agent-2", ""]
    assert [robot.client for robot in view.own] == ["agent-1", "agent-2"]
    assert [len(robot.slots) for robot in own.layout.robots][1::2] == [0, 0]
    assert len(own.values) == len(whole.values) // 2
    assert own.sight is not None and own.sight.observers.tolist() == [0, 2]
    assert {heard.handle for heard in own.heard} == {10, 12}
    assert [notice.client for notice in own.notices] == ["agent-1"]
    assert own.poses is None


def test_agents_of_a_proxy_are_told_the_same_as_direct_ones():
    profile = load_profile("measured")
    structure = layout(["p:agent-1", "other-3", "p:agent-2"])
    whole = percepts(structure, 3)
    direct = AgentEncoder(profile).encode(whole)
    view = ProxyView(structure, "p:")
    behind, _ = reader(view.layout).read(pack_percepts(view.of(whole)))
    assert AgentEncoder(profile).encode(behind) == {
        "agent-1": direct["p:agent-1"],
        "agent-2": direct["p:agent-2"],
    }


def test_nobody_looks_if_none_of_the_own_robots_does():
    structure = layout(["p:agent-1", "other-3"])
    whole = percepts(structure, 3)
    assert whole.sight is not None
    objects, lines = int(whole.sight.object_offset[1]), int(whole.sight.line_offset[1])
    only_other = Sight(
        whole.sight.observers[1:],
        whole.sight.object_offset[1:] - objects,
        whole.sight.object_target[objects:],
        whole.sight.object_polar[objects:],
        whole.sight.line_offset[1:] - lines,
        whole.sight.line_polar[lines:],
    )
    assert ProxyView(structure, "p:").of(replace(whole, sight=only_other)).sight is None


@given(st.binary(max_size=200))
@settings(deadline=None, max_examples=300)
def test_no_bytes_do_anything_but_be_refused(data):
    for unpack in (unpack_commands, unpack_hello, unpack_welcome, unpack_refusal, ProxyPerceptReader().read_layout):
        try:
            unpack(bytes([VERSION, 1]) + data)
        except ProxyFrameError:
            continue


@pytest.mark.parametrize(
    "make", [pack_commands, lambda _: pack_percepts(sent(2)), lambda _: pack_layout(layout(["a"]))]
)
def test_every_cut_and_every_addition_is_refused(make):
    whole = make(commands(["agent-1"], 1))
    one = reader(sent(2).layout)

    def unpack(data: bytes) -> None:
        kind = kind_of(data)
        {Kind.COMMANDS: unpack_commands, Kind.PERCEPTS: one.read, Kind.LAYOUT: one.read_layout}[kind](data)

    unpack(whole)
    for length in range(len(whole)):
        with pytest.raises(ProxyFrameError):
            unpack(whole[:length])
    if kind_of(whole) is not Kind.LAYOUT:
        with pytest.raises(ProxyFrameError, match="left over"):
            unpack(whole + b"\0")


@given(position=st.integers(2, 3000), value=st.integers(0, 255))
@settings(deadline=None, max_examples=300)
def test_a_changed_byte_gives_other_percepts_or_a_refusal(position, value):
    whole = bytearray(pack_percepts(sent(2)))
    whole[position % len(whole)] = value
    one = reader(sent(2).layout)
    try:
        behind, _ = one.read(bytes(whole))
    except ProxyFrameError:
        return
    AgentEncoder(MEASURED).encode(behind)


@pytest.mark.parametrize(
    ("bad", "part"),
    [
        (replace(commands(["a"], 1), joints=np.zeros(1, np.int64)), "joints"),
        (replace(commands(["a"], 1), velocities=np.full(12, np.nan)), "velocities"),
        (Commands(actions=(Action("a", "beam", (float("inf"),)),)), "actions"),
    ],
)
def test_bad_commands_are_refused_by_name(bad, part):
    with pytest.raises(ProxyFrameError, match=part):
        unpack_commands(pack_commands(bad))


def test_other_versions_and_kinds_are_refused():
    with pytest.raises(ProxyFrameError, match="same release"):
        kind_of(b"(scene rsg/agent/nao/nao.rsg)")
    with pytest.raises(ProxyFrameError, match="same release"):
        kind_of(b"")
    with pytest.raises(ProxyFrameError, match="unknown kind 99"):
        kind_of(bytes([VERSION, 99]))


@pytest.mark.parametrize("hello", [Hello("", 0.02), Hello("a\n", 0.02), Hello("a", -1.0), Hello("a", float("nan"))])
def test_bad_greetings_are_refused(hello):
    with pytest.raises(ProxyFrameError):
        unpack_hello(pack_hello(hello))


def test_percepts_of_an_unknown_layout_are_refused():
    with pytest.raises(ProxyFrameError, match="layout 1"):
        ProxyPerceptReader().read(pack_percepts(sent(1)))


def test_a_layout_cannot_blow_up():
    bomb = bytes([VERSION, Kind.LAYOUT]) + zlib.compress(bytes(MAX_PERCEPTS + 1))
    with pytest.raises(ProxyFrameError, match="more than"):
        ProxyPerceptReader().read_layout(bomb)
    many = struct.pack("<qI", 1, 0xFFFFFFFF)
    with pytest.raises(ProxyFrameError, match="do not fit"):
        ProxyPerceptReader().read_layout(bytes([VERSION, Kind.LAYOUT]) + zlib.compress(many))

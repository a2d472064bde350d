"""What simulator and bridge exchange survives its way through messages bit by bit, and nothing else gets through."""

from __future__ import annotations

import contextlib
from array import array
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from rclpy.serialization import deserialize_message, serialize_message

from simspark_ros.exchange import Action, Commands, Layout, Percepts
from simspark_ros.msg import CommandFrame, PerceptFrame
from simspark_ros.protocol.agent.encoder import AgentEncoder
from simspark_ros.protocol.agent.profile import load_profile
from simspark_ros.ros.bridge.flat_arrays import FrameError
from simspark_ros.ros.bridge.frames import (
    LayoutMissingError,
    PerceptReader,
    read_commands,
    write_commands,
    write_percepts,
)
from simspark_ros.simulation.profile_overrides import profile_path
from simspark_ros.soccer.game_state import Foul, FoulKind
from simspark_ros.soccer.teams import Side
from test.rigs.percepts import commands, layout, percepts, same

words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
finite = st.floats(allow_nan=False, allow_infinity=False)
arguments = words | finite | st.integers(-9, 9) | st.booleans()


def wire(frame: Any) -> Any:
    """The frame after its way through the middleware's own format."""
    return deserialize_message(serialize_message(frame), type(frame))


@pytest.mark.parametrize("count", [0, 1, 22])
@pytest.mark.parametrize("full", [True, False])
def test_percepts_are_the_same_behind(count: int, full: bool) -> None:
    sent = percepts(layout([f"b/agent-{n}" for n in range(count)]), 7, full=full)
    assert same(PerceptReader().read(wire(write_percepts(sent, 1))), sent)


def test_what_only_monitors_are_told_passes() -> None:
    sent = percepts(layout(["a"]), 7)
    fouls = (Foul(3, FoulKind.CHARGING, Side.LEFT, 4), Foul(4, FoulKind.TOUCHING, Side.RIGHT, 11))
    game = replace(sent.game, score_wait_left=0.1, score_wait_right=9.5, fouls=fouls, selected=12)
    structure = replace(sent.layout, environment=(("FieldLength", 30.0), ("BallMass", 0.026)))
    sent = replace(sent, game=game, layout=structure)
    assert same(PerceptReader().read(wire(write_percepts(sent, 1))), sent)


@given(
    values=st.lists(st.floats(), min_size=15, max_size=15),
    time=finite,
    names=st.lists(words, min_size=3, max_size=3),
    numbers=st.lists(st.integers(-(2**31), 2**31 - 1), min_size=3, max_size=3),
)
@settings(deadline=None, max_examples=50)
def test_any_numbers_and_names_pass(values: list[float], time: float, names: list[str], numbers: list[int]) -> None:
    structure = layout(["agent-1"])
    (robot,) = structure.robots
    robot = replace(robot, team=names[0], variant=numbers[0], unum=numbers[1], links=(names[1], names[2]))
    game = replace(percepts(structure, 1).game, play_mode=names[0], score_left=numbers[2], time=time)
    sent = Percepts(3, time, replace(structure, robots=(robot,)), game, np.array(values), np.zeros(15, np.bool_))
    assert same(PerceptReader().read(wire(write_percepts(sent, 2**64 - 1))), sent)


@pytest.mark.parametrize("count", [0, 1, 22])
def test_commands_are_the_same_behind(count: int) -> None:
    sent = commands([f"b/agent-{n}" for n in range(count)], 7)
    frame = wire(write_commands(sent, "b", 5, received=8, needs_layout=True, closing=True))
    assert same(read_commands(frame), sent)
    assert (frame.bridge, frame.session, frame.received) == ("b", 5, 8)
    assert frame.needs_layout and frame.closing


@given(st.lists(st.builds(Action, words, words, st.lists(arguments).map(tuple))))
@settings(deadline=None, max_examples=50)
def test_any_actions_pass(actions: list[Action]) -> None:
    sent = Commands(actions=tuple(actions))
    assert same(read_commands(wire(write_commands(sent, "b", 1))), sent)


def test_text_that_no_message_can_carry_is_replaced() -> None:
    (action,) = read_commands(
        wire(write_commands(Commands(actions=(Action("a", "say", ("a\0b\ud800",)),)), "b", 1))
    ).actions
    assert action.arguments == ("a?b?",)


def test_the_layout_is_sent_once_and_missed_if_it_was_not_received() -> None:
    first, second = layout(["agent-1"]), layout(["agent-1", "agent-2"], revision=2)
    reader = PerceptReader()
    with pytest.raises(LayoutMissingError):
        reader.read(wire(write_percepts(percepts(first, 1), 1, layout=False)))
    known = reader.read(wire(write_percepts(percepts(first, 2), 1))).layout
    assert reader.read(wire(write_percepts(percepts(first, 3), 1, layout=False))).layout is known
    assert reader.read(wire(write_percepts(percepts(first, 4), 1))).layout is known
    with pytest.raises(LayoutMissingError):
        reader.read(wire(write_percepts(percepts(second, 5), 1, layout=False)))
    assert reader.read(wire(write_percepts(percepts(second, 6), 1))).layout == second


def test_revisions_go_on_when_another_simulator_begins_anew() -> None:
    reader = PerceptReader()
    reader.read(wire(write_percepts(percepts(layout([""], revision=4), 9), 1)))
    with pytest.raises(LayoutMissingError):
        reader.read(wire(write_percepts(percepts(layout([""], revision=4), 1), 2, layout=False)))
    assert reader.read(wire(write_percepts(percepts(layout([""], revision=1), 2), 2))).layout.revision == 5
    assert reader.read(wire(write_percepts(percepts(layout([""], revision=2), 3), 2))).layout.revision == 6


def test_clients_of_other_bridges_are_nobody() -> None:
    reader = PerceptReader("mine/")
    seen = reader.read(wire(write_percepts(percepts(layout(["mine/agent-1", "other/agent-1", ""]), 1), 1)))
    assert [robot.client for robot in seen.layout.robots] == ["mine/agent-1", "", ""]


PERCEPT_FAULTS = {
    "values": array("d", [0.0]),
    "present": array("B", [1]),
    "sight_observers": array("i", [0, 2]),
    "sight_object_offsets": array("i", [0, 5, 4]),
    "sight_line_offsets": array("i", [0, 0]),
    "sight_object_targets": array("i", [-1]),
    "sight_object_polar": array("d", [1.0]),
    "sight_line_polar": array("d", [1.0] * 5),
    "heard_teams": [],
    "heard_times": array("d"),
    "pose_positions": array("d", [1.0] * 3),
    "pose_quaternions": array("d", [1.0] * 3),
    "pose_ball": array("d", [1.0]),
    "notice_texts": [],
    "landmarks": array("i", [9999]),
    "environment": array("i", [0]),
    "environment_values": array("d", [1.0, float("nan")]),
    "fouls": array("i", [1, 2, 3, 4]),
    "robot_names": array("i", [0]),
    "robot_numbers": array("i", [0]),
    "robot_counts": array("i", [-1, -2, -3, -4] * 2),
    "slots": array("i", [0, 0, 0, 2**31 - 1] * 2),
    "columns": array("i", [-1]),
    "links": array("i", [0]),
    "names": [],
}


@pytest.mark.parametrize("field", PERCEPT_FAULTS)
def test_malformed_percepts_are_refused(field: str) -> None:
    frame = write_percepts(percepts(layout(["agent-1", "agent-2"]), 1), 1)
    setattr(frame, field, PERCEPT_FAULTS[field])
    reader = PerceptReader()
    with pytest.raises(FrameError):
        reader.read(wire(frame))


COMMAND_FAULTS = {
    "handles": array("q", [1]),
    "joints": array("i", [-1] * 12),
    "velocities": array("d", [float("nan")] * 12),
    "answers": -1,
    "participants": -1,
    "received": -1,
    "action_kinds": [],
    "action_counts": array("i", [1, -1] * 3),
    "action_words": ["more"] * 9,
    "action_numbers": array("d", [float("inf")] * 3),
    "rejected_counts": array("i", [-1]),
    "rejected_reasons": [],
}


@pytest.mark.parametrize("field", COMMAND_FAULTS)
def test_malformed_commands_are_refused_by_the_name_of_the_field(field: str) -> None:
    frame = write_commands(commands(["agent-1"], 1), "b", 1)
    setattr(frame, field, COMMAND_FAULTS[field])
    with pytest.raises(FrameError, match="|".join(["handles", "entries", field])):
        read_commands(wire(frame))


def test_nothing_random_raises_anything_else() -> None:
    random = np.random.default_rng(1)
    for frame, read in (
        (write_percepts(percepts(layout(["a"]), 1), 1), lambda frame: PerceptReader().read(frame)),
        (write_commands(commands(["a"], 1), "b", 1), read_commands),
    ):
        fields = [
            name for name, kind in frame.get_fields_and_field_types().items() if kind.startswith("sequence<int32")
        ]
        for _ in range(200):
            broken = wire(frame)
            getattr(broken, random.choice(fields)).extend(random.integers(-5, 50, random.integers(1, 5)).tolist())
            with contextlib.suppress(FrameError):
                read(broken)


def test_frames_are_empty_where_nothing_happened() -> None:
    quiet = write_percepts(
        Percepts(1, 0.02, Layout(1, (), ()), percepts(layout([]), 1).game, np.zeros(0), np.zeros(0, np.bool_)),
        1,
        layout=False,
    )
    assert len(serialize_message(quiet)) < 350
    assert len(serialize_message(write_commands(Commands(), "b", 1))) < 150
    assert PerceptFrame is type(quiet) and CommandFrame is type(write_commands(Commands(), "b", 1))


def test_clients_of_other_years_are_sent_the_same_bytes_both_ways(play: Any, tmp_path: Path) -> None:
    told = {"own_position": True, "own_orientation": True, "ball_position": True, "interval": 1}
    for name in ("manual2010", "sphere2006"):
        document = yaml.safe_load(profile_path(name).read_text(encoding="utf-8"))
        document["simulation"].setdefault("perceptors", {})["restricted_vision"] = told
        path = tmp_path / f"{name}.yaml"
        path.write_text(yaml.safe_dump(document), encoding="utf-8")
        profile = load_profile(path)
        played = play(profile=str(path))
        robot = next(iter(profile.scenes.values())).robot
        for client, team in (("a", "A"), ("b", "B")):
            played.act(Action(client, "create", (robot, 0)), Action(client, "init", (team, 1)))
        direct, reader, remote = AgentEncoder(profile), PerceptReader(), AgentEncoder(profile)
        for _ in range(21):
            sent = played.act(Action("a", "say", ("hello",)))
            messages = direct.encode(sent)
            assert remote.encode(reader.read(wire(write_percepts(sent, 1)))) == messages
            assert b"(mypos " in messages["a"] and b"(ballpos " in messages["b"]

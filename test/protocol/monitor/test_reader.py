"""The reader of monitor frames, against the recorded session and against frames that are none."""

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspark_ros.protocol.monitor.reader import FoulReport, FrameError, MonitorReader
from test.protocol.monitor.conftest import FRAMES as SESSION
from test.rigs.messages.monitor_reader import Board, read

FULL = b"((time 1.5)(team_left A)(half 1)(play_modes X PlayOn)(play_mode 1))(RSG 0 1)((nd TRF (SLT 1 0 0 0 0 1 0 0 0 0 1 0 1 2 3 1)(nd TRF (SLT 0 1 0 0 -1 0 0 0 0 0 1 0 1 0 0 1)(nd StaticMesh (setVisible 1) (load models/a.obj) (sSc 1 2 3)(resetMaterials matNum5 matLeft)))))"  # noqa: E501


def shown(*frames: bytes) -> MonitorReader:
    reader = MonitorReader()
    for frame in frames:
        reader.show(frame)
    return reader


def test_it_knows_of_the_recorded_session_what_an_independent_reader_knows():
    reader, board = MonitorReader(), Board()
    for frame in SESSION:
        reader.show(frame)
        board.show(read(frame.decode("latin-1")))
        known = board.nodes[1:]
        assert len(reader.nodes) == len(known)
        for local, node in zip(reader.local, known, strict=True):
            expected = np.eye(4) if node.matrix is None else np.array(node.matrix).reshape(4, 4).T
            assert np.array_equal(local, expected)
        assert reader.environment == {name: " ".join(value) for name, value in board.environment.items()}
    assert (reader.time, reader.play_mode, reader.environment["team_left"]) == (0.0, "BeforeKickOff", "FCP")


def test_frames_are_relative_to_their_parents_and_changes_change_what_they_name_alone():
    world = shown(FULL).world()
    assert world[1][:3, 3] == pytest.approx([2.0, 2.0, 3.0]) and world[2] == pytest.approx(world[1])
    assert shown(FULL).nodes[2].materials == ("matNum5", "matLeft")
    reader = shown(FULL)
    nodes = reader.nodes
    reader.show(b"((time 2)(foul 3 4 2 7))(RDS 0 1)((nd(nd (SLT 1 0 0 0 0 1 0 0 0 0 1 0 9 0 0 1)(nd StaticMesh))))")
    assert reader.local[0][:3, 3] == pytest.approx([1, 2, 3]) and reader.local[1][:3, 3] == pytest.approx([9, 0, 0])
    assert (reader.time, reader.play_mode) == (2.0, "PlayOn")
    assert reader.take_fouls() == [FoulReport(3, 4, 2, 7)] and not reader.take_fouls()
    assert reader.nodes is nodes
    reader.show(FULL)
    assert reader.nodes is nodes, "the same scene once more is no other scene"


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        (b"", "without"),
        (b"((time 1))(RSG 0 1)", "without a scene"),
        (b"((time 1))(RSG 0 1)((nd TRF)", "without a scene"),
        (b"((time 1))(RSG 0 1)((node TRF))", "not (nd KIND"),
        (b"((time 1))(RSG 0 1)((nd TRF (SLT 1 2 3)))", "not have 16"),
        (b"((time 1))(RSG 0 1)((nd TRF (SLT 1 0 0 0 0 1 0 0 0 0 1 0 nan 2 3 1)))", "not finite"),
        (b"((time 1))(RSG 0 1)((nd TRF (sSc 1 x 2)))", "cannot be read"),
        (b"((time x))(RSG 0 1)((nd TRF))", "list of the game"),
        (b"((time 1)(play_mode x))(RDS 0 1)((nd(nd(nd))))", "list of the game"),
        (b"((time 1)(foul 1 2))(RDS 0 1)((nd(nd(nd))))", "list of the game"),
        (b"((time 1))(RDS 0 1)((nd(nd)))", "2 nodes after a full one of 3"),
        (b"((time 1))(RDS 0 1)((nd (SLT 1 2)(nd(nd))))", "not have 16"),
        (b"((time 1))(RDS 0 1)((nd (SLT " + b"inf " * 16 + b")(nd(nd))))", "not finite"),
    ],
)
def test_a_malformed_frame_is_refused_and_changes_nothing(frame, complaint):
    reader, untouched = shown(FULL), shown(FULL)
    with pytest.raises(FrameError, match=complaint.replace("(", r"\(")):
        reader.show(frame)
    assert reader.environment == untouched.environment and reader.nodes == untouched.nodes
    assert np.array_equal(reader.local, untouched.local) and not reader.take_fouls()


@settings(max_examples=60)
@given(st.integers(0, len(SESSION[0])), st.binary(max_size=6), st.integers(0, 8), st.integers(0, 1))
def test_whatever_comes_only_its_own_error_is_raised(place, news, lost, frame):
    data = SESSION[frame]
    reader = shown(SESSION[0])
    with contextlib.suppress(FrameError):
        reader.show(data[:place] + news + data[place + lost :])
    assert np.isfinite(reader.world()).all()
    assert reader.time >= 0 and isinstance(reader.play_mode, str)

"""Monitor logs: written frames can be read at any moment and add up to the state of a monitor."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspark_ros.protocol.monitor.log import LogError, MonitorState, pause, read_frames
from test.rigs.monitor_reader import Board, read


def test_a_frame_that_was_cut_off_is_left_out(tmp_path, recorded):
    data = b"".join(frame + b"\n" for frame in recorded)
    path, packed = tmp_path / "match.log", tmp_path / "match.log.gz"
    path.write_bytes(data[:-20])
    assert list(read_frames(path)) == recorded[:-1]
    packed.write_bytes(gzip.compress(data)[:-20])
    frames = list(read_frames(packed))
    assert frames == recorded[: len(frames)]


@pytest.mark.parametrize(
    ("name", "data", "complaint"),
    [
        ("a.log", b"", "it is empty"),
        ("a.log", b"hello\n", "its first line is not a full frame"),
        ("a.log", b"((time 1))(RDS 0 1)()\n", "its first line is not a full frame"),
        ("a.log.gz", b"((time 1))(RSG 0 1)()\n", "cannot be read"),
        ("a.log", None, "No such file"),
    ],
)
def test_what_is_no_log_is_named(tmp_path, name, data, complaint):
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(LogError, match=complaint) as caught:
        list(read_frames(tmp_path / name))
    assert name in str(caught.value)


def test_a_full_frame_of_a_state_equals_all_frames_before_it(recorded):
    state, board = MonitorState(), Board()
    for number, frame in enumerate(recorded):
        state.show(frame)
        board.show(read(frame.decode()))
        late = Board()
        late.show(read(state.full().decode()))
        assert late == board, number
        assert state.time == float(board.environment["time"][0])


def test_fouls_are_events_and_no_part_of_the_state():
    state = MonitorState()
    state.show(b"((time 1)(half 1))(RSG 0 1)((nd TRF (SLT 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1)))")
    state.show(b"((time 2)(pass_mode_score_wait_left 3)(foul 1 2 1 5))(RDS 0 1)((nd))")
    assert state.full().startswith(b"((time 2)(half 1))(RSG 0 1)")


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        (b"((time 2))(RDS 0 1)((nd)(nd))", "2 nodes after a full one of 1"),
        (b"((time x))(RDS 0 1)((nd))", "time is 'x'"),
        (b"((time 2))", "without"),
    ],
)
def test_a_malformed_frame_changes_nothing(frame, complaint):
    state = MonitorState()
    state.show(b"((time 1))(RSG 0 1)((nd TRF (SLT 1 2)))")
    before = state.full()
    with pytest.raises(LogError, match=complaint):
        state.show(frame)
    assert state.full() == before


@given(st.lists(st.text(alphabet="()nd RSDGTL01\\g<.SLT time", max_size=60)))
def test_no_frame_makes_a_state_fail_otherwise(frames):
    state = MonitorState()
    state.show(b"((time 1))(RSG 0 1)((nd TRF (SLT 1 2)))")
    for frame in frames:
        try:
            state.show(b"((time 1))(RDS 0 1)((nd (SLT " + frame.encode() + b")))")
        except LogError:
            continue
        state.full()


@pytest.mark.parametrize(("earlier", "later", "expected"), [(1, 1.2, 0.2), (1, 1, 0.5), (9, 1, 0.5), (1, 300, 0.5)])
def test_pauses_are_those_of_game_time_unless_it_stands_still_or_jumps(earlier, later, expected):
    assert pause(earlier, later, 0.5) == pytest.approx(expected)

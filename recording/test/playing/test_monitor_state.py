import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspark_recording.playing.monitor_state import MonitorState
from simspark_ros.protocol.monitor.log import LogError
from test.protocol.monitor.conftest import FRAMES
from test.rigs.messages.monitor_reader import Board, read


def test_a_full_frame_of_a_state_equals_all_frames_before_it_without_their_fouls():
    state, board = MonitorState(), Board()
    for number, frame in enumerate(FRAMES):
        state.show(frame)
        board.show(read(frame.decode()))
        late = Board()
        late.show(read(state.full().decode()))
        assert late == board, number
        assert state.time == float(board.environment["time"][0])
    state = MonitorState()
    state.show(b"((time 1)(half 1))(RSG 0 1)((nd TRF (SLT 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1)))")
    state.show(b"((time 2)(pass_mode_score_wait_left 3)(foul 1 2 1 5))(RDS 0 1)((nd))")
    assert state.full().startswith(b"((time 2)(half 1))(RSG 0 1)")


def test_drawings_that_roboviz_records_before_a_frame_are_skipped():
    state, recorded = MonitorState(), b"[1, 0, 45, 53, 46, 48, -1, 0][0, 0, 115, 0]"
    for frame in (b"((time 1))(RSG 0 1)((nd TRF (SLT 1 2)))", b"((time 2))(RDS 0 1)((nd (SLT 3 4)))"):
        state.show(recorded + frame)
    assert state.full() == b"((time 2))(RSG 0 1)((nd TRF (SLT 3 4)))"


def test_a_malformed_frame_changes_nothing():
    state = MonitorState()
    state.show(b"((time 1))(RSG 0 1)((nd TRF (SLT 1 2)))")
    before = state.full()
    for frame, complaint in (
        (b"((time 2))(RDS 0 1)((nd)(nd))", "2 nodes after a full one of 1"),
        (b"((time x))(RDS 0 1)((nd))", "time is 'x'"),
        (b"((time 2))", "without"),
    ):
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

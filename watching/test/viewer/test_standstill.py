import pytest

from simspark_watching.viewer.standstill import LAG, WINDOW, Standstill


@pytest.fixture
def standstill() -> Standstill:
    """Of a server that is there since 0 s and has sent a frame every 40 ms until 3 s."""
    made = Standstill()
    made.begin(0.0)
    for number in range(1, 76):
        made.note_frame(0.04 * number)
        assert not made.stands(0.04 * number)
    return made


def test_time_stands_still_once_no_frames_have_come_and_not_in_a_short_stall(standstill: Standstill) -> None:
    assert not standstill.stands(2.9 + WINDOW)
    assert standstill.stands(3.1 + WINDOW)
    standstill.note_frame(9.0)
    assert standstill.stands(9.0), "somebody else has edited the scene"
    standstill.note_frame(9.1)
    assert not standstill.stands(9.1)


def test_edits_while_time_stands_still_are_no_passing_time(standstill: Standstill) -> None:
    now = 3.1 + WINDOW
    assert standstill.stands(now)
    for _ in range(200):
        now += 0.05
        standstill.note_command(now)
        standstill.note_frame(now + 0.9 * LAG)
        assert standstill.stands(now + 0.9 * LAG)


def test_a_drag_while_time_passes_is_no_standstill(standstill: Standstill) -> None:
    for number in range(200):
        now = 3.0 + 0.05 * number
        standstill.note_command(now)
        standstill.note_frame(now + 0.02)
        assert not standstill.stands(now + 0.02)


def test_a_server_is_not_judged_before_it_has_had_time_to_send() -> None:
    standstill = Standstill()
    assert not standstill.stands(1000.0)
    standstill.begin(1000.0)
    assert not standstill.stands(1000.0 + WINDOW) and standstill.stands(1000.1 + WINDOW)
    standstill.begin()
    assert not standstill.stands(2000.0)

"""What team mates tell each other survives the way through a message."""

import pytest

from simspark_ros.players.geometry import Point
from simspark_ros.players.speech import ALPHABET, NEVER, TeamMessage, decode, encode, is_turn


def test_a_message_is_understood_again_to_a_centimetre_and_what_is_not_known_stays_unknown():
    said = TeamMessage(7, Point(-14.22, 9.87), Point(3.333, -0.004), ball_age=1.2, effort=7.5)
    heard = decode(encode(said))
    assert heard is not None
    assert (heard.unum, heard.ball_age, heard.effort) == (7, pytest.approx(1.2), pytest.approx(7.5))
    # Coordinates have steps of 1 cm.
    assert heard.place == pytest.approx(said.place, abs=0.006)
    assert heard.ball == pytest.approx(said.ball, abs=0.006)
    heard = decode(encode(TeamMessage(1, Point(0.0, 0.0), Point(0.0, 0.0))))
    assert heard is not None
    assert heard.ball_age == heard.effort == NEVER


def test_a_message_fits_into_what_the_server_carries():
    text = encode(TeamMessage(11, Point(1e6, -1e6), Point(-99.0, 99.0), ball_age=1e3, effort=-1.0))
    assert len(text) <= 20
    assert decode(text) is not None
    assert set(text) <= set(ALPHABET)


SAID = encode(TeamMessage(3, Point(1.0, 2.0), Point(3.0, 4.0), 0.1, 2.0))
CHANGED = SAID[:5] + ("0" if SAID[5] != "0" else "1") + SAID[6:]


@pytest.mark.parametrize("text", ["", "hello", "D" * 13, "D" + "0" * 12, "<%uh*eRCL_}#b", "E" + "1" * 12, CHANGED])
def test_what_others_say_is_not_mistaken_for_a_message(text):
    assert decode(text) is None


def test_players_speak_in_turns_of_two_cycles():
    speakers = {cycle: [unum for unum in range(1, 12) if is_turn(cycle * 0.02, unum)] for cycle in range(1000, 1022)}
    assert [speakers[cycle] for cycle in range(1001, 1022, 2)] == [[]] * 11
    assert sorted(unum for spoken in speakers.values() for unum in spoken) == list(range(1, 12))

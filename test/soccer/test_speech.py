import math

import numpy as np
import pytest

from simspark_ros.soccer.speech import Speaker, SpeechChannel, SpeechRules
from simspark_ros.soccer.teams import Side

A1 = Speaker(1, Side.LEFT, "A", (0.0, 0.0, 0.4))
A2 = Speaker(2, Side.LEFT, "A", (0.0, 2.0, 0.4))
B1 = Speaker(3, Side.RIGHT, "B", (10.0, 0.0, 0.4))
ALL = [A1, A2, B1]


@pytest.fixture
def speech():
    return SpeechChannel()


def heard_by(listener, audible):
    return [(a.team, a.direction is None, a.text) for a in audible if a.listener == listener.handle]


def test_all_robots_hear_the_speaker_himself_too_by_directions_in_the_hearers_team_frame(speech):
    speech.say(A1, "hello")
    heard = {a.listener: (a.team, a.text, a.direction) for a in speech.hear(1, ALL)}
    assert heard[1] == ("A", "hello", None)
    assert heard[2] == ("A", "hello", pytest.approx(-math.pi / 2)), "to the right of the left team"
    assert heard[3] == ("A", "hello", pytest.approx(0.0)), "straight toward the goal that the right team attacks"


def test_one_message_of_each_team_every_second_cycle(speech):
    """The recorded sequence of say and hear: a listener that took one misses those of the next cycle."""
    results = []
    for cycle, text in enumerate(["x1", "x2", "x3"], 1):
        speech.say(A1, text)
        results.append(heard_by(A2, speech.hear(cycle, ALL)))
    assert results == [[("A", False, "x1")], [], [("A", False, "x3")]]


def test_only_words_are_said_and_not_heard_out_of_range(speech):
    assert not any(speech.say(A1, text) for text in ("a)(b", "a b", "x" * 21, ""))
    assert speech.say(A1, "x" * 20)
    far = Speaker(4, Side.LEFT, "A", (0.0, 51.0, 0.4))
    speech.say(A1, "x")
    assert heard_by(far, speech.hear(1, [far])) == []


def test_neither_a_shouting_opponent_nor_an_own_message_blocks_a_team_mate(speech):
    speech.say(A2, "mine")
    speech.say(B1, "noise")
    assert heard_by(A2, speech.hear(1, ALL)) == [("A", True, "mine"), ("B", False, "noise")]
    speech.say(A1, "pass")
    assert heard_by(A2, speech.hear(2, ALL)) == [("A", False, "pass")]


def test_directions_relative_to_the_head_follow_its_axes(speech):
    speech.say(B1, "hi")
    # the head faces -y, so that the speaker in +x is to its left
    (heard,) = speech.hear(1, [A1._replace(axes=((0.0, -1.0, 0.0), (1.0, 0.0, 0.0)))])
    assert heard.direction == pytest.approx(math.pi / 2)


def test_three_loudest_messages_are_heard_for_certain_and_others_by_chance():
    """As on rcssservermj: 6 dB less with each doubling of the distance beyond 1 m."""
    speakers = [Speaker(handle, Side.LEFT, "A", (float(2**handle), 0.0, 0.4)) for handle in range(4)]
    listener = Speaker(9, Side.RIGHT, "B", (0.0, 0.0, 0.4))
    speech = SpeechChannel(SpeechRules(loudest=3), np.random.default_rng(1))
    times = [0] * 4
    for cycle in range(1000):
        for speaker in speakers:
            speech.say(speaker, f"m{speaker.handle}")
        for audible in speech.hear(cycle, [listener, speakers[0]]):
            times[int(audible.text[1])] += audible.listener == 9
    assert times[:3] == [1000] * 3
    # Half the volume of the third, by twice the distance: ln(1 + 10^-0.3 (e - 1)) = 0.62; sigma of 1,000 draws: 0.015.
    assert times[3] / 1000 == pytest.approx(0.62, abs=0.05)


def test_a_quiet_speaker_is_drowned_by_loud_ones():
    speakers = [Speaker(handle, Side.LEFT, "A", (1.0, 0.0, 0.4)) for handle in range(4)]
    listener = Speaker(9, Side.RIGHT, "B", (0.0, 0.0, 0.4))
    speech = SpeechChannel(SpeechRules(loudest=3), np.random.default_rng(1))
    for speaker in speakers:
        speech.say(speaker, f"m{speaker.handle}", 1e-6 if speaker.handle == 1 else 1.0)
    assert [audible.text for audible in speech.hear(1, [listener])] == ["m0", "m2", "m3"]

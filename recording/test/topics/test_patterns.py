"""Names of topics by patterns, and what is said of those that match nothing."""

import pytest

from simspark_recording.topics.patterns import matches_shown, without_topic
from simspark_ros.ros.topics.publisher import TopicError, message_type

NAMES = ("/nao/joint_states", "/nao/imu/data", "/clock", "/nao/walk/_action/status")


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("/naoo/*", "/nao/*"),
        ("/nao/joint_state", "/nao/joint_states"),
        ("nao/joint_states", "/nao/joint_states"),
        ("*/imuu/*", "/*/imu/*"),
    ],
)
def test_a_pattern_that_matches_no_topic_is_named_with_what_was_meant_and_what_there_is(pattern, meant):
    (line,) = without_topic([pattern, "/cl*"], NAMES)
    listed = "topics are: /clock, /nao/imu/data, /nao/joint_states"
    assert line == f"no topic matches '{pattern}'; {listed}; did you mean '{meant}'?"


def test_hidden_topics_are_for_patterns_that_say_so():
    assert not matches_shown(NAMES[-1], ["/nao/*", "*"])
    assert matches_shown(NAMES[-1], ["/nao/*/_action/*"])
    with pytest.raises(TopicError, match="a type of messages is PACKAGE/msg/NAME, not 'robot_msgs/action/Walk_"):
        message_type("robot_msgs/action/Walk_FeedbackMessage")

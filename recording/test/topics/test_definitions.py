from pathlib import Path

import pytest
from rosbags.typesys import get_types_from_msg

from simspark_recording.topics.definitions import DefinitionError, message_definition, same_definition
from simspark_recording.topics.patterns import matches_shown, without_topic
from simspark_ros.configuration.resources import resource
from simspark_ros.ros.topics.publisher import TopicError, message_type

OWN = sorted(f"simspark_ros/msg/{path.stem}" for path in Path(resource("msg")).glob("*.msg"))


@pytest.mark.parametrize("name", [*OWN, "sensor_msgs/msg/CameraInfo", "nav_msgs/msg/Odometry"])
def test_a_definition_has_all_types_inside(name: str) -> None:
    types = get_types_from_msg(message_definition(name), name)
    every = [field[1] for _, fields in types.values() for _, field in fields]
    inside = {kind[0] if isinstance(kind[0], tuple) else kind for kind in every}
    named = {part for part in map(str, inside) if "/" in part and "(" not in part}
    assert name in types and named <= set(types)


def test_types_that_are_missing_are_named_and_comments_and_names_of_folders_make_no_other() -> None:
    with pytest.raises(DefinitionError, match="of nowhere_msgs/msg/None is not installed"):
        message_definition("nowhere_msgs/msg/None")
    one = "# a\nstd_msgs/Header header\nint32   x # m\n" + "=" * 80 + "\nMSG: std_msgs/Header\nstring frame_id\n"
    other = "std_msgs/Header header\n\nint32 x\n" + "=" * 80 + "\nMSG: std_msgs/msg/Header\n# b\nstring frame_id\n"
    assert same_definition(one, other) and not same_definition(one, other.replace("int32", "int64"))
    assert not same_definition(one, other.replace("string", "float32"))


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
    assert not matches_shown(NAMES[-1], ["/nao/*", "*"]) and matches_shown(NAMES[-1], ["/nao/*/_action/*"])
    with pytest.raises(TopicError, match="a type of messages is PACKAGE/msg/NAME, not 'robot_msgs/action/Walk_"):
        message_type("robot_msgs/action/Walk_FeedbackMessage")

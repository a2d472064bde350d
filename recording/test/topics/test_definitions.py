"""Definitions of messages, read by rosbags, and compared."""

from pathlib import Path

import pytest
from rosbags.typesys import get_types_from_msg

from simspark_recording.topics.definitions import DefinitionError, message_definition, same_definition
from simspark_ros.configuration.resources import resource

OWN = sorted(f"simspark_ros/msg/{path.stem}" for path in Path(resource("msg")).glob("*.msg"))


@pytest.mark.parametrize("name", [*OWN, "sensor_msgs/msg/CameraInfo", "nav_msgs/msg/Odometry"])
def test_a_definition_has_all_types_inside(name: str) -> None:
    types = get_types_from_msg(message_definition(name), name)
    inside = {
        field[1][0] if isinstance(field[1][0], tuple) else field[1]
        for _, fields in types.values()
        for _, field in fields
    }
    named = {part for part in map(str, inside) if "/" in part and "(" not in part}
    assert name in types and named <= set(types)


def test_a_type_that_is_not_installed_is_named() -> None:
    with pytest.raises(DefinitionError, match="of nowhere_msgs/msg/None is not installed"):
        message_definition("nowhere_msgs/msg/None")


def test_comments_and_names_of_folders_make_no_other_type() -> None:
    one = "# a\nstd_msgs/Header header\nint32   x # m\n" + "=" * 80 + "\nMSG: std_msgs/Header\nstring frame_id\n"
    other = "std_msgs/Header header\n\nint32 x\n" + "=" * 80 + "\nMSG: std_msgs/msg/Header\n# b\nstring frame_id\n"
    assert same_definition(one, other)
    assert not same_definition(one, other.replace("int32", "int64"))
    assert not same_definition(one, other.replace("string", "float32"))

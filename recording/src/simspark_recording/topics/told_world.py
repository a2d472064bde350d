"""The world of a recording by its topic `scene_world`, as text of a world file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import yaml
from rclpy.serialization import deserialize_message
from std_msgs.msg import String

from simspark_recording.topics.reader import moments, topics_of
from simspark_recording.topics.scene_frames import tells_world
from simspark_ros.configuration.errors import cut
from simspark_ros.soccer.settings import WorldText, text_of_world, world_of_text


def told_world(path: Path, tell: Callable[[str], object]) -> str:
    """The first world that a file tells of, without objects and robots; empty if it tells of none that can be used.

    `tell` takes a line for the operator.

    Raises:
        RecordingError: the file cannot be read.
    """
    # Reading all of a file without the topic would take long.
    if not any(tells_world(topic) for topic in topics_of(path)):
        return ""
    found = (data for moment in moments(path) for topic, data in moment.messages if tells_world(topic))
    if (message := next(found, None)) is None:
        return ""
    try:
        text = deserialize_message(message, String).data
        world_of_text(text)
        # Written anew, as whoever made the file may have added robots' files or a rule book of this machine.
        written = yaml.safe_dump(json.loads(text_of_world(WorldText(path, json.loads(text)))), sort_keys=False)
    # Whatever the file holds: the rest of it is shown.
    except Exception as error:
        tell(f"a world that cannot be used is left out: {cut(str(error), 80)}")
        return ""
    return str(written)

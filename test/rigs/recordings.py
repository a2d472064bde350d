"""Recordings of texts, and recordings read by libraries of others, whole or as far as they were written."""

import struct
from collections.abc import Iterator
from pathlib import Path

from mcap.exceptions import EndOfFile
from mcap.records import Channel, Message
from mcap.stream_reader import StreamReader
from rclpy.serialization import serialize_message
from std_msgs.msg import String

from simspark_recording.settings import RecordSettings
from simspark_recording.topics.definitions import message_definition
from simspark_recording.topics.recording import TopicRecording, WrittenTopic

STRING = "std_msgs/msg/String"


def texts(name: str = "/chat") -> WrittenTopic:
    """A topic of texts."""
    return WrittenTopic(name, STRING, message_definition(STRING), [], "", False)


def record_texts(path: Path, *times_and_texts: tuple[int, str], name: str = "/chat") -> Path:
    """Write a recording of texts and the times at which they came, ns; returns its path."""
    recording = TopicRecording(RecordSettings(path), print)
    for time, text in times_and_texts:
        recording.write(texts(name), time, serialize_message(String(data=text)))
    recording.close()
    return path


def stream(path: Path) -> Iterator[tuple[str, Message]]:
    """Topics and messages in the order of the file, also of one that is not complete."""
    topics: dict[int, str] = {}
    with path.open("rb") as file:
        try:
            for record in StreamReader(file).records:
                if isinstance(record, Channel):
                    topics[record.id] = record.topic
                elif isinstance(record, Message):
                    yield topics[record.channel_id], record
        except (EndOfFile, struct.error):
            # The library's words for the end of the file between and within numbers.
            return


def recorded_topics(path: Path) -> set[str]:
    return {topic for topic, _ in stream(path)} if path.exists() else set()

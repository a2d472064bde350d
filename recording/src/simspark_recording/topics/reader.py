"""Reads MCAP files of ROS 2 topics, also if their writer was killed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from mcap.reader import NonSeekingReader, make_reader
from mcap.records import Channel, Message, Schema
from mcap.summary import Summary

from simspark_ros.configuration.errors import UserError, cut
from simspark_ros.ros.limits import LARGEST_RECORD

MOST_AT_ONCE = 10_000
"""Messages of one time that are taken together."""

_HEADER = 9
"""Bytes at the start without which a file is none of these: MCAP's magic, and the kind of the first record."""


class RecordingError(UserError):
    """A file is no recording of ROS 2 topics or cannot be read; the message names it."""


@dataclass(frozen=True, eq=False)
class RecordedTopic:
    """A topic of a file: its type, e.g. `sensor_msgs/msg/Imu`, the type's definition, and rosbag2's metadata."""

    name: str
    kind: str
    definition: str
    metadata: dict[str, str]


@dataclass(frozen=True)
class Moment:
    """Messages with the same log time, ns, in the order of the file."""

    time: int
    messages: tuple[tuple[RecordedTopic, bytes], ...]


def topics_of(path: Path) -> list[RecordedTopic]:
    """The topics of a file, from its index, or from all that can be read if it has none.

    Raises:
        RecordingError: as of `moments`.
    """
    summary = _summary(path)
    if summary is None:
        found = {topic: None for moment in moments(path) for topic, _ in moment.messages}
    else:
        made = (_topic(channel, summary.schemas.get(channel.schema_id)) for channel in summary.channels.values())
        found = {topic: None for topic in made if topic is not None}
    return list(found)


def span_of(path: Path) -> tuple[int, int]:
    """The first and the last log time of a file, ns, from its index, or from all that can be read if it has none.

    Raises:
        RecordingError: as of `moments`.
    """
    summary = _summary(path)
    if summary is not None and summary.statistics is not None:
        return summary.statistics.message_start_time, summary.statistics.message_end_time
    times = [moment.time for moment in moments(path)]
    return (min(times), max(times)) if times else (0, 0)


def moments(path: Path) -> Iterator[Moment]:
    """The messages of a file, as far as it was written, in its order; only messages in ROS 2's encoding.

    Raises:
        RecordingError: it cannot be read, is no MCAP file, or is damaged.
    """
    time, messages = 0, list[tuple[RecordedTopic, bytes]]()
    for topic, message in _messages(path):
        if messages and (message.log_time != time or len(messages) >= MOST_AT_ONCE):
            yield Moment(time, tuple(messages))
            messages = []
        time = message.log_time
        messages.append((topic, message.data))
    if messages:
        yield Moment(time, tuple(messages))


def _summary(path: Path) -> Summary | None:
    """The index of a file; None if it has none, as its writer was killed."""
    try:
        with path.open("rb") as file:
            return make_reader(file).get_summary()
    except Exception:
        # The file is incomplete, or does not exist: reading all of it tells.
        return None


def _messages(path: Path) -> Iterator[tuple[RecordedTopic, Message]]:
    try:
        with path.open("rb") as file:
            try:
                yield from _read(file)
            # The library raises many kinds of errors for faults in a file.
            except Exception as error:
                # If the writer was killed, or its disk was full, the end of the file is such a fault.
                if file.tell() <= _HEADER or file.read(1):
                    problem = cut(f"{type(error).__name__}: {error}", 80)
                    raise RecordingError(f"{path}: this file is not an MCAP file or is damaged: {problem}") from None
    except OSError as error:
        raise RecordingError(f"{path}: cannot be read: {error.strerror or error}") from None


def _read(file: IO[bytes]) -> Iterator[tuple[RecordedTopic, Message]]:
    topics: dict[int, RecordedTopic | None] = {}
    # Not the decoders of mcap-ros2-support: bytes are published as they are, and rclpy decodes the few messages shown.
    reader = NonSeekingReader(file, record_size_limit=LARGEST_RECORD)
    for schema, channel, message in reader.iter_messages(log_time_order=False):
        if channel.id not in topics:
            topics[channel.id] = _topic(channel, schema)
        if (topic := topics[channel.id]) is not None:
            yield topic, message


def _topic(channel: Channel, schema: Schema | None) -> RecordedTopic | None:
    if schema is None or channel.message_encoding != "cdr" or schema.encoding != "ros2msg":
        return None
    return RecordedTopic(channel.topic, schema.name, schema.data.decode("utf-8", "replace"), channel.metadata)

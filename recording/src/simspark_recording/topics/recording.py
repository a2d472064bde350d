"""A recording: one or more MCAP files, each of which can be read by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rclpy.qos import QoSProfile

from simspark_recording.settings import SUFFIX, RecordSettings
from simspark_recording.topics.bag_file import BagFile
from simspark_ros.configuration.schema import ConfigurationError

MEGABYTE = 1_000_000

_MOST_CHANNELS = 60_000
"""Most channels of a file, which numbers them with 16 bits."""
_MOST_LATCHED = 100
"""Most publishers of a latched topic whose last messages are kept."""


@dataclass(eq=False)
class WrittenTopic:
    """A topic that is recorded.

    Attributes:
        kind: type, e.g. `sensor_msgs/msg/Imu`.
        offered: QoS of its publishers.
        last: the last message and its number by publisher, if the topic is latched.
    """

    name: str
    kind: str
    definition: str
    offered: Sequence[QoSProfile]
    type_hash: str
    latched: bool
    last: dict[bytes, tuple[bytes, int]] = field(default_factory=dict)


class TopicRecording:
    """Writes messages to a file, and goes on in another one, FILE_1.mcap, where the first is full or time is set back.

    Each part begins with the last messages of latched topics, and so can be read by itself. `tell` takes lines for the
    operator.

    Attributes:
        messages: number of messages written.
        ended: reason for which nothing is written any more; empty while the recording goes on.

    Raises:
        ConfigurationError: the file cannot be opened, or exists.
    """

    def __init__(self, settings: RecordSettings, tell: Callable[[str], object]) -> None:
        if settings.path.suffix != SUFFIX:
            raise ConfigurationError(f"recording {settings.path}: the name must end in {SUFFIX}")
        self.messages = 0
        self.ended = ""
        self._settings, self._tell = settings, tell
        self._topics: dict[str, WrittenTopic] = {}
        self._paths: list[Path] = []
        self._begin()

    @property
    def complete(self) -> bool:
        """Whether everything could be written."""
        return self._file.complete

    def add(self, topic: WrittenTopic) -> None:
        """Have a topic in the files from now on, also without messages."""
        self._topics[topic.name] = topic
        self._channel(topic)

    def remove(self, topic: WrittenTopic) -> None:
        """Forget a topic; what was written stays."""
        self._topics.pop(topic.name, None)

    def write(self, topic: WrittenTopic, time: int, data: bytes, publisher: bytes = b"", sequence: int = 0) -> None:
        """Add a message. `time` is simulated time, ns; `sequence` counts the messages of the publisher."""
        if self.ended:
            return
        self._put(topic, time, data, sequence)
        self.messages += 1
        if topic.latched and (publisher in topic.last or len(topic.last) < _MOST_LATCHED):
            topic.last[publisher] = data, sequence
        if self._file.size >= self._settings.max_size * MEGABYTE or len(self._channels) >= _MOST_CHANNELS:
            self.begin_part(time, "the file is full")

    def begin_part(self, time: int, reason: str) -> None:
        """Go on in another file, if there may be one."""
        if self.ended:
            return
        if len(self._paths) >= self._settings.max_files:
            self.ended = f"{reason}, and the limit of {self._settings.max_files} files is reached (max_files)"
            return
        last = self._file
        try:
            self._begin()
        except ConfigurationError as error:
            self.ended = str(error)
            return
        last.close()
        self._tell(f"{reason}: goes on in {self._path}")
        for topic in self._topics.values():
            self._channel(topic)
            for data, sequence in topic.last.values():
                self._put(topic, time, data, sequence)

    def flush(self) -> None:
        """Write what is there; where that fails, the recording ends."""
        if not self.ended:
            self._file.flush()
            self._check()

    def close(self) -> None:
        """Complete the file; one without messages is removed, as others would take it for a recording."""
        self._file.close()
        self._check()
        if not self.messages:
            for path in self._paths:
                path.unlink(missing_ok=True)

    def _put(self, topic: WrittenTopic, time: int, data: bytes, sequence: int) -> None:
        self._file.write(self._channel(topic), time, data, sequence)
        self._check()

    def _channel(self, topic: WrittenTopic) -> int:
        """Number of a topic in the current file, where it begins if it is not there yet."""
        key = topic.name, topic.kind, topic.type_hash
        if key not in self._channels:
            self._channels[key] = self._file.add_channel(*key[:2], topic.definition, topic.offered, topic.type_hash)
        return self._channels[key]

    def _check(self) -> None:
        if not self._file.complete:
            self.ended = f"{self._path} cannot be written"

    def _begin(self) -> None:
        path = self._settings.path
        self._path = path.with_stem(f"{path.stem}_{len(self._paths)}") if self._paths else path
        if self._path.exists():
            raise ConfigurationError(f"recording {self._path}: this file already exists; choose another one")
        self._file = BagFile(self._path, self._settings.compression, self._tell)
        self._paths.append(self._path)
        self._channels: dict[tuple[str, str, str], int] = {}

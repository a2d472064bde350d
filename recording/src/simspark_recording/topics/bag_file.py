"""One MCAP file as ROS 2 has them: types with definitions, raw messages, the QoS of the publishers.

The writer of mcap-ros2-support does not fit: it encodes message objects in Python, and has no QoS and no flush.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from mcap.writer import CompressionType, Writer
from rclpy.qos import QoSProfile

from simspark_recording.topics.qos import QOS_KEY, qos_text
from simspark_ros import __version__
from simspark_ros.simulation.logs.log_file import LogFile

CHUNK_SIZE = 512 * 1024
"""Bytes that are compressed, and lost if the process is killed, together."""

TYPE_HASH_KEY = "topic_type_hash"
"""Metadata of channels, by rosbag2's name."""

_COMPRESSION = {"zstd": CompressionType.ZSTD, "lz4": CompressionType.LZ4, "none": CompressionType.NONE}


class _Output:
    """A log file as the stream of a writer."""

    def __init__(self, file: LogFile) -> None:
        self._file = file
        self.size = 0

    def write(self, data: Any) -> int:
        self._file.write(bytes(data))
        self.size += len(data)
        return len(data)

    def flush(self) -> None:
        """Nothing: log files flush every write."""

    def tell(self) -> int:
        return self.size


class BagFile:
    """A new file; `warn` and errors as of `LogFile`. Messages up to the last `flush` outlive this process."""

    def __init__(self, path: Path, compression: str, warn: Callable[[str], object]) -> None:
        self._file = LogFile(path, "recording", warn)
        self._output = _Output(self._file)
        self._writer: Any = Writer(cast(Any, self._output), CHUNK_SIZE, _COMPRESSION[compression])
        self._schemas: dict[str, int] = {}
        self._writer.start(profile="ros2", library=f"simspark_ros {__version__}")
        # Without this record rosbag2 expects words in QoS profiles, of which older versions know only the numbers.
        self._writer.add_metadata("rosbag2", {"ROS_DISTRO": os.environ.get("ROS_DISTRO", "")})

    @property
    def complete(self) -> bool:
        """Whether everything could be written."""
        return self._file.complete

    @property
    def size(self) -> int:
        """Size so far, bytes."""
        return self._output.size

    def add_channel(self, topic: str, kind: str, definition: str, offered: Sequence[QoSProfile], type_hash: str) -> int:
        """Begin a topic; returns the number of its channel. `offered` is the QoS of its publishers."""
        if kind not in self._schemas:
            self._schemas[kind] = self._writer.register_schema(kind, "ros2msg", definition.encode())
        metadata = {QOS_KEY: qos_text(offered), TYPE_HASH_KEY: type_hash}
        return int(self._writer.register_channel(topic, "cdr", self._schemas[kind], metadata))

    def write(self, channel: int, time: int, data: bytes, sequence: int) -> None:
        """Add a message; `time` is simulated time, ns."""
        self._writer.add_message(channel, time, data, time, sequence & 0xFFFFFFFF)

    def flush(self) -> None:
        """Write all messages so far."""
        self._writer.flush()

    def close(self) -> None:
        """Write the index and close the file."""
        if self.complete:
            self._writer.finish()
        self._file.close()

"""Recordings read by libraries of others, whole or as far as they were written."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from mcap.exceptions import EndOfFile
from mcap.records import Channel, Message
from mcap.stream_reader import StreamReader


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

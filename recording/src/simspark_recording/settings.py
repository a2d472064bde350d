"""Settings of `simspark record`; without ROS, so that the command line can be made without it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.schema import Checked, Range, Setting

SUFFIX = ".mcap"
"""Suffix of the names of recordings."""


@dataclass(frozen=True)
class RecordSettings(Checked):
    """Topics of a recording, and its limits."""

    path: Path
    topics: Annotated[
        tuple[str, ...],
        Setting(
            "record this topic, * stands for any characters; none = all but images", option="topic", metavar="NAME"
        ),
    ] = ()
    without: Annotated[
        tuple[str, ...], Setting("leave this topic out, * as above", option="without", metavar="NAME")
    ] = ()
    images: Annotated[bool, Setting("record images and point clouds, too")] = False
    compression: Annotated[Literal["zstd", "lz4", "none"], Setting("compression of the file's chunks")] = "zstd"
    max_size: Annotated[float, Range(0.1, 1e6, "MB"), Setting("size at which a file ends and the next one begins")] = (
        1000.0
    )
    max_files: Annotated[int, Range(1, 100_000), Setting("most files; the recording ends with the last one")] = 10
    max_topics: Annotated[int, Range(1, 60_000), Setting("topics at a time; further ones are left out")] = 5000
    queue: Annotated[
        int, Range(1, 10_000), Setting("messages of a topic that wait in memory; where more come, the oldest are lost")
    ] = 100
    duration: Annotated[
        float, Range(0.0, 1e9, "s"), Setting("end after this much simulated time; 0 = at SIGINT or SIGTERM")
    ] = 0.0


def require_mcap() -> None:
    """Check that rclpy and mcap are installed, without loading them.

    Raises:
        UserError: one is not.
    """
    for package, wanted in (("rclpy", "simspark_ros[ros]"), ("mcap", "mcap>=1.6")):
        if find_spec(package) is None:
            raise UserError(f"MCAP files need {package}: pip install '{wanted}'")

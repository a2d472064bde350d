"""Settings of `simspark record` and `replay`; without ROS, so that the command line can be made without it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.limits import MAX_MONITOR_MESSAGE, MAX_MONITORS, MaxMonitorMessage, MaxMonitors
from simspark_ros.configuration.ports import LOOPBACK, MONITOR_PORT, Bind, MonitorPort
from simspark_ros.configuration.schema import Checked, Range, Setting

SUFFIX = ".mcap"
"""Suffix of the names of files of topics."""

Without = Annotated[
    tuple[str, ...], Setting("leave this topic out; * stands for any characters", option="without", metavar="NAME")
]


@dataclass(frozen=True)
class RecordSettings(Checked):
    """Topics of a recording, and its limits."""

    path: Path
    topics: Annotated[
        tuple[str, ...],
        Setting(
            "record this topic; * stands for any characters; none = all but images", option="topic", metavar="NAME"
        ),
    ] = ()
    without: Without = ()
    images: Annotated[bool, Setting("record images and point clouds, too")] = False
    compression: Annotated[Literal["zstd", "lz4", "none"], Setting("compression of the file's chunks")] = "zstd"
    max_size: Annotated[float, Range(0.1, 1e6, "MB"), Setting("size at which a file ends and the next one begins")] = (
        1000.0
    )
    max_files: Annotated[
        int, Range(1, 100_000), Setting("most files; the recording ends when the last one is full")
    ] = 10
    max_topics: Annotated[int, Range(1, 60_000), Setting("most topics at a time; further ones are left out")] = 5000
    queue: Annotated[
        int,
        Range(1, 10_000),
        Setting("most messages of a topic that wait in memory; if more come, the oldest are lost"),
    ] = 100
    duration: Annotated[
        float, Range(0.0, 1e9, "s"), Setting("end after this much simulated time; 0 = at SIGINT or SIGTERM")
    ] = 0.0


@dataclass(frozen=True)
class ReplaySettings(Checked):
    """Settings of a replay of a file: a monitor log, or topics in an MCAP file."""

    path: Path
    monitor_port: MonitorPort = MONITOR_PORT
    bind: Bind = LOOPBACK
    speed: Annotated[float, Range(0.0, above=True), Setting("speed, 1 = as recorded")] = 1.0
    loop: Annotated[bool, Setting("begin again at the end")] = False
    interval: Annotated[
        float, Range(0.0, unit="s", above=True), Setting("time between frames of a log while game time stands still")
    ] = 0.2
    topics: Annotated[
        tuple[str, ...],
        Setting(
            "publish this topic of an MCAP file; * stands for any characters; none = all",
            option="topic",
            metavar="NAME",
        ),
    ] = ()
    without: Without = ()
    max_monitors: MaxMonitors = MAX_MONITORS
    max_monitor_message: MaxMonitorMessage = MAX_MONITOR_MESSAGE
    delay: Annotated[
        float,
        Range(0.0, 3600.0, "s"),
        Setting("pause before an MCAP file begins, in which subscribers find its topics"),
    ] = 1.0
    world: Annotated[
        str, Setting("world to show if an MCAP file does not hold its own, a name or a YAML file; empty = soccer")
    ] = ""


def require_mcap() -> None:
    """Check that rclpy and mcap are installed, without loading them.

    Raises:
        UserError: one is not.
    """
    for package, wanted in (("rclpy", "simspark_ros[ros]"), ("mcap", "mcap>=1.6")):
        if find_spec(package) is None:
            raise UserError(f"MCAP files need {package}: pip install '{wanted}'")

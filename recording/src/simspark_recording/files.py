"""Recordings by the kind of their file, for other commands; rclpy and mcap are loaded when an MCAP file is read."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from simspark_recording.settings import SUFFIX, ReplaySettings, require_mcap
from simspark_ros.configuration.errors import UserError

if TYPE_CHECKING:
    from simspark_recording.playing.steps import StepSource


def recording_source(settings: ReplaySettings, tell: Callable[[str], object]) -> StepSource:
    """The steps of a file, by its suffix; `tell` takes lines for the operator.

    Raises:
        UserError: the file cannot be read or has no poses, or something is missing.
    """
    if settings.path.suffix != SUFFIX:
        from simspark_recording.logs.sources import log_source

        return log_source(settings)
    require_mcap()
    from simspark_recording.topics.playback import BagSource
    from simspark_recording.topics.reader import topics_of
    from simspark_recording.topics.scene_frames import SCENE

    if all(topic.kind != SCENE for topic in topics_of(settings.path)):
        raise UserError(f"{settings.path} has no poses to show: record the topics /scene and /scene_poses, too")
    return BagSource(settings, tell)


@contextmanager
def recording_world(path: Path, tell: Callable[[str], object]) -> Iterator[str]:
    """The world to show a file in, while the block runs: a name, or a file of the world that is told; empty = any.

    Raises:
        UserError: the file cannot be read.
    """
    if path.suffix != SUFFIX:
        from simspark_recording.logs.league_worlds import world_of_log

        yield world_of_log(path)
        return
    require_mcap()
    from simspark_recording.topics.told_world import told_world

    world = told_world(path, tell)
    if not world:
        yield ""
        return
    with tempfile.TemporaryDirectory(prefix="simspark-") as folder:
        file = Path(folder, "recorded_world.yaml")
        file.write_text(world, encoding="utf-8")
        yield str(file)

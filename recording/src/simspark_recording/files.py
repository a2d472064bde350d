"""MCAP files for `simspark replay`, `view` and `video`; rclpy and mcap are loaded when a file is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from simspark_recording.settings import require_mcap
from simspark_ros.configuration.errors import UserError

if TYPE_CHECKING:
    from simspark_ros.server.replay import StepSource
    from simspark_ros.server.settings import ReplaySettings


def replay(settings: ReplaySettings, ros_arguments: Sequence[str]) -> int:
    """Publish a file and show it to monitors; returns the exit status.

    Raises:
        UserError: the file or an argument of ROS is wrong, or something is missing.
    """
    require_mcap()
    from simspark_recording.playback import replay

    return replay(settings, ros_arguments)


def source(settings: ReplaySettings, tell: Callable[[str], object]) -> StepSource:
    """The steps of a file; `tell` takes lines for the operator.

    Raises:
        UserError: the file cannot be read or has no poses, or something is missing.
    """
    require_mcap()
    from simspark_recording.playback import BagSource
    from simspark_recording.reader import topics_of
    from simspark_recording.scene_frames import SCENE

    if all(topic.kind != SCENE for topic in topics_of(settings.path)):
        raise UserError(f"{settings.path} has no poses to show: record the topics /scene and /scene_poses, too")
    return BagSource(settings, tell)

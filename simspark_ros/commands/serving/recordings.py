"""Files that commands play: monitor logs and MCAP files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simspark_ros.commands.serving.record import require_mcap
from simspark_ros.configuration.errors import UserError
from simspark_ros.ros.recording.settings import SUFFIX

if TYPE_CHECKING:
    from simspark_ros.server.replay import StepSource
    from simspark_ros.server.settings import ReplaySettings


def recording_source(settings: ReplaySettings, tell: Callable[[str], object]) -> StepSource:
    """The steps of a file, by its suffix; `tell` takes lines for the operator.

    Raises:
        UserError: the file cannot be read, has no poses, or its reader is not installed.
    """
    if settings.path.suffix == SUFFIX:
        require_mcap()
        from simspark_ros.ros.recording.playback import BagSource
        from simspark_ros.ros.recording.reader import topics_of
        from simspark_ros.ros.recording.scene_frames import SCENE

        if all(topic.kind != SCENE for topic in topics_of(settings.path)):
            raise UserError(f"{settings.path} has no poses to show: record the topics /scene and /scene_poses, too")
        return BagSource(settings, tell)
    from simspark_ros.protocol.monitor.log import read_frames
    from simspark_ros.server.replay import LogSource

    next(read_frames(settings.path))
    return LogSource(settings)

"""Files that commands play: monitor logs and MCAP files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simspark_ros.commands.record import require_mcap
from simspark_ros.ros.recording.settings import SUFFIX

if TYPE_CHECKING:
    from simspark_ros.server.replay import Source
    from simspark_ros.server.settings import ReplaySettings


def recording_source(settings: ReplaySettings, tell: Callable[[str], object]) -> Source:
    """The steps of a file, by its suffix; `tell` takes lines for the operator.

    Raises:
        UserError: it cannot be read, or what reads it is not installed.
    """
    if settings.path.suffix == SUFFIX:
        require_mcap()
        from simspark_ros.ros.recording.playback import BagSource

        return BagSource(settings, tell)
    from simspark_ros.protocol.monitor.log import read_frames
    from simspark_ros.server.replay import LogSource

    next(read_frames(settings.path))
    return LogSource(settings)

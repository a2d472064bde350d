"""Files that commands play: monitor logs, and MCAP files by another distribution of this project."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simspark_ros.commands.satellites import missing
from simspark_ros.configuration.entry_points import Group

if TYPE_CHECKING:
    from simspark_ros.server.replay import StepSource
    from simspark_ros.server.settings import ReplaySettings

MCAP = ".mcap"


def of_mcap_files(function: str) -> Any:
    """A function for MCAP files: `replay`, which publishes one, or `source`, which gives its steps.

    Raises:
        UserError: the distribution is not installed.
    """
    functions = Group("simspark_ros.mcap_files").plug_ins()
    if function not in functions:
        raise missing("an MCAP file", "recording")
    return functions[function]


def recording_source(settings: ReplaySettings, tell: Callable[[str], object]) -> StepSource:
    """The steps of a file, by its suffix; `tell` takes lines for the operator.

    Raises:
        UserError: the file cannot be read, has no poses, or its reader is not installed.
    """
    if settings.path.suffix == MCAP:
        source: StepSource = of_mcap_files("source")(settings, tell)
        return source
    from simspark_ros.server.replay import log_source

    return log_source(settings)


def recording_world(path: Path) -> str:
    """The world to show a file in, if it is known by the file's kind; empty = any, or the file tells it.

    Raises:
        UserError: the file cannot be read.
    """
    if path.suffix == MCAP:
        return ""
    from simspark_ros.server.replay import world_of_log

    return world_of_log(path)

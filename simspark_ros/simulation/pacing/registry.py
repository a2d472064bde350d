"""Sources of time by name: those of this package and those of other distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simspark_ros.configuration.entry_points import Group
from simspark_ros.configuration.errors import UserError
from simspark_ros.simulation.pacing.external import EXTERNAL, ExternalClock
from simspark_ros.simulation.pacing.lockstep import Lockstep
from simspark_ros.simulation.pacing.real_time import AsFastAsPossible, RealTime
from simspark_ros.simulation.pacing.source import TimeSource

if TYPE_CHECKING:
    from simspark_ros.simulation.scheduler import Scheduler

TIME_SOURCES: dict[str, type[TimeSource]] = {
    "realtime": RealTime,
    "lockstep": Lockstep,
    "fast": AsFastAsPossible,
    EXTERNAL: ExternalClock,
}

TIME_SOURCE_GROUP = Group("simspark_ros.time_sources", TimeSource, built_in=TIME_SOURCES)


def unknown_pacing(name: str) -> str:
    """Why there is no source of time of that name; empty if there is one."""
    if name in TIME_SOURCES or name in (others := TIME_SOURCE_GROUP.plug_ins()):
        return ""
    return f"no source of time '{name}'; {TIME_SOURCE_GROUP.suggestion(name, (*TIME_SOURCES, *others))}"


def make_time_source(name: str, scheduler: Scheduler) -> TimeSource:
    """The source of time of a pacing.

    Raises:
        UserError: there is none of that name, or it cannot be made.
    """
    if unknown := unknown_pacing(name):
        raise UserError(unknown)
    if name in TIME_SOURCES:
        return TIME_SOURCES[name](scheduler)
    try:
        made: TimeSource = TIME_SOURCE_GROUP.plug_ins()[name](scheduler)
    # Any code may run there.
    except Exception as error:
        raise UserError(f"source of time '{name}' cannot be used: {type(error).__name__}: {error}") from error
    return made

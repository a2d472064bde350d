"""Sources of time by name, of this package and of other distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simspark_ros.configuration.entry_points import Group
from simspark_ros.configuration.errors import UserError
from simspark_ros.simulation.pacing.external import EXTERNAL, ExternalClock
from simspark_ros.simulation.pacing.real_time import AsFastAsPossible, Lockstep, RealTime
from simspark_ros.simulation.pacing.source import TimeKeeper, TimeSource

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
    return f"there is no source of time '{name}'; {TIME_SOURCE_GROUP.suggestion(name, (*TIME_SOURCES, *others))}"


def make_time_source(name: str, scheduler: TimeKeeper) -> TimeSource:
    """The source of time of a pacing.

    Raises:
        UserError: there is no source of that name, or it cannot be made.
    """
    if unknown := unknown_pacing(name):
        raise UserError(unknown)
    if name in TIME_SOURCES:
        return TIME_SOURCES[name](scheduler)
    return BlamedTimeSource(name, scheduler)


class BlamedTimeSource(TimeSource):
    """A plug-in's source of time; an error names the plug-in, since time stops without it.

    Raises:
        UserError: the plug-in's source cannot be made.
    """

    def __init__(self, name: str, scheduler: TimeKeeper) -> None:
        self._name = name
        self._source = self._tried(TIME_SOURCE_GROUP.plug_ins()[name], "it cannot be used", scheduler)
        self.scheduler = scheduler

    def restart(self) -> None:
        """See `TimeSource`."""
        self._tried(self._source.restart)

    def quanta_due(self) -> int | None:
        """See `TimeSource`."""
        due: int | None = self._tried(self._source.quanta_due)
        return due

    def done(self) -> None:
        """End the source; an exception is only logged, as another source follows."""
        try:
            self._source.done()
        # Any code may run there.
        except Exception as error:
            TIME_SOURCE_GROUP.fails(self._name, error, "another source of time takes its place")

    def _tried(self, act: Callable[..., Any], consequence: str = "time stops without it", *arguments: Any) -> Any:
        try:
            return act(*arguments)
        # Any code may run there.
        except Exception as error:
            raise UserError(TIME_SOURCE_GROUP.blame(self._name, error, consequence)) from error

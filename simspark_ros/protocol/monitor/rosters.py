"""The file beside a monitor log that describes its robots, so that programs can draw robots of any make.

It has a line of JSON for each full frame of the log, in their order: the roster of its robots. Each body is there once.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.protocol.monitor.inspection import InspectedKind, InspectedRobot, Roster
from simspark_ros.protocol.monitor.log import LogError
from simspark_ros.simulation.logs.log_file import read_lines

LONGEST_LINE = 256 * 1024 * 1024
"""Longest line that is read, bytes: bodies of makers' robots have up to a megabyte."""


@dataclass(frozen=True)
class _Line:
    """A roster: bodies that no earlier line describes, the number of the body of each kind, and the robots."""

    told: tuple[str, ...] = ()
    kinds: tuple[int, ...] = ()
    robots: tuple[InspectedRobot, ...] = ()


def roster_path(log: Path) -> Path:
    """Path of the file beside a log."""
    return log.with_name(f"{log.name}.robots")


class RosterWriter:
    """Makes the lines of a file."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def line(self, roster: Roster) -> bytes:
        """The line of the next full frame."""
        bodies = dict.fromkeys(kind.body for kind in roster.kinds)
        new = [body for body in bodies if body not in self._numbers]
        self._numbers.update({body: len(self._numbers) + place for place, body in enumerate(new)})
        line = _Line(tuple(new), tuple(self._numbers[kind.body] for kind in roster.kinds), roster.robots)
        return json.dumps(asdict(line), separators=(",", ":")).encode() + b"\n"


def without_handles(roster: Roster) -> Roster:
    """A roster of robots that cannot be looked into, as in a log."""
    return replace(roster, robots=tuple(replace(robot, handle=-1) for robot in roster.robots))


def read_rosters(log: Path) -> list[Roster]:
    """The roster of each full frame of a log, in their order, without handles; none if no file lies beside the log.

    Raises:
        LogError: the file cannot be read.
    """
    path, bodies = roster_path(log), list[str]()
    if not path.is_file():
        return []
    rosters = []
    try:
        for text in read_lines(path, LONGEST_LINE):
            line = build(_Line, json.loads(text), str(path))
            bodies += line.told
            kinds = tuple(InspectedKind(bodies[number]) for number in line.kinds)
            rosters.append(without_handles(Roster(line.robots, kinds)))
    except OSError as error:
        raise LogError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, IndexError, RecursionError, ConfigurationError):
        raise LogError(
            f"{path}: this file is not a list of the robots of {log.name}; without it robots are drawn as balls"
        ) from None
    return rosters

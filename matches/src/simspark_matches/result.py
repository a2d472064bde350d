"""The result of a match: `result.json`, documented in docs/how_to/matches.md."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from simspark_matches.record import MatchRecord
from simspark_matches.settings import RESULT_FILE, SIDES, MatchSettings, TeamCommand
from simspark_ros import __version__
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.robots.types.parameters import TypesJson

FORMAT = 1
"""Increases when a key changes its meaning."""

RESERVED = 64 * 1024
"""Room on the disk kept for a result, bytes; the result of a long match takes a tenth of it."""

_PACKAGES = {"bullet": "pybullet", "ode": "dartpy", "mujoco": "mujoco"}
"""Engine -> package that brings it."""


class MatchOutcome(Enum):
    """How a match ended."""

    PLAYED = "played"
    FORFEIT = "forfeit"
    ABORTED = "aborted"


@dataclass(frozen=True)
class MatchResult:
    """A match that has ended.

    Attributes:
        reason: the reason for an early end; empty if the match was played to the end.
        sides: values of either team, by side.
        wall: real time that the match took, s.
        memory: resident memory of the server at the start of time and at the end, MB; empty where unknown.
        versions: versions of programs, by name.
        robot_types: robot types drawn for the match, see `RobotTypes.as_json`.
    """

    outcome: MatchOutcome
    reason: str
    sides: Mapping[str, Mapping[str, Any]]
    record: MatchRecord
    wall: float
    settings: Mapping[str, Any]
    memory: Sequence[float]
    versions: Mapping[str, str]
    robot_types: TypesJson = field(default_factory=dict)

    @property
    def score(self) -> tuple[int, int]:
        """Goals that count, left and right."""
        return self.sides["left"]["goals"], self.sides["right"]["goals"]

    @property
    def factor(self) -> float:
        """Simulated seconds per second."""
        return self.record.time / self.wall if self.wall > 0 else 0.0

    def as_json(self) -> dict[str, Any]:
        """The mapping that is written as JSON."""
        record = self.record
        return {
            "format": FORMAT,
            "outcome": self.outcome.value,
            "reason": self.reason,
            "score": list(self.score),
            **{side: dict(self.sides[side]) for side in SIDES},
            "goals": [dict(goal) for goal in record.goals],
            "duration": {
                "game": round(record.game_time, 3),
                "simulated": round(record.time, 3),
                "wall": round(self.wall, 3),
                "real_time_factor": round(self.factor, 3),
                "half": record.half,
            },
            "events": dict(record.events),
            "server_memory_mb": list(self.memory),
            "robot_types": dict(self.robot_types),
            "settings": dict(self.settings),
            "versions": dict(self.versions),
        }

    def summary(self, directory: Path) -> str:
        """The match, whose files are in that directory, in words."""
        names = {side: values["name"] for side, values in self.sides.items()}
        score = f"{names['left']} {self.score[0]}:{self.score[1]} {names['right']}"
        why = "" if self.outcome is MatchOutcome.PLAYED else f" ({self.outcome.value}: {self.reason})"
        sides = [self.sides[side] for side in SIDES]
        falls = " and ".join(str(side["falls"]) for side in sides)
        fouls = " and ".join(str(sum(side["fouls"].values())) for side in sides)
        memory = " to ".join(f"{mb:.0f}" for mb in self.memory)
        return (
            f"{score}{why}\n"
            f"falls {falls}, fouls {fouls}; {self.record.game_time:.1f} s of game, {self.record.time:.1f} s simulated "
            f"in {self.wall:.1f} s ({self.factor:.2f} times real time); memory of the server {memory or '?'} MB\n"
            f"{directory / RESULT_FILE}"
        )

    @property
    def text(self) -> str:
        """The mapping that is written as JSON."""
        return json.dumps(self.as_json(), indent=2) + "\n"

    def write(self, directory: Path) -> None:
        """Write the file, into the room kept for it if there is one; an OSError if it cannot be written."""
        write_whole(directory / RESULT_FILE, self.text)

    def write_will(self, directory: Path) -> None:
        """Write it into the room kept for a result, if there is one: it is the result if this process is killed."""
        with suppress(OSError), part_of(directory / RESULT_FILE).open("r+b") as file:
            file.write(self.text.encode().ljust(RESERVED))
            file.truncate()


@contextmanager
def room_for_result(directory: Path) -> Iterator[None]:
    """Keep room for a result until it is written, because the disk may be full then.

    Raises:
        OSError: there is no room even now, or no permission.
    """
    part = part_of(directory / RESULT_FILE)
    part.write_bytes(bytes(RESERVED))
    try:
        yield
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def write_whole(path: Path, text: str) -> None:
    """Write a file, all of it or nothing; its directory is made if it was deleted meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = part_of(path)
    with part.open("r+b" if part.exists() else "wb") as file:
        file.write(text.encode())
        file.truncate()
    os.replace(part, path)


def part_of(path: Path) -> Path:
    """The file that becomes `path` when it is whole; of this process only."""
    return path.with_name(f"{path.name}.{os.getpid()}.part")


def side_result(
    side: str,
    settings: MatchSettings,
    command: TeamCommand,
    record: MatchRecord,
    crashes: Sequence[Mapping[str, Any]],
    forfeits: Sequence[str],
) -> dict[str, Any]:
    """Values of one team."""
    index, own = SIDES.index(side), record.sides[side]
    return {
        "name": own.name or command.name or side.capitalize(),
        "goals": _counted(record.score, index, forfeits, settings.game.forfeit_score),
        "goals_by_half": [goals[index] for goals in record.by_half],
        "forfeit": side in forfeits,
        "command": settings.team(side).command,
        "players_expected": command.players,
        "players_joined": sorted(own.joined),
        "players_lost": [{"unum": unum, "time": time} for unum, time in own.lost],
        "crashes": list(crashes),
        "fouls": dict(sorted(own.fouls.items())),
        "falls": own.falls,
    }


def _counted(score: tuple[int, int], index: int, forfeits: Sequence[str], forfeit_score: int) -> int:
    """Goals that count: a team that forfeits loses by the forfeit score, unless it was behind by more already."""
    if not forfeits:
        return score[index]
    if len(forfeits) == len(SIDES):
        return 0
    loser = SIDES.index(forfeits[0])
    if score[1 - loser] - score[loser] > forfeit_score:
        return score[index]
    return 0 if index == loser else forfeit_score


def versions(engine: str) -> dict[str, str]:
    """The engine that a match was played on, and versions of the programs."""
    known = {"engine": engine, "simspark_ros": __version__, "python": platform.python_version()}
    for package in ("numpy", _PACKAGES.get(engine, "")):
        try:
            known[package] = version(package)
        except (PackageNotFoundError, ValueError):
            continue
    return known


def read_result(path: Path) -> dict[str, Any] | None:
    """Read the values of a result file; None if there is none.

    Raises:
        ConfigurationError: the file is no result of this format.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"{path}: this file is not the result of a match: {error}; remove it to play again"
        ) from None
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise ConfigurationError(f"{path}: this file is not a result of format {FORMAT}; remove it to play again")
    return values

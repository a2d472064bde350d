"""The contents of a scoreboard. Names of teams come from clients: code that shows them has to escape them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from simspark_ros.protocol.monitor.reader import MonitorReader
from simspark_ros.soccer.teams import Side
from simspark_watching.broadcast.goals import ShownGoal

LONGEST_NAME = 24
"""Letters of a team's name that are shown."""


@dataclass(frozen=True)
class TeamBoard:
    """A team's name, its score, and its goals by scorer and minute."""

    side: Side
    name: str
    score: str
    scorers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Board:
    """Both teams, the time of the game, its half and its play mode."""

    left: TeamBoard
    right: TeamBoard
    clock: str
    half: str
    mode: str


def board_of(reader: MonitorReader, goals: Iterable[ShownGoal] = ()) -> Board:
    """The board from a monitor's knowledge."""
    values, scored = reader.environment, tuple(goals)

    def team(side: Side) -> TeamBoard:
        name, score = values.get(f"team_{side.value}", ""), values.get(f"score_{side.value}", "0")
        scorers = tuple(goal.text for goal in scored if goal.side is side)
        return TeamBoard(side, (name or side.value)[:LONGEST_NAME], score, scorers)

    half = f"half {values.get('half', '1')}"
    return Board(team(Side.LEFT), team(Side.RIGHT), clock(reader.time), half, in_words(reader.play_mode))


def clock(seconds: float) -> str:
    """Game time as minutes and seconds."""
    whole = int(max(0.0, min(seconds, 359_999.0)))
    return f"{whole // 60:02d}:{whole % 60:02d}"


def in_words(mode: str) -> str:
    """A play mode in words: `KickOff_Left` is `kick-off left`."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", mode).replace("_", " ").lower()
    return words.replace("kick off", "kick-off").replace("kick in", "kick-in")

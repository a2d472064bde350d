"""The state of a match, from the event log and the status lines of its server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from simspark_matches.settings import SIDES
from simspark_ros.soccer.game_state import PlayMode

GAME_OVER = PlayMode.GAME_OVER.value


@dataclass
class SideRecord:
    """One team; all times are simulated, s.

    Attributes:
        name: the team's name as its players say it, empty until one has joined.
        joined: uniform number -> time at which it first joined.
        present: uniform numbers on the field.
        lost: number and time of players that left before the game was over.
        empty_since: time since which no player is on the field; None = there are players.
    """

    name: str = ""
    joined: dict[int, float] = field(default_factory=dict)
    present: set[int] = field(default_factory=set)
    lost: list[tuple[int, float]] = field(default_factory=list)
    empty_since: float | None = 0.0
    fouls: Counter[str] = field(default_factory=Counter)
    falls: int = 0


@dataclass
class MatchRecord:
    """Both teams and the game; times in s.

    Attributes:
        robots: number of clients' robots in the world.
        arrivals: number of clients' robots that have ever come.
        by_half: goals of each half, left and right.
        goals: the events of all changes of the score.
        events: number of events by kind.
        factor: simulated seconds per second, of late.
        ended: whether the server has closed the log in order.
    """

    sides: dict[str, SideRecord] = field(default_factory=lambda: {side: SideRecord() for side in SIDES})
    robots: int = 0
    arrivals: int = 0
    time: float = 0.0
    game_time: float = 0.0
    play_mode: str = ""
    half: int = 1
    score: tuple[int, int] = (0, 0)
    by_half: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0), (0, 0)])
    goals: list[Mapping[str, Any]] = field(default_factory=list)
    events: Counter[str] = field(default_factory=Counter)
    factor: float = 0.0
    ended: bool = False

    def take_status(self, status: Mapping[str, Any]) -> None:
        """Take a status line; it may be older than the last event."""
        self.time = max(self.time, status["time"])
        self.game_time = max(self.game_time, status.get("game_time", 0.0))
        self.factor = status["factor"]

    def take(self, event: Mapping[str, Any]) -> None:
        """Take an event, in order. One of an unknown kind is only counted."""
        kind = event["event"]
        self.events[kind] += 1
        self.time = max(self.time, event["time"])
        self.game_time = max(self.game_time, event["game_time"])
        take = getattr(self, f"_take_{kind}", None)
        if take is not None:
            take(event)

    def _take_start(self, event: Mapping[str, Any]) -> None:
        self.play_mode, self.half = event["play_mode"], event["half"]

    def _take_robot(self, event: Mapping[str, Any]) -> None:
        self.robots += bool(event["client"])
        self.arrivals += bool(event["client"])

    def _take_robot_gone(self, event: Mapping[str, Any]) -> None:
        self.robots -= bool(event["client"])

    def _take_join(self, event: Mapping[str, Any]) -> None:
        side = self.sides[event["side"]]
        side.name = event["team"]
        side.joined.setdefault(event["unum"], event["time"])
        side.present.add(event["unum"])
        side.empty_since = None

    def _take_leave(self, event: Mapping[str, Any]) -> None:
        self.robots -= 1
        side = self.sides[event["side"]]
        side.present.discard(event["unum"])
        if self.play_mode != GAME_OVER:
            side.lost.append((event["unum"], event["time"]))
        if not side.present:
            side.empty_since = event["time"]

    def _take_score(self, event: Mapping[str, Any]) -> None:
        left, right = event["score"]
        index = min(event["half"], len(self.by_half)) - 1
        of_half = self.by_half[index]
        self.by_half[index] = (of_half[0] + left - self.score[0], of_half[1] + right - self.score[1])
        self.score = (left, right)
        self.goals.append(event)

    def _take_half(self, event: Mapping[str, Any]) -> None:
        self.half = event["half"]

    def _take_play_mode(self, event: Mapping[str, Any]) -> None:
        self.play_mode = event["play_mode"]

    def _take_foul(self, event: Mapping[str, Any]) -> None:
        self.sides[event["side"]].fouls[event["kind"]] += 1

    def _take_fall(self, event: Mapping[str, Any]) -> None:
        self.sides[event["side"]].falls += 1

    def _take_end(self, event: Mapping[str, Any]) -> None:
        self.play_mode = event["play_mode"]
        self.ended = True

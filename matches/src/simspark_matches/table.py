"""The table of a tournament.

Order: points, difference of goals, goals scored, then points and difference of goals in the matches among the teams
that are still level (direct comparison). Teams that are level in all of these share a rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

HEADINGS = ("", "team", "played", "won", "drawn", "lost", "goals", "diff", "points")

COLUMNS = "rank team played won drawn lost goals_scored goals_conceded goal_difference points"
"""Columns of the table for programs."""


@dataclass(frozen=True)
class Points:
    """Points for the result of a match."""

    win: int = 3
    draw: int = 1
    loss: int = 0


@dataclass(frozen=True)
class Played:
    """A match that counts: names of the teams, goals, and whether both teams forfeit."""

    left: str
    right: str
    score: tuple[int, int]
    lost_by_both: bool = False


@dataclass(frozen=True)
class Row:
    """One team."""

    team: str
    won: int = 0
    drawn: int = 0
    lost: int = 0
    goals_scored: int = 0
    goals_conceded: int = 0
    points: int = 0
    rank: int = 0

    @property
    def played(self) -> int:
        """Matches that count."""
        return self.won + self.drawn + self.lost

    @property
    def goal_difference(self) -> int:
        """Goals scored less goals conceded."""
        return self.goals_scored - self.goals_conceded

    def as_json(self) -> dict[str, Any]:
        """All values by name."""
        return {name: getattr(self, name) for name in COLUMNS.split()}


def table(teams: Sequence[str], matches: Sequence[Played], points: Points) -> list[Row]:
    """Rank teams; teams that are level in everything stay in the given order."""
    rows = {team: _row(team, matches, points) for team in teams}
    ranked: list[Row] = []
    for _, level in groupby(sorted(rows.values(), key=_overall, reverse=True), key=_overall):
        among = [row.team for row in level]
        direct = {team: _direct(team, among, matches, points) for team in among}
        for _, same in groupby(sorted(among, key=direct.__getitem__, reverse=True), key=direct.__getitem__):
            rank = len(ranked) + 1
            ranked += [replace(rows[team], rank=rank) for team in same]
    return ranked


def as_text(rows: Iterable[Row]) -> str:
    """A table in plain text."""
    lines: list[tuple[str, ...]] = [HEADINGS]
    for row in rows:
        goals = f"{row.goals_scored}:{row.goals_conceded}"
        counts = (row.played, row.won, row.drawn, row.lost)
        lines.append((f"{row.rank}", row.team, *map(str, counts), goals, f"{row.goal_difference:+d}", f"{row.points}"))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(_aligned(line, widths)).rstrip() for line in lines)


def _aligned(line: Sequence[str], widths: Sequence[int]) -> Iterable[str]:
    for column, (text, width) in enumerate(zip(line, widths, strict=True)):
        yield text.ljust(width) if HEADINGS[column] == "team" else text.rjust(width)


def _overall(row: Row) -> tuple[int, int, int]:
    return row.points, row.goal_difference, row.goals_scored


def _direct(team: str, among: Sequence[str], matches: Sequence[Played], points: Points) -> tuple[int, int]:
    row = _row(team, [match for match in matches if match.left in among and match.right in among], points)
    return row.points, row.goal_difference


def _row(team: str, matches: Iterable[Played], points: Points) -> Row:
    won = drawn = lost = scored = conceded = 0
    for match in matches:
        if team not in (match.left, match.right):
            continue
        own, others = match.score if team == match.left else match.score[::-1]
        scored, conceded = scored + own, conceded + others
        won += own > others
        drawn += own == others and not match.lost_by_both
        lost += own < others or match.lost_by_both
    total = won * points.win + drawn * points.draw + lost * points.loss
    return Row(team, won, drawn, lost, scored, conceded, total)

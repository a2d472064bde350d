"""The table of a tournament.

Order: points, difference of goals, goals scored, then points and difference of goals in the matches among those who
are still level (direct comparison). Teams that are level in all of that share a rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

HEADINGS = ("", "team", "played", "won", "drawn", "lost", "goals", "diff", "points")


@dataclass(frozen=True)
class Points:
    """What a match is worth."""

    win: int = 3
    draw: int = 1
    loss: int = 0


@dataclass(frozen=True)
class Played:
    """A match that counts.

    Attributes:
        left, right: names of the teams.
        score: goals, left and right.
        lost_by_both: whether both teams forfeit.
    """

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
    scored: int = 0
    conceded: int = 0
    points: int = 0
    rank: int = 0

    @property
    def played(self) -> int:
        """Matches that count."""
        return self.won + self.drawn + self.lost

    @property
    def difference(self) -> int:
        """Goals scored less goals conceded."""
        return self.scored - self.conceded

    def as_json(self) -> dict[str, Any]:
        """All values by name."""
        return {
            "rank": self.rank,
            "team": self.team,
            "played": self.played,
            "won": self.won,
            "drawn": self.drawn,
            "lost": self.lost,
            "goals_scored": self.scored,
            "goals_conceded": self.conceded,
            "goal_difference": self.difference,
            "points": self.points,
        }


def table(teams: Sequence[str], matches: Sequence[Played], points: Points) -> list[Row]:
    """Rank teams.

    Args:
        teams: names; those that are level in everything stay in this order.
        matches: that count.
        points: what a match is worth.
    """
    rows = {team: _row(team, matches, points) for team in teams}
    ranked: list[Row] = []
    for _, level in groupby(sorted(rows.values(), key=_overall, reverse=True), key=_overall):
        among = [row.team for row in level]
        direct = {team: _direct(team, among, matches, points) for team in among}
        for _, same in groupby(sorted(among, key=direct.__getitem__, reverse=True), key=direct.__getitem__):
            rank = len(ranked) + 1
            ranked += [_with_rank(rows[team], rank) for team in same]
    return ranked


def as_text(rows: Iterable[Row]) -> str:
    """A table in plain text."""
    lines: list[tuple[str, ...]] = [HEADINGS]
    for row in rows:
        goals = f"{row.scored}:{row.conceded}"
        counts = (row.played, row.won, row.drawn, row.lost)
        lines.append((f"{row.rank}", row.team, *map(str, counts), goals, f"{row.difference:+d}", f"{row.points}"))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(_aligned(line, widths)).rstrip() for line in lines)


def _aligned(line: Sequence[str], widths: Sequence[int]) -> Iterable[str]:
    for column, (text, width) in enumerate(zip(line, widths, strict=True)):
        yield text.ljust(width) if HEADINGS[column] == "team" else text.rjust(width)


def _overall(row: Row) -> tuple[int, int, int]:
    return row.points, row.difference, row.scored


def _direct(team: str, among: Sequence[str], matches: Sequence[Played], points: Points) -> tuple[int, int]:
    row = _row(team, [match for match in matches if match.left in among and match.right in among], points)
    return row.points, row.difference


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


def _with_rank(row: Row, rank: int) -> Row:
    return Row(row.team, row.won, row.drawn, row.lost, row.scored, row.conceded, row.points, rank)

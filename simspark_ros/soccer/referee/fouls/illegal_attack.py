"""Too many players of a team in the opponents' penalty area."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from simspark_ros.configuration.schema import Checked
from simspark_ros.soccer.game_state import FoulKind
from simspark_ros.soccer.referee.fouls.penalty_area import near_goal_lines, outside_spot, players_inside
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.restarts import TIME_TOLERANCE
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.referee.rulebook import Count, Time
from simspark_ros.soccer.teams import Side


@dataclass(frozen=True)
class IllegalAttackBook(Checked):
    """Section `illegal_attack`; numbers of the Humanoid League's rules."""

    max_players: Count = 1
    max_time: Time = 10.0


class IllegalAttack(Rule):
    """More than `max_players` attackers in the opponents' penalty area for longer than `max_time`.

    The measured server has the type of this foul but never reports it; the definition comes from the Humanoid League's
    rules ("Illegal defense and attack"). The player who entered last is moved out.
    """

    name: ClassVar[str] = "illegal_attack"
    options: ClassVar = IllegalAttackBook
    settings: IllegalAttackBook

    def __init__(self) -> None:
        self._entered: dict[int, float] = {}
        self._too_many_since: dict[Side, float] = {}

    def apply(self, match: Match) -> None:
        book = self.settings
        entered: dict[int, float] = {}
        near = near_goal_lines(match)
        for side in Side:
            inside = players_inside(match, side, side.other, near)
            entered.update({player.handle: self._entered.get(player.handle, match.now) for player in inside})
            if match.paused or len(inside) <= book.max_players:
                self._too_many_since.pop(side, None)
                continue
            lasted = match.now - self._too_many_since.setdefault(side, match.now)
            if lasted <= book.max_time + TIME_TOLERANCE:
                continue
            blamed = max(inside, key=lambda player: entered[player.handle])
            evidence = {"players": len(inside), "limit_players": book.max_players, "lasted_s": lasted}
            evidence["limit_s"] = book.max_time
            text = (
                f"{blamed} is the last of {len(inside)} attackers who are in the opponents' penalty area "
                f"(limit {book.max_players}) for {lasted:.1f} s (limit {book.max_time:g} s)."
            )
            x, y, _ = match.position(blamed)
            match.foul(FoulKind.ILLEGAL_ATTACK, text, blamed, evidence)
            match.move_player(blamed, outside_spot(match, side.other, (x, y)))
            self._too_many_since.pop(side, None)
        self._entered = entered

    def reset(self) -> None:
        self._entered.clear()
        self._too_many_since.clear()

"""Too many players of a team in their own goal area."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from simspark_ros.configuration.schema import Checked
from simspark_ros.soccer.game_state import FoulKind
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.places import in_goal_area
from simspark_ros.soccer.referee.restarts import reached
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.referee.rulebook import Count, Time
from simspark_ros.soccer.teams import Side


@dataclass(frozen=True)
class GoalAreaDefenceBook(Checked):
    """Section `goal_area_defence`."""

    max_players: Count = 2
    time: Time = 0.1


class GoalAreaDefence(Rule):
    """If more than `max_players` are in their own goal area for `time`, the last to enter is put out.

    Goalkeepers count. The rule holds in every mode, as on rcssservermj.
    """

    name: ClassVar[str] = "goal_area_defence"
    options: ClassVar = GoalAreaDefenceBook
    settings: GoalAreaDefenceBook

    def __init__(self) -> None:
        self._entered: dict[int, float] = {}
        self._since: dict[Side, float] = {}

    def apply(self, match: Match) -> None:
        """Count the players in both areas."""
        entered: dict[int, float] = {}
        for side in Side:
            inside = [
                player
                for player in match.players
                if player.side is side and in_goal_area(match.field, side, *match.position(player)[:2])
            ]
            entered |= {player.handle: self._entered.get(player.handle, match.now) for player in inside}
            if len(inside) <= self.settings.max_players:
                self._since.pop(side, None)
                continue
            # The first cycle counts, too.
            since = self._since.setdefault(side, match.now - match.time_step)
            if not reached(match.now - since, self.settings.time):
                continue
            del self._since[side]
            # Of players who came together the one in the first row goes.
            last = max(sorted(inside, key=lambda player: player.row), key=lambda player: entered[player.handle])
            evidence = {
                "players": float(len(inside)),
                "limit_players": float(self.settings.max_players),
                "since_entry_s": match.now - entered.pop(last.handle),
            }
            text = f"{last} is the last of {len(inside)} in their own goal area (limit {self.settings.max_players})."
            match.foul(FoulKind.ILLEGAL_DEFENCE, text, last, evidence)
            match.beam_out(last)
        self._entered = entered

    def reset(self) -> None:
        """Forget who is inside."""
        self._entered.clear()
        self._since.clear()

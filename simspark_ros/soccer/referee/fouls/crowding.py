"""Too many players of one team near the ball."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from simspark_ros.configuration.schema import Checked
from simspark_ros.soccer.game_state import FoulKind, PlayMode
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.match_view import PAUSED
from simspark_ros.soccer.referee.player import Player
from simspark_ros.soccer.referee.rule import EVERY_MODE, Rule
from simspark_ros.soccer.referee.rulebook import Distance
from simspark_ros.soccer.teams import Side


@dataclass(frozen=True)
class CrowdingBook(Checked):
    """Section `crowding`."""

    opponent_distance: Distance = 0.0
    second_distance: Distance = 0.0
    third_distance: Distance = 0.0


class Crowding(Rule):
    """While an opponent is near the ball, the second and the third closest player of a team keep their distance.

    A player who does not is beamed out. Distances of 0 switch the rule off.
    """

    name: ClassVar[str] = "crowding"
    options: ClassVar = CrowdingBook
    settings: CrowdingBook
    modes: ClassVar[frozenset[PlayMode]] = EVERY_MODE - PAUSED

    def apply(self, match: Match) -> None:
        book = self.settings
        if book.opponent_distance <= 0 or match.paused:
            return
        ball_x, ball_y, _ = match.ball.position
        near: dict[Side, list[tuple[float, Player]]] = {side: [] for side in Side}
        for player in match.players:
            x, y, _ = match.places[player.row]
            near[player.side].append((math.hypot(x - ball_x, y - ball_y), player))
        for distances in near.values():
            # Only the first three matter; the order of the match decides between two at the same distance.
            distances.sort(key=lambda entry: entry[0])
        for side in Side:
            opponents = near[side.other]
            if opponents and opponents[0][0] < book.opponent_distance:
                self._decide(match, near[side], opponents[0][0])

    def _decide(self, match: Match, team: list[tuple[float, Player]], opponent: float) -> None:
        book = self.settings
        limits = ((1, "second", book.second_distance), (2, "third", book.third_distance))
        for index, word, limit in limits:
            if index < len(team) and team[index][0] < limit:
                distance, player = team[index]
                evidence = {
                    "ball_distance_m": distance,
                    "limit_m": limit,
                    "opponent_ball_distance_m": opponent,
                    "closest_of_team": index + 1,
                }
                text = (
                    f"{player}, the {word} closest of its team, is {distance:.2f} m from the ball (limit {limit:g} m), "
                    f"the nearest opponent {opponent:.2f} m."
                )
                match.foul(FoulKind.CROWDING, text, player, evidence)
                match.beam_out(player)

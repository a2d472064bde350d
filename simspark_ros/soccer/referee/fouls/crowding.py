"""Too many players of one team near the ball, and too many players in contact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.soccer.game_state import FoulKind, PlayMode
from simspark_ros.soccer.referee.decision import Spot
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.match_view import PAUSED, Player
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


@dataclass(frozen=True)
class TouchingBook(Checked):
    """Section `touching`."""

    max_group: Annotated[int, Range(1, 1000)] = 2
    beam_out: bool = False


class Touching(Rule):
    """A group of robots, each in contact with another robot of the group, may have `max_group` members.

    The blamed player belongs to a team with at least half of the group. It is a player who was in no contact in the
    cycle before, if there is one, and the goalkeeper only if there is no other. It is moved away from the group.
    """

    name: ClassVar[str] = "touching"
    options: ClassVar = TouchingBook
    settings: TouchingBook

    def __init__(self) -> None:
        self._before: frozenset[int] = frozenset()

    def apply(self, match: Match) -> None:
        contacts = match.state.robot_contacts
        if not len(contacts):
            self._before = frozenset()
            return
        moved = match.repositioning.was_moved_now
        players = {player.row: player for player in match.players if not moved(player.handle)}
        pairs = [(a, b) for a, b in contacts.tolist() if a in players and b in players]
        if not match.paused:
            for group in connected(pairs):
                self._decide(match, [player for row, player in players.items() if row in group], pairs)
        self._before = frozenset(players[row].handle for pair in pairs for row in pair)

    def reset(self) -> None:
        self._before = frozenset()

    def _decide(self, match: Match, group: list[Player], pairs: list[tuple[int, int]]) -> None:
        """Take players out of a group until the group, or each part into which it falls, is small enough."""
        book = self.settings
        if len(group) <= book.max_group:
            return
        blamed = self._blamed(group)
        x, y, _ = match.position(blamed)
        centre = _centre(match, group)
        distance = math.hypot(x - centre[0], y - centre[1])
        evidence = {
            "group_players": len(group),
            "limit_players": book.max_group,
            "team_players": sum(player.side is blamed.side for player in group),
            "centre_distance_m": distance,
        }
        names = ", ".join(str(player) for player in sorted(group, key=lambda p: p.row))
        text = f"{blamed} touches in a group of {len(group)} (limit {book.max_group}): {names}."
        match.foul(FoulKind.TOUCHING, text, blamed, evidence)
        if book.beam_out:
            match.beam_out(blamed)
        else:
            match.move_player(blamed, _away(match, blamed, (x, y), centre))
        rest = {player.row: player for player in group if player is not blamed}
        for part in connected([pair for pair in pairs if pair[0] in rest and pair[1] in rest]):
            self._decide(match, [player for row, player in rest.items() if row in part], pairs)

    def _blamed(self, group: list[Player]) -> Player:
        """The player with the most reasons for blame, the first in the order of the match among equal ones."""
        counts = {side: sum(player.side is side for player in group) for side in Side}
        candidates = [player for player in group if 2 * counts[player.side] >= len(group)]
        return min(candidates, key=lambda player: (player.is_goalie, player.handle in self._before))


def connected(pairs: list[tuple[int, int]]) -> list[set[int]]:
    """Groups of numbers that pairs connect, each in one set."""
    groups: list[set[int]] = []
    for a, b in pairs:
        joined = {a, b}
        apart = []
        for group in groups:
            if group & joined:
                joined |= group
            else:
                apart.append(group)
        groups = [*apart, joined]
    return groups


def _centre(match: Match, group: list[Player]) -> Spot:
    places = [match.position(player) for player in group]
    return sum(place[0] for place in places) / len(group), sum(place[1] for place in places) / len(group)


def _away(match: Match, player: Player, spot: Spot, centre: Spot) -> Spot:
    """A place a step away from the centre; a player right at the centre goes toward its own goal."""
    step = match.book.repositioning.agent_radius
    dx, dy = spot[0] - centre[0], spot[1] - centre[1]
    length = math.hypot(dx, dy)
    if length < 1e-6:
        return spot[0] - player.side.sign * step, spot[1]
    return spot[0] + dx / length * step, spot[1] + dy / length * step

"""Moves players who stand in the way before the ball is kicked (rules reference, "Play modes and transitions").

A player is near the ball if the box around its whole body is near it. A player is in a half, in the circle at its own
kick-off or in a penalty area if the box around the centres of its links is, as on rcssserver3d. Each moved player is a
decision of its own.
"""

from __future__ import annotations

import math

from simspark_ros.soccer.referee.decision import Spot
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.match_view import Player
from simspark_ros.soccer.referee.places import CENTRE, cleared_spot, pushed_spot
from simspark_ros.soccer.teams import Side

REACH = 1.0
"""Bound of the distance of a robot's parts from its torso, m: players farther away need no box."""


def clear_halves(match: Match) -> None:
    """Before a kick-off, move all players into their own half."""
    for player in _by_teams(match):
        depth = _depth(match, player)
        if depth > 0:
            _into_own_half(match, player, "is in the opponents' half", depth)


def clear_for_kick_off(match: Match, side: Side) -> None:
    """For a side's kick-off, move opponents into their half and out of the circle, the side's team at least into it."""
    distance = match.book.set_plays.free_kick_distance
    for player in _by_teams(match, first=side.other):
        depth = _depth(match, player)
        if player.side is side:
            if depth > 0 and _farthest(match, player, CENTRE) > distance:
                _into_own_half(match, player, "is in the opponents' half and not inside the circle", depth)
        elif depth > 0:
            _into_own_half(match, player, "is in the opponents' half", depth)
        else:
            gap = _gap(match, player, CENTRE, distance)
            if gap < distance:
                _move(match, player, _own_half_spot(match, player), "is in the circle", distance_m=gap)


def clear_ball(match: Match, spot: Spot, side: Side | None) -> None:
    """Move all players, or only players of one side, away from the ball at a spot."""
    book = match.book.set_plays
    for player in _by_teams(match):
        if side is not None and player.side is not side:
            continue
        gap = _gap(match, player, spot, book.free_kick_distance)
        if gap < book.free_kick_distance:
            x, y, _ = match.position(player)
            wanted = cleared_spot(match.field, player.side, (x, y), spot, book.free_kick_move_distance)
            _move(match, player, wanted, "is too near to the ball", distance_m=gap)


def repel(match: Match, spot: Spot, side: Side, distance: float, to: float) -> None:
    """Push the players of a side whose torso is nearer to a spot than a distance away from it, m."""
    for player in match.players:
        if player.side is not side:
            continue
        x, y, _ = match.position(player)
        gap = math.hypot(x - spot[0], y - spot[1])
        if gap < distance:
            wanted = pushed_spot(spot, (x, y), to, player.side)
            _move(match, player, wanted, "is too near to the ball", avoid_ball=False, distance_m=gap)


def clear_penalty_area(match: Match, side: Side) -> None:
    """For a goal kick, move opponents of a side out of its penalty area."""
    field = match.field
    front = field.length / 2 - field.penalty_length
    move = match.book.set_plays.free_kick_move_distance
    for player in match.players:
        if player.side is side:
            continue
        x, y, _ = match.places[player.row]
        if -side.sign * x <= front - REACH or abs(y) >= field.width / 2:
            continue
        (x0, y0, _), (x1, y1, _) = match.skeletons[player.row].tolist()
        shallow, deep = sorted((-side.sign * x0 - front, -side.sign * x1 - front))
        if shallow < field.penalty_length and deep > 0 and max(y0, -y1) < field.penalty_width / 2:
            wanted = (-side.sign * (front - move), y)
            _move(match, player, wanted, "is in the opponents' penalty area", depth_m=deep)


def _into_own_half(match: Match, player: Player, why: str, depth: float) -> None:
    _move(match, player, _own_half_spot(match, player), why, depth_m=depth)


def _own_half_spot(match: Match, player: Player) -> Spot:
    return -player.side.sign * match.book.set_plays.free_kick_move_distance, match.position(player)[1]


def _by_teams(match: Match, first: Side | None = None) -> list[Player]:
    """All players, team after team, so that the second finds the places free that the first has left; None = random."""
    players = match.players
    if len(players) < 2:
        return list(players)
    first = first or players[0].side
    return [one for one in players if one.side is first] + [one for one in players if one.side is not first]


def _move(match: Match, player: Player, spot: Spot, why: str, avoid_ball: bool = True, **evidence: float) -> None:
    measured = ", ".join(f"{value:.2f} m" for value in evidence.values())
    decision_place = match.position(player)[:2]
    match.decide("player_moved", f"{player} {why} ({measured}).", player, place=decision_place, evidence=evidence)
    match.move_player(player, spot, avoid_ball)


def _depth(match: Match, player: Player) -> float:
    """Depth of a player in the opponents' half, m; 0 = outside."""
    sign = player.side.sign
    if sign * match.places[player.row][0] <= -REACH:
        return 0.0
    return max(0.0, sign * float(match.skeletons[player.row][1 if sign > 0 else 0][0]))


def _gap(match: Match, player: Player, spot: Spot, within: float) -> float:
    """Distance on the ground of a player's box from a spot, m; infinite if it is surely not within that distance."""
    x, y, _ = match.places[player.row]
    if math.hypot(x - spot[0], y - spot[1]) >= within + REACH:
        return math.inf
    (x0, y0, _), (x1, y1, _) = match.boxes[player.row].tolist()
    return math.hypot(max(x0 - spot[0], spot[0] - x1, 0.0), max(y0 - spot[1], spot[1] - y1, 0.0))


def _farthest(match: Match, player: Player, spot: Spot) -> float:
    """Distance on the ground of a spot from the farthest corner of the box around a player's links, m."""
    (x0, y0, _), (x1, y1, _) = match.skeletons[player.row].tolist()
    return math.hypot(max(abs(x0 - spot[0]), abs(x1 - spot[0])), max(abs(y0 - spot[1]), abs(y1 - spot[1])))

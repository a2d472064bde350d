"""Penalties of players: removal to the touchline, time served there, and return."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from itertools import count, takewhile
from typing import ClassVar

from simspark_ros.soccer.league_game import LeagueGame, Penalty, PenaltyKind, Stage
from simspark_ros.soccer.referee.decision import Spot
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.match_view import Player
from simspark_ros.soccer.referee.rule import Rule

IN_PLACE = frozenset({PenaltyKind.MOTION_IN_SET})
"""Penalties that are served at the player's place on the field."""

SHORT = frozenset({PenaltyKind.MOTION_IN_SET, PenaltyKind.ILLEGAL_POSITION_IN_SET})
"""Penalties that take `set_time`."""

COUNTED = frozenset(
    {PenaltyKind.ILLEGAL_POSITION, PenaltyKind.LEAVING_FIELD, PenaltyKind.PUSHING, PenaltyKind.BALL_HOLDING}
)
"""Penalties that are longer after earlier ones of the team, and make its next one longer."""


def penalise(match: Match, player: Player, kind: PenaltyKind, why: str, evidence: Mapping[str, float]) -> None:
    """Punish a player at once; `why` is the rest of a sentence that begins with the player's name."""
    league = match.game.league
    if league is None or player.handle in match.absent:
        return
    book, key = match.book.penalties, (player.side, player.unum)
    seconds = book.set_time if kind in SHORT else book.time
    if kind in COUNTED:
        seconds += book.increase * league.counts[player.side]
    x, y, _ = match.position(player)
    numbers = {**evidence, "penalty_s": seconds}
    match.decide(kind.value, f"{player} {why}.", player, place=(x, y), evidence=numbers)
    match.on_undo(partial(_forgive, match, league, player, kind))
    if kind in COUNTED:
        league.counts[player.side] += 1
    removed = kind not in IN_PLACE
    place = _beside_field(match, player) if removed else (x, y)
    league.penalties[key] = Penalty(kind, seconds, place, player.handle, removed)
    match.absent.add(player.handle)
    match.players = tuple(other for other in match.players if other.handle != player.handle)
    if removed:
        match.put_beside(player, place)


class Penalties(Rule):
    """Lets penalties run out in READY and PLAYING, and keeps punished players at their places until then."""

    name: ClassVar[str] = "penalties"

    def apply(self, match: Match) -> None:
        league = match.game.league
        if league is None:
            return
        players = {(player.side, player.unum): player for player in match.team_players}
        if league.stage is Stage.FINISHED:
            league.penalties.clear()
        for key, penalty in list(league.penalties.items()):
            if league.stage in (Stage.READY, Stage.PLAYING):
                penalty.remaining -= match.time_step
            player = players.get(key)
            if penalty.remaining <= match.time_step / 2:  # half a cycle against rounding
                del league.penalties[key]
                if player is not None:
                    match.decide("penalty_over", f"{player} may play again.", player, place=penalty.place)
                if player is not None and penalty.is_removed:
                    league.returning.add(player.handle)
            elif player is not None:
                _keep_out(match, player, penalty)
        match.absent = {penalty.handle for penalty in league.penalties.values()}
        if league.returning:
            _see_who_is_back(match, league)


def _keep_out(match: Match, player: Player, penalty: Penalty) -> None:
    """Put a player back that has left its place, or that has left the game and come again."""
    x, y, z = match.position(player)
    away = math.dist((x, y), penalty.place)
    if player.handle == penalty.handle and away <= match.book.penalties.place_tolerance:
        return
    penalty.handle = player.handle
    if penalty.is_removed:
        match.put_beside(player, penalty.place)
    else:
        match.put_player(player, (*penalty.place, z))


def _see_who_is_back(match: Match, league: LeagueGame) -> None:
    """Treat players that have come back to the field like all others."""
    half_x, half_y = match.field.length / 2, match.field.width / 2
    outside = set()
    for player in match.team_players:
        x, y, _ = match.position(player)
        if player.handle in league.returning and (abs(x) > half_x or abs(y) > half_y):
            outside.add(player.handle)
    league.returning = outside


def _beside_field(match: Match, player: Player) -> Spot:
    """A free place beside the nearer touchline, in line with the own penalty mark or near that, in the own half."""
    field, book = match.field, match.book.penalties
    middle = field.length / 2 - (field.penalty_mark_distance or field.length / 4)
    y = math.copysign(field.width / 2 + book.outside_gap, match.position(player)[1])
    others = [place[:2] for row, place in enumerate(match.places) if row != player.row]
    # Farther away than half the field is long, every place is outside the own half.
    for step in takewhile(lambda step: step * book.outside_gap <= field.length / 2, count()):
        for depth in (middle - step * book.outside_gap, middle + step * book.outside_gap):
            x = -player.side.sign * depth
            if 0.0 < depth < field.length / 2 and all(math.dist((x, y), other) >= book.outside_gap for other in others):
                return x, y
    return -player.side.sign * middle, y


def _forgive(match: Match, league: LeagueGame, player: Player, kind: PenaltyKind) -> None:
    """Take a penalty back."""
    if league.penalties.pop((player.side, player.unum), None) is not None:
        match.absent.discard(player.handle)
        if kind in COUNTED:
            league.counts[player.side] -= 1

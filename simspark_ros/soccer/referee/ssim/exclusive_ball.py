"""Set plays in which one team has the ball for itself, and players in the way are put beside the field."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar

from simspark_ros.soccer.game_state import PlayMode, family_of, modes_of, side_in
from simspark_ros.soccer.referee.ball_record import RestartKick, Touch
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.match_view import Player
from simspark_ros.soccer.referee.places import in_goal_area
from simspark_ros.soccer.referee.play.goal import BallOut, Goal, crossing_of
from simspark_ros.soccer.referee.restarts import TIME_TOLERANCE, decide_play_on, drop_ball, free_ball
from simspark_ros.soccer.referee.rule import EVERY_MODE, Rule
from simspark_ros.soccer.teams import Side

BARRING = frozenset({"kick_off", "free_kick"})
"""Set plays after which their team may not score before another team or a touch farther away."""

Misplaced = tuple[Player, str, float]
"""A player in the way, the reason, and the distance in m by which it is judged."""


class ExclusiveBall(Rule):
    """Play goes on at the first touch, or after `drop_ball_time`; in a goal kick when the ball leaves the goal area.

    Until then every misplaced player is put beside the field. Torsos are judged, as on rcssservermj: at a kick-off all
    are in their own half, but for one player of the kicking team within the centre circle, and no opponent is in the
    circle; at a goal kick no opponent is in the goal area; else no opponent is nearer to the ball than the circle's
    radius.
    """

    name: ClassVar[str] = "exclusive_ball"
    modes: ClassVar[frozenset[PlayMode]] = modes_of(
        "kick_off", "kick_in", "corner_kick", "goal_kick", "free_kick", "direct_free_kick"
    )

    def apply(self, match: Match) -> None:
        """End the set play, or put players out."""
        family, side = family_of(match.game.play_mode)
        if match.game.play_mode not in self.modes or side is None:
            return
        ball, waited, limit = match.ball, match.game.mode_time, match.book.set_plays.drop_ball_time
        # A touch in the cycle in which the set play was given was a touch before it.
        touch = ball.touches[0] if ball.touches and waited > 0.0 else None
        ball.forget_kick()
        if touch is None:
            ball.last_touch = None
        if 0.0 < limit < waited - TIME_TOLERANCE:
            _expire(match, family, side)
        elif family == "goal_kick":
            if not in_goal_area(match.field, side, *ball.position[:2]):
                _leave_area(match, side)
        elif touch is not None:
            _kicked(match, family, side, touch)
        if match.game.play_mode in self.modes:
            for player, why, distance in tuple(_misplaced(match, family, side)):
                _put_out(match, player, why, distance)


def _expire(match: Match, family: str, side: Side) -> None:
    why = f"the {side.value} team has not touched the ball for {match.game.mode_time:.1f} s"
    if family == "goal_kick":
        drop_at_goal_area(match, side, why)
    else:
        free_ball(match, why, side)
    _bar(match, family, side)


def drop_at_goal_area(match: Match, side: Side, why: str) -> None:
    """Drop the ball at the left front corner of a side's goal area, since nobody has brought it into play."""
    field = match.field
    spot = (-side.sign * (field.length / 2 - field.goal_area_length), field.goal_area_width / 2)
    drop_ball(match, why, spot=spot, timed=True)


def _leave_area(match: Match, side: Side) -> None:
    x, y, _ = match.ball.position
    text = f"Play on: the ball of the goal kick has left the {side.value} team's goal area."
    match.decide("play_on", text, side, play_mode=PlayMode.PLAY_ON, place=(x, y))


def _kicked(match: Match, family: str, side: Side, touch: Touch) -> None:
    """End the set play; the player who took it may not touch the ball again before another one, if there is a mate."""
    decide_play_on(match, touch)
    if sum(player.side is touch.side for player in match.team_players) > 1:
        match.ball.kick = RestartKick(touch, indirect=False)
    _bar(match, family, side)


def _bar(match: Match, family: str, side: Side) -> None:
    if family in BARRING:
        x, y, _ = match.ball.position
        match.ball.barred, match.ball.barred_at = side, (x, y)


def _misplaced(match: Match, family: str, side: Side) -> Iterator[Misplaced]:
    """Players who are in the way, in row order."""
    field = match.field
    players = sorted(match.players, key=lambda player: player.row)
    if family == "kick_off":
        yield from _beyond_halfway(match, [player for player in players if player.side is side])
    for player in players:
        if player.side is side:
            continue
        x, y, _ = match.position(player)
        if family == "goal_kick":
            if in_goal_area(field, side, x, y):
                yield player, "is in the opponents' goal area", field.length / 2 - abs(x)
            continue
        distance = math.dist((x, y), match.ball.position[:2])
        if family == "kick_off" and player.side.sign * x > 0:
            yield player, "is in the opponents' half", abs(x)
        elif distance < field.centre_circle:
            yield player, "is too near to the ball", distance


def _beyond_halfway(match: Match, team: list[Player]) -> Iterator[Misplaced]:
    """Players of the kicking team in the opponents' half, but for the one nearest to the centre within the circle."""
    there = [(math.hypot(*match.position(p)[:2]), p) for p in team if p.side.sign * match.position(p)[0] > 0]
    there.sort(key=lambda found: found[0])
    if there and there[0][0] <= match.field.centre_circle:
        del there[0]
    for distance, player in there:
        yield player, "is in the opponents' half", distance


def _put_out(match: Match, player: Player, why: str, distance: float) -> None:
    place = match.position(player)[:2]
    text = f"{player} {why} ({distance:.2f} m)."
    match.decide("player_moved", text, player, place=place, evidence={"distance_m": distance})
    match.beam_out(player)


WATCHED = EVERY_MODE - modes_of("goal") - {PlayMode.GAME_OVER}
"""Modes in which lines and goals are watched."""


class RestartGoal(Goal):
    """Counts a goal in every mode, or gives a goal kick if the team may not score yet after its kick-off or free kick.

    A ball of a goal kick that is in the own goal is dropped at the corner of the goal area.
    """

    name: ClassVar[str] = "restart_goal"
    modes: ClassVar[frozenset[PlayMode]] = WATCHED

    def apply(self, match: Match) -> None:
        """Look whether the ball is in a goal."""
        kicking = side_in(match.game.play_mode, "goal_kick")
        crossing = None if kicking is None else crossing_of(match)
        if kicking is not None and crossing is not None and crossing[0] is kicking:
            drop_at_goal_area(match, kicking, "the ball of the goal kick is in the goal of the kicking team")
        else:
            super().apply(match)

    def refusal(self, match: Match, scorers: Side, own_goal: bool, evidence: dict[str, float]) -> tuple[str, bool]:
        """Reason why a goal does not count, so that the opponents get a goal kick; empty if it counts."""
        family, side = family_of(match.game.play_mode)
        barred = side if family in BARRING else match.ball.barred
        if barred is not scorers:
            return "", False
        why = f"since the {scorers.value} team's kick, no opponent and no player farther away has touched the ball"
        return why, False


class RestartOut(BallOut):
    """Restarts play as `ball_out` does, in every mode; a ball that nobody has touched goes back onto the touchline."""

    name: ClassVar[str] = "restart_out"
    modes: ClassVar[frozenset[PlayMode]] = WATCHED

    def untouched(self, match: Match, reason: str, evidence: dict[str, float]) -> None:
        """Put the ball onto the touchline; the mode stays."""
        x, y, _ = match.ball.position
        spot = (x, match.field.width / 2 if y > 0 else -match.field.width / 2)
        match.decide("put_back", f"Ball onto the touchline: {reason}.", place=spot, evidence=evidence)
        match.drop(spot)

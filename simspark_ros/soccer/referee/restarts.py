"""Restarts of play by rules and trainers: kick-off, set plays, drop ball."""

from __future__ import annotations

from collections.abc import Mapping

from simspark_ros.soccer.game_state import INDIRECT, PlayMode, family_of, mode_of
from simspark_ros.soccer.referee.ball_record import RestartKick, Touch
from simspark_ros.soccer.referee.clearing import clear_ball
from simspark_ros.soccer.referee.decision import Spot
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.places import (
    CENTRE,
    corner_spot,
    free_kick_spot,
    goal_kick_spot,
    kick_in_spot,
    plain_spot,
    spot_on_lines,
)
from simspark_ros.soccer.teams import Side

TIME_TOLERANCE = 1e-6
"""Error that times may have, as they are sums of cycles, s."""


def reached(time: float, limit: float) -> bool:
    """Whether a time has come, s."""
    return time >= limit - TIME_TOLERANCE


def kick_off(match: Match, side: Side | None, why: str, *, timed: bool = False) -> Side:
    """Give a side the kick-off, ball on the centre spot; None = the side in turn (`GameState.next_kick_off`)."""
    game = match.game
    memory = (game.first_kick_off, game.kick_off_half)
    chosen = game.next_kick_off(match.book.game, match.random) if side is None else side
    text = f"Kick-off for the {chosen.value} team: {why}."
    mode = mode_of("kick_off", chosen)
    match.decide("kick_off", text, chosen, play_mode=mode, place=CENTRE, timed=timed)

    def undo() -> None:
        game.first_kick_off, game.kick_off_half = memory

    match.on_undo(undo)
    game.note_kick_off(chosen)
    match.place_ball(CENTRE)
    return chosen


def set_play(
    match: Match,
    mode: PlayMode,
    why: str,
    *,
    kind: str = "",
    about: Touch | None = None,
    spot: Spot | None = None,
    evidence: Mapping[str, float] | None = None,
) -> None:
    """Give a side a set play, e.g. with mode `PlayMode.CORNER_KICK_LEFT`.

    The decision's kind is the family of the mode unless another kind is given; it is about the side, or the player of a
    touch if `about` is given. `why` ends its sentence. spot: place of the ball, m; None = its last place on the field,
    or its present place for a corner kick, as on rcssserver3d.
    """
    family, side = family_of(mode)
    assert side is not None
    ball = match.ball
    plain = match.book.set_plays.spots == "plain"
    left = ball.position[:2] if plain or family == "corner_kick" else ball.last_valid
    place = _ball_spot(match, family, side, left if spot is None else spot)
    match.decide(
        kind or family,
        f"{family.replace('_', ' ').capitalize()} for the {side.value} team: {why}.",
        about or side,
        play_mode=mode,
        place=place,
        evidence=evidence,
    )
    match.ball.restart_spot = place
    if plain:
        match.drop(place)


def _ball_spot(match: Match, family: str, side: Side, spot: Spot) -> Spot:
    """Place of the ball of a set play, if the ball was last at a spot."""
    field, radius = match.field, match.world.settings.ball.radius
    if match.book.set_plays.spots == "plain":
        return plain_spot(field, family, side, spot)
    if match.book.set_plays.spots == "lines":
        return spot_on_lines(field, family, side, spot)
    if family == "kick_in":
        return kick_in_spot(field, radius, spot)
    if family == "corner_kick":
        return corner_spot(field, radius, side, spot[1])
    if family == "goal_kick":
        return goal_kick_spot(field, side, match.book.set_plays.goal_kick_distance)
    return free_kick_spot(field, spot)


def play_on(match: Match, taker: Touch) -> None:
    """End a set play after the kick."""
    family, _ = family_of(match.game.play_mode)
    decide_play_on(match, taker)
    is_kick_off = family == "kick_off"
    match.ball.kick = RestartKick(taker, indirect=family in INDIRECT, kick_off=is_kick_off)
    match.ball.barred, match.ball.barred_at = taker.side if is_kick_off else None, CENTRE


def decide_play_on(match: Match, touch: Touch) -> None:
    """End the mode after a touch of the ball."""
    x, y, _ = match.ball.position
    text = f"Play on: {touch.side.value} {touch.unum} has touched the ball."
    match.decide("play_on", text, touch, play_mode=PlayMode.PLAY_ON, place=(x, y))


def free_ball(match: Match, why: str, side: Side | None) -> None:
    """Let play go on from the place of the ball, since the side that had the ball has not played it in time."""
    x, y, _ = match.ball.position
    match.decide("ball_free", f"The ball is free: {why}.", side, play_mode=PlayMode.PLAY_ON, place=(x, y), timed=True)
    match.ball.forget_kick()


def drop_ball(
    match: Match,
    why: str,
    evidence: Mapping[str, float] | None = None,
    *,
    spot: Spot | None = None,
    timed: bool = False,
) -> None:
    """Put the ball at rest at an allowed place, both teams away from it, and let play go on; None = its place now."""
    spot = match.ball.position[:2] if spot is None else spot
    if match.book.set_plays.spots != "plain":
        spot = free_kick_spot(match.field, spot)
    text = f"Drop ball: {why}."
    match.decide("drop_ball", text, play_mode=PlayMode.PLAY_ON, place=spot, evidence=evidence, timed=timed)
    match.ball.forget_kick()
    if match.book.set_plays.spots == "plain":
        match.drop(spot)
    else:
        match.place_ball(spot)
    if match.book.set_plays.clearing:
        clear_ball(match, spot, None)


def drop_ball_after_time(match: Match, spot: Spot | None = None) -> bool:
    """Drop the ball, at the spot or at its place, if it has not been touched for too long in this play mode."""
    limit, waited = match.book.set_plays.drop_ball_time, match.game.mode_time
    if limit <= 0 or not reached(waited, limit):
        return False
    why = f"nobody touched the ball for {waited:.1f} s"
    drop_ball(match, why, {"waited_s": waited, "limit_s": limit}, spot=spot, timed=True)
    return True

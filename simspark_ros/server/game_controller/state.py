"""The state of a game in the terms of a GameController."""

from __future__ import annotations

import math

from simspark_ros.protocol.game_controller.control import ControlState, GameControl, SetPlayReason, TeamControl
from simspark_ros.soccer.game_state import GameState, PlayMode, family_of
from simspark_ros.soccer.league_game import LeagueGame, PenaltyKind, Stage
from simspark_ros.soccer.referee.rulebook import GameBook
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import SoccerWorld

COLOURS = {Side.LEFT: 0, Side.RIGHT: 1}
"""Blue and red, as in the viewer."""

SET_TIME = 5.0
"""Seconds before a kick-off in which players stand still; half of the wait if that is shorter."""

_STATES = {
    Stage.INITIAL: ControlState.INITIAL,
    Stage.READY: ControlState.READY,
    Stage.SET: ControlState.SET,
    Stage.PLAYING: ControlState.PLAYING,
    Stage.FINISHED: ControlState.FINISHED,
}

_SET_PLAYS = {
    "kick_in": SetPlayReason.KICK_IN,
    "corner_kick": SetPlayReason.CORNER_KICK,
    "goal_kick": SetPlayReason.GOAL_KICK,
    "free_kick": SetPlayReason.FREE_KICK,
    "offside": SetPlayReason.FREE_KICK,
    "direct_free_kick": SetPlayReason.DIRECT_FREE_KICK,
}


def game_control(world: SoccerWorld, packet: int, numbers: dict[Side, int]) -> GameControl:
    """The message of a GameController about the game in a world.

    Before a kick-off that comes by itself and after a goal, the state is READY, then SET; a kick-off that somebody has
    to order is INITIAL until then. Modes of play that a GameController does not know are free play. Where the rule
    `league_flow` leads the game, stages, times and penalties are its own. Numbers and colours stay with the teams.

    Args:
        world: the world that has the game.
        packet: number of the message.
        numbers: the teams' numbers, by the side on which each team has begun.
    """
    game, book = world.game, world.settings.rules.game
    league = game.league if world.settings.rules.order.get("league_flow") else None
    began = {side: side.other if game.sides_changed else side for side in Side}
    numbers = {side: numbers[began[side]] for side in Side}
    present = {side: frozenset(r.unum for r in world.robots.values() if r.side is side and r.unum) for side in Side}
    if league is not None:
        state, secondary, kicking = _STATES[league.stage], league.remaining, league.kicking
    else:
        state, secondary = _state(game, book, any(present.values()))
        kicking = _kicking(game, *family_of(game.play_mode))
    scores = {Side.LEFT: game.score_left, Side.RIGHT: game.score_right}
    left, right = (
        TeamControl(numbers[side], COLOURS[began[side]], scores[side], present[side], _penalties(league, side))
        for side in Side
    )
    return GameControl(
        packet=packet,
        players=world.settings.teams.size,
        state=state,
        set_play=_SET_PLAYS.get(family_of(game.play_mode)[0], SetPlayReason.NONE),
        is_first_half=game.half == 1,
        kicking=numbers[kicking] if kicking else None,
        remaining=math.ceil(_remaining(game, book)),
        secondary=math.ceil(secondary),
        teams=(left, right),
    )


def _penalties(league: LeagueGame | None, side: Side) -> dict[int, tuple[PenaltyKind, int]]:
    """Kind and remaining time, s, of the penalties of a side's players, by uniform number."""
    if league is None:
        return {}
    return {
        unum: (penalty.kind, math.ceil(penalty.remaining))
        for (team, unum), penalty in league.penalties.items()
        if team is side
    }


def _state(game: GameState, book: GameBook, has_players: bool) -> tuple[ControlState, float]:
    """The state, and the time until it changes by itself, s."""
    mode = game.play_mode
    if mode is PlayMode.GAME_OVER:
        return ControlState.FINISHED, 0.0
    if mode in (PlayMode.GOAL_LEFT, PlayMode.GOAL_RIGHT):
        return _before_kick_off(book.goal_pause, game.mode_time)
    if mode is not PlayMode.BEFORE_KICK_OFF:
        return ControlState.PLAYING, 0.0
    if not (book.automatic_kick_off and has_players):
        return ControlState.INITIAL, 0.0
    return _before_kick_off(book.wait_before_kick_off, game.mode_time)


def _before_kick_off(wait: float, passed: float) -> tuple[ControlState, float]:
    left, set_time = max(0.0, wait - passed), min(SET_TIME, wait / 2)
    return (ControlState.READY, left - set_time) if left > set_time else (ControlState.SET, left)


def _kicking(game: GameState, family: str, side: Side | None) -> Side | None:
    """The side that has the ball next: after a goal the other side, in the second half the side that did not begin."""
    if family == "goal":
        return side.other if side else None
    if family == "kick_off" or family in _SET_PLAYS:
        return side
    if game.play_mode is PlayMode.BEFORE_KICK_OFF and game.half == 2 and game.first_kick_off:
        return game.first_kick_off.other
    return None


def _remaining(game: GameState, book: GameBook) -> float:
    """Time that is left of the half, s."""
    over = 0.0 if book.clock_restarts or game.half == 1 else book.half_time
    return max(0.0, over + book.half_time - game.time)

"""The state of a game in the terms of a GameController."""

from __future__ import annotations

import math

from simspark_ros.protocol.game_controller.control import ControlState, GameControl, SetPlay, TeamControl
from simspark_ros.soccer.game_state import GameState, PlayMode
from simspark_ros.soccer.referee.modes import family_of
from simspark_ros.soccer.referee.rulebook import GameBook
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import SoccerWorld

COLOURS = {Side.LEFT: 0, Side.RIGHT: 1}
"""Blue and red, as in the viewer."""

SET_TIME = 5.0
"""Seconds before a kick-off in which players stand still; half of the wait if that is shorter."""

_SET_PLAYS = {
    "kick_in": SetPlay.KICK_IN,
    "corner_kick": SetPlay.CORNER_KICK,
    "goal_kick": SetPlay.GOAL_KICK,
    "free_kick": SetPlay.FREE_KICK,
    "offside": SetPlay.FREE_KICK,
    "direct_free_kick": SetPlay.DIRECT_FREE_KICK,
}


def game_control(world: SoccerWorld, packet: int, numbers: dict[Side, int]) -> GameControl:
    """What a GameController says of the game in a world.

    Before a kick-off that comes by itself and after a goal, the state is READY, then SET; a kick-off that somebody has
    to order is INITIAL until then. Modes of play that a GameController does not know are free play.

    Args:
        world: with the game.
        packet: counts messages.
        numbers: of the teams.
    """
    game, book = world.game, world.settings.rules.game
    present = {side: frozenset(r.unum for r in world.robots.values() if r.side is side and r.unum) for side in Side}
    state, secondary = _state(game, book, any(present.values()))
    family, side = family_of(game.play_mode)
    kicking = _kicking(game, family, side)
    return GameControl(
        packet=packet,
        players=world.settings.teams.size,
        state=state,
        set_play=_SET_PLAYS.get(family, SetPlay.NONE),
        is_first_half=game.half == 1,
        kicking=numbers[kicking] if kicking else None,
        remaining=math.ceil(_remaining(game, book)),
        secondary=math.ceil(secondary),
        teams=(
            TeamControl(numbers[Side.LEFT], COLOURS[Side.LEFT], game.score_left, present[Side.LEFT]),
            TeamControl(numbers[Side.RIGHT], COLOURS[Side.RIGHT], game.score_right, present[Side.RIGHT]),
        ),
    )


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
    """Who has the ball next; after a goal the other team, in the second half who did not begin the first one."""
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

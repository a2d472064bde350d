"""Kick-in, corner kick, free kicks and goal kick; their taker may not touch the ball again before another player."""

from __future__ import annotations

from typing import ClassVar

from simspark_ros.soccer.game_state import FREE_KICKS, IN_PLAY, PlayMode, family_of, mode_of, modes_of
from simspark_ros.soccer.referee.clearing import clear_ball, clear_penalty_area, repel
from simspark_ros.soccer.referee.decision import Spot
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.places import free_kick_spot, in_penalty_area, inside_spot
from simspark_ros.soccer.referee.restarts import TIME_TOLERANCE, drop_ball_after_time, play_on, reached, set_play
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.teams import Side


class _Restart(Rule):
    """Base of all set plays: a pause, then the ball lies on its spot until it is touched.

    During the pause the ball rolls on, and its last kick is still remembered.
    """

    def __init__(self) -> None:
        self._began = -1.0
        self._repelled = False

    def apply(self, match: Match) -> None:
        """Enforce the set play, once its pause is over."""
        family, side = family_of(match.game.play_mode)
        if match.game.play_mode not in self.modes or side is None:
            self._began = -1.0
            return
        began = match.now - match.game.mode_time
        if abs(began - self._began) > TIME_TOLERANCE:
            self._began, self._repelled = began, False
        if not reached(match.game.mode_time, match.book.set_plays.pause):
            return
        ball = match.ball
        ball.forget_kick()
        spot = ball.restart_spot or ball.last_valid
        if family in FREE_KICKS:
            spot = free_kick_spot(match.field, spot)
        self.clear(match, side, spot)
        if not drop_ball_after_time(match, spot):
            self.enforce(match, side, spot)

    def clear(self, match: Match, side: Side, spot: Spot) -> None:
        """Keep opponents away, opponents that touch the ball now included."""
        raise NotImplementedError

    def enforce(self, match: Match, side: Side, spot: Spot) -> None:
        """Look for the kick; until then keep the ball on its spot."""
        raise NotImplementedError

    def reset(self) -> None:
        self._began = -1.0

    def kicked(self, match: Match) -> bool:
        """Whether the ball was touched in this cycle, long enough after it was put on its spot."""
        book = match.book.set_plays
        late_enough = match.game.mode_time > book.pause + book.touch_margin + TIME_TOLERANCE
        return bool(match.ball.touches) and late_enough

    def prepare(self, match: Match, side: Side, spot: Spot) -> None:
        """Put the ball on its spot, and once move the side's own players away from it."""
        match.place_ball(spot)
        if not self._repelled:
            distance = match.book.set_plays.kick_repel_distance
            repel(match, spot, side, distance, distance)
            self._repelled = True


class SetPlay(_Restart):
    """Kick-in, corner kick, direct and indirect free kick: opponents keep away from the ball."""

    name: ClassVar[str] = "set_play"
    modes: ClassVar[frozenset[PlayMode]] = modes_of("kick_in", "corner_kick", "free_kick", "direct_free_kick")

    def clear(self, match: Match, side: Side, spot: Spot) -> None:
        clear_ball(match, spot, side.other)

    def enforce(self, match: Match, side: Side, spot: Spot) -> None:
        if self.kicked(match):
            play_on(match, match.ball.touches[0])
        else:
            self.prepare(match, side, spot)


class GoalKick(_Restart):
    """Opponents leave the penalty area; play goes on when the ball was touched and has left the area."""

    name: ClassVar[str] = "goal_kick"
    modes: ClassVar[frozenset[PlayMode]] = modes_of("goal_kick")

    def __init__(self) -> None:
        super().__init__()
        self._touched = -1.0

    def clear(self, match: Match, side: Side, spot: Spot) -> None:
        clear_penalty_area(match, side)

    def enforce(self, match: Match, side: Side, spot: Spot) -> None:
        if self.kicked(match):
            self._touched = self._began
        touched = self._touched == self._began
        # Part of the ball may be beyond the goal line while it is still on the field.
        x, y = inside_spot(match.field, match.ball.position[:2], 0.0)
        if not touched:
            self.prepare(match, side, spot)
        elif match.ball.last_touch and (not match.ball.on_field or not in_penalty_area(match.field, side, x, y)):
            play_on(match, match.ball.last_touch)


class DoubleTouch(Rule):
    """An indirect free kick for the opponents; not after a kick-off with very few players on the field."""

    name: ClassVar[str] = "double_touch"
    modes: ClassVar[frozenset[PlayMode]] = IN_PLAY

    def apply(self, match: Match) -> None:
        kick, book = match.ball.kick, match.book.set_plays
        if kick is None or kick.others or match.game.play_mode not in IN_PLAY:
            return
        if kick.kick_off and len(match.team_players) < book.min_players:
            return
        touch = next((touch for touch in match.ball.touches if touch.handle == kick.taker.handle), None)
        if touch is None or touch.time - kick.taker.time <= book.same_kick_time + TIME_TOLERANCE:
            return
        since = touch.time - kick.taker.time
        set_play(
            match,
            mode_of("free_kick", touch.side.other),
            f"{touch.side.value} {touch.unum} touched the ball again {since:.2f} s after its kick, before anybody else",
            kind="double_touch",
            about=touch,
            evidence={"since_kick_s": since, "limit_s": book.same_kick_time},
        )
        match.ball.kick = None

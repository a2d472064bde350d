"""Pass mode: a team asks for room to pass, and may not score at once afterwards."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.referee.clearing import repel
from simspark_ros.soccer.referee.decision import Spot
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.modes import IN_PLAY, mode_of, side_in
from simspark_ros.soccer.referee.player import Player
from simspark_ros.soccer.referee.restarts import TIME_TOLERANCE, decide_play_on, reached
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.teams import Side


@dataclass
class _Clearance:
    """What a team has done since its pass mode began, so that it may score again."""

    spot: Spot
    touchers: set[int] = field(default_factory=set)
    distance: float = 0.0


class PassMode(Rule):
    """Grants, enforces and ends pass modes, and counts the time in which their team may not score."""

    name: ClassVar[str] = "pass_mode"

    def __init__(self) -> None:
        self._ended: dict[Side, float] = {}
        self._clearances: dict[Side, _Clearance] = {}
        self._active: Side | None = None

    def apply(self, match: Match) -> None:
        requests = match.game.take_pass_requests()
        side = side_in(match.game.play_mode, "pass")
        if self._active is not None and side is not self._active:
            self._end(match, self._active)
        if match.game.play_mode not in IN_PLAY:
            self._cancel(match, None)
            return
        self._count_down(match)
        if side is not None:
            self._enforce(match, side)
        elif requests:
            players = [p for p in match.players if p.side in requests and requests[p.side].handle == p.handle]
            # In the order of this cycle, so that chance decides between two teams.
            granted = next((player for player in players if self._grant(match, player)), None)
            if granted is not None:
                self._cancel(match, granted.side.other)

    def reset(self) -> None:
        self._ended.clear()
        self._clearances.clear()
        self._active = None

    def _grant(self, match: Match, player: Player) -> bool:
        """Give a player's team the pass mode if everything is as it has to be."""
        book, side = match.book.pass_mode, player.side
        ended = self._ended.get(side)
        if ended is not None and not reached(match.now - ended, book.retry_wait):
            return False
        if any(touch.side is side for touch in match.ball.touches):
            return False
        speed = math.hypot(*match.state.ball_velocity.tolist())
        distance = _distance(match, player)
        opponent = min((_distance(match, p) for p in match.players if p.side is not side), default=math.inf)
        if speed > book.max_ball_speed or distance > book.max_ball_distance or opponent < book.min_opponent_distance:
            return False
        evidence = {"ball_speed_m_s": speed, "distance_m": distance}
        if math.isfinite(opponent):
            evidence["opponent_distance_m"] = opponent
        x, y, _ = match.ball.position
        text = f"Pass mode for the {side.value} team: {player} asked for it, {distance:.2f} m from the ball."
        match.decide("pass_mode", text, player, play_mode=mode_of("pass", side), place=(x, y), evidence=evidence)
        self._active = side
        self._clearances[side] = _Clearance((x, y))
        match.game.score_wait.pop(side, None)
        return True

    def _enforce(self, match: Match, side: Side) -> None:
        """Keep opponents away until the ball is touched or the time is up."""
        book, time = match.book.pass_mode, match.game.mode_time
        self._active = side
        x, y, _ = match.ball.position
        self._clearances.setdefault(side, _Clearance((x, y)))
        if match.ball.touches:
            decide_play_on(match, match.ball.touches[0])
        elif reached(time, book.duration):
            text = f"Play on: the pass mode of the {side.value} team has lasted {time:.2f} s."
            evidence = {"duration_s": time, "limit_s": book.duration}
            match.decide("play_on", text, side, play_mode=PlayMode.PLAY_ON, evidence=evidence, timed=True)
        else:
            repel(match, (x, y), side.other, book.min_opponent_distance, book.repel_distance)
            return
        self._end(match, side)
        self._note_touches(match)

    def _end(self, match: Match, side: Side) -> None:
        """From now on the team has to wait."""
        self._ended[side] = match.now
        self._active = None
        match.game.score_wait[side] = match.book.pass_mode.score_wait

    def _count_down(self, match: Match) -> None:
        """Let the waiting times run, and end those of teams that have passed."""
        self._note_touches(match)
        book, waits = match.book.pass_mode, match.game.score_wait
        for side in list(waits):
            waits[side] -= match.time_step
            clearance = self._clearances.get(side)
            passed = (
                clearance is not None
                and any(touch.side is side for touch in match.ball.touches)
                and len(clearance.touchers) >= book.clear_touches
                and clearance.distance >= book.clear_distance
            )
            if passed or waits[side] <= TIME_TOLERANCE:
                del waits[side]
                self._clearances.pop(side, None)

    def _note_touches(self, match: Match) -> None:
        x, y, _ = match.ball.position
        for side, clearance in self._clearances.items():
            clearance.distance = max(clearance.distance, math.hypot(x - clearance.spot[0], y - clearance.spot[1]))
            clearance.touchers |= {touch.handle for touch in match.ball.touches if touch.side is side}

    def _cancel(self, match: Match, side: Side | None) -> None:
        """End the waiting of one side, or of both: after a set play, or the opponents' pass mode."""
        for waiting in list(match.game.score_wait):
            if side is None or waiting is side:
                del match.game.score_wait[waiting]
                self._clearances.pop(waiting, None)


def _distance(match: Match, player: Player) -> float:
    """From a player's torso to the ball, along the ground, m."""
    x, y, _ = match.position(player)
    return math.hypot(x - match.ball.position[0], y - match.ball.position[1])

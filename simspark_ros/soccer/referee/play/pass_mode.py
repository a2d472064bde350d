"""Pass mode: a team asks for room to pass, and may not score at once afterwards."""

from __future__ import annotations

import math
from typing import ClassVar

from simspark_ros.soccer.game_state import IN_PLAY, PlayMode, mode_of, side_in
from simspark_ros.soccer.referee.ball_record import PassRecord
from simspark_ros.soccer.referee.clearing import repel
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.match_view import Player
from simspark_ros.soccer.referee.restarts import TIME_TOLERANCE, decide_play_on, reached
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.teams import Side


class PassMode(Rule):
    """Grants, enforces and ends pass modes, and counts the time in which their team may not score.

    That time, and the time until the team's next pass mode, end at any restart of play and at the opponents' pass mode.
    """

    name: ClassVar[str] = "pass_mode"

    def apply(self, match: Match) -> None:
        game, passes, side = match.game, match.ball.passes, side_in(match.game.play_mode, "pass")
        if side is None and not (passes or game.pass_requests or game.score_wait):
            return
        requests = game.take_pass_requests()
        if match.game.play_mode not in IN_PLAY:
            passes.clear()
        for team, record in passes.items():
            if record.ended is None and team is not side:
                self._end(match, team, record)
        self._count_down(match)
        if side is not None:
            self._enforce(match, side)
        elif requests and match.game.play_mode in IN_PLAY:
            players = [p for p in match.players if p.side in requests and requests[p.side].handle == p.handle]
            # In the random order of this cycle, so that chance decides between two teams.
            for player in players:
                if self._grant(match, player):
                    break

    def _grant(self, match: Match, player: Player) -> bool:
        """Give a player's team the pass mode if all conditions hold."""
        book, side = match.book.pass_mode, player.side
        last = match.ball.passes.get(side)
        if last is not None and last.ended is not None and not reached(match.now - last.ended, book.retry_wait):
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
        _begin(match, side)
        return True

    def _enforce(self, match: Match, side: Side) -> None:
        """Keep opponents away until the ball is touched or the time is up."""
        book, time = match.book.pass_mode, match.game.mode_time
        record = match.ball.passes.get(side)
        if record is None or record.ended is not None:
            # A trainer set the mode.
            record = _begin(match, side)
        if match.ball.touches:
            decide_play_on(match, match.ball.touches[0])
        elif reached(time, book.duration):
            text = f"Play on: the pass mode of the {side.value} team has lasted {time:.2f} s."
            evidence = {"duration_s": time, "limit_s": book.duration}
            match.decide("play_on", text, side, play_mode=PlayMode.PLAY_ON, evidence=evidence, timed=True)
        else:
            repel(match, match.ball.position[:2], side.other, book.min_opponent_distance, book.repel_distance)
            # The place of the ball at the end of the mode counts.
            _begin(match, side)
            return
        self._end(match, side, record)
        self._note_touches(match)

    def _end(self, match: Match, side: Side, record: PassRecord) -> None:
        """End the pass mode; from now on the team has to wait before it may score."""
        record.ended = match.now
        match.game.score_wait[side] = match.book.pass_mode.score_wait

    def _count_down(self, match: Match) -> None:
        """Let the waiting times run, and end them for teams that have passed or need not wait any more."""
        self._note_touches(match)
        book, waits = match.book.pass_mode, match.game.score_wait
        for side in list(waits):
            waits[side] -= match.time_step
            record = match.ball.passes.get(side)
            passed = (
                record is not None
                and any(touch.side is side for touch in match.ball.touches)
                and len(record.touchers) >= book.clear_touches
                and record.distance >= book.clear_distance
            )
            if passed or record is None or waits[side] <= TIME_TOLERANCE:
                del waits[side]

    def _note_touches(self, match: Match) -> None:
        x, y, _ = match.ball.position
        for side, record in match.ball.passes.items():
            record.distance = max(record.distance, math.hypot(x - record.spot[0], y - record.spot[1]))
            record.touchers |= {touch.handle for touch in match.ball.touches if touch.side is side}


def _begin(match: Match, side: Side) -> PassRecord:
    """Begin a pass mode, and end all effects of earlier ones."""
    x, y, _ = match.ball.position
    record = PassRecord((x, y))
    match.ball.passes = {side: record}
    match.game.score_wait.clear()
    return record


def _distance(match: Match, player: Player) -> float:
    """Distance from a player's torso to the ball, along the ground, m."""
    x, y, _ = match.position(player)
    return math.hypot(x - match.ball.position[0], y - match.ball.position[1])

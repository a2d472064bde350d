"""Goals, refused goals, and the pause after a goal; the ball that has left the field elsewhere."""

from __future__ import annotations

import math
from typing import ClassVar

from simspark_ros.soccer.game_state import IN_PLAY, PlayMode, mode_of, modes_of, side_in
from simspark_ros.soccer.referee.clearing import clear_for_kick_off
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.places import inside_spot
from simspark_ros.soccer.referee.restarts import TIME_TOLERANCE, drop_ball, kick_off, reached, set_play
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.teams import Side


class Goal(Rule):
    """Counts a goal, or gives the defenders a goal kick (the opponents a corner after an own goal) instead."""

    name: ClassVar[str] = "goal"
    modes: ClassVar[frozenset[PlayMode]] = IN_PLAY

    def apply(self, match: Match) -> None:
        if match.game.play_mode not in self.modes:
            return
        crossing = crossing_of(match)
        if crossing is None:
            return
        defenders, y, z = crossing
        touch = match.ball.last_touch
        own_goal = touch is not None and touch.side is defenders
        evidence = {
            "ball_x_m": match.ball.position[0],
            "crossing_y_m": y,
            "crossing_z_m": z,
            "ball_speed_m_s": math.hypot(*match.state.ball_velocity.tolist()),
        }
        scorers = defenders.other
        refusal, corner = self.refusal(match, scorers, own_goal, evidence)
        if not refusal:
            _count(match, scorers, own_goal, evidence)
            return
        mode = mode_of("corner_kick", scorers) if corner else mode_of("goal_kick", defenders)
        set_play(match, mode, f"the goal does not count, since {refusal}", kind="goal_refused", evidence=evidence)

    def refusal(self, match: Match, scorers: Side, own_goal: bool, evidence: dict[str, float]) -> tuple[str, bool]:
        """Reason why a goal does not count, empty if it does, and whether the scorers get a corner; adds evidence."""
        by_pass_mode = _refused_by_pass_mode(match, scorers, evidence)
        if by_pass_mode:
            return by_pass_mode, False
        return _refused_by_kick(match, scorers, own_goal, evidence), own_goal


class GoalPause(Rule):
    """Clears the field for the coming kick-off of the team that conceded the goal."""

    name: ClassVar[str] = "goal_pause"
    modes: ClassVar[frozenset[PlayMode]] = modes_of("goal")

    def apply(self, match: Match) -> None:
        side = side_in(match.game.play_mode, "goal")
        if side is None:
            return
        if reached(match.game.mode_time, match.book.game.goal_pause):
            kick_off(match, side.other, f"the {side.value} team has scored", timed=True)
        elif match.book.set_plays.clearing:
            clear_for_kick_off(match, side.other)


def crossing_of(match: Match) -> tuple[Side, float, float] | None:
    """Side whose goal the ball is in, or flew through in this cycle, and y and z where it crossed the line, m."""
    field, line = match.field, match.field.length / 2 + match.book.ball.goal_margin
    x, y, z = match.ball.position
    if abs(x) <= line:
        return None
    goal = Side.RIGHT if x > 0 else Side.LEFT
    px, py, pz = match.ball.previous
    if abs(px) <= line:
        # The ball is taken to move straight since the cycle before.
        part = (line - abs(px)) / (abs(x) - abs(px)) if px * x > 0 else 1.0
        y, z = py + part * (y - py), pz + part * (z - pz)
    elif abs(x) >= field.length / 2 + field.goal_depth:
        # The ball was beyond the line before, so it is behind the goal.
        return None
    inside = abs(y) < field.goal_width / 2 and z < field.goal_height
    return (goal, y, z) if inside else None


def _refused_by_pass_mode(match: Match, scorers: Side, evidence: dict[str, float]) -> str:
    """Reason why a side may not score in a pass mode or after its own, empty if it may; adds to the evidence."""
    if side_in(match.game.play_mode, "pass") is scorers:
        return "no player has touched the ball in the pass mode"
    wait = match.game.score_wait.get(scorers, 0.0)
    if wait <= TIME_TOLERANCE:
        return ""
    evidence["score_wait_s"] = wait
    return f"the {scorers.value} team may not score for another {wait:.2f} s after its pass mode"


def _refused_by_kick(match: Match, scorers: Side, own_goal: bool, evidence: dict[str, float]) -> str:
    """Reason why a goal does not count so shortly after a set play, empty if it does; adds to the evidence."""
    ball, book = match.ball, match.book.set_plays
    if len(match.team_players) < book.min_players:
        return ""
    if ball.barred is scorers and not own_goal:
        return f"only the {scorers.value} team has touched the ball since its kick-off, and only in the circle"
    kick, touch = ball.kick, ball.last_touch
    straight = kick is not None and touch is not None and not kick.others and touch.handle == kick.taker.handle
    if kick is None or touch is None or not straight:
        return ""
    since = touch.time - kick.taker.time
    if since > book.same_kick_time + TIME_TOLERANCE or not (own_goal or kick.indirect):
        return ""
    evidence["since_kick_s"] = since
    if own_goal:
        return f"{touch.side.value} {touch.unum} kicked the ball straight into the own goal"
    return f"{touch.side.value} {touch.unum} scored straight from an indirect kick"


def _count(match: Match, scorers: Side, own_goal: bool, evidence: dict[str, float]) -> None:
    touch = match.ball.last_touch
    game = match.game
    goals = {Side.LEFT: game.score_left, Side.RIGHT: game.score_right}
    goals[scorers] += 1
    kind = "own goal" if own_goal else "goal"
    how = f"{kind} by {touch.side.value} {touch.unum}" if touch else f"{kind}; no player has touched the ball"
    match.decide(
        "goal",
        f"Goal for the {scorers.value} team, {goals[Side.LEFT]}:{goals[Side.RIGHT]}: {how}.",
        touch if touch and not own_goal else scorers,
        play_mode=mode_of("goal", scorers),
        place=(match.ball.position[0], evidence["crossing_y_m"]),
        evidence=evidence,
    )
    match.score(scorers)


class BallOut(Rule):
    """Over a side line there is a kick-in; over a goal line a corner kick or goal kick, by the last touch of the ball.

    At a corner flag the goal line counts as soon as the ball's centre is beyond it.

    A ball that was never touched is dropped at a side line, and gives a goal kick at a goal line (on the reference
    nothing happens then).
    """

    name: ClassVar[str] = "ball_out"
    modes: ClassVar[frozenset[PlayMode]] = IN_PLAY

    def apply(self, match: Match) -> None:
        if match.game.play_mode not in self.modes or match.ball.on_field:
            return
        x, y, z = match.ball.position
        evidence = {"ball_x_m": x, "ball_y_m": y, "ball_z_m": z}
        touch = match.ball.last_touch
        last = f"{touch.side.value} {touch.unum}" if touch else "nobody"
        reason = f"touched last by {last}, the ball left the field at ({x:.2f}, {y:.2f})"
        if match.book.ball.out_reset == "put_back":
            _put_back(match, reason, evidence)
        elif abs(x) > match.field.length / 2:
            defenders = Side.RIGHT if x > 0 else Side.LEFT
            if touch is not None and touch.side is defenders:
                set_play(match, mode_of("corner_kick", defenders.other), reason, evidence=evidence)
            else:
                set_play(match, mode_of("goal_kick", defenders), reason, evidence=evidence)
        elif touch is not None:
            set_play(match, mode_of("kick_in", touch.side.other), reason, evidence=evidence)
        else:
            self.untouched(match, reason, evidence)

    def untouched(self, match: Match, reason: str, evidence: dict[str, float]) -> None:
        """Let play go on with a ball that nobody has touched."""
        drop_ball(match, reason, evidence)


def _put_back(match: Match, reason: str, evidence: dict[str, float]) -> None:
    """Take the ball back into the game where it left the field, without stopping play."""
    spot = inside_spot(match.field, match.ball.last_valid, match.world.settings.ball.radius)
    match.decide("put_back", f"Ball back into the game: {reason}.", place=spot, evidence=evidence)
    match.place_ball(spot)

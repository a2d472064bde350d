"""Numbers of the rules, and where they put ball and players (rules reference, "Parameters", "Play modes")."""

from __future__ import annotations

from dataclasses import dataclass

from simspark_ros.soccer.field import Field
from simspark_ros.soccer.teams import Side

Spot = tuple[float, float]


@dataclass(frozen=True)
class GameRules:
    """Section `rules` of a world file; times in s, distances in m.

    Attributes:
        half_time: length of a half.
        wait_before_kick_off: until an automatic kick-off.
        goal_pause: after a goal.
        kick_in_pause: before a set play is enforced.
        clock_restarts: whether game time starts at 0 in either half.
        coin_toss: whether chance, not the left team, has the first kick-off.
        change_sides: whether teams change sides after the first half.
        free_kick_distance: that opponents keep from the ball in a set play.
        free_kick_move_distance: by which a player that is nearer is moved.
        agent_radius: of the space that a player needs.
        pass_mode_min_opponent_distance: of opponents in pass mode.
        pass_mode_duration: of pass mode.
    """

    half_time: float = 300.0
    wait_before_kick_off: float = 30.0
    goal_pause: float = 3.0
    kick_in_pause: float = 1.0
    clock_restarts: bool = False
    coin_toss: bool = False
    change_sides: bool = False
    free_kick_distance: float = 2.0
    free_kick_move_distance: float = 2.5
    agent_radius: float = 0.4
    pass_mode_min_opponent_distance: float = 1.0
    pass_mode_duration: float = 4.0


DEFAULT_RULES = GameRules()
"""The measured values."""

OUTSIDE_STEP = 0.6
"""Distance between the places of two uniform numbers beside the field, m."""

OUTSIDE_GAP = 0.5
"""From the side line to those places, m."""

OUTSIDE_HEIGHT = 0.4
"""Height of the torso of a player who is put there, m."""


def beside_field(field: Field, side: Side, unum: int, ball_y: float) -> Spot:
    """The place of a player outside, on the side of the field where the ball is not."""
    x = -side.sign * OUTSIDE_STEP * (7 - unum)
    y = field.width / 2 + OUTSIDE_GAP
    return x, -y if ball_y > 0 else y


def drop_spot(field: Field, x: float, y: float) -> Spot:
    """Where a ball at (x, y) is dropped: on the field, and at its front corner instead of inside a penalty area."""
    x = min(max(x, -field.length / 2), field.length / 2)
    y = min(max(y, -field.width / 2), field.width / 2)
    front, flank = field.length / 2 - field.penalty_length, field.penalty_width / 2
    if abs(x) > front and abs(y) < flank:
        return (front if x > 0 else -front), (flank if y > 0 else -flank)
    return x, y


def cleared_spot(field: Field, side: Side, x: float, y: float, distance: float) -> Spot:
    """Where a player at (x, y) is moved: toward its own goal line, or sideways if that leaves the field."""
    back = x - side.sign * distance
    if abs(back) > field.length / 2:
        return x, y + (distance if y < 0 else -distance)
    return back, y

"""Where to look: at the ball, and to both sides of it for marks; for a lost ball everywhere."""

from __future__ import annotations

import math

from simspark_ros.motion.interface import LookAt
from simspark_ros.physics.geometry.scalars import limited
from simspark_ros.players.world_model import WorldModel

LOST_BALL = 0.6
"""A ball that was not seen for so long is searched by the head, s."""

SEARCH_PAN, SEARCH_PERIOD = 2.0, 2.4
"""How far (rad) and how often (s) the head turns in search; the view reaches 1 rad further on either side."""

GLANCE, GLANCE_PERIOD = 0.55, 1.6
"""How far the head turns from the ball to see marks (rad), and how often (s); the ball stays in view."""

LEVEL, DOWN = -0.2, -0.65
"""Tilt for distant things and for a ball at the feet, rad."""

NEAR_BALL = 0.7
"""From here on the head tilts down, m."""


def gaze(world: WorldModel) -> LookAt:
    """Where the player is to look."""
    ball = world.ball.place
    if ball is None or world.ball_age > LOST_BALL:
        phase = math.tau * world.time / SEARCH_PERIOD
        return LookAt(SEARCH_PAN * math.sin(phase), LEVEL + 0.15 * math.cos(phase))
    nearness = max(0.0, 1.0 - ball.range / NEAR_BALL)
    glance = GLANCE * (1.0 - nearness) * math.sin(math.tau * world.time / GLANCE_PERIOD)
    return LookAt(limited(ball.bearing + glance, SEARCH_PAN), LEVEL + (DOWN - LEVEL) * nearness)

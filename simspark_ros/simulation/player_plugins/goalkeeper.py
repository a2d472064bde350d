"""A goalkeeper with policies of different skill, the opponent of benchmarks for learning players.

"A Plugin-Based Architecture for Simulation in the F2000 League", section 5.1. The demonstration team's goalkeeper
(`players/behaviour/goalkeeper.py`) answers sensors with motions; this one sets the velocity of a body by true places.
They share the equation of a ball that crosses a line, `crossing`. No code accepts either of them, so they have no
common protocol.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from simspark_ros.configuration.schema import Range
from simspark_ros.physics.geometry.rotations import heading_of
from simspark_ros.physics.geometry.transforms import product
from simspark_ros.players.geometry import Point, crossing
from simspark_ros.simulation.player_plugins.player import PlayerBody, PlayerOptions, PlayerPlugin
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import SoccerWorld

Policy = Literal["random", "pattern", "block", "intercept", "mixed"]

_GAIN = 6.0
"""Speed for each metre to the wanted place, 1/s."""
_PATTERN = 4.0
"""Time from one post to the other and back, s."""
_COMES = 0.1
"""Least speed of a ball that counts as coming, m/s; a slower ball is blocked, not intercepted."""
_STAY = 1.0
"""Time for which a random place or one of the mixed policies is kept, s."""


@dataclass(frozen=True)
class GoalkeeperOptions(PlayerOptions):
    """Options.

    Attributes:
        policy: random places before the goal; a pattern, from post to post and back; block, between ball and goal;
            intercept, where a moving ball will cross its line; mixed, one of these after the other, by chance.
        side: side of the goal to guard; empty = the side of its robot's team, left for a robot without a team.
        speed: fastest speed, m/s.
        brake: deceleration that it counts on, m/s2.
        out: distance of its line from the goal line, m.
    """

    policy: Policy = "block"
    side: Literal["", "left", "right"] = ""
    speed: Annotated[float, Range(0.01, 10.0, "m/s")] = 1.5
    brake: Annotated[float, Range(0.01, 100.0, "m/s2")] = 1.5
    out: Annotated[float, Range(0.0, 10.0, "m")] = 0.4


class GoalkeeperPlayer(PlayerPlugin):
    """Moves to and fro on a line before its goal; it knows its own place and the ball's without sensor errors."""

    options = GoalkeeperOptions
    default_robot = "omni"
    uses_world = True
    settings: GoalkeeperOptions

    def __init__(self, body: PlayerBody, world: SoccerWorld, settings: GoalkeeperOptions) -> None:
        super().__init__(body, world, settings)
        field = world.settings.field
        side = Side(settings.side) if settings.side else body.robot.side or Side.LEFT
        self._sign = float(side.sign)
        self._goal = -self._sign * field.length / 2.0
        self._line = self._goal + self._sign * settings.out
        self._half = field.goal_width / 2.0
        self._policies: dict[str, Callable[[], float]] = {
            "random": self._random,
            "pattern": self._pattern,
            "block": self._block,
            "intercept": self._intercept,
        }
        self._place, self._chosen = 0.0, ""
        self._until: dict[str, float] = {}

    def sense_and_act(self) -> None:
        """Go to the place that the policy wants."""
        target = self._policies[self._policy()]()
        self._drive(self._line, min(max(target, -self._half), self._half))

    def reset(self) -> None:
        """Choose anew."""
        self._until.clear()

    def _policy(self) -> str:
        if self.settings.policy != "mixed":
            return self.settings.policy
        if self._is_over("mixed"):
            self._chosen = str(self.body.random.choice(list(self._policies)))
        return self._chosen

    def _random(self) -> float:
        if self._is_over("random"):
            self._place = float(self.body.random.uniform(-self._half, self._half))
        return self._place

    def _is_over(self, what: str) -> bool:
        """Whether it is time for a new choice: the last one has been kept long enough, or there was none."""
        over = self.body.time >= self._until.get(what, 0.0)
        if over:
            self._until[what] = self.body.time + _STAY
        return over

    def _pattern(self) -> float:
        return self._half * math.sin(2.0 * math.pi * self.body.time / _PATTERN)

    def _block(self) -> float:
        """The place on the line from the ball to the middle of the goal."""
        x, y, _ = self.world.engine.state.ball_position.tolist()
        away = x - self._goal
        return float(y * (self._line - self._goal) / away) if away * self._sign > self.settings.out else float(y)

    def _intercept(self) -> float:
        """The place where the ball crosses the line, if it comes; else as `_block`."""
        state = self.world.engine.state
        (x, y, _), (vx, vy, _) = state.ball_position.tolist(), state.ball_velocity.tolist()
        sign = self._sign
        found = crossing(self._line * sign, Point(x * sign, y), Point(vx * sign, vy), _COMES)
        return self._block() if found is None else found[1]

    def _drive(self, x: float, y: float) -> None:
        """Go to a place, m, looking at the field."""
        body, state = self.body, self.world.engine.state
        row = state.row(body.robot.handle)
        rotation = state.rotation[row]
        away = np.array([x, y]) - state.position[row, :2]
        distance = max(math.hypot(*away), 1e-6)
        # Slow enough to stop there.
        speed = min(self.settings.speed, _GAIN * distance, math.sqrt(2.0 * self.settings.brake * distance))
        wanted = away * (speed / distance)
        forward, left = product(wanted, rotation[:2, :2]).tolist()
        off = heading_of(rotation) - (0.0 if self._sign > 0.0 else math.pi)
        body.move(forward, left, -_GAIN * math.remainder(off, 2.0 * math.pi) / 2.0)

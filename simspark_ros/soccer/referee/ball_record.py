"""The referee's record of the ball: its touches, its places, and the kick that brought it into play."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from simspark_ros.soccer.referee.decision import Spot
from simspark_ros.soccer.teams import Side

Point = tuple[float, float, float]
"""Point x, y, z, m, world frame."""


class Touch(NamedTuple):
    """A touch of the ball by a player; time: time on the match's clock (`Match.now`), s."""

    handle: int
    side: Side
    unum: int
    time: float


@dataclass
class RestartKick:
    """The kick with which a set play ended.

    Attributes:
        indirect: whether a goal straight from the kick does not count.
        others: whether another player has touched the ball since.
    """

    taker: Touch
    indirect: bool
    kick_off: bool = False
    others: bool = False


@dataclass
class PassRecord:
    """The last pass mode of a team, and the team's play of the ball since it began.

    Attributes:
        spot: place of the ball at that time, m.
        ended: time of the end (`Match.now`), s; None = the mode lasts.
        touchers: handles of the team's players who have touched the ball.
        distance: farthest distance of the ball from the spot, m.
    """

    spot: Spot
    ended: float | None = None
    touchers: set[int] = field(default_factory=set)
    distance: float = 0.0


@dataclass
class BallRecord:
    """The record of the ball, which the referee updates before the rules are applied.

    Attributes:
        touches: touches in this cycle, in the order of `Match.players`.
        touched_at: handle -> time of that robot's last touch (`Match.now`), s.
        position, previous: centre of the ball after this cycle and after the cycle before, m.
        last_valid: last place of the ball on the field.
        restart_spot: place of the next set play: the place given by a rule, or where a rule last put the ball, else the
            last place of the ball on the field and in play, or its first; None if it has never been on the field.
        on_field: whether the ball is on the field; it is not if it is wholly beyond a line.
        kick: kick that brought the ball into play; None = a drop ball, a trainer, or a kick that no longer matters.
        barred: team that took the kick-off and may not score yet, even if the kick-off was the other team's.
        barred_at: place of that kick-off; a touch outside of the circle around it lets the team score.
        passes: last pass mode of each team since play was restarted.
    """

    touches: tuple[Touch, ...] = ()
    last_touch: Touch | None = None
    touched_at: dict[int, float] = field(default_factory=dict)
    position: Point = (0.0, 0.0, 0.0)
    previous: Point = (0.0, 0.0, 0.0)
    last_valid: Spot = (0.0, 0.0)
    restart_spot: Spot | None = None
    on_field: bool = True
    kick: RestartKick | None = None
    barred: Side | None = None
    barred_at: Spot = (0.0, 0.0)
    passes: dict[Side, PassRecord] = field(default_factory=dict)

    def follow(self, position: Point, limits: Spot, circle: float) -> None:
        """Follow the position (m) and the touches of this cycle.

        limits: largest |x| and |y| of a ball on the field, m; circle: radius of the centre circle, m.
        """
        self.previous, self.position = self.position, position
        x, y, _ = position
        self.on_field = abs(x) < limits[0] and abs(y) < limits[1]
        if self.on_field:
            self.last_valid = (x, y)
        from_x, from_y = x - self.barred_at[0], y - self.barred_at[1]
        outside = from_x * from_x + from_y * from_y > circle * circle
        for touch in self.touches:
            self.last_touch = touch
            self.touched_at[touch.handle] = touch.time
            if self.kick is not None and touch.handle != self.kick.taker.handle:
                self.kick.others = True
            if self.barred is not None and (touch.side is not self.barred or outside):
                self.barred = None

    def forget_kick(self) -> None:
        """Play restarts: forget the last kick and the pass modes; from now on no rule depends on them."""
        self.kick, self.barred = None, None
        self.passes.clear()

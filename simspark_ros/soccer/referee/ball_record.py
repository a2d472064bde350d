"""What the referee remembers about the ball: who touched it when, where it was, and how it came into play."""

from __future__ import annotations

from dataclasses import dataclass, field

from simspark_ros.soccer.referee.decision import Spot
from simspark_ros.soccer.teams import Side

Point = tuple[float, float, float]
"""x, y, z, m, world frame."""


@dataclass(frozen=True)
class Touch:
    """A player touched the ball; time: of the match's clock (`Match.now`), s."""

    handle: int
    side: Side
    unum: int
    time: float


@dataclass
class RestartKick:
    """The kick with which a set play ended.

    Attributes:
        indirect: whether a goal straight from it does not count.
        others: whether another player has touched the ball since.
    """

    taker: Touch
    indirect: bool
    kick_off: bool = False
    others: bool = False


@dataclass
class PassRecord:
    """The last pass mode of a team, and what the team has done with the ball since it began.

    Attributes:
        spot: where the ball was, m.
        ended: when (`Match.now`), s; None = it lasts.
        touchers: handles of those of the team who have touched the ball.
        distance: the farthest that the ball has been from the spot, m.
    """

    spot: Spot
    ended: float | None = None
    touchers: set[int] = field(default_factory=set)
    distance: float = 0.0


@dataclass
class BallRecord:
    """Kept up to date by the referee before the rules are applied.

    Attributes:
        touches: of this cycle, in the order of `Match.players`.
        touched_at: handle -> time of that robot's last touch (`Match.now`), s.
        position, previous: centre of the ball after this cycle and after the one before, m.
        last_valid: where the ball was last on the field.
        restart_spot: where the next set play is taken: where a rule gave it or last put the ball, else where the ball
            was last on the field and in play, or at first; None if it has never been there.
        on_field: whether it is on the field (wholly beyond a line it is not).
        kick: how it came into play; None = by a drop ball or a trainer, or that does not matter any more.
        barred: team that took the kick-off, whosever it was, and may not score yet.
        passes: the last pass mode of each team since play was restarted.
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
    passes: dict[Side, PassRecord] = field(default_factory=dict)

    def follow(self, position: Point, limits: Spot, circle: float) -> None:
        """Take the position (m) and what follows from the touches of this cycle.

        The limits are the largest |x| and |y| of a ball that is on the field, `circle` is the radius of the centre
        circle, m.
        """
        self.previous, self.position = self.position, position
        x, y, _ = position
        self.on_field = abs(x) < limits[0] and abs(y) < limits[1]
        if self.on_field:
            self.last_valid = (x, y)
        outside = x * x + y * y > circle * circle
        for touch in self.touches:
            self.last_touch = touch
            self.touched_at[touch.handle] = touch.time
            if self.kick is not None and touch.handle != self.kick.taker.handle:
                self.kick.others = True
            if self.barred is not None and (touch.side is not self.barred or outside):
                self.barred = None

    def forget_kick(self) -> None:
        """Play restarts: forget how the ball came into play and pass modes; no rule depends on them from now on."""
        self.kick, self.barred = None, None
        self.passes.clear()

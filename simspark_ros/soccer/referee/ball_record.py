"""What the referee remembers about the ball: who touched it when, and where it was."""

from __future__ import annotations

from dataclasses import dataclass, field

from simspark_ros.soccer.referee.decision import Spot
from simspark_ros.soccer.teams import Side


@dataclass(frozen=True)
class Touch:
    """A player touched the ball.

    Attributes:
        handle: of the robot.
        side: of the player.
        unum: its number.
        time: of the match's clock (`Match.now`), s.
    """

    handle: int
    side: Side
    unum: int
    time: float


@dataclass
class BallRecord:
    """Kept up to date by the referee before the rules are applied.

    Attributes:
        touches: of this cycle, in the order of the contacts.
        last_touch: the last one of all; None = nobody touched the ball yet.
        touched_at: handle -> time of that robot's last touch (`Match.now`), s.
        position: centre of the ball after this cycle, m.
        previous: the same after the cycle before.
        last_valid: where the ball was last on the field; default place of free kicks.
        on_field: whether it is on the field (wholly beyond a line it is not).
    """

    touches: tuple[Touch, ...] = ()
    last_touch: Touch | None = None
    touched_at: dict[int, float] = field(default_factory=dict)
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    previous: tuple[float, float, float] = (0.0, 0.0, 0.0)
    last_valid: Spot = (0.0, 0.0)
    on_field: bool = True

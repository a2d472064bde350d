"""How the referee moves players: to places that are free, and out of the game for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simspark_ros.soccer.referee.decision import Spot

if TYPE_CHECKING:
    from simspark_ros.soccer.referee.match import Match
    from simspark_ros.soccer.referee.player import Player


class Repositioning:
    """Finds free places, and lifts players who are beamed out."""

    def __init__(self, match: Match) -> None:
        """Serve a match."""
        self._match = match

    def free_spot(self, player: Player, spot: Spot, *, clear_of_ball: bool = False) -> Spot:
        """The place nearest to the spot where the player may be put.

        Args:
            player: who is to be moved.
            spot: wanted, m, world frame.
            clear_of_ball: whether to keep `ball_distance` from the ball too.
        """
        return self._match.world.free_spot(*spot, player.robot)

    def beam_out(self, player: Player) -> None:
        """Lift a player for `foul_hold_time` and put it beside the field then; its counters begin anew."""

    def is_out(self, handle: int) -> bool:
        """Whether that robot is lifted: no rule looks at it meanwhile."""
        return False

    def update(self) -> None:
        """Once a cycle, before the rules: keep lifted players up, put those beside the field whose time has come."""

    def reset(self) -> None:
        """Forget who is lifted: the game begins anew."""

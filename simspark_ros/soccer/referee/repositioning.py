"""How the referee moves players: to places that are free, and out of the game for a while."""

from __future__ import annotations

import math
from itertools import islice

from simspark_ros.soccer.referee.decision import Spot
from simspark_ros.soccer.referee.match_view import Lifted, MatchView
from simspark_ros.soccer.referee.places import beside_field, beside_own_area, in_penalty_area, places_around
from simspark_ros.soccer.referee.player import Player

Rectangle = tuple[float, float, float, float]
"""Least x and y, greatest x and y, m."""

Circle = tuple[Spot, float]
"""Centre and radius, m."""

MAX_REMEMBERED = 256
"""Number of moved robots above which those that have left are dropped."""


class Repositioning:
    """Finds free places, and lifts players who are beamed out."""

    def __init__(self, match: MatchView) -> None:
        self._moved_at: dict[int, float] = {}
        self._match = match

    def free_spot(self, player: Player, spot: Spot, outside: Circle | None = None) -> Spot:
        """The first free place around the spot (m, world frame), the one nearest to the player if equally far in steps.

        Such a place overlaps no other robot, lies neither in nor behind a goal, within the outer walls, outside of the
        circle, and not in the player's own penalty area while that is full: a spot in it is moved beside it first. If
        `max_attempts` places have not brought one, the first that overlaps no robot is taken, and without one of those
        the spot.
        """
        book = self._match.book.repositioning
        radius = book.agent_radius
        others = self._others(player)
        full = self._own_area_is_full(player)
        if full:
            spot = beside_own_area(self._match.field, player.side, spot, radius)
        second_best: Spot | None = None
        origin = self._match.position(player)[:2]
        for x, y in islice(places_around(spot, radius, origin), book.max_attempts):
            if any(_distance(x, y, other) < radius for other in others):
                continue
            if self._is_allowed(player, x, y, full) and not (outside and math.dist((x, y), outside[0]) < outside[1]):
                return x, y
            second_best = second_best or (x, y)
        return second_best or spot

    def is_out(self, handle: int) -> bool:
        """Whether that robot is lifted: no rule looks at it meanwhile."""
        return handle in self._match.lifted

    def note_move(self, handle: int) -> None:
        """Remember that the referee has moved that robot now."""
        self._moved_at[handle] = self._match.now
        if len(self._moved_at) > MAX_REMEMBERED:
            here = self._match.world.robots
            self._moved_at = {handle: time for handle, time in self._moved_at.items() if handle in here}

    def was_moved_within(self, handle: int, seconds: float) -> bool:
        """Whether the referee has moved that robot in that many last seconds of the match."""
        moved = self._moved_at.get(handle)
        return moved is not None and self._match.now - moved < seconds

    def was_moved_now(self, handle: int) -> bool:
        """Whether the referee has moved that robot in this cycle: contacts of this cycle are no longer true."""
        return self._moved_at.get(handle) == self._match.now

    def update(self) -> None:
        """Once a cycle, before the rules: keep lifted players up, put those beside the field whose time has come."""
        if not self._match.lifted:
            return
        match = self._match
        players = {player.handle: player for player in match.team_players}
        for handle, lifted in list(match.lifted.items()):
            player = players.get(handle)
            if player is not None and match.now < lifted.until - match.time_step / 2:  # half a cycle against rounding
                match.world.engine.place_robot(handle, lifted.position, lifted.quaternion)
            else:
                del match.lifted[handle]
                if player is not None:
                    self._put_outside(player, lifted)
            match.look_for_places()

    def reset(self) -> None:
        """Forget who is lifted: the game restarts."""
        self._match.lifted.clear()
        self._moved_at.clear()

    def _put_outside(self, player: Player, lifted: Lifted) -> None:
        match, book = self._match, self._match.book.repositioning
        wanted = beside_field(match.field, book, player.side, player.unum, match.ball.position[1])
        x, y = self.free_spot(player, wanted)
        match.world.engine.place_robot(player.handle, (x, y, book.outside_height), lifted.quaternion)
        self.note_move(player.handle)

    def _others(self, player: Player) -> list[Rectangle]:
        """The ground that other robots cover; lifted ones will come down elsewhere."""
        handles = self._match.state.handles
        return [
            (least[0], least[1], greatest[0], greatest[1])
            for row, (least, greatest) in enumerate(self._match.boxes.tolist())
            if row != player.row and handles[row] not in self._match.lifted
        ]

    def _own_area_is_full(self, player: Player) -> bool:
        match = self._match
        if not match.book.order.get("illegal_defence", False):
            return False
        inside = 0
        for mate in match.players:
            if mate.side is player.side and mate.row != player.row:
                x, y, _ = match.position(mate)
                inside += in_penalty_area(match.field, player.side, x, y)
        return inside >= match.book.illegal_defence.max_players

    def _is_allowed(self, player: Player, x: float, y: float, full: bool) -> bool:
        match = self._match
        field, radius = match.field, match.book.repositioning.agent_radius
        if abs(x) > field.length / 2 and abs(y) < field.goal_width / 2 + radius:
            return False
        wall_x = field.wall_distance_x - field.wall_thickness / 2 - radius
        wall_y = field.wall_distance_y - field.wall_thickness / 2 - radius
        if abs(x) > wall_x or abs(y) > wall_y:
            return False
        return not (full and in_penalty_area(field, player.side, x, y))


def _distance(x: float, y: float, area: Rectangle) -> float:
    """From a place to a rectangle, 0 inside."""
    least_x, least_y, greatest_x, greatest_y = area
    return math.hypot(max(least_x - x, 0.0, x - greatest_x), max(least_y - y, 0.0, y - greatest_y))

"""Moves players for the referee: to free places, and out of the game for a while."""

from __future__ import annotations

import math
from itertools import islice

from simspark_ros.soccer.game_state import BEAMING_ALLOWED
from simspark_ros.soccer.referee.decision import Spot
from simspark_ros.soccer.referee.match_view import Lifted, MatchView, Player
from simspark_ros.soccer.referee.places import beside_field, beside_own_area, in_penalty_area, places_beyond

Rectangle = tuple[float, float, float, float]
"""Rectangle of least x and y, greatest x and y, m."""

MAX_REMEMBERED = 256
"""Number of moved robots above which robots that have left are dropped."""


class Repositioning:
    """Finds free places, and lifts players who are beamed out."""

    def __init__(self, match: MatchView) -> None:
        self._moved_at: dict[int, float] = {}
        self._match = match

    def free_spot(self, player: Player, spot: Spot, avoid_ball: bool = True) -> Spot:
        """The spot (m, world frame) if it is free, else the first free one of the `places_beyond`.

        A free place is at least `agent_radius` away from the bodies of others, neither in nor behind a goal, within the
        outer walls, and, if the ball is to be avoided, as far from it as opponents in a pass mode. The own penalty area
        is not free while it is full. If none of `max_attempts` places is free, the result is the spot.
        """
        match, book = self._match, self._match.book.repositioning
        radius = book.agent_radius
        origin = match.position(player)[:2]
        others = self._others(player)
        clearance = max(2 * radius, match.book.pass_mode.min_opponent_distance) if avoid_ball else 0.0
        full = self._own_area_is_full(player)

        def adjust(place: Spot) -> Spot:
            return beside_own_area(match.field, player.side, place, radius, origin) if full else place

        places = places_beyond(spot, radius, origin, player.side, match.field.length / 2, adjust)
        if adjust(spot) != spot:
            next(places)
        for place in islice(places, book.max_attempts):
            near = any(_distance(*place, other) < radius for other in others)
            if not near and self._is_allowed(*place) and math.dist(place, match.ball.position[:2]) >= clearance:
                return place
        return spot

    def place_in_row(self, player: Player) -> Spot:
        """The first place beside the field, from the halfway line on, that is `agent_radius` away from all others.

        The row is in front of the player's own half, on the side without the ball, as on rcssservermj.
        """
        match, book = self._match, self._match.book.repositioning
        beyond = match.field.width / 2 + book.outside_gap
        y = -beyond if match.ball.position[1] > 0 else beyond
        others = [place[:2] for row, place in enumerate(match.places) if row != player.row]
        steps = (-player.side.sign * book.outside_step * number for number in range(1, book.max_attempts + 1))
        free = (x for x in steps if all(math.dist((x, y), other) >= book.agent_radius for other in others))
        return next(free, -player.side.sign * book.outside_step), y

    def is_out(self, handle: int) -> bool:
        """Whether a robot is lifted, so that no rule looks at it."""
        return handle in self._match.lifted

    def note_move(self, handle: int) -> None:
        """Remember that the referee has moved a robot now."""
        self._moved_at[handle] = self._match.now
        if len(self._moved_at) > MAX_REMEMBERED:
            here = self._match.world.robots
            self._moved_at = {handle: time for handle, time in self._moved_at.items() if handle in here}

    def was_moved_within(self, handle: int, seconds: float) -> bool:
        """Whether the referee has moved a robot in that many last seconds of the match."""
        moved = self._moved_at.get(handle)
        return moved is not None and self._match.now - moved < seconds

    def was_moved_now(self, handle: int) -> bool:
        """Whether the referee has moved a robot in this cycle, so that its contacts of this cycle no longer hold."""
        return self._moved_at.get(handle) == self._match.now

    def update(self) -> None:
        """Once a cycle, before the rules, keep lifted players up, or put them beside the field if their time is over.

        Before a kick-off and after a goal lifted players are let go at their places.
        """
        match = self._match
        if match.game.play_mode in BEAMING_ALLOWED:
            match.lifted.clear()
        if not match.lifted:
            return
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
        """Forget lifted players, as the game restarts."""
        self._match.lifted.clear()
        self._moved_at.clear()

    def _put_outside(self, player: Player, lifted: Lifted) -> None:
        match, book = self._match, self._match.book.repositioning
        wanted = beside_field(match.field, book, player.side, player.unum, match.ball.position[1])
        x, y = self.free_spot(player, wanted)
        match.world.engine.place_robot(player.handle, (x, y, book.outside_height), lifted.quaternion)
        self.note_move(player.handle)

    def _others(self, player: Player) -> list[Rectangle]:
        """The ground that other robots cover, without lifted robots, which will come down elsewhere."""
        handles = self._match.state.handles
        return [
            (least[0], least[1], greatest[0], greatest[1])
            for row, (least, greatest) in enumerate(self._match.boxes.tolist())
            if row != player.row and handles[row] not in self._match.lifted
        ]

    def _own_area_is_full(self, player: Player) -> bool:
        """Whether a player who enters its own penalty area would be one too many there."""
        match = self._match
        x, y, _ = match.position(player)
        if not match.book.order.get("illegal_defence", False) or in_penalty_area(match.field, player.side, x, y):
            return False
        inside = 0
        for mate in match.players:
            if mate.side is player.side and mate.row != player.row:
                x, y, _ = match.position(mate)
                inside += in_penalty_area(match.field, player.side, x, y)
        return inside >= match.book.illegal_defence.max_players

    def _is_allowed(self, x: float, y: float) -> bool:
        field, radius = self._match.field, self._match.book.repositioning.agent_radius
        if abs(x) > field.length / 2 and abs(y) < field.goal_width / 2 + radius:
            return False
        wall_x = field.wall_distance_x - field.wall_thickness / 2 - radius
        wall_y = field.wall_distance_y - field.wall_thickness / 2 - radius
        return abs(x) <= wall_x and abs(y) <= wall_y


def _distance(x: float, y: float, area: Rectangle) -> float:
    """Distance from a place to a rectangle, m, 0 inside."""
    least_x, least_y, greatest_x, greatest_y = area
    return math.hypot(max(least_x - x, 0.0, x - greatest_x), max(least_y - y, 0.0, y - greatest_y))

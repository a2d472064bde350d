"""Players who are down for too long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from simspark_ros.soccer.game_state import FoulKind, PlayMode
from simspark_ros.soccer.posture import is_low, stands
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.match_view import PAUSED, Player
from simspark_ros.soccer.referee.restarts import TIME_TOLERANCE
from simspark_ros.soccer.referee.rule import EVERY_MODE, Rule


@dataclass
class _Down:
    """Times of a player that is down, s: not standing, on the ground since it last stood, and upright again."""

    not_standing: float = 0.0
    ground: float = 0.0
    upright: float = 0.0


class Incapable(Rule):
    """A player who lies on the ground or does not stand for too long is beamed out; goalkeepers have more time.

    The height of the torso gives the posture; robots that are low by build lie on the ground when they have fallen. The
    rule holds between the side lines only: a player that waits outside may lie down, or get up. Pauses of the game,
    after a goal and before a kick-off, and another foul that the player is blamed for, restart the times.
    """

    name: ClassVar[str] = "incapable"
    modes: ClassVar[frozenset[PlayMode]] = EVERY_MODE - PAUSED

    def __init__(self) -> None:
        self._down: dict[int, _Down] = {}

    def apply(self, match: Match) -> None:
        if match.paused:
            self._down.clear()
            return
        book, down = match.book.incapable, self._down
        for handle in match.blamed:
            down.pop(handle, None)
        match.blamed.clear()
        standing, places = book.standing_height, match.places
        heights = [place[2] for place in places]
        if book.own_frame:
            _take_frames(match, heights)
        watched = [p for p in match.players if heights[p.row] < standing or (down and p.handle in down)]
        if not watched and not down:
            return
        limit_y = match.field.width / 2 + book.field_margin
        for player in watched:
            y, z = places[player.row][1], heights[player.row]
            upright = stands(player.robot.description, match.state.rotation[player.row, 2, 2], z, standing)
            if abs(y) < limit_y or upright:
                self._count(match, player, z, upright)
                self._decide(match, player, z)
        for handle in [handle for handle in down if handle not in match.world.robots]:
            del down[handle]

    def reset(self) -> None:
        self._down.clear()

    def _count(self, match: Match, player: Player, height: float, upright: bool) -> None:
        book = match.book.incapable
        down = self._down.get(player.handle)
        if down is None:
            if upright:
                return
            down = self._down[player.handle] = _Down()
        if upright:
            down.ground = 0.0
            down.upright += match.time_step
            if down.upright >= book.upright_time - TIME_TOLERANCE:
                del self._down[player.handle]
            return
        down.upright = 0.0
        down.not_standing += match.time_step
        if height < book.ground_height or is_low(player.robot.description, book.standing_height):
            down.ground += match.time_step

    def _decide(self, match: Match, player: Player, height: float) -> None:
        down = self._down.get(player.handle)
        if down is None:
            return
        book = match.book.incapable
        ground = book.goalie_ground_time if player.is_goalie else book.ground_time
        not_standing = book.goalie_not_standing_time if player.is_goalie else book.not_standing_time
        if down.ground > ground + TIME_TOLERANCE:
            why, time, limit = "has been on the ground", down.ground, ground
        elif down.not_standing > not_standing + TIME_TOLERANCE:
            why, time, limit = "has not stood", down.not_standing, not_standing
        else:
            return
        evidence = {"ground_s": down.ground, "not_standing_s": down.not_standing, "limit_s": limit, "height_m": height}
        text = f"{player} {why} for {time:.1f} s (limit {limit:g} s)."
        match.foul(FoulKind.INCAPABLE, text, player, evidence)
        match.beam_out(player)
        del self._down[player.handle]


def _take_frames(match: Match, heights: list[float]) -> None:
    """Replace heights of the centres of mass of players' torsos by heights of their frames, m, by row."""
    up = match.state.rotation[:, 2].tolist()
    for player in match.players:
        centre = player.robot.description.model.base.centre
        heights[player.row] -= sum(a * b for a, b in zip(up[player.row], centre, strict=True))

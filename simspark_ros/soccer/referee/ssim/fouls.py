"""Fouls of the league since 2026: hand ball, and too many players of a team in their own goal area.

A hand ball is a touch of the ball by a hand or forearm that is held away from the body.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from simspark_ros.configuration.schema import Checked
from simspark_ros.physics.geometry.transforms import Array, product, rotation_from_rpy
from simspark_ros.physics.model import Link, Shape, ShapeKind
from simspark_ros.soccer.game_state import IN_PLAY, FoulKind, PlayMode, mode_of, modes_of
from simspark_ros.soccer.referee.ball_record import Touch
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.match_view import Player
from simspark_ros.soccer.referee.places import in_goal_area, in_penalty_area
from simspark_ros.soccer.referee.restarts import reached, set_play
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.referee.rulebook import Count, Distance, Time
from simspark_ros.soccer.teams import Side

ARMS = ("hand", "forearm", "lowerarm", "AL3", "AR3")
"""Parts of the names of links that are hands and forearms; AL3 and AR3 are the T1's forearms."""

HEADS = ("head", "H2")
"""Parts of the names of heads; H2 is the T1's."""

NEAR = 0.05
"""Gap between ball and arm within which the arm may have touched the ball in the cycle, m."""

FRONT, SIDE = 3.0, 5.0
"""Radii of an arm by which it may be beyond the trunk, forward or backward, and to the side."""


@dataclass(frozen=True)
class HandBallBook(Checked):
    """Section `hand_ball`."""

    fallen_height: Distance = 0.45


class _Limb(NamedTuple):
    """A solid of a link: place (3,) and rotation (3, 3) in the world, m."""

    name: str
    shape: Shape
    place: Array
    rotation: Array

    @property
    def radius(self) -> float:
        return min(self.shape.size) / (2 if self.shape.is_boxed else 1)

    def distance(self, point: Array) -> float:
        """Distance of a point from the surface, m; a cylinder is taken for a capsule."""
        local = product(point - self.place, self.rotation)
        size = self.shape.size
        if self.shape.is_boxed:
            return math.hypot(*np.maximum(np.abs(local) - np.array(size) / 2, 0.0))
        half = size[1] / 2 if self.shape.kind is not ShapeKind.SPHERE else 0.0
        local[2] -= min(max(local[2], -half), half)
        return math.hypot(*local) - size[0]


class HandBall(Rule):
    """A hand or forearm that touches the ball away from the body gives the opponents a direct free kick.

    Away from the body is, for a player who stands, more than three radii of the arm before or behind the trunk, more
    than five beside it, or above the head. For a fallen player, whose head is lower than `fallen_height`, it is higher
    than twice the trunk's half width above the trunk, or beyond the head if the player lies on its side. The goalkeeper
    may use its hands in its own penalty area. The arm that touches is the link nearest to the ball.
    """

    name: ClassVar[str] = "hand_ball"
    options: ClassVar = HandBallBook
    settings: HandBallBook
    modes: ClassVar[frozenset[PlayMode]] = IN_PLAY | modes_of(
        "kick_off", "kick_in", "corner_kick", "goal_kick", "free_kick", "direct_free_kick"
    )

    def apply(self, match: Match) -> None:
        """Look at the touches of this cycle."""
        if match.game.play_mode not in self.modes or match.game.mode_time <= 0.0:
            return
        for touch in match.ball.touches:
            player = next((player for player in match.players if player.handle == touch.handle), None)
            if player is not None and self._is_hand_ball(match, player):
                self._punish(match, player, touch)
                return

    def _is_hand_ball(self, match: Match, player: Player) -> bool:
        x, y, _ = match.ball.position
        if player.is_goalie and in_penalty_area(match.field, player.side, x, y):
            return False
        links = {link.name: link for link in player.robot.description.model.links}
        arms = [name for name in links if any(part in name for part in ARMS)]
        trunk = next(iter(links.values()))
        if not arms or not trunk.collisions:
            return False
        limbs = _limbs(match, player, links)
        ball = np.array(match.ball.position)
        nearest = min(limbs, key=lambda limb: limb.distance(ball))
        if nearest.name not in arms or nearest.distance(ball) > match.world.settings.ball.radius + NEAR:
            return False
        body = next(limb for limb in limbs if limb.name == trunk.name)
        heads = [limb for limb in limbs if any(part in limb.name for part in HEADS)]
        return _is_away(nearest, body, heads, self.settings.fallen_height)

    def _punish(self, match: Match, player: Player, touch: Touch) -> None:
        why = f"{player} has touched the ball with a hand away from the body"
        match.foul(FoulKind.HAND_FOUL, f"Hand ball: {why}.", player)
        set_play(match, mode_of("direct_free_kick", player.side.other), why, spot=match.ball.position[:2], about=touch)


def _is_away(hand: _Limb, body: _Limb, heads: list[_Limb], fallen_height: float) -> bool:
    depth, width = (size / 2 for size in body.shape.size[:2]) if body.shape.is_boxed else (body.radius, body.radius)
    forward, left, up = (float(number) for number in product(hand.place - body.place, body.rotation))
    tops = [float(head.place[2]) + max(head.shape.size) / (2 if head.shape.is_boxed else 1) for head in heads]
    top = max(tops, default=float(body.place[2]) + 0.35)
    head_height = float(heads[0].place[2]) if heads else float(body.place[2]) + 0.25
    if head_height >= fallen_height:
        beyond = abs(forward) > depth + FRONT * hand.radius or abs(left) > width + SIDE * hand.radius
        return beyond or float(hand.place[2]) > top
    # A player lies on its side if its left axis is steeper than its forward axis.
    on_side = abs(float(body.rotation[2, 1])) > abs(float(body.rotation[2, 0]))
    reach = abs(float(product(heads[0].place - body.place, body.rotation)[2])) if heads else math.inf
    return float(hand.place[2]) > float(body.place[2]) + 2 * max(depth, width) or (on_side and up > reach)


def _limbs(match: Match, player: Player, links: Mapping[str, Link]) -> list[_Limb]:
    solid = [link for link in links.values() if link.collisions]
    selection = match.world.engine.select_links([(player.handle, link.name) for link in solid])
    centres, rotations = match.world.engine.link_poses(selection)
    return [
        _Limb(
            link.name,
            shape,
            centre + product(rotation, np.subtract(shape.position, link.centre)),
            product(rotation, rotation_from_rpy(shape.rpy)),
        )
        for link, centre, rotation in zip(solid, centres, rotations, strict=True)
        for shape in link.collisions
    ]


@dataclass(frozen=True)
class GoalAreaDefenceBook(Checked):
    """Section `goal_area_defence`."""

    max_players: Count = 2
    time: Time = 0.1


class GoalAreaDefence(Rule):
    """If more than `max_players` are in their own goal area for `time`, the last to enter is put out.

    Goalkeepers count. The rule holds in every mode, as on rcssservermj.
    """

    name: ClassVar[str] = "goal_area_defence"
    options: ClassVar = GoalAreaDefenceBook
    settings: GoalAreaDefenceBook

    def __init__(self) -> None:
        self._entered: dict[int, float] = {}
        self._since: dict[Side, float] = {}

    def apply(self, match: Match) -> None:
        """Count the players in both areas."""
        entered: dict[int, float] = {}
        for side in Side:
            inside = [
                player
                for player in match.players
                if player.side is side and in_goal_area(match.field, side, *match.position(player)[:2])
            ]
            entered |= {player.handle: self._entered.get(player.handle, match.now) for player in inside}
            if len(inside) <= self.settings.max_players:
                self._since.pop(side, None)
                continue
            # The first cycle counts, too.
            since = self._since.setdefault(side, match.now - match.time_step)
            if not reached(match.now - since, self.settings.time):
                continue
            del self._since[side]
            # Of players who came together the one in the first row goes.
            last = max(sorted(inside, key=lambda player: player.row), key=lambda player: entered[player.handle])
            evidence = {
                "players": float(len(inside)),
                "limit_players": float(self.settings.max_players),
                "since_entry_s": match.now - entered.pop(last.handle),
            }
            text = f"{last} is the last of {len(inside)} in their own goal area (limit {self.settings.max_players})."
            match.foul(FoulKind.ILLEGAL_DEFENCE, text, last, evidence)
            match.beam_out(last)
        self._entered = entered

    def reset(self) -> None:
        """Forget who is inside."""
        self._entered.clear()
        self._since.clear()

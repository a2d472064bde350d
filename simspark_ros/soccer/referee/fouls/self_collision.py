"""Robots whose limbs run through each other."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar, Literal

from simspark_ros.configuration.schema import Checked
from simspark_ros.robots.body.limb_boxes import LimbBoxes, limb_boxes
from simspark_ros.robots.body.self_collision import Overlap, SelfCollisions
from simspark_ros.soccer.game_state import FoulKind, PlayMode
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.match_view import PAUSED, Player
from simspark_ros.soccer.referee.restarts import TIME_TOLERANCE
from simspark_ros.soccer.referee.rule import EVERY_MODE, Rule
from simspark_ros.soccer.referee.rulebook import Distance, Time

NEVER = float("-inf")


@dataclass(frozen=True)
class SelfCollisionBook(Checked):
    """Section `self_collision`."""

    tolerance: Distance = 0.04
    test: Literal["measured", "exact"] = "measured"
    interval: Time = 0.04
    frozen_time: Time = 1.0
    thaw_time: Time = 2.0
    report: bool = True
    beam_out: bool = False
    cooldown: Time = 10.0


class SelfCollision(Rule):
    """The joints of two limbs in each other stand still for a while, then the player has time to take the limbs apart.

    Pauses of the game end both times. The rule is for players of teams; robots without limbs of boxes are never blamed.
    """

    name: ClassVar[str] = "self_collision"
    options: ClassVar = SelfCollisionBook
    settings: SelfCollisionBook
    modes: ClassVar[frozenset[PlayMode]] = EVERY_MODE - PAUSED

    def __init__(self) -> None:
        self._watch: SelfCollisions | None = None
        self._watched: Any = None
        self._limbs: list[LimbBoxes] = []
        self._immune_until: dict[int, dict[int, float]] = {}
        self._beamed_at: dict[int, float] = {}
        self._looked_at = NEVER

    def apply(self, match: Match) -> None:
        if match.paused:
            self._release(match)
            return
        if match.now - self._looked_at < self.settings.interval - TIME_TOLERANCE:
            return
        self._looked_at = match.now
        overlaps = self._watcher(match).overlaps(match.state)
        if not overlaps:
            return
        players = {player.row: player for player in match.players}
        for row, group in groupby(overlaps, key=lambda overlap: overlap.row):
            player = players.get(row)
            if player is not None:
                self._decide(match, player, list(group))

    def reset(self) -> None:
        self._immune_until.clear()
        self._beamed_at.clear()
        self._looked_at = NEVER

    def _release(self, match: Match) -> None:
        for handle, joints in self._immune_until.items():
            if handle in match.world.robots:
                match.world.motors.freeze(handle, tuple(joints), 0.0)
        self._immune_until.clear()

    def _watcher(self, match: Match) -> SelfCollisions:
        """The watcher of limbs, rebuilt when robots come or go, or the numbers change."""
        watch = self._watch
        if watch is None or watch.revision != match.state.revision or self._watched != self.settings:
            self._watched = self.settings
            robots = [robot.description for robot in match.world.robots.values()]
            self._limbs = [limb_boxes(robot.model, robot.self_collision_exclusions) for robot in robots]
            watch = SelfCollisions(match.state, self._limbs, self.settings.tolerance, self.settings.test)
            self._watch = watch
            here = match.world.robots
            self._immune_until = {handle: time for handle, time in self._immune_until.items() if handle in here}
            self._beamed_at = {handle: time for handle, time in self._beamed_at.items() if handle in here}
        return watch

    def _decide(self, match: Match, player: Player, overlaps: list[Overlap]) -> None:
        book, now = self.settings, match.now
        immune = self._immune_until.setdefault(player.handle, {})
        limbs = self._limbs[player.row].limb_of
        involved = {joint for o in overlaps for end in (o.first, o.second) for joint in limbs[end]}
        joints = sorted(joint for joint in involved if now >= immune.get(joint, NEVER) - TIME_TOLERANCE)
        if not joints:
            return
        deepest = max(overlaps, key=lambda overlap: overlap.depth)
        evidence = {
            "overlap_m": deepest.depth,
            "tolerance_m": book.tolerance,
            "limb_pairs": len(overlaps),
            "frozen_s": book.frozen_time,
        }
        text = (
            f"{player}: {deepest.first} and {deepest.second} overlap by {100 * deepest.depth:.1f} cm; their joints "
            f"stand still for {book.frozen_time:g} s."
        )
        if book.report:
            match.foul(FoulKind.SELF_COLLISION, text, player, evidence)
        else:
            x, y, _ = match.position(player)
            match.decide("self_collision", text, player, place=(x, y), evidence=evidence)
        match.world.motors.freeze(player.handle, joints, book.frozen_time)

        def thaw() -> None:
            if player.handle in match.world.robots:
                match.world.motors.freeze(player.handle, joints, 0.0)

        match.on_undo(thaw)
        immune.update(dict.fromkeys(joints, now + book.frozen_time + book.thaw_time))
        if book.beam_out and now - self._beamed_at.get(player.handle, NEVER) >= book.cooldown - TIME_TOLERANCE:
            self._beamed_at[player.handle] = now
            match.beam_out(player)

"""What a trainer decides over the referee: kick-off, drop ball, and that a decision does not hold."""

from __future__ import annotations

from typing import ClassVar

from simspark_ros.effectors.base import Effector, arguments
from simspark_ros.soccer.referee.referee import Referee
from simspark_ros.soccer.world import CommandRejectedError, World
from simspark_ros.trainer.robots import side_of


class KickOffEffector(Effector):
    """`kick_off`: words (side; empty = the team whose turn it is, see `GameState.next_kick_off`)."""

    kind: ClassVar[str] = "kick_off"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Set the mode and put the ball on the centre spot; who stands where is for the rules to judge."""
        arguments(self.kind, words, "side")
        _referee(world, self.kind).kick_off(side_of(self.kind, words[0]))


class DropBallEffector(Effector):
    """`drop_ball`: no arguments."""

    kind: ClassVar[str] = "drop_ball"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Put the ball at rest where it is, or where rules allow, both teams away from it, and let play go on."""
        _referee(world, self.kind).drop_ball()


class OverruleEffector(Effector):
    """`overrule`: numbers (number of the decision)."""

    kind: ClassVar[str] = "overrule"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Undo a decision of the referee."""
        arguments(self.kind, numbers, "decision")
        _referee(world, self.kind).overrule(int(numbers[0]))


def _referee(world: World, kind: str) -> Referee:
    if world.referee is None:
        raise CommandRejectedError(f"{kind}: this world has no referee")
    return world.referee

"""The trainer's commands for clock and score (protocol reference, section 6, "Trainer commands")."""

from __future__ import annotations

from typing import ClassVar

from simspark_ros.effectors.base import Effector, arguments
from simspark_ros.soccer.world import CommandRejectedError, World

MAX_TIME = 99_999.0
"""Later times would be told with an exponent, which clients misread, s."""

MAX_SCORE = 9999
"""Goals that monitors can be told of."""


class GameTimeEffector(Effector):
    """`game_time`: numbers (s)."""

    kind: ClassVar[str] = "game_time"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Set the game time; the half and the mode stay."""
        arguments(self.kind, numbers, "time")
        if not 0 <= numbers[0] <= MAX_TIME:
            raise CommandRejectedError(f"game_time: must be 0 to {MAX_TIME:g} s, not {numbers[0]:g}")
        world.game.time = numbers[0]


class ScoreEffector(Effector):
    """`score`: numbers (goals of the left team, goals of the right team)."""

    kind: ClassVar[str] = "score"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Set the goals."""
        arguments(self.kind, numbers, "left right")
        left, right = int(numbers[0]), int(numbers[1])
        if not (0 <= left <= MAX_SCORE and 0 <= right <= MAX_SCORE):
            raise CommandRejectedError(f"score: goals must be 0 to {MAX_SCORE}, not {numbers[0]:g} and {numbers[1]:g}")
        world.game.score_left, world.game.score_right = left, right

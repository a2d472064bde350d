"""The trainer's play mode command (protocol reference, section 6, "Trainer commands")."""

from __future__ import annotations

from typing import ClassVar

from simspark_ros.effectors.base import Effector, arguments
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.world import CommandRejectedError, World


class PlayModeEffector(Effector):
    """`play_mode`: words (classic name of the mode)."""

    kind: ClassVar[str] = "play_mode"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Set the mode, without side effects."""
        arguments(self.kind, words, "mode")
        try:
            world.game.set_play_mode(PlayMode(words[0]))
        except ValueError:
            names = ", ".join(mode.value for mode in PlayMode)
            raise CommandRejectedError(f"unknown play mode '{words[0]}'; known are: {names}") from None

"""Say effector: a message to everybody within earshot (user manual, "Say Effector")."""

from __future__ import annotations

from typing import ClassVar

from simspark_ros.effectors.base import Effector, arguments, mounted, own_robot
from simspark_ros.soccer.world import CommandRejectedError, World


class SayEffector(Effector):
    """`say`: words (message)."""

    kind: ClassVar[str] = "say"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Queue the message; players hear it with their next perception."""
        arguments(self.kind, words, "message")
        robot = own_robot(world, client)
        mounted(robot, self.kind)
        speaker = world.speaker(robot)
        if speaker is not None and not world.speech.say(speaker, words[0]):
            raise CommandRejectedError(f"say: a message has 1 to {world.settings.speech.max_length} characters")

"""Say effector: a message to everybody within earshot (user manual, "Say Effector")."""

from __future__ import annotations

from typing import ClassVar

from simspark_ros.effectors.base import Effector, arguments, mounted, own_robot
from simspark_ros.soccer.world import CommandRejectedError, Robot, World


class SayEffector(Effector):
    """`say`: words (message)."""

    kind: ClassVar[str] = "say"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Queue the message; players hear it with their next perception."""
        arguments(self.kind, words, "message")
        say(world, own_robot(world, client), words[0])


def say(world: World, robot: Robot, text: str) -> None:
    """A robot says something; nobody hears one without a team.

    Raises:
        CommandRejectedError: it has no such effector, or the text is empty or too long.
    """
    mounted(robot, SayEffector.kind)
    speaker = world.speaker(robot)
    if speaker is not None and not world.speech.say(speaker, text):
        raise CommandRejectedError(f"say: a message has 1 to {world.settings.speech.max_length} characters")

"""Say effector: a message to everybody within earshot (user manual, "Say Effector")."""

from __future__ import annotations

from simspark_ros.effectors.base import CommandTopic, effector
from simspark_ros.soccer.world import CommandRejectedError, Robot, World


@effector("say", topic=CommandTopic("simspark_ros/msg/Say"))
def say(world: World, robot: Robot, text: str) -> None:
    """A robot says something; players hear it with their next perception, and nothing of a robot without a team.

    Raises:
        CommandRejectedError: the text is empty or too long.
    """
    speaker = world.speaker(robot)
    if speaker is not None and not world.speech.say(speaker, text):
        raise CommandRejectedError(f"say: a message has 1 to {world.settings.speech.max_length} characters")

"""Say effector: a message to all robots within earshot (user manual, "Say Effector")."""

from __future__ import annotations

from simspark_ros.configuration.names import WORD
from simspark_ros.effectors.base import CommandTopic, effector
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld
from simspark_ros.worlds.errors import CommandRejectedError


@effector("say", topic=CommandTopic("simspark_ros/msg/Say"), for_agents=False)
def say(world: SoccerWorld, robot: SoccerRobot, text: str, volume: float = 1.0) -> None:
    """Say a message; players hear it with their next perception. Messages of robots without a team are dropped.

    Args:
        world: the world.
        robot: the robot that speaks.
        text: one word.
        volume: loudness, above 0; more than 1 is as loud as 1. It counts where `speech: loudest` is set.
    """
    if not volume > 0.0:
        raise CommandRejectedError(f"say: the volume is {volume:g}, and has to be above 0")
    speaker = world.speaker(robot)
    if speaker is not None and not world.speech.say(speaker, text, min(volume, 1.0)):
        raise CommandRejectedError(f"say: a message has 1 to {world.settings.speech.max_length} {WORD}")

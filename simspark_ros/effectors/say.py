"""Say effector: a message to all robots within earshot (user manual, "Say Effector")."""

from __future__ import annotations

from simspark_ros.configuration.names import WORD
from simspark_ros.effectors.base import CommandTopic, effector
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld
from simspark_ros.worlds.errors import CommandRejectedError


@effector("say", topic=CommandTopic("simspark_ros/msg/Say"), for_agents=False)
def say(world: SoccerWorld, robot: SoccerRobot, text: str) -> None:
    """Say a message; players hear it with their next perception. Messages of robots without a team are dropped."""
    speaker = world.speaker(robot)
    if speaker is not None and not world.speech.say(speaker, text):
        raise CommandRejectedError(f"say: a message has 1 to {world.settings.speech.max_length} {WORD}")

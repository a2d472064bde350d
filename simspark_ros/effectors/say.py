"""Speech of players: messages to all within earshot (user manual, "Say Effector"), and the wish for pass mode."""

from __future__ import annotations

from simspark_ros.configuration.names import WORD
from simspark_ros.effectors.base import CommandTopic, effector
from simspark_ros.soccer.game_state import PassRequest, PlayMode
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
        raise CommandRejectedError(f"say: the volume must be above 0, not {volume:g}")
    speaker = world.speaker(robot)
    if speaker is not None and not world.speech.say(speaker, text, min(volume, 1.0)):
        raise CommandRejectedError(f"say: a message must have 1 to {world.settings.speech.max_length} {WORD}")


@effector("pass", topic=CommandTopic("std_msgs/msg/Empty"), for_agents=False)
def request_pass(world: SoccerWorld, robot: SoccerRobot) -> None:
    """Note in `GameState.pass_requests` that a player asks for the pass mode; rules decide in the same cycle.

    Without rules a request stays until the next one of the team. Refused while the ball is not in play.
    """
    if robot.side is None:
        raise CommandRejectedError("pass: the robot has no team yet; send (init ...) first")
    if world.game.play_mode is not PlayMode.PLAY_ON:
        raise CommandRejectedError(f"pass: is possible in PlayOn only, not in {world.game.play_mode.value}")
    world.game.pass_requests[robot.side] = PassRequest(robot.handle, world.cycle)

"""Pass effector: a player asks for the pass mode (rules reference, "Pass mode")."""

from __future__ import annotations

from simspark_ros.effectors.base import CommandTopic, effector
from simspark_ros.soccer.game_state import PassRequest, PlayMode
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld
from simspark_ros.worlds.errors import CommandRejectedError


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

"""Pass effector: a player asks for the pass mode (rules reference, "Pass mode")."""

from __future__ import annotations

from typing import ClassVar

from simspark_ros.effectors.base import Effector, mounted, own_robot
from simspark_ros.soccer.game_state import PassRequest, PlayMode
from simspark_ros.soccer.world import CommandRejectedError, Robot, World


class PassEffector(Effector):
    """`pass`: notes the request in `GameState.pass_requests` for the rules to grant or refuse in the same cycle.

    It changes nothing else: whether ball, opponents and time allow the pass mode is for the rules to judge. They take
    the requests with `GameState.take_pass_requests()`; without rules a request stays until the next one of the team.
    """

    kind: ClassVar[str] = "pass"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Note the request; only of players, and only while the ball is in play."""
        request_pass(world, own_robot(world, client))


def request_pass(world: World, robot: Robot) -> None:
    """A robot asks for the pass mode.

    Raises:
        CommandRejectedError: it is no player, has no such effector, or the ball is not in play.
    """
    mounted(robot, PassEffector.kind)
    if robot.side is None:
        raise CommandRejectedError("pass: the robot has no team yet; send (init ...) first")
    if world.game.play_mode is not PlayMode.PLAY_ON:
        raise CommandRejectedError(f"pass: is possible in PlayOn only, not in {world.game.play_mode.value}")
    world.game.pass_requests[robot.side] = PassRequest(robot.handle, world.cycle)

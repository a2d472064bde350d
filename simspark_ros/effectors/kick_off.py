"""The trainer's restarts: kick-off and drop ball (protocol reference, section 6; rules reference, "Play modes")."""

from __future__ import annotations

import math
from typing import ClassVar

from simspark_ros.effectors.base import Effector, arguments
from simspark_ros.effectors.trainer_agent import side_of
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.rules import cleared_spot, drop_spot
from simspark_ros.soccer.world import World


class KickOffEffector(Effector):
    """`kick_off`: words (side; empty = the team whose turn it is, see `GameState.kick_off`)."""

    kind: ClassVar[str] = "kick_off"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Set the mode and put the ball on the centre spot; who stands where is the referee's business."""
        arguments(self.kind, words, "side")
        world.game.kick_off(side_of(self.kind, words[0]), world.settings.rules, world.random)
        world.place_ball((0.0, 0.0))


class DropBallEffector(Effector):
    """`drop_ball`: no arguments."""

    kind: ClassVar[str] = "drop_ball"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Put the ball at rest where it is, or where rules allow, both teams away from it, and let play go on."""
        x, y, _ = world.engine.state.ball_position.tolist()
        spot = drop_spot(world.settings.field, x, y)
        world.place_ball(spot)
        _clear(world, spot)
        world.game.set_play_mode(PlayMode.PLAY_ON)


def _clear(world: World, ball: tuple[float, float]) -> None:
    """Move players whose torso is too near the ball; each keeps orientation, height and joints."""
    rules, state = world.settings.rules, world.engine.state
    for robot in world.robots.values():
        x, y, z = state.position[state.row(robot.handle)].tolist()
        if robot.side is not None and math.hypot(x - ball[0], y - ball[1]) < rules.free_kick_distance:
            spot = cleared_spot(world.settings.field, robot.side, x, y, rules.free_kick_move_distance)
            world.move(robot, *spot, z)

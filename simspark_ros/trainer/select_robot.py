"""The trainer's selection and what is done with it: select, kill, repos (protocol reference, section 6)."""

from __future__ import annotations

from typing import ClassVar

from simspark_ros.effectors.base import Effector
from simspark_ros.soccer.referee.places import beside_field
from simspark_ros.soccer.world import CommandRejectedError, Robot, World
from simspark_ros.trainer.robots import player


class SelectEffector(Effector):
    """`select`: words (side) and numbers (unum) of a robot, the word `none`, or nothing for the next robot."""

    kind: ClassVar[str] = "select"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Select that robot and no other."""
        if words == ("none",):
            world.select(None)
        elif words or numbers:
            world.select(player(world, self.kind, words, numbers))
        else:
            robots = list(world.robots.values())
            following = robots.index(world.selected) + 1 if world.selected else 0
            world.select(robots[following % len(robots)] if robots else None)


class KillEffector(Effector):
    """`kill`: words (side) and numbers (unum) of a robot, nothing for the selected one."""

    kind: ClassVar[str] = "kill"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Remove the robot; its client stays connected."""
        world.remove_robot(_chosen(world, self.kind, words, numbers))


class ReposEffector(Effector):
    """`repos`: words (side) and numbers (unum) of a robot, nothing for the selected one."""

    kind: ClassVar[str] = "repos"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Put the player beside the field, where the ball is not, orientation and joints kept."""
        robot = _chosen(world, self.kind, words, numbers)
        if robot.side is None:
            raise CommandRejectedError("repos: the robot has no team, so it has no place beside the field")
        ball_y = float(world.engine.state.ball_position[1])
        book = world.settings.rules.repositioning
        spot = beside_field(world.settings.field, book, robot.side, robot.unum, ball_y)
        world.move(robot, *spot, book.outside_height)


def _chosen(world: World, kind: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> Robot:
    if words or numbers:
        return player(world, kind, words, numbers)
    if world.selected is None:
        raise CommandRejectedError(f"{kind}: no robot is selected; select one, or name it by unum and team")
    return world.selected

"""Teams change sides."""

from __future__ import annotations

import math

from simspark_ros.soccer.world import SoccerWorld


def change_sides(world: SoccerWorld) -> None:
    """Exchange the sides of both teams, with names, goals and waiting times; players receive their new side.

    Robots keep their ROS names, which are in topics, and their places: the rules before a kick-off move them.
    """
    teams, game = world.teams, world.game
    teams.left, teams.right = teams.right, teams.left
    for team in (teams.left, teams.right):
        team.side = team.side.other
    for robot in world.robots.values():
        if robot.side is not None:
            robot.side = robot.side.other
            robot.registrations += 1
            x, y, z, yaw = robot.home
            robot.home = (-x, y, z, math.remainder(yaw + math.pi, 2 * math.pi))
    game.score_left, game.score_right = game.score_right, game.score_left
    game.score_wait = {side.other: wait for side, wait in game.score_wait.items()}
    game.pass_requests.clear()
    game.sides_changed = not game.sides_changed
    if game.league is not None:
        game.league.change_sides()
    world.revision += 1

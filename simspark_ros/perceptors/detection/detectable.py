"""Things that detectors find: ball, goal posts and robots as groups of points on their surfaces, and lines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simspark_ros.perceptors.readings import Detected
from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.geometry.hulls import CORNERS
from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.physics.model_cache import kept_with_model
from simspark_ros.robots.body.size import corners_of
from simspark_ros.soccer.field import Field
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import soccer_world
from simspark_ros.worlds.world import World


class Boxes(NamedTuple):
    """Places and velocities of all things in one cycle, world frame, m and m/s.

    Attributes:
        points: (N, 3) points on the surfaces of K things, in the order of things.
        centre, size: (K, 3) centre and size of the box around each thing along the world's axes.
        velocity: (K, 3) velocity of each thing.
    """

    points: Array
    centre: Array
    size: Array
    velocity: Array


class Detectable:
    """The K things in a world with a certain set of robots: the ball if there is one, four posts, the robots.

    Attributes:
        kind: (K,) `Detected` of each thing.
        row: (K,) row of each robot in the engine's state, else -1.
        post_side: (K,) 1 for left and 2 for right posts, seen from before the goal; else 0.
        goal: (K,) the side that defends the goal of each post, else None.
        starts: (K,) index of the first point of each thing.
        owner: (N,) index of the thing that each point belongs to.
        lines: (L, 2, 3) ends of the field's lines, m.
    """

    def __init__(self, world: World) -> None:
        rows = [row for row, robot in enumerate(world.robots.values()) if not robot.description.is_object]
        robots = [robot for robot in world.robots.values() if not robot.description.is_object]
        self._robots = np.array(rows, np.int64)
        self._ball = [] if world.scene.ball is None else [_sphere() * world.scene.ball.radius]
        field = soccer_world(world).settings.field
        posts = _posts(field) if field.is_there else []
        self._posts = [corners for _, _, corners in posts]
        parts = [(robot.handle, link, points) for robot in robots for link, points in _surface(robot.description.model)]
        self._local = np.concatenate([np.zeros((0, 3)), *(points for _, _, points in parts)])
        self._carrier = np.repeat(np.arange(len(parts)), [len(points) for _, _, points in parts])
        self._links = world.engine.select_links([(handle, link) for handle, link, _ in parts])
        sizes = [sum(len(points) for _, points in _surface(robot.description.model)) for robot in robots]
        counts = [*map(len, self._ball), *map(len, self._posts), *sizes]
        fixed = len(self._ball) + len(posts)
        kinds = [Detected.BALL] * len(self._ball) + [Detected.GOALPOST] * len(posts) + [Detected.ROBOT] * len(robots)
        self.kind = np.array(kinds, np.int64)
        self.row = np.array([-1] * fixed + rows, np.int64)
        self.post_side = np.array([0] * len(self._ball) + [side for _, side, _ in posts] + [0] * len(robots), np.int64)
        self.goal = [None] * len(self._ball) + [goal for goal, _, _ in posts] + [None] * len(robots)
        # The points of all things are one array in the order of things, so that `now` finds all boxes by `reduceat`.
        self.owner = np.repeat(np.arange(len(counts)), counts)
        self.starts: IntArray = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
        self.lines = np.array(field.lines()).reshape(-1, 2, 3)

    def now(self, world: World) -> Boxes:
        """The boxes of all things as they are now."""
        state = world.engine.state
        centres, rotations = world.engine.link_poses(self._links)
        surfaces = centres[self._carrier] + np.einsum("nij,nj->ni", rotations[self._carrier], self._local)
        points = np.concatenate([*(ball + state.ball_position for ball in self._ball), *self._posts, surfaces])
        least, most = np.minimum.reduceat(points, self.starts), np.maximum.reduceat(points, self.starts)
        velocity = np.zeros((len(self.starts), 3))
        velocity[self.kind == Detected.BALL] = state.ball_velocity
        velocity[self.kind == Detected.ROBOT] = state.linear_velocity[self._robots]
        return Boxes(points, (least + most) / 2.0, most - least, velocity)


def _sphere() -> Array:
    """Points (312, 3) on the unit sphere, 15 degrees apart, including the six on the axes."""
    up, around = np.meshgrid(np.radians(np.arange(-90, 91, 15)), np.radians(np.arange(0, 360, 15)))
    return np.stack((np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up)), 2).reshape(-1, 3)


def _posts(field: Field) -> list[tuple[Side, int, Array]]:
    """For each post the side of its goal, 1 for a left and 2 for a right post, and its corners (8, 3)."""
    thick, height = field.goal_thickness, field.goal_height
    posts = []
    for side in Side:
        for hand, number in ((1, 1), (-1, 2)):
            # The left goal is at negative x; seen from the field its left post is at negative y.
            x = -side.sign * (field.length + thick) / 2.0
            y = -side.sign * hand * (field.goal_width + thick) / 2.0
            posts.append((side, number, np.array([x, y, height / 2.0]) + CORNERS * [thick, thick, height]))
    return posts


@kept_with_model
def _surface(model: ArticulatedModel) -> tuple[tuple[str, Array], ...]:
    """Links that collide, with corners (N, 3) of their solids' boxes from the centre of mass; or else the base."""
    surfaces = [
        (link.name, np.concatenate([corners_of(shape) for shape in link.collisions]) - np.array(link.centre))
        for link in model.links
        if link.collisions
    ]
    return tuple(surfaces) or ((model.base.name, np.zeros((1, 3))),)

"""Poses of a world that have names: the centre, corners and goals of the field, and where robots start."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from simspark_ros.physics.geometry.rotations import upright
from simspark_ros.simulation.entities.bounds import Box
from simspark_ros.simulation.loading.spawning import SpawnPose
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import SoccerWorld


@dataclass(frozen=True)
class NamedPose:
    """A pose with a name.

    Attributes:
        pose: pose of a robot's point between the feet, or of the ball's centre, when it is put there.
        bounds: room around the pose along the world's axes; None = not bounded.
    """

    name: str
    description: str
    tags: tuple[str, ...]
    pose: SpawnPose
    bounds: Box | None = None


def named_poses(world: SoccerWorld) -> list[NamedPose]:
    """The poses of a world, each with a name of its own."""
    return [*_marks(world), *_goals(world), *_starts(world)] if world.settings.plays_soccer else []


def _marks(world: SoccerWorld) -> Iterator[NamedPose]:
    field, ball, marks = world.settings.field, world.settings.ball_rest_height, world.marks
    circle = np.array([field.centre_circle, field.centre_circle, 0.0])
    yield NamedPose("centre", "centre of the field, where the ball is kicked off", ("mark", "ball"), _pose(0, 0, ball),
                    (-circle, circle) if field.centre_circle else None)  # fmt: skip
    for name, (x, y, z) in field.landmarks().items():
        if name.startswith("F"):
            text = f"corner of the field with the flag {name}, seen toward the centre"
            yield NamedPose(name, text, ("mark", "corner"), _pose(x, y, z, math.atan2(-y, -x)))
    for side in Side:
        name = f"{side.value}_penalty_mark"
        if name in marks:
            x, y, _ = marks[name]
            text = f"penalty mark before the {side.value} goal"
            yield NamedPose(name, text, ("mark", "ball", side.value), _pose(x, y, ball))


def _goals(world: SoccerWorld) -> Iterator[NamedPose]:
    field = world.settings.field
    for side in Side:
        name = f"{side.value}_goal"
        line = world.marks[name][0]
        back = line - side.sign * field.goal_depth
        corners = np.array([[line, -field.goal_width / 2, 0.0], [back, field.goal_width / 2, field.goal_height]])
        text = f"middle of the line of the {side.value} goal, seen toward the field"
        pose = _pose(line, 0, 0, 0.0 if side is Side.LEFT else math.pi)
        yield NamedPose(name, text, ("goal", side.value), pose, (corners.min(0), corners.max(0)))


def _starts(world: SoccerWorld) -> Iterator[NamedPose]:
    start, height = world.settings.start, world.settings.field.goal_height
    for side in Side:
        for index in range(world.settings.teams.size):
            x, y, _ = start.position(index, side)
            room = start.clearance / 2
            bounds = (np.array([x - room, y - room, 0.0]), np.array([x + room, y + room, height])) if room else None
            text = f"where player {index + 1} of the {side.value} team starts, seen toward the other half"
            pose = _pose(x, y, 0, 0.0 if side is Side.LEFT else math.pi)
            yield NamedPose(f"{side.value}_start_{index + 1}", text, ("start", side.value), pose, bounds)


def _pose(x: float, y: float, z: float, yaw: float = 0.0) -> SpawnPose:
    return SpawnPose((float(x), float(y), float(z)), upright(yaw))

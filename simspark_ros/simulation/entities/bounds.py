"""Parts of space: boxes around entities, and whether they touch a box, a sphere or a convex hull."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.transforms import Transform, rotation_from_rpy
from simspark_ros.physics.model import ZERO, ArticulatedModel, HeightField, Link, Obstacle, Shape, ShapeKind
from simspark_ros.physics.model_cache import kept_with_model
from simspark_ros.robots.body.kinematics import standing_point
from simspark_ros.simulation.entities.entity import BALL, Entity
from simspark_ros.soccer.field import LARGEST
from simspark_ros.soccer.world import SoccerWorld
from simspark_ros.worlds.errors import CommandRejectedError

Box = tuple[Array, Array]
"""Least and greatest corner (3,), m."""

Overlap = Callable[[Box], bool]
"""Whether a box touches a part of space."""

MAX_POINTS = 64
"""Most points of a convex hull."""

_NEAR = 1e-3
_ROUNDS = 200


@dataclass(frozen=True)
class _Solids:
    """The K solids of a model.

    Attributes:
        links: (L,) names of the links that carry the solids.
        carrier: (K,) index into `links` of the link that carries each solid.
        position: (K, 3) centres of the solids from the link's centre of mass, in the link's axes, m.
        rotation: (K, 3, 3) rotations from the solids to the link.
        half: (K, 3) half the edges of a box, or of the box around a hull; else 0.
        rim: (K,) radius of a cylinder, else 0.
        radius: (K,) radius of a sphere or of a capsule's caps, else 0.
        half_length: (K,) half the length of a cylinder or capsule along z, else 0.
    """

    links: tuple[str, ...]
    carrier: IntArray
    position: Array
    rotation: Array
    half: Array
    rim: Array
    radius: Array
    half_length: Array

    def box(self, centres: Array, rotations: Array) -> Box:
        """The box around all solids, given their links' centres of mass (L, 3), m, and rotations (L, 3, 3)."""
        turns = rotations[self.carrier]
        centre = centres[self.carrier] + np.einsum("kij,kj->ki", turns, self.position)
        turned = np.abs(turns @ self.rotation)
        reach = (
            np.einsum("kij,kj->ki", turned, self.half)
            + np.hypot(turned[:, :, 0], turned[:, :, 1]) * self.rim[:, None]
            + self.radius[:, None]
            + turned[:, :, 2] * self.half_length[:, None]
        )
        return (centre - reach).min(0), (centre + reach).max(0)


@kept_with_model
def _solids(model: ArticulatedModel) -> _Solids:
    """The solids that collide; a model without any gets a point in its base."""
    links = [link for link in model.links if link.collisions] or [model.base]
    point = Shape(ShapeKind.SPHERE, (0.0,), model.base.centre)
    placed = [(index, link, shape) for index, link in enumerate(links) for shape in link.collisions or (point,)]
    poses = [Transform.of(shape.position, shape.rpy) for _, _, shape in placed]
    kinds = [(shape.kind, shape.size) for _, _, shape in placed]
    round_ends = (ShapeKind.SPHERE, ShapeKind.CAPSULE)
    return _Solids(
        links=tuple(link.name for link in links),
        carrier=np.array([index for index, _, _ in placed], np.int64),
        position=np.array(
            [pose.position - np.array(link.centre) for pose, (_, link, _) in zip(poses, placed, strict=True)]
        ),
        rotation=np.array([pose.rotation for pose in poses]),
        half=np.array([np.array(shape.size) / 2 if shape.is_boxed else np.zeros(3) for _, _, shape in placed]),
        rim=np.array([size[0] if kind is ShapeKind.CYLINDER else 0.0 for kind, size in kinds]),
        radius=np.array([size[0] if kind in round_ends else 0.0 for kind, size in kinds]),
        half_length=np.array([size[1] / 2 if len(size) == 2 else 0.0 for _, size in kinds]),
    )


def box_of(world: SoccerWorld, entity: Entity, in_world: bool) -> Box:
    """The box around an entity's solids, along the world's axes or the axes of its own pose (see `state_of`)."""
    if entity.robot is None:
        if entity.name == BALL:
            centre = world.engine.state.ball_position if in_world else np.zeros(3)
            return centre - world.settings.ball.radius, centre + world.settings.ball.radius
        if entity.obstacle is not None:
            return _obstacle_box(entity.obstacle, in_world)
        field = world.settings.field
        # A world without a field: as much ground as the walls would enclose.
        far = np.array([field.wall_distance_x, field.wall_distance_y, 0.0])
        if not field.is_there:
            return -far, far
        middles = np.array([box.centre for box in world.scene.boxes])
        halves = np.array([box.size for box in world.scene.boxes]) / 2
        return (middles - halves).min(0), (middles + halves).max(0)
    handle, description, state = entity.robot.handle, entity.robot.description, world.engine.state
    solids = _solids(description.model)
    centres, rotations = world.engine.link_poses(world.engine.select_links([(handle, name) for name in solids.links]))
    if in_world:
        return solids.box(centres, rotations)
    row = state.row(handle)
    turn = state.rotation[row]
    origin = state.position[row] + turn @ standing_point(description.model, description.spawn_height)
    return solids.box((centres - origin) @ turn, turn.T @ rotations)


def _obstacle_box(obstacle: Obstacle, in_world: bool) -> Box:
    shape = obstacle.shape
    middle = np.array(shape.position) if in_world else np.zeros(3)
    if isinstance(shape, HeightField):
        x, y = shape.size
        corners = np.array([[-x / 2, -y / 2, shape.lowest], [x / 2, y / 2, shape.highest]]) + middle
        return corners[0], corners[1]
    # The obstacle as a model of a single link.
    still = replace(shape, position=ZERO, rpy=ZERO)
    link = Link(obstacle.name, mass=1.0, inertia=(1.0, 0.0, 0.0, 1.0, 0.0, 1.0), collisions=(still,))
    solids = _solids(ArticulatedModel(obstacle.name, (link,), ()))
    turn = rotation_from_rpy(shape.rpy) if in_world else np.eye(3)
    return solids.box(middle[None], turn[None])


def model_box(model: ArticulatedModel, height: float) -> Box:
    """The box around a model with all joints at zero, as `box_of` gives it; its base's centre is at `height`, m."""
    solids, poses = _solids(model), link_frames(model)
    frames = [poses[name] for name in solids.links]
    origin = standing_point(model, height) + np.array(model.base.centre)
    places = zip(frames, solids.links, strict=True)
    centres = np.array([frame.apply(np.array(model.link(name).centre)) for frame, name in places])
    return solids.box(centres - origin, np.array([frame.rotation for frame in frames]))


def _checked(points: Sequence[Sequence[float]], least: int, most: int, what: str) -> Array:
    if not least <= len(points) <= most:
        raise CommandRejectedError(
            f"bounds: a {what} has {least if least == most else f'{least} to {most}'} points, not {len(points)}"
        )
    array = np.array(points, float)
    if not np.isfinite(array).all() or np.abs(array).max() > LARGEST * 1e3:
        raise CommandRejectedError("bounds: a point is not finite or far outside of any world; give finite numbers, m")
    return array


def box(points: Sequence[Sequence[float]]) -> Overlap:
    """The box between two corners; this function and the following ones raise `CommandRejectedError`."""
    corners = _checked(points, 2, 2, "box")
    least, greatest = corners.min(0), corners.max(0)
    return lambda other: bool((other[0] <= greatest).all() and (other[1] >= least).all())


def sphere(points: Sequence[Sequence[float]]) -> Overlap:
    """The sphere around the first point; the x of the second point is the radius, m."""
    centre, (radius, _, _) = _checked(points, 2, 2, "sphere")
    if radius < 0:
        raise CommandRejectedError(f"bounds: the radius of a sphere is {radius:g} m; give one above 0")
    return lambda other: bool(np.linalg.norm(centre - np.clip(centre, *other)) <= radius)


def convex_hull(points: Sequence[Sequence[float]]) -> Overlap:
    """The convex hull of three points or more that are not all on one line."""
    corners = _checked(points, 3, MAX_POINTS, "convex hull")
    spread = np.linalg.svd(corners - corners.mean(0), compute_uv=False)
    if spread[1] <= 1e-9 * max(spread[0], 1e-9):
        raise CommandRejectedError("bounds: the points of the convex hull lie on one line")
    return partial(_hull_touches, corners)


def _hull_touches(corners: Array, other: Box) -> bool:
    """Frank and Wolfe's method: walk through the hull until the box is reached, or until a plane parts the two."""
    place = corners.mean(0)
    for _ in range(_ROUNDS):
        away = place - np.clip(place, *other)
        if np.linalg.norm(away) < _NEAR:
            return True
        nearest = corners[np.argmin(corners @ away)]
        if away @ nearest > away @ np.where(away > 0, other[1], other[0]):
            return False
        step = nearest - place
        place = place + min(1.0, max(0.0, -(step @ away) / (step @ step))) * step
    # Nearer than the method can tell.
    return True

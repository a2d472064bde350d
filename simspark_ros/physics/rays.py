"""Rays against the solids of a world, in closed form, for every engine alike.

Shapes come from the models and the scene, poses from the engine's present `link_poses`. Ray queries of the engines'
libraries are not used: they differ for rays from inside a solid, Bullet's query sees the links where they were before
the step, and none of them can ignore a whole robot without a change of the world. All rays are tested against the
bounding spheres of whole robots, then of their shapes, in a few array calls. The few pairs of ray and solid that
remain are computed exactly, one kind of solid at a time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import NamedTuple

import numpy as np

from simspark_ros.physics.engine import (
    Array,
    EngineCore,
    EngineState,
    IntArray,
    LinkSelection,
    PhysicsError,
    RayHits,
    RayTarget,
)
from simspark_ros.physics.geometry.transforms import product, rotation_from_rpy
from simspark_ros.physics.height_rays import meet_height_field
from simspark_ros.physics.model import HeightField, SceneModel, Shape, ShapeKind
from simspark_ros.physics.ray_entry import KINDS, enter, half_size, hull_planes

# Excess of bounding spheres over the shapes, m: it covers the rounding of the coarse test.
_SPARE = 1e-3
_PIECE = 2048
"""Number of rays that are cast together: their tests against all robots fit the cache."""


class _Solids(NamedTuple):
    """All solids but the ground and height fields: S shapes of links, then the ball, then the immovable solids.

    Attributes:
        revision: revision of the state that the solids were listed for.
        selection: the link of each shape of a link.
        offset: (S, 3) centre of each link's shape from the link's centre of mass, in the link's axes, m.
        turn: (S, 3, 3) rotations shape to link.
        kind: (all,) index of the kind in `KINDS`.
        size: (all, 3) sizes as in `half_size`, m.
        planes: (all, F, 4) planes of the hulls, see `hull_planes`.
        radius: (all,) radius of the bounding sphere, m.
        target, handle, link: (all,) entries of `RayHits` for a hit of the solid.
        fixed: (K, 3) centres of the immovable solids, m.
        fixed_turn: (K, 3, 3) rotations of the immovable solids to the world.
        start: (G,) first solid of each group: the shapes of a robot, the ball, an obstacle.
    """

    revision: int
    selection: LinkSelection
    offset: Array
    turn: Array
    kind: IntArray
    size: Array
    planes: Array
    radius: Array
    target: IntArray
    handle: IntArray
    link: IntArray
    fixed: Array
    fixed_turn: Array
    start: IntArray


class _Rays(NamedTuple):
    """N rays: origins and unit directions (N, 3), and largest distances and robots to ignore, () or (N,)."""

    origins: Array
    directions: Array
    limit: Array
    ignore: IntArray


class RayCaster:
    """Casts rays in the world of one engine."""

    def __init__(self, core: EngineCore, scene: SceneModel) -> None:
        self._core, self._scene = core, scene
        boxes = [Shape(ShapeKind.BOX, box.size, box.centre) for box in scene.boxes]
        others = [obstacle.shape for obstacle in scene.obstacles]
        self._standing = boxes + [shape for shape in others if isinstance(shape, Shape)]
        self._height_fields = [shape for shape in others if isinstance(shape, HeightField)]
        self._solids: _Solids | None = None

    def cast(self, origins: Array, directions: Array, max_distance: float | Array, ignore: int | IntArray) -> RayHits:
        """See PhysicsEngine.cast_rays."""
        origins, directions = np.asarray(origins, np.float64), np.asarray(directions, np.float64)
        limit = np.asarray(max_distance, np.float64)
        directions = _checked(origins, directions, limit)
        state = self._core.state
        passed = np.asarray(ignore, np.int64)
        _check_ignored(passed, len(origins), state)
        solids = self._solids
        if solids is None or solids.revision != state.revision:
            solids = self._solids = self._list(state)
        places = self._poses(solids, state)
        rays = len(origins)
        result = RayHits(
            distance=np.full(rays, np.inf),
            target=np.zeros(rays, np.int64),
            handle=np.full(rays, -1, np.int64),
            link=np.full(rays, -1, np.int64),
            normal=np.zeros((rays, 3)),
        )
        for start in range(0, rays, _PIECE):
            own = slice(start, start + _PIECE)
            piece = RayHits(**{field.name: getattr(result, field.name)[own] for field in fields(RayHits)})
            cast = _Rays(
                origins[own],
                directions[own],
                limit[own] if limit.ndim else limit,
                passed[own] if passed.ndim else passed,
            )
            _meet(piece, cast, solids, *places)
            for field in self._height_fields:
                _add_height_field(piece, field, cast.origins, cast.directions)
            _add_ground(piece, cast.origins, cast.directions)
            _cut(piece, cast.limit)
        return result

    def _list(self, state: EngineState) -> _Solids:
        places = [
            (handle, number, shape, link)
            for handle, model in zip(state.handles, state.models, strict=True)
            for number, link in enumerate(model.links)
            for shape in link.collisions
        ]
        scene = self._scene
        shapes = [shape for _, _, shape, _ in places]
        shapes += [] if scene.ball is None else [Shape(ShapeKind.SPHERE, (scene.ball.radius,))]
        shapes += self._standing
        size = np.array([half_size(shape) for shape in shapes]).reshape(-1, 3)
        kind = np.array([KINDS.index(shape.kind) for shape in shapes], np.int64)
        balls, others = int(scene.ball is not None), len(shapes) - len(places)
        targets = [*[RayTarget.ROBOT] * len(places), *[RayTarget.BALL] * balls]
        boxed = np.array([shape.is_boxed for shape in shapes], np.bool_)
        return _Solids(
            revision=state.revision,
            selection=self._core.select_links([(handle, link.name) for handle, _, _, link in places]),
            offset=np.array([np.subtract(shape.position, link.centre) for _, _, shape, link in places]).reshape(-1, 3),
            turn=np.array([rotation_from_rpy(shape.rpy) for _, _, shape, _ in places]).reshape(-1, 3, 3),
            kind=kind,
            size=size,
            planes=hull_planes(shapes),
            # To the corner of a box; of a round solid, the sum of radius and half length is enough.
            radius=np.where(boxed, np.sqrt((size * size).sum(axis=1)), size[:, 0] + size[:, 2]) + _SPARE,
            target=np.array([*targets, *[RayTarget.OBSTACLE] * len(self._standing)], np.int64),
            handle=np.array([*(handle for handle, _, _, _ in places), *[-1] * others], np.int64),
            link=np.array([*(number for _, number, _, _ in places), *[-1] * others], np.int64),
            fixed=np.array([shape.position for shape in self._standing]).reshape(-1, 3),
            fixed_turn=np.array([rotation_from_rpy(shape.rpy) for shape in self._standing]).reshape(-1, 3, 3),
            start=_starts([handle for handle, _, _, _ in places], others),
        )

    def _poses(self, solids: _Solids, state: EngineState) -> tuple[Array, Array]:
        """Centres (all, 3) and rotations solid to world (all, 3, 3) of all solids now."""
        centre, rotation = self._core.link_poses(solids.selection)
        ball = [] if self._scene.ball is None else [state.ball_position[None]]
        moved = centre + np.einsum("sij,sj->si", rotation, solids.offset)
        turns = product(rotation, solids.turn), np.broadcast_to(np.eye(3), (len(ball), 3, 3)), solids.fixed_turn
        return np.concatenate((moved, *ball, solids.fixed)), np.concatenate(turns)


def _meet(hits: RayHits, rays: _Rays, solids: _Solids, centre: Array, turn: Array) -> None:
    """Write the first hits of rays with solids at these poses, at any distance."""
    ray, solid = _near(rays, centre, solids)
    if (rays.ignore != -1).any():
        # Solids that are no robots have the handle -1: rays that ignore no robot must still hit them.
        handle = solids.handle.take(solid)
        seen = (handle != (rays.ignore.take(ray) if rays.ignore.ndim else rays.ignore)) | (handle == -1)
        ray, solid = ray[seen], solid[seen]
    # Rays in the axes of their solids: a row vector times the rotation is the transpose applied to a column.
    into = turn.take(solid, 0)
    start = np.einsum("pi,pij->pj", rays.origins.take(ray, 0) - centre.take(solid, 0), into)
    course = np.einsum("pi,pij->pj", rays.directions.take(ray, 0), into)
    distance, normal = enter(solids.kind.take(solid), solids.size.take(solid, 0), start, course, solid, solids.planes)
    first = _first(len(rays.origins), ray, distance)
    hit = first >= 0
    which = solid.take(first[hit])
    hits.distance[hit] = distance.take(first[hit])
    hits.target[hit], hits.handle[hit] = solids.target.take(which), solids.handle.take(which)
    hits.link[hit] = solids.link.take(which)
    hits.normal[hit] = np.einsum("nij,nj->ni", turn.take(which, 0), normal.take(first[hit], 0))


def _check_ignored(ignore: IntArray, rays: int, state: EngineState) -> None:
    if ignore.shape not in ((), (rays,)):
        raise PhysicsError(f"ignore one robot, or (N,) robots for N = {rays} rays, not {ignore.shape}")
    for handle in set(ignore.reshape(-1).tolist()) - {-1}:
        state.row(handle)


def _checked(origins: Array, directions: Array, limit: Array) -> Array:
    """The directions scaled to length one; PhysicsError if arguments are bad."""
    if origins.ndim != 2 or origins.shape[1] != 3 or origins.shape != directions.shape:
        raise PhysicsError(
            f"origins and directions of N rays must be (N, 3), not {origins.shape} and {directions.shape}"
        )
    if not (np.isfinite(origins).all() and np.isfinite(directions).all()):
        raise PhysicsError("origins and directions of rays must be finite numbers")
    if limit.shape not in ((), (len(origins),)):
        raise PhysicsError(f"the largest distance of N rays must be one number or (N,), not {limit.shape}")
    if not (limit >= 0.0).all():
        raise PhysicsError(f"the largest distance of rays must be 0 or more, not {limit.min()}")
    largest = np.abs(directions).max(axis=1, initial=0.0)
    if not largest.all():
        raise PhysicsError(f"ray {int(np.flatnonzero(largest == 0.0)[0])} has a direction of zeros")
    # Scaled first: squares of very large numbers would leave the range of floats, squares of very small ones vanish.
    scaled = directions / largest[:, None]
    unit: Array = scaled / np.sqrt((scaled * scaled).sum(axis=1))[:, None]
    return unit


def _starts(handles: Sequence[int], others: int) -> IntArray:
    """(G,) index of the first shape of each robot, then the index of every solid that is no robot."""
    of_robots = [i for i, handle in enumerate(handles) if i == 0 or handle != handles[i - 1]]
    return np.array([*of_robots, *range(len(handles), len(handles) + others)], np.int64)


def _near(rays: _Rays, centre: Array, solids: _Solids) -> tuple[IntArray, IntArray]:
    """Pairs of a ray and a solid whose bounding sphere the ray meets, in the order of rays."""
    if not len(centre):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    origins, directions, limit = rays.origins, rays.directions, rays.limit
    count = np.diff(solids.start, append=len(centre))
    # A sphere around all spheres of a group: not the smallest one, but cheap.
    middle = np.add.reduceat(centre, solids.start) / count[:, None]
    apart = centre - middle.repeat(count, 0)
    reach = np.maximum.reduceat(np.sqrt((apart * apart).sum(axis=1)) + solids.radius, solids.start)
    groups = _in_sight(rays, middle, reach)
    ray, group = _near_groups(origins, directions, limit, middle[groups], reach[groups])
    group = groups.take(group)
    # All solids of the groups that are left.
    size = count.take(group)
    # All ranges start .. start + size one after the other: the place in the whole, less the place of the range's start.
    solid = np.arange(size.sum()) + (solids.start.take(group) - (size.cumsum() - size)).repeat(size)
    ray = ray.repeat(size)
    toward, radius = centre.take(solid, 0) - origins.take(ray, 0), solids.radius.take(solid)
    along = np.einsum("pi,pi->p", toward, directions.take(ray, 0))
    # The line's squared distance from the centre. The centre may lie behind the origin, which then is in the sphere.
    meets = np.einsum("pi,pi->p", toward, toward) - along * along <= radius * radius
    meets &= (along >= -radius) & (along <= (limit.take(ray) if limit.ndim else limit) + radius)
    return ray[meets], solid[meets]


def _in_sight(rays: _Rays, centre: Array, radius: Array) -> IntArray:
    """The bounding spheres that meet the cone around all rays, as the beams of a scanner miss most robots."""
    about, axis = rays.origins.mean(axis=0), rays.directions.mean(axis=0)
    # The rays begin at several places. Instead of the cone, the spheres grow by the farthest of these places.
    apart, length = rays.origins - about, math.hypot(*axis)
    reach = radius + math.sqrt((apart * apart).sum(axis=1).max())
    toward = centre - about
    distance = np.sqrt((toward * toward).sum(axis=1))
    away = distance - reach
    seen = away <= rays.limit.max()
    # Rays to all sides have no common direction, and no cone that is worth a test.
    if length > 0.1:
        opening = np.arccos(np.clip((rays.directions @ axis).min() / length, -1.0, 1.0))
        outside = away > 0.0
        far = np.where(outside, distance, 1.0)
        aside = np.arccos(np.clip(toward @ axis / (far * length), -1.0, 1.0))
        seen &= ~(outside & (aside > opening + np.arcsin(np.minimum(reach / far, 1.0)) + _SPARE))
    return np.flatnonzero(seen)


def _near_groups(
    origins: Array, directions: Array, limit: Array, centre: Array, radius: Array
) -> tuple[IntArray, IntArray]:
    # Coordinates about the first origin, if there is one: squares of distances lose few digits there.
    about = origins[:1].sum(axis=0)
    centre, origins = centre - about, origins - about
    along = directions @ centre.T - (directions * origins).sum(axis=1)[:, None]
    # |c - o|^2 = c c + o o - 2 c o needs only a product of matrices, and no array of (N, G, 3) differences.
    apart = (centre * centre).sum(axis=1) + (origins * origins).sum(axis=1)[:, None] - 2.0 * (origins @ centre.T)
    meets = (apart - along * along <= radius * radius) & (along >= -radius) & (along <= limit[..., None] + radius)
    ray, group = np.nonzero(meets)
    return ray.astype(np.int64), group.astype(np.int64)


def _first(rays: int, ray: IntArray, distance: Array) -> IntArray:
    """(N,) each ray's pair with the shortest distance, the first of equal ones; -1 for a ray without pairs."""
    hits = np.flatnonzero(np.isfinite(distance))
    shortest = np.full(rays, np.inf)
    np.minimum.at(shortest, ray[hits], distance[hits])
    # Reversed, so that of equal distances the first solid is written last and stays.
    winners = hits[distance[hits] == shortest[ray[hits]]][::-1]
    first = np.full(rays, -1, np.int64)
    first[ray[winners]] = winners
    return first


def _add_height_field(hits: RayHits, field: HeightField, origins: Array, directions: Array) -> None:
    distance, normal = meet_height_field(field, origins, directions)
    nearer = distance < hits.distance
    hits.distance[nearer], hits.target[nearer] = distance[nearer], RayTarget.OBSTACLE
    hits.handle[nearer] = hits.link[nearer] = -1
    hits.normal[nearer] = normal[nearer]


def _add_ground(hits: RayHits, origins: Array, directions: Array) -> None:
    """Write hits of rays that meet the plane z = 0 from above before anything else."""
    height, descent = origins[:, 2], -directions[:, 2]
    down = descent > 0.0
    distance = np.where(down, height / np.where(down, descent, 1.0), np.inf)
    ground = (height >= 0.0) & (distance < hits.distance)
    hits.distance[ground], hits.target[ground] = distance[ground], RayTarget.GROUND
    hits.handle[ground] = hits.link[ground] = -1
    hits.normal[ground] = (0.0, 0.0, 1.0)


def _cut(hits: RayHits, limit: Array) -> None:
    """Drop hits beyond the largest distance."""
    far = hits.distance > limit
    hits.distance[far], hits.target[far] = np.inf, RayTarget.NOTHING
    hits.handle[far] = hits.link[far] = -1
    hits.normal[far] = 0.0

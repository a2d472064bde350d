"""Rays against the solids of a world, in closed form, for every engine alike.

The shapes are those of the models and the scene, their poses are the engine's `link_poses` of now. Ray queries of the
engines' libraries are not used: they differ in what a ray from inside a solid hits, Bullet's sees the links where they
were before the step, and none passes through one whole robot without a change of the world. All rays are tested
against the bounding spheres of whole robots, then of their shapes, in a few array calls, and the few pairs that remain
one kind at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simspark_ros.physics.engine import (
    Array,
    BoolArray,
    EngineCore,
    EngineState,
    IntArray,
    LinkSelection,
    PhysicsError,
    RayHits,
    RayTarget,
)
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.physics.model import SceneModel, Shape, ShapeKind

# Bounding spheres are this much larger than the shapes, m: rounding of the coarse test.
_SPARE = 1e-3
_KINDS = (ShapeKind.BOX, ShapeKind.SPHERE, ShapeKind.CYLINDER, ShapeKind.CAPSULE)


@dataclass(frozen=True)
class _Solids:
    """All solids but the ground: S shapes of links, then the ball, then the static boxes.

    Attributes:
        revision: of the state they were listed for.
        selection: the link of each shape of a link.
        offset: (S, 3) centre of those shapes from the link's centre of mass, in the link's axes, m.
        turn: (S, 3, 3) shape to link.
        kind: (all,) index in `_KINDS`.
        size: (all, 3) half edges of a box; radius, radius, half length of the others (0 for a sphere), m.
        radius: (all,) of the bounding sphere, m.
        target, handle, link: (all,) see RayHits.
        fixed: (boxes, 3) centres of the static boxes.
        start: (G,) first solid of each group: the shapes of a robot, the ball, a box.
    """

    revision: int
    selection: LinkSelection
    offset: Array
    turn: Array
    kind: IntArray
    size: Array
    radius: Array
    target: IntArray
    handle: IntArray
    link: IntArray
    fixed: Array
    start: IntArray


class RayCaster:
    """Casts rays in the world of one engine."""

    def __init__(self, core: EngineCore, scene: SceneModel) -> None:
        self._core, self._scene = core, scene
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
        centre, turn = self._poses(solids, state)
        ray, solid = _near(origins, directions, limit, centre, solids)
        if (passed != -1).any():
            # Solids that are no robots have the handle -1, which rays that ignore none must not pass.
            handle = solids.handle.take(solid)
            seen = (handle != (passed.take(ray) if passed.ndim else passed)) | (handle == -1)
            ray, solid = ray[seen], solid[seen]
        # In the axes of the solids, whose transposes turn row vectors into them.
        into = turn.take(solid, 0)
        start = np.einsum("pi,pij->pj", origins.take(ray, 0) - centre.take(solid, 0), into)
        course = np.einsum("pi,pij->pj", directions.take(ray, 0), into)
        distance, normal = _enter(solids.kind.take(solid), solids.size.take(solid, 0), start, course)
        first = _first(len(origins), ray, distance)
        hit = first >= 0
        which = solid.take(first[hit])
        result = RayHits(
            distance=np.full(len(origins), np.inf),
            target=np.zeros(len(origins), np.int64),
            handle=np.full(len(origins), -1, np.int64),
            link=np.full(len(origins), -1, np.int64),
            normal=np.zeros((len(origins), 3)),
        )
        result.distance[hit] = distance.take(first[hit])
        result.target[hit], result.handle[hit] = solids.target.take(which), solids.handle.take(which)
        result.link[hit] = solids.link.take(which)
        result.normal[hit] = np.einsum("nij,nj->ni", turn.take(which, 0), normal.take(first[hit], 0))
        _add_ground(result, origins, directions)
        _cut(result, limit)
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
        shapes += [Shape(ShapeKind.BOX, box.size) for box in scene.boxes]
        size = np.array([_half_size(shape) for shape in shapes]).reshape(-1, 3)
        kind = np.array([_KINDS.index(shape.kind) for shape in shapes], np.int64)
        balls, others = int(scene.ball is not None), len(shapes) - len(places)
        targets = [*[RayTarget.ROBOT] * len(places), *[RayTarget.BALL] * balls]
        boxed = kind == _KINDS.index(ShapeKind.BOX)
        return _Solids(
            revision=state.revision,
            selection=self._core.select_links([(handle, link.name) for handle, _, _, link in places]),
            offset=np.array([np.subtract(shape.position, link.centre) for _, _, shape, link in places]).reshape(-1, 3),
            turn=np.array([rotation_from_rpy(shape.rpy) for _, _, shape, _ in places]).reshape(-1, 3, 3),
            kind=kind,
            size=size,
            radius=np.where(boxed, np.sqrt((size * size).sum(axis=1)), size[:, 0] + size[:, 2]) + _SPARE,
            target=np.array([*targets, *[RayTarget.OBSTACLE] * len(scene.boxes)], np.int64),
            handle=np.array([*(handle for handle, _, _, _ in places), *[-1] * others], np.int64),
            link=np.array([*(number for _, number, _, _ in places), *[-1] * others], np.int64),
            fixed=np.array([box.centre for box in scene.boxes]).reshape(-1, 3),
            start=_starts([handle for handle, _, _, _ in places], others),
        )

    def _poses(self, solids: _Solids, state: EngineState) -> tuple[Array, Array]:
        """Centres (all, 3) and rotations solid to world (all, 3, 3) of all solids now."""
        centre, rotation = self._core.link_poses(solids.selection)
        ball = [] if self._scene.ball is None else [state.ball_position[None]]
        moved = centre + np.einsum("sij,sj->si", rotation, solids.offset)
        still = np.broadcast_to(np.eye(3), (len(solids.kind) - len(centre), 3, 3))
        return np.concatenate((moved, *ball, solids.fixed)), np.concatenate((rotation @ solids.turn, still))


def _check_ignored(ignore: IntArray, rays: int, state: EngineState) -> None:
    if ignore.shape not in ((), (rays,)):
        raise PhysicsError(f"robots to ignore must be one or (N,) for N = {rays} rays, not {ignore.shape}")
    for handle in set(ignore.reshape(-1).tolist()) - {-1}:
        state.row(handle)


def _checked(origins: Array, directions: Array, limit: Array) -> Array:
    """The directions with length one."""
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
    # Scaled first: squares of very large numbers would leave the range of floats, those of very small ones vanish.
    scaled = directions / largest[:, None]
    unit: Array = scaled / np.sqrt((scaled * scaled).sum(axis=1))[:, None]
    return unit


def _half_size(shape: Shape) -> tuple[float, float, float]:
    if shape.kind is ShapeKind.BOX:
        x, y, z = shape.size
        return x / 2.0, y / 2.0, z / 2.0
    radius, length = (*shape.size, 0.0)[:2]
    return radius, radius, length / 2.0


def _starts(handles: Sequence[int], others: int) -> IntArray:
    """(G,) index of the first shape of each robot, then those of the solids that are no robots."""
    of_robots = [i for i, handle in enumerate(handles) if i == 0 or handle != handles[i - 1]]
    return np.array([*of_robots, *range(len(handles), len(handles) + others)], np.int64)


def _near(origins: Array, directions: Array, limit: Array, centre: Array, solids: _Solids) -> tuple[IntArray, IntArray]:
    """Rays and solids, pair by pair, whose bounding spheres the rays meet; in the order of rays."""
    if not len(centre):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    count = np.diff(solids.start, append=len(centre))
    middle = np.add.reduceat(centre, solids.start) / count[:, None]
    apart = centre - middle.repeat(count, 0)
    reach = np.maximum.reduceat(np.sqrt((apart * apart).sum(axis=1)) + solids.radius, solids.start)
    ray, group = _near_groups(origins, directions, limit, middle, reach)
    # Every solid of the groups that are left.
    size = count.take(group)
    solid = np.arange(size.sum()) + (solids.start.take(group) - (size.cumsum() - size)).repeat(size)
    ray = ray.repeat(size)
    toward, radius = centre.take(solid, 0) - origins.take(ray, 0), solids.radius.take(solid)
    along = np.einsum("pi,pi->p", toward, directions.take(ray, 0))
    meets = np.einsum("pi,pi->p", toward, toward) - along * along <= radius * radius
    meets &= (along >= -radius) & (along <= (limit.take(ray) if limit.ndim else limit) + radius)
    return ray[meets], solid[meets]


def _near_groups(
    origins: Array, directions: Array, limit: Array, centre: Array, radius: Array
) -> tuple[IntArray, IntArray]:
    # In coordinates about the first origin, if there is one: squares of distances lose few digits there.
    about = origins[:1].sum(axis=0)
    centre, origins = centre - about, origins - about
    along = directions @ centre.T - (directions * origins).sum(axis=1)[:, None]
    apart = (centre * centre).sum(axis=1) + (origins * origins).sum(axis=1)[:, None] - 2.0 * (origins @ centre.T)
    meets = (apart - along * along <= radius * radius) & (along >= -radius) & (along <= limit[..., None] + radius)
    ray, group = np.nonzero(meets)
    return ray.astype(np.int64), group.astype(np.int64)


def _enter(kind: IntArray, size: Array, start: Array, course: Array) -> tuple[Array, Array]:
    """Distances (P,) at which rays enter solids, infinite where they do not, and normals (P, 3) in the solids' axes."""
    distance, normal = np.full(len(kind), np.inf), np.zeros((len(kind), 3))
    for number, enter in enumerate((_enter_box, _enter_sphere, _enter_cylinder, _enter_capsule)):
        own = np.flatnonzero(kind == number)
        if own.size:
            distance[own], normal[own] = enter(size[own], start[own], course[own])
    return distance, normal


def _slab(half: Array, start: Array, course: Array) -> tuple[Array, Array]:
    """Distances at which lines enter and leave the space between -half and half along an axis."""
    parallel = course == 0.0
    inverse = 1.0 / np.where(parallel, 1.0, course)
    one, other = (-half - start) * inverse, (half - start) * inverse
    inside = np.abs(start) < half
    enter = np.where(parallel, np.where(inside, -np.inf, np.inf), np.minimum(one, other))
    return enter, np.where(parallel, np.inf, np.maximum(one, other))


def _enter_box(size: Array, start: Array, course: Array) -> tuple[Array, Array]:
    enter, leave = _slab(size, start, course)
    face = enter.argmax(axis=1)
    rows = np.arange(len(face))
    distance = enter[rows, face]
    normal = np.zeros_like(start)
    normal[rows, face] = -np.sign(course[rows, face])
    return _outside(distance, distance <= leave.min(axis=1)), normal


def _enter_sphere(size: Array, start: Array, course: Array) -> tuple[Array, Array]:
    distance = _ball_entry(size[:, 0], start, course)
    return distance, _unit(start + np.where(np.isfinite(distance), distance, 0.0)[:, None] * course)


def _ball_entry(radius: Array, start: Array, course: Array) -> Array:
    along = (start * course).sum(axis=1)
    # The square of how near the line comes, from the nearest point itself: exact for spheres far away.
    nearest = start - along[:, None] * course
    room = radius * radius - (nearest * nearest).sum(axis=1)
    return _outside(-along - np.sqrt(np.maximum(room, 0.0)), room >= 0.0)


def _enter_cylinder(size: Array, start: Array, course: Array) -> tuple[Array, Array]:
    through, out = _slab(size[:, 2], start[:, 2], course[:, 2])
    enter, leave = _mantle(size[:, 0], start, course)
    distance = np.maximum(through, enter)
    met = start + np.where(np.isfinite(distance), distance, 0.0)[:, None] * course
    flat = through >= enter
    normal = np.where(flat[:, None], 0.0, met / size[:, :1])
    normal[:, 2] = np.where(flat, -np.sign(course[:, 2]), 0.0)
    return _outside(distance, distance <= np.minimum(out, leave)), normal


def _mantle(radius: Array, start: Array, course: Array) -> tuple[Array, Array]:
    """Distances at which lines enter and leave an endless cylinder about z."""
    x, y, u, v = start[:, 0], start[:, 1], course[:, 0], course[:, 1]
    speed = u * u + v * v
    upright = speed == 0.0
    slope = np.where(upright, 1.0, speed)
    cross = x * v - y * u
    room = radius * radius * speed - cross * cross
    half = np.sqrt(np.maximum(room, 0.0)) / slope
    middle = -(x * u + y * v) / slope
    inside = np.where(upright, x * x + y * y < radius * radius, room >= 0.0)
    enter = np.where(inside, np.where(upright, -np.inf, middle - half), np.inf)
    return enter, np.where(upright, np.inf, middle + half)


def _enter_capsule(size: Array, start: Array, course: Array) -> tuple[Array, Array]:
    radius, half = size[:, 0], size[:, 2]
    # The first of its three convex parts, unless the ray starts in another one of them.
    distance, _ = _enter_cylinder(size, start, course)
    for side in (-1.0, 1.0):
        from_cap = start.copy()
        from_cap[:, 2] -= side * half
        distance = np.minimum(distance, _ball_entry(radius, from_cap, course))
    away = start.copy()
    away[:, 2] -= np.clip(away[:, 2], -half, half)
    distance = _outside(distance, (away * away).sum(axis=1) >= radius * radius)
    met = start + np.where(np.isfinite(distance), distance, 0.0)[:, None] * course
    met[:, 2] -= np.clip(met[:, 2], -half, half)
    return distance, _unit(met)


def _outside(distance: Array, meets: BoolArray) -> Array:
    """Infinite where a line does not meet a solid, or does so behind the ray's origin."""
    return np.where(meets & (distance >= 0.0), distance, np.inf)


def _unit(vectors: Array) -> Array:
    length = np.sqrt((vectors * vectors).sum(axis=1))
    unit: Array = vectors / np.where(length > 0.0, length, 1.0)[:, None]
    return unit


def _first(rays: int, ray: IntArray, distance: Array) -> IntArray:
    """(N,) the pair with the shortest distance of each ray, the first of equal ones; -1 without any."""
    hits = np.flatnonzero(np.isfinite(distance))
    shortest = np.full(rays, np.inf)
    np.minimum.at(shortest, ray[hits], distance[hits])
    # Backwards: of equal distances the first solid is written last.
    winners = hits[distance[hits] == shortest[ray[hits]]][::-1]
    first = np.full(rays, -1, np.int64)
    first[ray[winners]] = winners
    return first


def _add_ground(hits: RayHits, origins: Array, directions: Array) -> None:
    """Rays that meet the plane z = 0 from above before anything else."""
    height, descent = origins[:, 2], -directions[:, 2]
    down = descent > 0.0
    distance = np.where(down, height / np.where(down, descent, 1.0), np.inf)
    ground = (height >= 0.0) & (distance < hits.distance)
    hits.distance[ground], hits.target[ground] = distance[ground], RayTarget.GROUND
    hits.handle[ground] = hits.link[ground] = -1
    hits.normal[ground] = (0.0, 0.0, 1.0)


def _cut(hits: RayHits, limit: Array) -> None:
    """Nothing beyond the largest distance is hit."""
    far = hits.distance > limit
    hits.distance[far], hits.target[far] = np.inf, RayTarget.NOTHING
    hits.handle[far] = hits.link[far] = -1
    hits.normal[far] = 0.0

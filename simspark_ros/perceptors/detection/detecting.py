"""One picture of a detector: the things in it, and their errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from simspark_ros.configuration.schema import Checked, Error, Range
from simspark_ros.perceptors.detection.detectable import Boxes, Detectable
from simspark_ros.perceptors.detection.imaging import Imager
from simspark_ros.perceptors.readings import Detected, Detections
from simspark_ros.physics.engine import Array, BoolArray, IntArray
from simspark_ros.physics.geometry.hulls import CORNERS
from simspark_ros.physics.geometry.rotations import heading_of
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import SoccerWorld, soccer_world
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

_ANGLE = Annotated[float, Range(0.0, 90.0, "degrees"), Error()]
_LENGTH = Annotated[float, Range(0.0, 100.0, "m"), Error()]
_NEAREST_PHANTOM = 0.3
_UPRIGHT = 0.7
"""Height of a robot's upward axis above which it stands."""
_LEAST_SCALE = 0.1
"""Least factor that noise may put on a distance."""


@dataclass(frozen=True)
class DetectionParameters(Checked):
    """Parameters in YAML.

    Attributes:
        camera: name of the robot's camera that takes the pictures; empty = its first.
        interval: cycles between two pictures; robots take turns.
        range_max: greatest distance at which a thing is found, m.
        occlusion: whether things hide behind others, tested by a ray to the centre of each; lines are never hidden.
        missed: probability that a thing or line in the picture is not found.
        phantoms: mean number of detections in a picture that are not there, of each kind: ball, goal posts, robots.
        direction_noise_deg: standard deviation of directions, horizontal and vertical.
        distance_noise: standard deviation of distances, as a fraction of the distance.
        velocity_noise: standard deviation of each component of a velocity, m/s.
        position_noise, heading_noise_deg: standard deviations of the robot's belief about its own pose, of x and y (m)
            and of the heading.
    """

    camera: str = ""
    interval: Annotated[int, Range(1, 10_000, "cycles")] = 5
    range_max: Annotated[float, Range(0.5, 1000.0, "m")] = 20.0
    occlusion: bool = True
    missed: Annotated[float, Range(0.0, 1.0), Error()] = 0.0
    phantoms: Annotated[float, Range(0.0, 10.0), Error()] = 0.0
    direction_noise_deg: _ANGLE = 0.0
    distance_noise: Annotated[float, Range(0.0, 10.0), Error()] = 0.0
    velocity_noise: Annotated[float, Range(0.0, 100.0, "m/s"), Error()] = 0.0
    position_noise: _LENGTH = 0.0
    heading_noise_deg: _ANGLE = 0.0

    @property
    def direction_noise(self) -> float:
        """Standard deviation of directions, rad."""
        return math.radians(self.direction_noise_deg)

    @property
    def heading_noise(self) -> float:
        """Standard deviation of the robot's own heading, rad."""
        return math.radians(self.heading_noise_deg)


class Viewpoint(NamedTuple):
    """A detector in one cycle: poses (3, 4) have a rotation and a position in the world, m.

    Attributes:
        row: row of the robot in the arrays of the engine's state.
        camera: pose of the camera's optical axes.
        frame: pose of the frame in which positions are reported.
        base: pose of the robot's base frame.
    """

    robot: Robot
    row: int
    imager: Imager
    camera: Array
    frame: Array
    base: Array


class ExactView(NamedTuple):
    """The content of a picture without errors.

    Attributes:
        points: (N, 3) points on the surfaces of all K things, optical axes, m.
        centre: (K, 3) centres of the boxes around the things, optical axes, m.
        shown: (K,) whether each thing is in the picture.
    """

    points: Array
    centre: Array
    shown: BoolArray


class _Found(NamedTuple):
    """K found things, with errors.

    Attributes:
        thing: (K,) index of each thing in `Detectable`, -1 = phantom.
        kind: (K,) `Detected` of each thing.
        centre: (K, 3) centre in optical axes, m.
        size: (K, 3) size along the world's axes, m.
        box: (K, 4) box in the picture, pixels.
    """

    thing: IntArray
    kind: IntArray
    centre: Array
    size: Array
    box: Array


def view_from(place: Viewpoint, things: Detectable, boxes: Boxes, range_max: float) -> ExactView:
    """The content of a camera's picture, hidden things included."""
    axes, origin = place.camera[:, :3], place.camera[:, 3]
    points, centre = (boxes.points - origin) @ axes, (boxes.centre - origin) @ axes
    shown = _in_picture(place.imager, place.imager.boxes(points, things.starts), centre) & (things.row != place.row)
    return ExactView(points, centre, shown & (np.linalg.norm(centre, axis=1) <= range_max))


def hide(world: World, boxes: Boxes, views: Sequence[tuple[Viewpoint, ExactView]]) -> None:
    """Take hidden things out of some pictures, by a ray to the centre of each thing."""
    shown = [np.flatnonzero(view.shown) for _, view in views]
    thing = np.concatenate([np.zeros(0, np.int64), *shown])
    if not len(thing):
        return
    counts = [len(own) for own in shown]
    origins = np.repeat([place.camera[:, 3] for place, _ in views], counts, 0)
    away = boxes.centre[thing] - origins
    distance = np.linalg.norm(away, axis=1)
    handles = np.repeat([place.robot.handle for place, _ in views], counts)
    hits = world.engine.cast_rays(origins, away, distance, handles)
    # A thing is hidden if its ray ends before the box around it.
    free = hits.distance >= distance - np.linalg.norm(boxes.size[thing], axis=1) / 2.0
    for (_, view), own, seen in zip(views, shown, np.split(free, np.cumsum(counts)[:-1]), strict=True):
        view.shown[own] = seen


def detect(
    world: World,
    things: Detectable,
    boxes: Boxes,
    place: Viewpoint,
    view: ExactView,
    options: DetectionParameters,
    random: np.random.Generator,
) -> Detections:
    """The detections in one picture, true things first."""
    axes, origin = place.camera[:, :3], place.camera[:, 3]
    own = int(np.flatnonzero(things.row == place.row)[0])
    real = _real(things, boxes.size, place.imager, view, options, random)
    phantoms = _phantoms(things, boxes.size, own, place, options, random)
    thing, kind, centre, size, box = (
        np.concatenate((getattr(real, name), getattr(phantoms, name)))
        for name in ("thing", "kind", "centre", "size", "box")
    )
    _, lines = place.imager.clip((things.lines[random.random(len(things.lines)) >= options.missed] - origin) @ axes)
    ends = lines.reshape(-1, 3)
    ends = np.einsum("nij,nj->ni", errors(len(ends), options, random), ends)
    in_world, ends_in_world = (origin + points @ axes.T for points in (centre, ends))
    in_map, covariance, turn, pose = _localised(in_world, centre, place, options, random)
    # A phantom, -1, reads the last thing's velocity, and stands still.
    velocity = boxes.velocity[thing] * (thing >= 0)[:, None]
    velocity += options.velocity_noise * random.standard_normal(velocity.shape)
    soccer = soccer_world(world)
    heading, states = _robots(world, np.where(thing >= 0, things.row[thing], -1), place)
    return Detections(
        kind=kind,
        team=_teams(soccer, things, thing, soccer.robots[place.robot.handle].side),
        number=_numbers(soccer, things, thing),
        state=states[:, 0],
        facing=states[:, 1],
        pixel=place.imager.inside(place.imager.pixels(centre)),
        box=box,
        position=_seen_from(place.frame, in_world),
        size=size,
        axes=place.frame[:, :3].T,
        line_pixels=place.imager.inside(place.imager.pixels(ends)).reshape(-1, 2, 2),
        lines=_seen_from(place.frame, ends_in_world).reshape(-1, 2, 3),
        in_map=in_map,
        covariance=covariance,
        velocity=velocity @ turn.T,
        heading=heading + heading_of(turn) * (kind == Detected.ROBOT),
        pose=pose,
    )


def _real(
    things: Detectable,
    sizes: Array,
    imager: Imager,
    view: ExactView,
    options: DetectionParameters,
    random: np.random.Generator,
) -> _Found:
    # Numbers are drawn for all things, so that a thing that comes into view leaves the errors of others as they are.
    seen = view.shown & (random.random(len(view.shown)) >= options.missed)
    error = errors(len(seen), options, random)
    centre = np.einsum("kij,kj->ki", error, view.centre)
    box = imager.boxes(np.einsum("nij,nj->ni", error[things.owner], view.points), things.starts)
    thing = np.flatnonzero(seen & _in_picture(imager, box, centre))
    return _Found(thing, things.kind[thing], centre[thing], sizes[thing], box[thing])


def _phantoms(
    things: Detectable,
    sizes: Array,
    own: int,
    place: Viewpoint,
    options: DetectionParameters,
    random: np.random.Generator,
) -> _Found:
    """Phantoms anywhere in the picture, as large as things of their kind; robots as large as the observer."""
    examples = [
        own if kind == Detected.ROBOT else int(np.flatnonzero(things.kind == kind)[0])
        for kind in Detected
        if (things.kind == kind).any()
    ]
    example = np.repeat(np.array(examples, np.int64), random.poisson(options.phantoms, len(examples)))
    count, size = len(example), sizes[example]
    distance = random.uniform(_NEAREST_PHANTOM, options.range_max, (count, 1))
    centre = distance * place.imager.directions(random.random((count, 2)))
    points = centre[:, None] + (CORNERS * size[:, None]) @ place.camera[:, :3]
    box = place.imager.boxes(points.reshape(-1, 3), np.arange(count) * len(CORNERS)) if count else np.zeros((0, 4))
    return _Found(np.full(count, -1), things.kind[example], centre, size, box)


def _in_picture(imager: Imager, box: Array, centre: Array) -> BoolArray:
    return imager.faces(centre) & (box[:, 2:] > box[:, :2]).all(1)


def errors(count: int, options: DetectionParameters, random: np.random.Generator) -> Array:
    """Error matrices (K, 3, 3) that turn and scale directions from the camera."""
    x, y, z = options.direction_noise * random.standard_normal((3, count))
    scale = np.maximum(1.0 + options.distance_noise * random.standard_normal(count), _LEAST_SCALE)
    angle = np.sqrt(x * x + y * y + z * z)
    zero = np.zeros(count)
    cross = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)
    # Rodrigues' formula; sinc is sin(pi t) / (pi t), and 1 at 0.
    first, second = np.sinc(angle / math.pi), np.sinc(angle / (2.0 * math.pi)) ** 2 / 2.0
    turns: Array = np.eye(3) + first[:, None, None] * cross + second[:, None, None] * (cross @ cross)
    turns *= scale[:, None, None]
    return turns


def _localised(
    points: Array, seen: Array, place: Viewpoint, options: DetectionParameters, random: np.random.Generator
) -> tuple[Array, Array, Array, Array]:
    """Points (K, 3) of the world in `map` by the robot's belief about its own pose; `seen` from its camera, m.

    Returns:
        Positions (K, 3) and their covariances (K, 3, 3), the error (3, 3) of the robot's heading, the believed pose
        (3, 4).
    """
    dx, dy, turned = random.standard_normal(3) * [options.position_noise, options.position_noise, options.heading_noise]
    c, s = math.cos(turned), math.sin(turned)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    pose = turn @ place.base
    pose[:, 3] = place.base[:, 3] + [dx, dy, 0.0]
    arm = (points - place.base[:, 3]) @ turn.T
    view = seen @ (turn @ place.camera[:, :3]).T
    along = np.einsum("ki,kj->kij", view, view)
    squares = np.einsum("kii->k", along)[:, None, None]
    # A small error of the heading moves a point by z x arm.
    around = np.stack((-arm[:, 1], arm[:, 0], np.zeros(len(arm))), 1)
    # Errors of direction act across the view v, as (v . v) 1 - v v', errors of distance along it, as v v'.
    covariance = (
        options.direction_noise**2 * (squares * np.eye(3) - along)
        + options.distance_noise**2 * along
        + options.heading_noise**2 * np.einsum("ki,kj->kij", around, around)
        + options.position_noise**2 * np.diag([1.0, 1.0, 0.0])
    )
    return pose[:, 3] + arm, covariance, turn, pose


def _seen_from(frame: Array, points: Array) -> Array:
    """Points (N, 3) of the world, seen in a frame with pose (3, 4)."""
    return (points - frame[:, 3]) @ frame[:, :3]


def _robots(world: World, rows: IntArray, place: Viewpoint) -> tuple[Array, IntArray]:
    """Headings (K,), rad, and state and facing (K, 2) of robots, by their rows; 0 for other things (row -1)."""
    heading, states = np.zeros(len(rows)), np.zeros((len(rows), 2), np.int64)
    for index in np.flatnonzero(rows >= 0).tolist():
        rotation = world.engine.state.rotation[rows[index]]
        heading[index] = heading_of(rotation)
        # The robot's forward axis in the camera's axes: right, down, away.
        right, _, away = (rotation[:, 0] @ place.camera[:, :3]).tolist()
        across = 4 if right > 0 else 3
        states[index] = 1 if rotation[2, 2] > _UPRIGHT else 2, across if abs(right) > abs(away) else 1 + (away > 0)
    return heading, states


def _teams(world: SoccerWorld, things: Detectable, thing: IntArray, own: Side | None) -> IntArray:
    robots = list(world.robots.values())
    sides = [
        None if index < 0 else robots[things.row[index]].side if things.row[index] >= 0 else things.goal[index]
        for index in thing.tolist()
    ]
    return np.array([0 if None in (side, own) else 1 if side is own else 2 for side in sides], np.int64)


def _numbers(world: SoccerWorld, things: Detectable, thing: IntArray) -> IntArray:
    robots = list(world.robots.values())
    numbers = [
        0 if index < 0 else robots[things.row[index]].unum if things.row[index] >= 0 else things.post_side[index]
        for index in thing.tolist()
    ]
    return np.array(numbers, np.int64)

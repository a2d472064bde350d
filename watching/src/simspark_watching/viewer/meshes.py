"""Meshes of everything that moves, each with all its instances, so that a browser draws them at once.

Every mesh costs two messages a picture, so robots share meshes: one for equal parts of all links and types, one for all
segments of all numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.geometry.rotations import rotations_from_quaternions
from simspark_ros.physics.model import BallModel, Link, Shape, ShapeKind, Vector
from simspark_ros.rendering.drawing.bodies import TEAM_COLOURS, coloured_parts
from simspark_ros.rendering.drawing.meshes import Colour, Mesh, box, joined, mesh_of, turned
from simspark_ros.robots.lights import colours_of
from simspark_ros.soccer.teams import Side
from simspark_watching.broadcast.bodies import BodyFrames, body_frames
from simspark_watching.broadcast.dress import known_robot, links_of_described, links_of_known
from simspark_watching.broadcast.labels import INK, DigitSegment, segments
from simspark_watching.broadcast.scene_recognition import SceneObjects, SceneRobot
from simspark_watching.viewer.field import ring

_BALL_PATCHES = (0.08, 0.08, 0.10, 1.0)
MARK_RADIUS = 0.3
"""Radius of the ring in a team's colour that lies around each robot, m."""

LIGHT_RADIUS = 0.0035
"""Radius of the ball that stands for a light, m."""

_UNLIT = 0.06
"""Brightness of a light that is off."""

_BALL_MARK: Colour = (1.0, 0.85, 0.1, 1.0)
_NUMBERED = "torso"
_GOLDEN = (1.0 + 5.0**0.5) / 2.0

Pieces = tuple[tuple[Mesh, Colour], ...]
"""Meshes of a link by colour, in its frame."""


@dataclass(frozen=True)
class Batch:
    """A mesh and where it is drawn.

    Attributes:
        mesh: the mesh, in the frame of a body.
        rows: (n,) row of each instance's frame in `BodyFrames`.
        colours: (n, 3) red, green, blue, 0 to 255.
        offsets: (n, 3) place of each instance in its frame, m; none = the origin.
        scales: (n, 3) scales of each instance along its axes; none = 1.
        is_light: whether it shows lights, whose colours change.
        is_mark: whether it marks a body instead of being one.
    """

    mesh: Mesh
    rows: IntArray
    colours: NDArray[np.uint8]
    offsets: Array | None = None
    scales: Array | None = None
    is_mark: bool = False
    is_light: bool = False

    def poses(self, positions: Array, quaternions: Array) -> tuple[Array, Array]:
        """Return positions (n, 3) and quaternions (n, 4) of all instances, given all bodies'."""
        at, turned = positions[self.rows], quaternions[self.rows]
        if self.offsets is not None:
            rotations = rotations_from_quaternions(turned[:, [1, 2, 3, 0]])
            at = at + np.einsum("nij,nj->ni", rotations, self.offsets)
        return at, turned


def build_bodies(
    objects: SceneObjects, ball: BallModel, lights: Mapping[int, str] | None = None
) -> tuple[BodyFrames, tuple[Batch, ...]]:
    """Meshes of all robots and the ball, and of robots' lights, as of `light_batch`."""
    gathered, bodies, row = _Batches(), body_frames(objects), 0
    told: dict[tuple[int, Side | None], tuple[Pieces, ...]] = {}
    for seen in objects.robots:
        for (link, _), pieces in zip(seen.links, _pieces_of(seen, told), strict=True):
            for mesh, colour in pieces:
                gathered.add(mesh, row, colour)
            if link == _NUMBERED and seen.unum and pieces:
                body = joined(mesh for mesh, _ in pieces)
                gathered.segments += [(row, one) for one in segments(seen.unum, body)]
            row += 1
    if objects.ball is not None:
        for mesh, colour in ball_pieces(ball):
            gathered.add(mesh, bodies.ball_row, colour)
    lamps = light_batch(objects, lights or {})
    return bodies, (*gathered.batches(), *lamps, *_marks(objects, len(bodies.nodes)))


def light_batch(objects: SceneObjects, lights: Mapping[int, str]) -> list[Batch]:
    """One batch of all lights, none without any; `lights`: text of `lights_text` by the place of the robot's node."""
    rows, colours, offsets = list[int](), list[Vector](), list[Array]()
    first = 0
    for seen in objects.robots:
        text = lights.get(seen.place, "")
        description = known_robot(seen.robot, seen.variant) if text else None
        for lamp in description.lights if description else ():
            number = next((i for i, (link, _) in enumerate(seen.links) if link == lamp.link), None)
            if number is not None and description is not None:
                rows += [first + number] * lamp.count
                colours += colours_of(text, lamp.device)
                offsets.append(np.array(lamp.places()) - description.model.link(lamp.link).centre)
        first += len(seen.links)
    if not rows:
        return []
    bright = np.rint(255.0 * np.maximum(colours, _UNLIT)).astype(np.uint8)
    sizes = np.full((len(rows), 3), LIGHT_RADIUS)
    ball = mesh_of(Shape(ShapeKind.SPHERE, (1.0,)))
    return [Batch(ball, np.array(rows, np.int64), bright, np.vstack(offsets), sizes, is_light=True)]


class _Batches:
    """Gathers instances by their mesh."""

    def __init__(self) -> None:
        self.segments: list[tuple[int, DigitSegment]] = []
        self._gathered: dict[bytes, tuple[Mesh, list[int], list[Colour]]] = {}

    def add(self, mesh: Mesh, row: int, colour: Colour) -> None:
        key = np.round(mesh.vertices, 6).tobytes() + mesh.triangles.tobytes()
        _, rows, colours = self._gathered.setdefault(key, (mesh, [], []))
        rows.append(row)
        colours.append(colour)

    def batches(self) -> Iterator[Batch]:
        for mesh, rows, colours in self._gathered.values():
            yield Batch(mesh, np.array(rows, np.int64), colour_bytes(colours))
        if self.segments:
            rows = [row for row, _ in self.segments]
            yield Batch(
                box(np.ones(3)),
                np.array(rows, np.int64),
                colour_bytes([INK] * len(rows)),
                np.array([segment.centre for _, segment in self.segments]),
                np.array([segment.size for _, segment in self.segments]),
            )


def _marks(objects: SceneObjects, first: int) -> Iterator[Batch]:
    """Yield rings around robots and an arrow above the ball; their rows begin with `first`."""
    marked = [row for row, seen in enumerate(objects.robots) if not (seen.described and seen.described.is_object)]
    if marked:
        rows = first + np.array(marked, np.int64)
        yield Batch(
            ring(MARK_RADIUS, 0.06),
            rows,
            colour_bytes([TEAM_COLOURS[objects.robots[row].side] for row in marked]),
            is_mark=True,
        )
    if objects.ball is not None:
        yield Batch(_arrow(), np.array([first + len(objects.robots)]), colour_bytes([_BALL_MARK]), is_mark=True)


def _arrow(radius: float = 0.07, height: float = 0.2, sides: int = 12) -> Mesh:
    """A cone that points down to its origin."""
    return turned([(0.0, height, 0.0, 1.0), (radius, height, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0)], sides)


def colour_bytes(colours: list[Colour]) -> NDArray[np.uint8]:
    """Return (n, 3): red, green and blue, 0 to 255."""
    return np.rint(np.array(colours)[:, :3] * 255.0).astype(np.uint8)


def _pieces_of(seen: SceneRobot, told: dict[tuple[int, Side | None], tuple[Pieces, ...]]) -> tuple[Pieces, ...]:
    """Meshes and colours of each link; `told` keeps them for robots that the server describes."""
    names = tuple(name for name, _ in seen.links)
    if seen.described is None:
        return _known_pieces(seen.robot, seen.variant, seen.side, names)
    key = (id(seen.described), seen.side)
    if key not in told:
        told[key] = tuple(map(_pieces, links_of_described(seen.described, seen.side, names)))
    return told[key]


@lru_cache(maxsize=64)
def _known_pieces(robot: str, variant: int, side: Side | None, names: tuple[str, ...]) -> tuple[Pieces, ...]:
    return tuple(map(_pieces, links_of_known(robot, variant, side, names)))


def _pieces(link: Link) -> Pieces:
    return tuple(coloured_parts(link, None))


def ball_pieces(ball: BallModel) -> list[tuple[Mesh, Colour]]:
    """A ball with twelve dark patches, which make its rolling visible."""
    leans = np.linspace(0.0, np.pi, 17).tolist()
    arc = [(ball.radius * math.sin(a), ball.radius * math.cos(a), math.sin(a), math.cos(a)) for a in leans]
    whole = turned(arc, 24)
    corners = np.array([(0.0, a, b * _GOLDEN) for a in (-1.0, 1.0) for b in (-1.0, 1.0)])
    directions = np.concatenate([np.roll(corners, shift, axis=1) for shift in range(3)])
    patches = [_patch(direction / np.linalg.norm(direction), ball.radius * 1.006) for direction in directions]
    return [(whole, (*ball.colour, 1.0)), (joined(patches), _BALL_PATCHES)]


def _patch(direction: Array, radius: float, width: float = 0.36) -> Mesh:
    """A small pentagon on a ball; width in rad from its middle to its corners."""
    aside = np.cross(direction, (0.3, 0.5, 0.8))
    aside /= np.linalg.norm(aside)
    angles = np.arange(10) * 2.0 * np.pi / 10
    # Corners and, nearly as far out, the middles of sides: a pentagon that follows the curvature.
    width_at = np.where(np.arange(10) % 2 == 0, width, width * 0.86)[:, None]
    rim = np.cos(angles)[:, None] * aside + np.sin(angles)[:, None] * np.cross(direction, aside)
    outer = np.cos(width_at) * direction + np.sin(width_at) * rim
    inner = np.cos(width_at / 2.0) * direction + np.sin(width_at / 2.0) * rim
    normals = np.concatenate([direction[None], inner, outer])
    here, following = np.arange(10), (np.arange(10) + 1) % 10
    triangles = np.concatenate(
        [
            np.stack([np.zeros(10, np.int64), 1 + here, 1 + following], 1),
            np.stack([1 + here, 11 + here, 11 + following], 1),
            np.stack([1 + here, 11 + following, 1 + following], 1),
        ]
    )
    return Mesh(normals * radius, normals, triangles)

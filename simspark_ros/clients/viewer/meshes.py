"""Meshes of everything that moves, each with all its instances, so that a browser draws them at once.

Every mesh costs two messages a picture, so what many robots share is one mesh: equal parts of all links and types, all
segments of all numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from simspark_ros.clients.viewer.digits import INK, DigitSegment, segments
from simspark_ros.clients.viewer.field import ring
from simspark_ros.clients.viewer.scene_recognition import SceneObjects, SceneRobot
from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations, rotations_from_quaternions
from simspark_ros.physics.model import BallModel, Link, Shape, ShapeKind
from simspark_ros.rendering.bodies import TEAM_COLOURS, coloured_parts
from simspark_ros.rendering.meshes import Mesh, box, joined, mesh_of, turned
from simspark_ros.rendering.scenery import Colour
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.lights import colours_of
from simspark_ros.soccer.teams import Side

_BALL_PATCHES = (0.08, 0.08, 0.10, 1.0)
UNKNOWN_PART = 0.035
"""Radius of the ball that stands for a part of an unknown robot, m."""

MARK_RADIUS = 0.3
"""Of the ring in a team's colour that lies around each robot, m."""

LIGHT_RADIUS = 0.0035
"""Of the ball that stands for a light, m."""

_UNLIT = 0.06
"""Brightness of a light that is off."""

_MARK_HEIGHT = 0.012
_BALL_MARK: Colour = (1.0, 0.85, 0.1, 1.0)
_BALL_MARK_HEIGHT = 0.30
_SHIRT = frozenset(("torso", "rupperarm", "lupperarm"))
"""White parts of these links take the colour of the team, so that teams are distinguishable from afar."""
_BRIGHT = 0.8
_NUMBERED = "torso"
_GOLDEN = (1.0 + 5.0**0.5) / 2.0

Pieces = tuple[tuple[Mesh, Colour], ...]
"""Meshes of a link by colour, in its frame."""


@dataclass(frozen=True)
class Batch:
    """A mesh and where it is drawn.

    Attributes:
        mesh: in the frame of a body.
        rows: (n,) the row of `BodyFrames` with whose frame each instance moves.
        colours: (n, 3) red, green, blue, 0 to 255.
        offsets: (n, 3) where each instance is in that frame, m; none = at its origin.
        scales: (n, 3) of each instance along its axes; none = 1.
        is_light: whether its colours are those of lights, which change.
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
        """Return positions (n, 3) and quaternions (n, 4) of all instances for those of all bodies."""
        at, turned = positions[self.rows], quaternions[self.rows]
        if self.offsets is not None:
            rotations = rotations_from_quaternions(turned[:, [1, 2, 3, 0]])
            at = at + np.einsum("nij,nj->ni", rotations, self.offsets)
        return at, turned


@dataclass(frozen=True)
class BodyFrames:
    """The frames of everything that moves: links of robots in the order of the scene, the ball, marks of all these.

    Attributes:
        nodes: (K,) the node of the scene whose frame each link, and the ball, has.
        torsos: (R,) the row of the first link of each robot.
        ball: whether there is one.
    """

    nodes: IntArray
    torsos: IntArray
    ball: bool

    def poses(self, world: Array) -> tuple[Array, Array]:
        """Return positions (K + R + 1, 3), m, and quaternions (K + R + 1, 4), w, x, y, z; without a ball one less.

        Args:
            world: (N, 4, 4) frames of all nodes, columns right, forward, up, position. Bodies have the axes forward,
                left, up; marks those of the world.
        """
        frames = world[self.nodes]
        axes = frames[:, :3, [1, 0, 2]] * (1.0, -1.0, 1.0)
        if self.ball:
            axes[-1] = frames[-1, :3, :3]
        positions = frames[:, :3, 3]
        marks = positions[self.torsos] * (1.0, 1.0, 0.0) + (0.0, 0.0, _MARK_HEIGHT)
        if self.ball:
            marks = np.vstack([marks, positions[-1] + (0.0, 0.0, _BALL_MARK_HEIGHT)])
        quaternions = quaternions_from_rotations(axes)[:, [3, 0, 1, 2]]
        upright = np.tile((1.0, 0.0, 0.0, 0.0), (len(marks), 1))
        return np.vstack([positions, marks]), np.vstack([quaternions, upright])


def build_bodies(
    objects: SceneObjects, ball: BallModel, lights: Mapping[int, str] | None = None
) -> tuple[BodyFrames, tuple[Batch, ...]]:
    """Meshes of all robots and the ball, and of the lights of those robots that have some, as of `light_batch`."""
    gathered = _Batches()
    nodes, torsos = list[int](), list[int]()
    told: dict[tuple[int, Side | None, str], Pieces] = {}
    for seen in objects.robots:
        torsos.append(len(nodes))
        for number, (link, node) in enumerate(seen.links):
            pieces = _pieces_of(seen, link, number, told)
            for mesh, colour in pieces:
                gathered.add(mesh, len(nodes), colour)
            if link == _NUMBERED and seen.unum and pieces:
                body = joined(mesh for mesh, _ in pieces)
                gathered.segments += [(len(nodes), one) for one in segments(seen.unum, body)]
            nodes.append(node)
    if objects.ball is not None:
        for mesh, colour in ball_pieces(ball):
            gathered.add(mesh, len(nodes), colour)
        nodes.append(objects.ball)
    bodies = BodyFrames(np.array(nodes, np.int64), np.array(torsos, np.int64), objects.ball is not None)
    lamps = light_batch(objects, lights or {})
    return bodies, (*gathered.batches(), *lamps, *_marks(objects, len(nodes)))


def light_batch(objects: SceneObjects, lights: Mapping[int, str]) -> list[Batch]:
    """One batch of all lights, none without any; `lights`: text of `lights_text` by the place of the robot's node."""
    rows, colours, offsets = list[int](), list[Array](), list[Array]()
    first = 0
    for seen in objects.robots:
        text = lights.get(seen.place, "")
        description = _description(seen.robot, seen.variant) if text else None
        for lamp in description.lights if description else ():
            number = next((i for i, (link, _) in enumerate(seen.links) if link == lamp.link), None)
            if number is not None and description is not None:
                rows += [first + number] * lamp.count
                colours.append(colours_of(text, lamp.device))
                offsets.append(lamp.places() - description.model.link(lamp.link).centre)
        first += len(seen.links)
    if not rows:
        return []
    bright = np.rint(255.0 * np.maximum(np.vstack(colours), _UNLIT)).astype(np.uint8)
    sizes = np.full((len(rows), 3), LIGHT_RADIUS)
    ball = mesh_of(Shape(ShapeKind.SPHERE, (1.0,)))
    return [Batch(ball, np.array(rows, np.int64), bright, np.vstack(offsets), sizes, is_light=True)]


class _Batches:
    """Gathers what is drawn by its mesh."""

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


@lru_cache(maxsize=64)
def _description(robot: str, variant: int) -> RobotDescription | None:
    try:
        return load_robot(robot, variant) if robot else None
    except RobotError:
        return None


def _pieces_of(seen: SceneRobot, link: str, number: int, told: dict[tuple[int, Side | None, str], Pieces]) -> Pieces:
    """Meshes and colours of a link, of a known robot or as its server tells them; those are kept in `told`."""
    if seen.described is None:
        return _pieces(seen.robot, seen.variant, seen.side, link, number)
    key = (id(seen.described), seen.side, link)
    if key not in told:
        (found,) = (one for one in seen.described.model.links if one.name == link)
        told[key] = _coloured(found, None if seen.described.is_object else TEAM_COLOURS[seen.side])
    return told[key]


@lru_cache(maxsize=1024)
def _pieces(robot: str, variant: int, side: Side | None, link: str, number: int) -> Pieces:
    """Meshes and colours of a link; an unknown one is a ball."""
    description, team = _description(robot, variant), TEAM_COLOURS[side]
    links = description.model.links if description else ()
    found = next((one for one in links if one.name == link), None)
    if found is None:
        return ((mesh_of(Shape(ShapeKind.SPHERE, (UNKNOWN_PART * (2.0 if number == 0 else 1.0),))), team),)
    return _coloured(found, team)


def _coloured(link: Link, team: Colour | None) -> Pieces:
    by_colour: dict[Colour, list[Mesh]] = {}
    for mesh, colour in coloured_parts(link, team):
        is_shirt = team is not None and link.name in _SHIRT and min(colour[:3]) > _BRIGHT
        by_colour.setdefault(team if team and is_shirt else colour, []).append(mesh)
    return tuple((joined(meshes), colour) for colour, meshes in by_colour.items())


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

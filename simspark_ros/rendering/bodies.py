"""Links of robots and the ball in a picture: bodies of PyBullet that are only drawn, without physics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from simspark_ros.physics.engine import Array
from simspark_ros.physics.model import ArticulatedModel, Link, Shape
from simspark_ros.physics.surface import Surface
from simspark_ros.rendering.egl import MeshFiles
from simspark_ros.rendering.library import pybullet
from simspark_ros.rendering.meshes import Detail, Mesh, joined, mesh_of, roundness, surface_mesh, surface_roundness
from simspark_ros.rendering.scenery import Colour
from simspark_ros.soccer.teams import Side

TEAM_COLOURS: Mapping[Side | None, Colour] = MappingProxyType(
    {Side.LEFT: (0.13, 0.32, 0.86, 1.0), Side.RIGHT: (0.86, 0.14, 0.16, 1.0), None: (0.55, 0.55, 0.58, 1.0)}
)
"""Colours of a robot's coloured parts by its team."""

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
AWAY = (0.0, 0.0, -1000.0)
_SATURATED = 0.2
"""Least difference of the largest and smallest share of red, green and blue in a coloured part; others are grey."""


@dataclass(frozen=True)
class RobotLook:
    """A model and a team; visuals that are not grey get the team's colour, unless they keep their own colours.

    Surfaces of makers' meshes keep their colours outside teams.
    """

    model: ArticulatedModel
    team: Side | None = None
    own_colours: bool = False


class RobotParts:
    """The shapes of all robots of one look, each detail made when it is first needed: PyBullet cannot free them.

    Attributes:
        roundness: the largest radius of anything round, m.
        extents: (L,) a bound on the distance of a link's surface from its centre of mass, m.
    """

    def __init__(self, client: int, look: RobotLook, files: MeshFiles | None = None) -> None:
        self.client, self.look = client, look
        self._files = files
        self._made: dict[Detail, list[tuple[int, int, Colour]]] = {}
        links = look.model.links
        rounds = [roundness(shape) for link in links for shape in link.visuals]
        rounds += [surface_roundness(surface) for link in links for surface in link.surfaces]
        self.roundness = max(rounds, default=0.0)
        # The coarsest solids and the finest surfaces reach farthest.
        parts = [
            coloured_parts(link, None, Detail.COARSEST) + coloured_parts(replace(link, visuals=()), None)
            for link in links
        ]
        self._each = sum(map(len, parts))
        self.extents = np.array(
            [max((np.linalg.norm(mesh.vertices, axis=1).max() for mesh, _ in of), default=0.0) for of in parts]
        )

    @property
    def count(self) -> int:
        """Number of shapes, including shapes to be made for the first picture."""
        return self._each * max(1, len(self._made))

    def of(self, detail: Detail) -> list[tuple[int, int, Colour]]:
        """Link, shape and colour of each part."""
        if detail not in self._made:
            team = None if self.look.own_colours else TEAM_COLOURS[self.look.team]
            worn = None if self.look.team is None else team
            self._made[detail] = [
                (index, create_shape(self.client, mesh, colour, self._files), colour)
                for index, link in enumerate(self.look.model.links)
                for mesh, colour in coloured_parts(link, team, detail, worn)
            ]
        return self._made[detail]


class RobotBodies:
    """The bodies of one robot, one for each of its parts; out of sight until it is first placed and shown."""

    def __init__(self, parts: RobotParts) -> None:
        self.parts = parts
        self._bodies: dict[Detail, list[tuple[int, int, Colour]]] = {}
        self._shown: Detail | None = None
        self._pose: tuple[list[list[float]], list[list[float]]] | None = None
        self._there: set[Detail] = set()
        self._hidden: int | None = None

    @property
    def ids(self) -> list[int]:
        """Numbers of the bodies."""
        return [body for bodies in self._bodies.values() for _, body, _ in bodies]

    def place(self, positions: Array, quaternions: Array) -> None:
        """Set the links' centres of mass (L, 3), m, world, and quaternions x, y, z, w (L, 4), in the model's order."""
        self._pose = positions.tolist(), quaternions.tolist()
        self._there.clear()

    def hide_link(self, hidden: int | None) -> None:
        """Leave out this link, and no other, when the robot is shown."""
        self._hidden = hidden
        self._there.clear()

    def show(self, detail: Detail | None) -> None:
        """Show the robot in this detail in the next picture, or not at all."""
        if detail is not self._shown:
            self._paint(self._shown, seen=False)
            self._paint(detail, seen=True)
            self._shown = detail
        if detail is not None and detail not in self._there:
            self._put(detail)

    def remove(self) -> None:
        """Free the bodies."""
        for body in self.ids:
            pybullet.removeBody(body, physicsClientId=self.parts.client)

    def _paint(self, detail: Detail | None, seen: bool) -> None:
        """Show or hide bodies: the renderer skips transparent ones, which saves nearly all of its time."""
        for _, body, colour in self._bodies.get(detail, ()) if detail else ():
            rgba = colour if seen else (*colour[:3], 0.0)
            pybullet.changeVisualShape(body, -1, rgbaColor=rgba, physicsClientId=self.parts.client)

    def _put(self, detail: Detail) -> None:
        if detail not in self._bodies:
            client = self.parts.client
            self._bodies[detail] = [
                (link, create_body(client, shape), colour) for link, shape, colour in self.parts.of(detail)
            ]
        assert self._pose is not None
        positions, quaternions = self._pose
        for link, body, _ in self._bodies[detail]:
            put_body(self.parts.client, body, AWAY if link == self._hidden else positions[link], quaternions[link])
        self._there.add(detail)


def put_body(client: int, body: int, position: Sequence[float], quaternion: Sequence[float] = UPRIGHT) -> None:
    """Move a body: its frame's origin (m) and x, y, z, w."""
    pybullet.resetBasePositionAndOrientation(body, position, quaternion, physicsClientId=client)


def create_shape(client: int, mesh: Mesh, colour: Colour, files: MeshFiles | None = None) -> int:
    """A mesh of one colour that bodies can show; by a file for a renderer that reads only files."""
    vertices, indices, normals = mesh.vertices.tolist(), mesh.triangles.reshape(-1).tolist(), mesh.normals.tolist()
    if files is None:
        data = {"vertices": vertices, "indices": indices, "normals": normals}
    else:
        data = {"fileName": files.write(mesh)}
    shape: int = pybullet.createVisualShape(pybullet.GEOM_MESH, rgbaColor=colour, physicsClientId=client, **data)
    return shape


def create_body(client: int, shape: int) -> int:
    """A body without mass and collisions, out of sight, in the frame of the shape's mesh."""
    body: int = pybullet.createMultiBody(0, -1, shape, basePosition=AWAY, physicsClientId=client)
    # Bodies out of sight lie in one place: without this Bullet would keep a list of all their pairs.
    pybullet.setCollisionFilterGroupMask(body, -1, 0, 0, physicsClientId=client)
    return body


def coloured_parts(
    link: Link, team: Colour | None, detail: Detail = Detail.FINE, worn: Colour | None = None
) -> list[tuple[Mesh, Colour]]:
    """Meshes of a link by colour, seen from its centre of mass.

    Args:
        link: the link.
        team: colour of visuals that are not grey; None = their own.
        detail: fineness of the meshes.
        worn: colour of surfaces that are not grey; None = their own.
    """
    by_colour: dict[Colour, list[Mesh]] = {}
    for shape in link.visuals:
        by_colour.setdefault(team if team and is_coloured(shape) else shape.rgba, []).append(mesh_of(shape, detail))
    for surface in link.surfaces:
        colour = worn if worn and is_coloured(surface) else surface.rgba
        by_colour.setdefault(colour, []).append(surface_mesh(surface, detail))
    shift = -np.array(link.centre)
    return [(joined(meshes).placed(shift, np.eye(3)), colour) for colour, meshes in by_colour.items()]


def is_coloured(part: Shape | Surface) -> bool:
    """Whether a visual is not grey."""
    return max(part.rgba[:3]) - min(part.rgba[:3]) > _SATURATED

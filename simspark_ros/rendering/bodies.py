"""Links of robots and the ball in a picture: bodies of PyBullet that are drawn and take no part in physics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pybullet

from simspark_ros.physics.model import ArticulatedModel, Link, Shape
from simspark_ros.rendering.egl import MeshFiles
from simspark_ros.rendering.meshes import Mesh, joined, mesh_of
from simspark_ros.rendering.scenery import Colour
from simspark_ros.soccer.teams import Side

TEAM_COLOURS: Mapping[Side | None, Colour] = MappingProxyType(
    {Side.LEFT: (0.13, 0.32, 0.86, 1.0), Side.RIGHT: (0.86, 0.14, 0.16, 1.0), None: (0.55, 0.55, 0.58, 1.0)}
)
"""Colours of a robot's coloured parts by its team."""

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
AWAY = (0.0, 0.0, -1000.0)
_SATURATED = 0.2
"""A part whose largest and smallest share of red, green and blue differ by more is coloured, otherwise grey."""


@dataclass(frozen=True)
class RobotLook:
    """A model and a team, whose colour all visuals take that are not grey, unless they keep their own colours."""

    model: ArticulatedModel
    team: Side | None = None
    own_colours: bool = False


class RobotBodies:
    """The bodies of one robot, one for each of `create_parts`; out of sight until the first `place`."""

    def __init__(self, client: int, look: RobotLook, parts: Sequence[tuple[int, int]]) -> None:
        self._client = client
        self.look = look
        self._bodies = [(link, create_body(client, shape)) for link, shape in parts]

    @property
    def ids(self) -> list[int]:
        """Numbers of the bodies."""
        return [body for _, body in self._bodies]

    def place(self, positions: Sequence[Sequence[float]], quaternions: Sequence[Sequence[float]]) -> None:
        """Put every link where it is: centres of mass (m, world) and x, y, z, w, in the order of the model."""
        for link, body in self._bodies:
            put_body(self._client, body, positions[link], quaternions[link])

    def hide_link(self, hidden: int) -> None:
        """Take a link out of sight until the next `place`."""
        for link, body in self._bodies:
            if link == hidden:
                put_body(self._client, body, AWAY)

    def remove(self) -> None:
        """Free them."""
        for _, body in self._bodies:
            pybullet.removeBody(body, physicsClientId=self._client)


def create_parts(client: int, look: RobotLook, files: MeshFiles | None = None) -> list[tuple[int, int]]:
    """Link and shape of each part of a robot. PyBullet has no way to free a shape: create those of a look once."""
    return [
        (index, create_shape(client, mesh, colour, files))
        for index, link in enumerate(look.model.links)
        for mesh, colour in coloured_parts(link, None if look.own_colours else TEAM_COLOURS[look.team])
    ]


def put_body(client: int, body: int, position: Sequence[float], quaternion: Sequence[float] = UPRIGHT) -> None:
    """Move a body: its frame's origin (m) and x, y, z, w."""
    pybullet.resetBasePositionAndOrientation(body, position, quaternion, physicsClientId=client)


def create_shape(client: int, mesh: Mesh, colour: Colour, files: MeshFiles | None = None) -> int:
    """A mesh of one colour that bodies can show; by a file for a renderer that reads no others."""
    vertices, indices, normals = mesh.vertices.tolist(), mesh.triangles.reshape(-1).tolist(), mesh.normals.tolist()
    if files is None:
        data = {"vertices": vertices, "indices": indices, "normals": normals}
    else:
        data = {"fileName": files.write(mesh)}
    shape: int = pybullet.createVisualShape(pybullet.GEOM_MESH, rgbaColor=colour, physicsClientId=client, **data)
    return shape


def create_body(client: int, shape: int) -> int:
    """A body without mass and collisions, out of sight; its frame is that of the shape's mesh."""
    body: int = pybullet.createMultiBody(0, -1, shape, basePosition=AWAY, physicsClientId=client)
    # Bodies that are out of sight lie in one place: without this Bullet would keep a list of all their pairs.
    pybullet.setCollisionFilterGroupMask(body, -1, 0, 0, physicsClientId=client)
    return body


def coloured_parts(link: Link, team: Colour | None) -> list[tuple[Mesh, Colour]]:
    """Meshes of a link by colour, seen from its centre of mass; visuals that are not grey take a team's colour."""
    by_colour: dict[Colour, list[Mesh]] = {}
    for shape in link.visuals:
        by_colour.setdefault(team if team and is_coloured(shape) else shape.rgba, []).append(mesh_of(shape))
    shift = -np.array(link.centre)
    return [(joined(meshes).placed(shift, np.eye(3)), colour) for colour, meshes in by_colour.items()]


def is_coloured(shape: Shape) -> bool:
    """Whether a visual is not grey."""
    return max(shape.rgba[:3]) - min(shape.rgba[:3]) > _SATURATED

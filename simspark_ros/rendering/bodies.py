"""What moves in a picture: links of robots and the ball, as bodies of PyBullet that are seen and do nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pybullet

from simspark_ros.physics.model import ArticulatedModel, Link
from simspark_ros.rendering.meshes import Mesh, joined, mesh_of
from simspark_ros.rendering.scenery import Colour
from simspark_ros.soccer.teams import Side

TEAM_COLOURS: Mapping[Side | None, Colour] = MappingProxyType(
    {Side.LEFT: (0.13, 0.32, 0.86, 1.0), Side.RIGHT: (0.86, 0.14, 0.16, 1.0), None: (0.55, 0.55, 0.58, 1.0)}
)
"""What coloured parts of a robot look like by the team that it belongs to."""

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
_AWAY = (0.0, 0.0, -1000.0)
_SATURATED = 0.2
"""A part whose largest and smallest share of red, green and blue differ by more is coloured, otherwise grey."""


@dataclass(frozen=True)
class RobotLook:
    """What a robot looks like: visuals that are not grey take the colour of the team's side, if there is one."""

    model: ArticulatedModel
    team: Side | None = None


class Wardrobe:
    """The shapes of all looks that were ever worn: PyBullet has no way to free a shape, so each is made once."""

    def __init__(self, client: int) -> None:
        self.client = client
        self._shapes: dict[RobotLook, list[tuple[int, int]]] = {}

    def shapes(self, look: RobotLook) -> list[tuple[int, int]]:
        """Link and shape of each part of a robot."""
        if look not in self._shapes:
            self._shapes[look] = [
                (index, create_shape(self.client, mesh, colour))
                for index, link in enumerate(look.model.links)
                for mesh, colour in coloured_parts(link, TEAM_COLOURS[look.team])
            ]
        return self._shapes[look]


class RobotBodies:
    """The bodies of one robot: one for each link and colour, out of sight until the first `place`."""

    def __init__(self, wardrobe: Wardrobe, look: RobotLook) -> None:
        self._client = wardrobe.client
        self.look = look
        self.bodies = [(link, create_body(self._client, shape)) for link, shape in wardrobe.shapes(look)]

    def place(self, positions: Sequence[Sequence[float]], quaternions: Sequence[Sequence[float]]) -> None:
        """Put every link where it is: centres of mass (m, world) and x, y, z, w, in the order of the model."""
        for link, body in self.bodies:
            pybullet.resetBasePositionAndOrientation(
                body, positions[link], quaternions[link], physicsClientId=self._client
            )

    def hide_link(self, hidden: int) -> None:
        """Take a link out of sight until the next `place`."""
        for link, body in self.bodies:
            if link == hidden:
                pybullet.resetBasePositionAndOrientation(body, _AWAY, UPRIGHT, physicsClientId=self._client)

    def remove(self) -> None:
        """Free them."""
        for _, body in self.bodies:
            pybullet.removeBody(body, physicsClientId=self._client)


def create_shape(client: int, mesh: Mesh, colour: Colour) -> int:
    """What bodies can look like."""
    shape: int = pybullet.createVisualShape(
        pybullet.GEOM_MESH,
        vertices=mesh.vertices.tolist(),
        indices=mesh.triangles.reshape(-1).tolist(),
        normals=mesh.normals.tolist(),
        rgbaColor=colour,
        physicsClientId=client,
    )
    return shape


def create_body(client: int, shape: int) -> int:
    """A body that is only seen, out of sight; its frame is that of the shape's mesh."""
    body: int = pybullet.createMultiBody(0, -1, shape, basePosition=_AWAY, physicsClientId=client)
    # Bodies that are out of sight lie in one place: without this Bullet would keep a list of all their pairs.
    pybullet.setCollisionFilterGroupMask(body, -1, 0, 0, physicsClientId=client)
    return body


def coloured_parts(link: Link, team: Colour) -> list[tuple[Mesh, Colour]]:
    """Meshes of a link by colour, seen from its centre of mass; visuals that are not grey take the team's colour."""
    by_colour: dict[Colour, list[Mesh]] = {}
    for shape in link.visuals:
        coloured = max(shape.rgba[:3]) - min(shape.rgba[:3]) > _SATURATED
        by_colour.setdefault(team if coloured else shape.rgba, []).append(mesh_of(shape))
    shift = -np.array(link.centre)
    return [(joined(meshes).placed(shift, np.eye(3)), colour) for colour, meshes in by_colour.items()]

"""Looks of robots in a picture: their meshes, in the colours of their teams."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from simspark_ros.physics.model import ArticulatedModel, Link, Shape
from simspark_ros.physics.surface import Surface
from simspark_ros.rendering.drawing.meshes import (
    Colour,
    Detail,
    Mesh,
    joined,
    mesh_of,
    roundness,
    surface_mesh,
    surface_roundness,
)
from simspark_ros.soccer.teams import Side

TEAM_COLOURS: Mapping[Side | None, Colour] = MappingProxyType(
    {Side.LEFT: (0.13, 0.32, 0.86, 1.0), Side.RIGHT: (0.86, 0.14, 0.16, 1.0), None: (0.55, 0.55, 0.58, 1.0)}
)
"""Colours of a robot's coloured parts by its team; None: of rings and unknown parts of robots without one."""

_SATURATED = 0.2
"""Least difference of the largest and smallest share of red, green and blue in a coloured part; others are grey."""


@dataclass(frozen=True)
class RobotLook:
    """A model and a team, whose colour the parts have that are not grey; outside teams they have their own."""

    model: ArticulatedModel
    team: Side | None = None


class RobotShape:
    """The parts of all robots of one look.

    Attributes:
        count: a bound on the number of parts, in all details together.
        roundness: the largest radius of anything round, m.
        extents: (L,) a bound on the distance of a link's surface from its centre of mass, m.
    """

    def __init__(self, look: RobotLook) -> None:
        self.look = look
        links = look.model.links
        rounds = [roundness(shape) for link in links for shape in link.visuals]
        rounds += [surface_roundness(surface) for link in links for surface in link.surfaces]
        self.roundness = max(rounds, default=0.0)
        # The coarsest solids and the finest surfaces reach farthest.
        parts = [
            coloured_parts(link, None, Detail.COARSEST) + coloured_parts(replace(link, visuals=()), None)
            for link in links
        ]
        self.count = sum(map(len, parts)) * len(Detail)
        self.extents = np.array(
            [max((np.linalg.norm(mesh.vertices, axis=1).max() for mesh, _ in of), default=0.0) for of in parts]
        )

    def parts(self, detail: Detail) -> list[tuple[int, Mesh, Colour]]:
        """Link, mesh in the axes of its centre of mass, and colour of each part."""
        team = self.look.team and TEAM_COLOURS[self.look.team]
        return [
            (index, mesh, colour)
            for index, link in enumerate(self.look.model.links)
            for mesh, colour in coloured_parts(link, team, detail)
        ]


def coloured_parts(link: Link, team: Colour | None, detail: Detail = Detail.FINE) -> list[tuple[Mesh, Colour]]:
    """Meshes of a link by colour, seen from its centre of mass; parts that are not grey have the team's, if any."""
    by_colour: dict[Colour, list[Mesh]] = {}
    for shape in link.visuals:
        by_colour.setdefault(team if team and is_coloured(shape) else shape.rgba, []).append(mesh_of(shape, detail))
    for surface in link.surfaces:
        colour = team if team and is_coloured(surface) else surface.rgba
        by_colour.setdefault(colour, []).append(surface_mesh(surface, detail))
    shift = -np.array(link.centre)
    return [(joined(meshes).placed(shift, np.eye(3)), colour) for colour, meshes in by_colour.items()]


def is_coloured(part: Shape | Surface) -> bool:
    """Whether a visual is not grey."""
    return max(part.rgba[:3]) - min(part.rgba[:3]) > _SATURATED

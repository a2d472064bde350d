"""Team colours on robots of any model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from simspark_ros.physics.model import Link, Shape, ShapeKind
from simspark_ros.physics.surface import Surface
from simspark_ros.rendering.drawing.bodies import TEAM_COLOURS, is_coloured
from simspark_ros.rendering.drawing.meshes import Colour
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.soccer.teams import Side
from simspark_watching.broadcast.scene_recognition import SceneRobot

UNKNOWN_PART = 0.035
"""Radius of the ball that stands for a part of an unknown robot, m."""

_SHIRT = frozenset(("torso", "rupperarm", "lupperarm"))
"""White parts of these links take the colour of the team, so that teams are distinguishable from afar."""

_BRIGHT = 0.8


@lru_cache(maxsize=64)
def known_robot(name: str, variant: int) -> RobotDescription | None:
    """A robot of the catalogue, None for any other name."""
    try:
        return load_robot(name, variant) if name else None
    except RobotError:
        return None


def description_of(seen: SceneRobot) -> RobotDescription | None:
    """The robot as its server describes it, or as it is in the catalogue."""
    return seen.described or known_robot(seen.robot, seen.variant)


def links_of(seen: SceneRobot) -> list[Link]:
    """The links of a robot that the scene has, in its team's colour."""
    names = [name for name, _ in seen.links]
    if seen.described is not None:
        return links_of_described(seen.described, seen.side, names)
    return links_of_known(seen.robot, seen.variant, seen.side, names)


def links_of_known(name: str, variant: int, side: Side | None, links: Sequence[str]) -> list[Link]:
    """The named links of a robot of the catalogue, in its team's colour; an unknown link looks like a ball."""
    description, team = known_robot(name, variant), TEAM_COLOURS[side]
    there = {link.name: link for link in dressed(description.model.links, side)} if description else {}
    return [
        there.get(link) or _ball(link, UNKNOWN_PART * (1.0 if place else 2.0), team) for place, link in enumerate(links)
    ]


def links_of_described(robot: RobotDescription, side: Side | None, links: Sequence[str]) -> list[Link]:
    """The named links of a robot that its server describes."""
    there = {link.name: link for link in dressed(robot.model.links, side)}
    return [there[link] for link in links]


def dressed(links: Iterable[Link], side: Side | None) -> tuple[Link, ...]:
    """Links of a robot with the parts that are not grey, and its shirt, in the colour of its team, if it has one.

    The shirt is white parts of the links that are known to wear one. A robot without these, all in grey, has its whole
    first link in the colour of the team.
    """
    links = tuple(links)
    if side is None:
        return links
    team = TEAM_COLOURS[side]
    shapes: list[tuple[Link, Shape | Surface]] = [(link, shape) for link in links for shape in link.visuals]
    shapes += [(link, surface) for link in links for surface in link.surfaces]
    is_plain = not any(is_coloured(shape) or _is_shirt(link, shape) for link, shape in shapes)
    base = next((link.name for link, _ in shapes), "")

    def worn(link: Link, shape: Shape | Surface) -> bool:
        return is_coloured(shape) or _is_shirt(link, shape) or (is_plain and link.name == base)

    def dress(link: Link) -> Link:
        visuals = tuple(replace(one, rgba=team) if worn(link, one) else one for one in link.visuals)
        surfaces = tuple(replace(one, rgba=team) if worn(link, one) else one for one in link.surfaces)
        return replace(link, visuals=visuals, surfaces=surfaces)

    return tuple(map(dress, links))


def _is_shirt(link: Link, shape: Shape | Surface) -> bool:
    return link.name in _SHIRT and min(shape.rgba[:3]) > _BRIGHT


def _ball(name: str, radius: float, colour: Colour) -> Link:
    shape = Shape(ShapeKind.SPHERE, (radius,), rgba=colour)
    return Link(name, 1.0, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0), visuals=(shape,))

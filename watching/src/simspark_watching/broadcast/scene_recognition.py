"""Recognises robots in the scene of a monitor by the names of their meshes, as `config/monitor/` gives them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from simspark_recording.known_robots import robots_by_loads
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.protocol.monitor.inspection import InspectedRobot, Roster
from simspark_ros.protocol.monitor.look import Look
from simspark_ros.protocol.monitor.reader import SceneNode, all_below, children_of
from simspark_ros.rendering.scene_models import models_of_lines
from simspark_ros.robots.description import RobotDescription
from simspark_ros.soccer.teams import Side

_NUMBER = re.compile(r"matNum(\d{1,3})")
_SIDES = {"matLeft": Side.LEFT, "matRight": Side.RIGHT}
_BALL = re.compile(r"\bsoccerball\b|\bball\b", re.IGNORECASE)


@dataclass(frozen=True)
class SceneRobot:
    """A robot of a scene.

    Attributes:
        robot: its name in the catalogue; empty for an unknown robot.
        side, unum: its side and number; none and 0 before it has joined.
        place: number of its node among those at the top of the scene.
        links: name and node of each of its links; without names for an unknown robot.
        described: its body as its server tells it; None if the server does not.
    """

    robot: str
    variant: int
    side: Side | None
    unum: int
    links: tuple[tuple[str, int], ...]
    place: int = -1
    described: RobotDescription | None = None
    handle: int = -1
    name: str = ""


@dataclass(frozen=True)
class SceneObjects:
    """Robots and moving objects of a scene, in its order, and the node of its ball, if it has one."""

    robots: tuple[SceneRobot, ...] = ()
    ball: int | None = None


@dataclass(frozen=True)
class Crowd:
    """A server's list of robots, and the body of each of their kinds."""

    roster: Roster
    bodies: tuple[RobotDescription, ...]

    @classmethod
    def of(cls, roster: Roster) -> Crowd:
        """Read the bodies of a roster.

        Raises:
            ConfigurationError: one cannot be read.
        """
        return cls(roster, tuple(one for kind in roster.kinds for one in models_of_lines(kind.body).values()))

    def __post_init__(self) -> None:
        """Raise ConfigurationError unless each kind has one body."""
        if len(self.bodies) != len(self.roster.kinds):
            raise ConfigurationError("a kind of robot has several bodies")


class SceneRecognizer:
    """Recognises the robots of a `Look`, and all that the server lists."""

    def __init__(self, look: Look) -> None:
        self._fixed = sum(node.count for node in look.scene)
        self._known = robots_by_loads(look)

    def find(self, nodes: Sequence[SceneNode], crowd: Crowd | None = None, plays: bool = True) -> SceneObjects:
        """Recognise robots and ball; other nodes are left out, and the ball, too, of a world without soccer (`plays`).

        Servers have a ball in any world, as monitors expect one. If the server lists its robots, none needs to be
        recognised: they follow the fixed scene in the same order.
        """
        children = children_of(nodes)
        robots: list[SceneRobot] = []
        ball: int | None = None
        for place, top in enumerate(children.get(-1, [])):
            below = list(all_below(top, children))
            loads = [nodes[number].load for number in below if nodes[number].load]
            if any(_BALL.search(load) for load in loads):
                ball = top
            elif crowd is None and (seen := self._robot(nodes, below, children.get(top, []), tuple(loads))):
                robots.append(replace(seen, place=place))
        if crowd is not None:
            tops = list(enumerate(children.get(-1, [])))[self._fixed :]
            listed = zip(tops, crowd.roster.robots, strict=False)
            seen_all = (
                replace(self._listed(nodes, top, children, robot, crowd), place=place) for (place, top), robot in listed
            )
            robots = [one for one in seen_all if one.links]
        return SceneObjects(tuple(robots), ball if plays else None)

    def _listed(
        self,
        nodes: Sequence[SceneNode],
        top: int,
        children: Mapping[int, list[int]],
        robot: InspectedRobot,
        crowd: Crowd,
    ) -> SceneRobot:
        """A robot of the list; its links are named by the look that its nodes have, else all of them, in order."""
        loads = tuple(nodes[number].load for number in all_below(top, children) if nodes[number].load)
        transforms = [number for number in children.get(top, []) if nodes[number].kind == "TRF"]
        described = crowd.bodies[robot.kind]
        known = self._known.get(loads)
        names = known.links if known else ()
        if len(names) != len(transforms):
            names = tuple(link.name for link in described.model.links)
        links = _first(names, transforms) if len(names) == len(transforms) else ()
        side = Side(robot.side) if robot.side in ("left", "right") else None
        return SceneRobot(described.name, 0, side, robot.unum, links, -1, described, robot.handle, robot.name)

    def _robot(
        self, nodes: Sequence[SceneNode], below: list[int], parts: list[int], loads: tuple[str, ...]
    ) -> SceneRobot | None:
        materials = [material for number in below for material in nodes[number].materials]
        side = next((_SIDES[material] for material in materials if material in _SIDES), None)
        numbers = [match for match in map(_NUMBER.fullmatch, materials) if match]
        unum = int(numbers[0][1]) if numbers else 0
        transforms = [number for number in parts if nodes[number].kind == "TRF"]
        known = self._known.get(loads)
        if known and len(known.parts) == len(transforms):
            return SceneRobot(known.robot, known.variant, side, unum, _first(known.links, transforms))
        # Goals have parts, too, but of these only one shows something.
        shown = [number for number in transforms if any(nodes[n].load for n in below if nodes[n].parent == number)]
        if len(shown) > 1:
            return SceneRobot("", 0, side, unum, tuple(("", number) for number in shown))
        return None


def _first(links: Sequence[str], transforms: Sequence[int]) -> tuple[tuple[str, int], ...]:
    """Pair links with nodes; a link that is shown in several pieces has the frame of the first."""
    paired: dict[str, int] = {}
    for link, number in zip(links, transforms, strict=True):
        paired.setdefault(link, number)
    return tuple(paired.items())

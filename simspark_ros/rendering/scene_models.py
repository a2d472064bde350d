"""Description of robots for programs that draw them: solids, frames and cameras, a line of JSON for each kind of robot.

A robot with other cameras than its kind has a line of its own.

Files of robots may be foreign, on another machine, gone, or texts that never were files: only the simulator reads them,
and it describes only what it has checked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.physics.geometry.hulls import hull_faces
from simspark_ros.physics.model import ZERO, ArticulatedModel, Frame, Link, Shape, ShapeKind, Vector
from simspark_ros.physics.surface import Surface
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.soccer.teams import Side

ModelKey = tuple[str, int]
"""Source and variant of a robot, as in messages about the scene."""

Perceptors = tuple[PerceptorSpec, ...]

_SIZES = {ShapeKind.BOX: 3, ShapeKind.SPHERE: 1, ShapeKind.CYLINDER: 2, ShapeKind.CAPSULE: 2, ShapeKind.HULL: 3}


class SimulatedRobot(NamedTuple):
    """One robot of a simulator: `name` is its namespace (empty = none), `model` its name in the catalogue or file."""

    name: str
    model: str
    variant: int
    team: Side | None
    links: int


@dataclass(frozen=True)
class _Part:
    """See `Link`."""

    name: str
    centre: Vector = ZERO
    visuals: tuple[Shape, ...] = ()
    surfaces: tuple[Surface, ...] = ()


@dataclass(frozen=True)
class _Camera:
    """See `PerceptorSpec`."""

    name: str
    link: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class _SceneModel:
    """The visible parts of a robot, and its cameras."""

    model: str
    variant: int
    links: tuple[_Part, ...]
    frames: tuple[Frame, ...] = ()
    cameras: tuple[_Camera, ...] = ()
    is_object: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError for a robot without links, or a frame that is on no link."""
        links = {link.name for link in self.links}
        if not links or any(frame.link not in links for frame in self.frames):
            raise ValueError("a robot has no links, or a frame on a link that it lacks")


@dataclass(frozen=True)
class _OwnCameras:
    """All cameras of one robot, which has its name in messages about the scene."""

    robot: str
    cameras: tuple[_Camera, ...]


def line_of_model(robot: RobotDescription) -> str:
    """The line about a robot."""
    parts = (_Part(link.name, link.centre, link.visuals, link.surfaces) for link in robot.model.links)
    cameras = tuple(_Camera(*one) for one in _cameras(robot.perceptors))
    model = robot.model
    told = _SceneModel(robot.source, robot.variant, tuple(parts), model.frames, cameras, robot.is_object)
    return json.dumps(asdict(told), separators=(",", ":"), default=lambda kind: kind.value)


def lines_of_cameras(robots: Iterable[tuple[str, RobotDescription, Perceptors]]) -> list[str]:
    """The lines about robots with other cameras than their kind.

    Args:
        robots: name in messages about the scene, kind, and current perceptors of each robot.
    """
    differing = ((name, now) for name, kind, now in robots if name and _cameras(now) != _cameras(kind.perceptors))
    lines = (_OwnCameras(name, tuple(_Camera(*one) for one in _cameras(now))) for name, now in differing)
    return [json.dumps(asdict(line), separators=(",", ":")) for line in lines]


def models_of_lines(text: str) -> dict[ModelKey, RobotDescription]:
    """The robots of some lines, described as far as needed to draw them and to find their cameras.

    Raises:
        ConfigurationError: a line is not about a robot.
    """
    return {(one.source, one.variant): one for one in _lines(text) if isinstance(one, RobotDescription)}


def cameras_of_lines(text: str) -> dict[str, Perceptors]:
    """The cameras of robots that differ from their kind, by names of these robots.

    Raises:
        ConfigurationError: a line is not about a robot.
    """
    return {one.robot: _specs(one.cameras) for one in _lines(text) if isinstance(one, _OwnCameras)}


def _lines(text: str) -> Iterator[RobotDescription | _OwnCameras]:
    return map(_read, text.split("\n") if text else ())


# All lines come again when there is a new one.
@lru_cache(maxsize=64)
def _read(line: str) -> RobotDescription | _OwnCameras:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        raise ConfigurationError("a robot of the scene: this is not JSON") from None
    if isinstance(told, dict) and "robot" in told:
        return build(_OwnCameras, told, "cameras of the scene")
    return _description(build(_SceneModel, told, "a robot of the scene"))


def _cameras(perceptors: Perceptors) -> list[tuple[str, str, Mapping[str, Any]]]:
    return [(one.name, one.link, one.parameters) for one in perceptors if one.kind == "camera"]


def _specs(cameras: Iterable[_Camera]) -> Perceptors:
    return tuple(PerceptorSpec("camera", one.name, one.link, one.parameters) for one in cameras)


def _check(solid: Shape) -> None:
    """Raise ConfigurationError for a solid that has another number of sizes, or spans nothing."""
    try:
        if len(solid.size) != _SIZES[solid.kind]:
            raise ValueError(f"a {solid.kind.value} needs {_SIZES[solid.kind]} sizes, not {len(solid.size)}")
        if solid.kind is ShapeKind.HULL:
            hull_faces(solid.vertices)
    except ValueError as error:
        raise ConfigurationError(f"a robot of the scene: links: visuals: {error}") from None


def _description(told: _SceneModel) -> RobotDescription:
    inertia = (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
    links = []
    for part in told.links:
        for solid in part.visuals:
            _check(solid)
        links.append(Link(part.name, 1.0, inertia, part.centre, visuals=part.visuals, surfaces=part.surfaces))
    return RobotDescription(
        name=told.model,
        variant=told.variant,
        model=ArticulatedModel(told.model, tuple(links), joints=(), frames=told.frames),
        perceptors=_specs(told.cameras),
        effectors=(),
        visible_parts={},
        spawn_height=0.0,
        urdf="",
        file=told.model,
        source=told.model,
        is_object=told.is_object,
    )

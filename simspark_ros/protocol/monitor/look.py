"""The appearance of the scene, as data from `config/monitor/`: lights, meshes and shapes by their names in monitors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from simspark_ros.configuration.library import Library
from simspark_ros.configuration.resources import resource
from simspark_ros.configuration.schema import build, read_yaml
from simspark_ros.physics.model import Vector

Matrix = tuple[float, float, float, float, float, float, float, float, float]
Colour = tuple[float, float, float, float]


@dataclass(frozen=True)
class Light:
    """A light; red, green, blue, alpha each."""

    diffuse: Colour
    ambient: Colour
    specular: Colour


@dataclass(frozen=True)
class SceneMesh:
    """A mesh that the monitor loads.

    Attributes:
        file: name of its file; placeholders as in `config/monitor/robots/nao.yaml`.
        scale: scale along its own axes.
        materials: names of materials that replace its own, with the same placeholders.
    """

    file: str
    scale: Vector
    materials: tuple[str, ...]
    transparent: bool = False


@dataclass(frozen=True)
class SceneShape:
    """A geometric body that is built into monitors.

    Attributes:
        kind: name of the body: `StdUnitBox`, `StdUnitSphere`, `StdUnitCylinder 1 1` or `StdCapsule <radius> <length>`.
        scale: scale along its axes, m for unit bodies.
        marker: whether it is drawn while its robot is selected.
    """

    kind: str
    scale: Vector
    material: str
    visible: bool = True
    transparent: bool = False
    marker: bool = False


@dataclass(frozen=True)
class LookNode:
    """One transform of the scene, with its content.

    Attributes:
        at: position in the parent's frame, m.
        rotation: columns right, forward, up in the parent's frame.
        moves: link (or `ball`) that gives its pose instead; empty for a node that stands still.
        origin: origin of that link's own frame, from its centre of mass forward, left, up, m, at which monitors of the
            league since 2026 see the link.
        count: number of equal nodes in a row.
        variants: types of robot that have the node; empty = all.
    """

    at: Vector = (0.0, 0.0, 0.0)
    rotation: Matrix = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    moves: str = ""
    origin: Vector = (0.0, 0.0, 0.0)
    count: int = 1
    variants: tuple[int, ...] = ()
    mesh: SceneMesh | None = None
    shape: SceneShape | None = None
    light: Light | None = None
    children: tuple[LookNode, ...] = ()


@dataclass(frozen=True)
class RobotAppearance:
    """Appearance of a robot.

    Attributes:
        parts: nodes of the robots' parts, in the order of the scene.
        typed_variants: types with a material of their own.
    """

    parts: tuple[LookNode, ...]
    typed_variants: tuple[int, ...] = ()


@dataclass(frozen=True)
class Look:
    """Appearance of the whole scene.

    Attributes:
        environment: entries of the first list of a full frame.
        unknown_link: node that stands for each link of a robot without a look of its own.
        robots: files of the robots' appearances, by the robot's name.
    """

    environment: Mapping[str, float]
    scene: tuple[LookNode, ...]
    unknown_link: LookNode
    robots: Mapping[str, str] = field(default_factory=dict)


_APPEARANCES = Library("monitor/robots", "appearance")


@cache
def appearance(path: str) -> RobotAppearance:
    """Read the appearance of a robot, once it is first drawn; raises `ConfigurationError` if the file has a mistake."""
    return build(RobotAppearance, _APPEARANCES.document(Path(path)), path)


def load_look(folder: Path | None = None) -> Look:
    """Read the appearance of the scene from a folder with `field.yaml` and `robots/*.yaml`; None = the package's."""
    folder = folder or resource("config", "monitor")
    path, robots = folder / "field.yaml", {one.stem: str(one) for one in sorted(folder.glob("robots/*.yaml"))}
    return replace(build(Look, read_yaml(path), str(path)), robots=robots)

"""World files, `config/worlds/NAME.yaml` or any such file, of worlds without a game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from simspark_ros.configuration.library import Library
from simspark_ros.configuration.schema import Checked, Range, Setting, build
from simspark_ros.physics.model import SceneModel, Vector
from simspark_ros.robots.files.format_table import SDF
from simspark_ros.robots.files.robot_file import is_robot_file
from simspark_ros.worlds.grids import with_heights
from simspark_ros.worlds.settings import ThingsFile

LARGEST = 1000.0
"""Bound of coordinates and distances, m."""


@dataclass(frozen=True)
class TimeSettings(Checked):
    """Section `time`. cycle: simulated time of a cycle, s; each engine has presets for some lengths."""

    cycle: Annotated[float, Range(0.0005, 0.1, "s")] = 0.02


@dataclass(frozen=True)
class CreateSettings(Checked):
    """Section `create`: place of an agent's new robot (m, degrees, world frame), and clearance to others (m)."""

    position: Annotated[Vector, Range(-LARGEST, LARGEST, "m")] = (0.0, -1.0, 1.5)
    heading_deg: Annotated[float, Range(-360.0, 360.0, "degrees")] = 90.0
    clearance: Annotated[float, Range(0.0, LARGEST, "m")] = 0.6


@dataclass(frozen=True, kw_only=True)
class WorldFile(ThingsFile):
    """The whole file."""

    time: TimeSettings = field(default_factory=TimeSettings)
    create: CreateSettings = field(default_factory=CreateSettings)
    max_robots: Annotated[int, Range(1, 1000), Setting("robots in the world at a time")] = 64


@dataclass(frozen=True, kw_only=True)
class WorldSettings:
    """Everything that defines a world but the robots that join it.

    Attributes:
        cycle_time: simulated time of a cycle, s.
        things: things in the world.
        clearance: distance that placed robots keep from others, m.
    """

    cycle_time: float
    create: CreateSettings
    things: ThingsFile = field(default_factory=ThingsFile)
    max_robots: int = 64
    clearance: float = 0.3

    @property
    def scene(self) -> SceneModel:
        """The scene that a physics engine has to build."""
        things = self.things
        return SceneModel(None, (), things.standing, things.ground_surface, things.gravity)


def with_full_paths(document: dict[str, Any], path: Path) -> dict[str, Any]:
    """A world file's content with full paths of the files that it names, and pictures of heights as numbers."""
    robots = document.get("robots")
    if isinstance(robots, Mapping):
        document = {**document, "robots": {name: _with_whole_path(robot, path) for name, robot in robots.items()}}
    document = with_heights(document, path)
    ground = document.get("ground")
    if isinstance(ground, Mapping) and "." in str(texture := ground.get("texture", "")):
        document = {**document, "ground": {**ground, "texture": str(path.absolute().parent / str(texture))}}
    return document


def _with_whole_path(robot: Any, path: Path) -> Any:
    if not isinstance(robot, Mapping) or not is_robot_file(str(robot.get("robot")).partition("?")[0]):
        return robot
    return {**robot, "robot": str(path.absolute().parent / robot["robot"])}


def _read_sdf(path: Path) -> dict[str, Any]:
    # Few worlds need it.
    from simspark_ros.robots.formats.sdf.world import read_sdf_world

    return read_sdf_world(path)


WORLD_READERS = dict.fromkeys(SDF, _read_sdf)
"""Readers of worlds of other formats, by the endings of files."""

_FILES = Library("worlds", "world", with_full_paths, readers=WORLD_READERS)


def load_world(world: str | Path) -> WorldSettings:
    """Read the file of a world without a game.

    Args:
        world: name of a shipped world, or path of a YAML or SDF file.

    Raises:
        ConfigurationError: the file cannot be used; the message names file and key, or the shipped worlds.
    """
    path = _FILES.path(world)
    file = build(WorldFile, _FILES.document(path), str(path))
    return WorldSettings(cycle_time=file.time.cycle, create=file.create, things=file, max_robots=file.max_robots)

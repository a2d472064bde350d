"""World files, `config/worlds/NAME.yaml` or any such file, of worlds without a game; heights from pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from simspark_ros.configuration.errors import cut, shown
from simspark_ros.configuration.library import Library
from simspark_ros.configuration.schema import Checked, ConfigurationError, Range, Setting, build
from simspark_ros.physics.model import SceneModel, Vector
from simspark_ros.robots.files.format_table import SDF
from simspark_ros.robots.files.robot_file import is_robot_file
from simspark_ros.worlds.settings import FAR, MAX_POINTS, ThingsFile

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
    max_robots: Annotated[int, Range(1, 1000), Setting("most robots in the world at a time")] = 64


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


_DIGITS = 4
"""Decimals of heights in m: a tenth of a millimetre."""


def with_heights(document: dict[str, Any], path: Path) -> dict[str, Any]:
    """The document of a world file whose height fields have `heights` instead of `image` and `height`.

    The upper row of a picture is in the north, at +y; black is 0 and white is `height`, m. The picture is a file beside
    the world's file.

    Raises:
        ConfigurationError: a picture cannot be used.
    """
    obstacles = document.get("obstacles")
    if not isinstance(obstacles, dict):
        return document
    return {**document, "obstacles": {name: _filled(thing, name, path) for name, thing in obstacles.items()}}


def _filled(thing: Any, name: Any, path: Path) -> Any:
    field = thing.get("height_field") if isinstance(thing, dict) else None
    if not isinstance(field, dict) or "image" not in field:
        return thing
    where = f"{path}: obstacles: {cut(str(name), 40)}: height_field"
    height, image = field.get("height"), field["image"]
    if not isinstance(height, int | float) or isinstance(height, bool) or not 0.0 < height <= FAR:
        raise ConfigurationError(f"{where}: height: must be above 0 and at most {FAR:g} m, not {shown(height)}")
    # A reader of another format has looked where its pictures may lie.
    if not isinstance(image, Path) and (not isinstance(image, str) or Path(image).name != image):
        raise ConfigurationError(f"{where}: image: must name a file in the world's folder, not {shown(image)}")
    heights = _heights(path.parent / image, float(height), where)
    others = {key: value for key, value in field.items() if key not in ("image", "height")}
    return {**thing, "height_field": {**others, "heights": heights}}


def _heights(picture: Path, height: float, where: str) -> list[list[float]]:
    # Imported late, as few worlds have a picture.
    import numpy as np
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(picture) as image:
            if image.width * image.height > MAX_POINTS:
                raise ConfigurationError(
                    f"{where}: image: has {image.width} x {image.height} pixels; at most {MAX_POINTS} are allowed"
                )
            grey = np.asarray(image.convert("L"), float)
    except (OSError, UnidentifiedImageError, ValueError, Image.DecompressionBombError) as error:
        problem = cut(str(error), 80)
        raise ConfigurationError(f"{where}: image: {shown(picture.name)} cannot be read: {problem}") from None
    rounded: list[list[float]] = np.round(np.flipud(grey) * (height / 255.0), _DIGITS).tolist()
    return rounded

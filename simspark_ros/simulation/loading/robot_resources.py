"""Names of robots on command lines, in services and in scripts: a name of the package, a file, or a text.

Names are checked without reading any file, and without numpy: a misspelt option is refused at once.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.league_models import league_file
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.files.format_table import FORMATS, MeshCollisions
from simspark_ros.robots.files.robot_file import ROBOTS
from simspark_ros.robots.types.parameters import RobotName, name_and_type
from simspark_ros.simulation.loading.addresses import AddressError, find_file

if TYPE_CHECKING:
    from simspark_ros.robots.types.random_types import RobotTypes

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")


class SpawnRefusal(Enum):
    """Why a robot was not added, with the names of simulation_interfaces/SpawnEntity (2.1.0)."""

    NAME_NOT_UNIQUE = "name taken"
    NAME_INVALID = "not a ROS name"
    UNSUPPORTED_FORMAT = "file format not supported"
    NO_RESOURCE = "nothing there"
    RESOURCE_PARSE_ERROR = "file not usable"
    INVALID_POSE = "pose not usable"
    OPERATION_FAILED = "no room"


class SpawnError(UserError):
    """A robot cannot be spawned, and nothing was changed; `reason` is the kind of the refusal."""

    def __init__(self, reason: SpawnRefusal, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class RobotResource(NamedTuple):
    """The robot that a client names: a robot of the package, or the file or text of another one, and one of its types.

    Attributes:
        robot: name or path, without parameters of its body, which are in `wish`.
    """

    robot: str | Path
    variant: int
    text: str = ""
    wish: RobotName | None = None

    def takes_long(self, types: RobotTypes) -> bool:
        """Whether `load` may read files, for seconds at worst; if so call it outside of the simulation's thread."""
        is_new = self.wish is not None and bool(self.wish.changes or self.wish.fixed_base is not None)
        return bool(self.text) or isinstance(self.robot, Path) or is_new or types.seed is not None

    def load(
        self, limits: LimitSettings, types: RobotTypes | None = None, meshes: MeshCollisions | None = None
    ) -> RobotDescription:
        """The robot's description, with the `types` of the world that it is for; None = the types of the files.

        meshes: kind of solid that meshes of a file collide as; None = as the YAML file says.

        Raises:
            SpawnError: the files cannot be used.
        """
        from simspark_ros.robots.catalogue import load_robot
        from simspark_ros.robots.files.foreign import load_foreign, load_foreign_text
        from simspark_ros.robots.types.random_types import TYPES_OF_FILES

        try:
            if self.text:
                return load_foreign_text(self.text, limits)
            if isinstance(self.robot, Path):
                return load_foreign(self.robot, self.variant, limits, self.wish, meshes)
            return load_robot((types or TYPES_OF_FILES).name(str(self.wish or self.robot), self.variant), self.variant)
        except RobotError as error:
            raise SpawnError(SpawnRefusal.RESOURCE_PARSE_ERROR, str(error)) from None


def find_resource(uri: str, text: str = "") -> RobotResource:
    """The robot that a URI names, or else a text.

    Args:
        uri: `nao`, `T1` or another robot of the league since 2026 if these are installed, a path, `file://` or
            `package://<package>/path`, each with `/N` for its type N, and with parameters of its body, e.g.
            `nao?thigh_z=-0.05&ankle_z=-0.06` or `arm.urdf?fixed_base=true`.
        text: content of a robot's YAML or URDF file; not used beside a URI.

    Raises:
        SpawnError: nothing there.
    """
    if text and not uri:
        return RobotResource("", 0, text)
    try:
        wish = RobotName.parse(uri)
    except RobotError as error:
        raise SpawnError(SpawnRefusal.RESOURCE_PARSE_ERROR, str(error)) from None
    where, variant = name_and_type(wish.robot)
    wish = replace(wish, robot=where)
    if where in ROBOTS.names:
        return RobotResource(where, variant, wish=wish)
    if file := league_file(where):
        return RobotResource(file, variant, wish=wish)
    try:
        return RobotResource(find_file(where, "robot", ROBOTS.names, FORMATS), variant, wish=wish)
    except AddressError as error:
        refusal = SpawnRefusal.UNSUPPORTED_FORMAT if error.unsupported else SpawnRefusal.NO_RESOURCE
        raise SpawnError(refusal, str(error)) from None


class RobotWord(NamedTuple):
    """A word `[name=]robot[/type][@x,y[,heading]]` of a command line or of a parameter, in parts.

    Attributes:
        name: name of the robot; empty = any.
        uri: the robot, as `find_resource` takes it.
        place: x, y, m, and heading, rad, in the world; None = any free place.
    """

    name: str
    uri: str
    place: tuple[float, float, float] | None

    @classmethod
    def of(cls, text: str) -> RobotWord:
        """The parts of a word."""
        word, separator, behind = text.rpartition("@")
        try:
            numbers = [float(number) for number in behind.split(",")] if separator else []
        # Paths may have that sign, too.
        except ValueError:
            numbers = []
        if len(numbers) not in (2, 3):
            word, numbers = text, []
        name, separator, uri = word.partition("=")
        # Parameters of a body have equals signs, too: `nao?thigh_z=-0.05`.
        if not separator or "?" in name:
            name, uri = "", word
        place = (numbers[0], numbers[1], numbers[2] if numbers[2:] else 0.0) if numbers else None
        return cls(name, uri.strip(), place)


def named_resource(text: str) -> tuple[str, RobotResource]:
    """Name and robot of a `RobotWord`; a word without a name gives an empty one.

    Raises:
        SpawnError: the name is no ROS name, or there is no such robot.
    """
    word = RobotWord.of(text)
    check_name(word.name)
    return word.name, find_resource(word.uri)


def check_name(name: str) -> None:
    """Raise `SpawnError` for names that cannot be part of a ROS topic."""
    if name and not (_NAME.fullmatch(name) and "__" not in name):
        raise SpawnError(
            SpawnRefusal.NAME_INVALID,
            f"'{name[:80]}' is no ROS name: letters, digits and single underscores, at most 64, a letter first",
        )

"""Robots from clients' files or texts, read by a process with limits: see `configuration.foreign`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from simspark_ros.configuration.errors import cut
from simspark_ros.configuration.foreign import as_file, ask
from simspark_ros.configuration.limits import LimitSettings, only_limits
from simspark_ros.configuration.read_files import kept_until_edited, noted_files
from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.files.format_table import FOREIGN_PROGRAM, MeshCollisions
from simspark_ros.robots.files.formats import ending_of
from simspark_ros.robots.formats.xacro.file import is_xacro
from simspark_ros.robots.types.parameters import RobotName


def load_foreign(
    path: Path, variant: int, limits: LimitSettings, wish: RobotName | None = None, meshes: MeshCollisions | None = None
) -> RobotDescription:
    """The description of a variant of a robot, from a file with an ending of `FORMATS`; takes as long as `foreign.ask`.

    wish: changed parameters of the body; meshes: kind of solid that meshes collide as, None = as the YAML file says.

    The last few descriptions are kept, as long as their files stay as they are; safe from any thread.

    Raises:
        RobotError: the files cannot be used, or only beyond the limits.
    """
    return _kept(path.resolve(), variant, only_limits(limits), str(wish or ""), meshes)


def load_foreign_text(text: str, limits: LimitSettings) -> RobotDescription:
    """As `load_foreign`, for a text whose first element shows its format; not for YAML, which has no elements.

    Not for xacro, which could show files of this machine to clients on other machines.
    """
    if is_xacro("", text):
        raise RobotError("the text has xacro in it, which is run for files only: give the output of the command xacro")
    with as_file(text, ending_of(text), limits, RobotError) as path:
        robot = _asked(path, 0, only_limits(limits), "", None)
    # Nobody knows the file, whose folder is another one each time.
    return replace(robot, file=f"{path.name} '{cut(robot.model.name, 48)}'")


def _asked(
    path: Path, variant: int, limits: LimitSettings, wish: str, meshes: MeshCollisions | None
) -> RobotDescription:
    told = ask(FOREIGN_PROGRAM, path, [variant, wish, meshes], limits, RobotError)
    try:
        return build(RobotDescription, told, str(path))
    except ConfigurationError as error:
        raise RobotError(str(error)) from None


@kept_until_edited(32)
def _kept(
    path: Path, variant: int, limits: LimitSettings, wish: str, meshes: MeshCollisions | None
) -> RobotDescription:
    with noted_files() as files:
        robot = _asked(path, variant, limits, wish, meshes)
    return replace(robot, files=tuple(files))

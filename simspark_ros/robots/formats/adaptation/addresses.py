"""Finds the meshes that a robot's file names: in its folder or ROS package, or in another package."""

from __future__ import annotations

import os
import re
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

from simspark_ros.configuration.errors import shown
from simspark_ros.configuration.read_files import note_file
from simspark_ros.configuration.resources import ros_package
from simspark_ros.robots.description import RobotError

PACKAGE_PATH = "ROS_PACKAGE_PATH"
"""Environment variable with folders of packages, as in ROS 1."""

_MANIFEST = "package.xml"
_LARGEST_MANIFEST = 100_000
_NAME = re.compile(r"<name>\s*([A-Za-z][A-Za-z0-9_-]*)\s*</name>")
_PACKAGE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


class NoSuchFileError(RobotError):
    """No file or package has that name."""


class MeshAddresses:
    """Finds the files that a robot's file names; all of them lie in the folders named above.

    Args:
        file: the robot's file; relative addresses begin in its folder.
    """

    def __init__(self, file: Path) -> None:
        self._folder = file.resolve().parent

    def find(self, address: str) -> Path:
        """The file of an address: a path, `file://` or `package://PACKAGE/path`.

        Raises:
            RobotError: there is no such file, or it lies elsewhere.
        """
        try:
            return self._find(address)
        # A name that is too long, or holds a NUL.
        except (OSError, ValueError) as error:
            raise RobotError(f"{shown(address)} is no name of a file: {type(error).__name__}") from None

    def _find(self, address: str) -> Path:
        scheme, mark, rest = address.partition("://")
        if scheme == "package":
            package, _, path = unquote(rest).partition("/")
            folder = self._package(package)
            return _within(folder / path, [folder], address)
        if scheme == "file":
            path = unquote(urlsplit(address).path)
        elif mark:
            raise RobotError(f"{shown(address)}: use package://, file:// or a path")
        else:
            path = address
        return _within(self._folder / path, [self._own_package], address)

    @cached_property
    def _own_package(self) -> Path:
        """The nearest folder above the file that is a ROS package, else the file's own."""
        above = (self._folder, *self._folder.parents)
        return next((folder for folder in above if (folder / _MANIFEST).is_file()), self._folder)

    def _package(self, name: str) -> Path:
        if not _PACKAGE.fullmatch(name):
            raise RobotError(f"{shown(name)} is no name of a package")
        own = self._own_package
        if (own / _MANIFEST).is_file() and name in (own.name, _declared_name(own / _MANIFEST)):
            return own
        for place in filter(None, os.environ.get(PACKAGE_PATH, "").split(os.pathsep)):
            for folder in (Path(place), Path(place, name)):
                if folder.name == name and folder.is_dir():
                    return folder.resolve()
        try:
            return ros_package(name)
        except FileNotFoundError:
            # Makers copy packages beside their files.
            if (self._folder / name).is_dir():
                return self._folder / name
            raise NoSuchFileError(
                f"package {shown(name)} is not found: neither above the file by a {_MANIFEST} of that name, nor in the "
                f"file's own folder, {PACKAGE_PATH} or the ROS 2 environment"
            ) from None


def _declared_name(manifest: Path) -> str:
    with manifest.open(encoding="utf-8", errors="replace") as file:
        found = _NAME.search(file.read(_LARGEST_MANIFEST))
    return found[1] if found else ""


def _within(path: Path, folders: list[Path], address: str) -> Path:
    """The file, if it lies in one of the folders; links in a package may lead out of it, as colcon makes them."""
    plain, real = Path(os.path.normpath(path)), path.resolve()
    is_package = any((folder / _MANIFEST).is_file() for folder in folders)
    if not any(one.is_relative_to(folder) for folder in folders for one in ((plain, real) if is_package else (real,))):
        raise RobotError(f"{shown(address)} leads out of the folder of the robot's file or of its package")
    note_file(real)
    if not real.is_file():
        raise NoSuchFileError(f"there is no file {shown(address)}")
    return real

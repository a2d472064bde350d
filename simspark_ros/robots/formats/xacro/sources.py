"""The files that a xacro file may be made of: those of its folder or ROS package, and of packages that it finds."""

from __future__ import annotations

import glob
import os
import re
from pathlib import Path

from simspark_ros.configuration.errors import shown
from simspark_ros.configuration.read_files import note_file
from simspark_ros.configuration.resources import PACKAGE, resource, ros_package
from simspark_ros.robots.description import RobotError

_MANIFEST = "package.xml"
_PACKAGE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


class Sources:
    """Says which files a model may read.

    Links below the model's folder must not lead out of it. In packages they may: installed ones consist of links where
    colcon was told so.
    """

    def __init__(self, model: Path) -> None:
        self._folder = folder = model.resolve().parent
        package = next((one for one in (folder, *folder.parents) if (one / _MANIFEST).is_file()), folder)
        self._packages = [resource("urdf"), resource("config")]
        self._own = (package, *(one.resolve() for one in self._packages))

    def find(self, package: str) -> str:
        """The share folder of a package, for `$(find PACKAGE)`; its files may be read from now on.

        Raises:
            RobotError: there is no such package.
        """
        try:
            if package == PACKAGE:
                return str(resource("urdf").parent)
            if not _PACKAGE_NAME.fullmatch(package):
                raise FileNotFoundError(package)
            folder = ros_package(package)
        except FileNotFoundError:
            raise RobotError(f"package {shown(package)} is not found") from None
        self._packages.append(Path(os.path.normpath(folder)))
        return str(folder)

    def path(self, name: str) -> str:
        """The path at which a file is to be read, or the pattern of several files.

        Raises:
            RobotError: the file, or that to which a link leads, is not the model's.
        """
        path = Path(os.path.normpath(name))
        allowed = any(path.is_relative_to(package) for package in self._packages)
        if not allowed:
            path = path.resolve()
            allowed = any(path.is_relative_to(folder) for folder in self._own)
        if allowed:
            note_file(path)
            return str(path)
        raise RobotError(
            f"{self._shown(name)} lies neither in the folder of the model, nor in its ROS package ({_MANIFEST}), nor "
            "in one that $(find PACKAGE) has named"
        )

    def glob(self, pattern: str) -> list[str]:
        """The files whose names match the last part of a path, in place of the function of that name.

        Raises:
            RobotError: the part before is no folder; wildcards there would tell which files there are behind a link.
        """
        folder, names = os.path.split(pattern)
        note_file(Path(folder))
        if not os.path.isdir(folder):
            problem = "there is no such folder; wildcards stand for names of files only"
            raise RobotError(f"{self._shown(pattern)}: {problem}")
        return [os.path.join(folder, name) for name in glob.glob(names, root_dir=folder)]

    def _shown(self, name: str) -> str:
        return shown(os.path.relpath(name, self._folder))

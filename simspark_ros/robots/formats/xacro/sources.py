"""The files that a xacro file may read: files of its folder or ROS package, and of packages that it finds."""

from __future__ import annotations

import glob
import os
import re
from pathlib import Path

from simspark_ros.configuration.errors import shown
from simspark_ros.configuration.read_files import note_file
from simspark_ros.configuration.resources import PACKAGE, resource
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.formats.adaptation.addresses import MeshAddresses, folders_above, home_of

_MANIFEST = "package.xml"
_WILDCARD = re.compile(r"[*?[]")


class Sources:
    """Decides which files a model may read.

    Links below the model's folder must not lead out of the folder. In packages they may, as colcon can install packages
    as links.
    """

    def __init__(self, model: Path) -> None:
        self._folder = model.resolve().parent
        self._addresses = MeshAddresses(model)
        self._packages = [resource("urdf"), resource("config")]
        self._own = (home_of(model), *folders_above(model), *(one.resolve() for one in self._packages))

    def find(self, package: str) -> str:
        """The share folder of a package, for `$(find PACKAGE)`; its files may be read from now on.

        Raises:
            RobotError: there is no such package.
        """
        if package == PACKAGE:
            return str(resource("urdf").parent)
        folder = Path(os.path.normpath(self._addresses.package(package)))
        # Links in the model's own folders must not lead out of these, so `path` resolves what lies there.
        if not any(folder.is_relative_to(own) for own in (self._folder, self._own[0])):
            self._packages.append(folder)
        return str(folder)

    def path(self, name: str) -> str:
        """The path at which a file is to be read.

        Raises:
            RobotError: the file, or the target of a link, is not the model's.
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

    def files(self, name: str) -> list[str]:
        """The paths at which files are to be read: a named file's path, or all that match wildcards in a name.

        Raises:
            RobotError: a file is not the model's, or the part before the last is no folder; wildcards there would
                reveal files behind a link.
        """
        path = self.path(name)
        if not _WILDCARD.search(path):
            return [path]
        folder, names = os.path.split(path)
        note_file(Path(folder))
        if not os.path.isdir(folder):
            problem = "the folder does not exist; wildcards may stand only for names of files"
            raise RobotError(f"{self._shown(path)}: {problem}")
        return [self.path(os.path.join(folder, one)) for one in sorted(glob.glob(names, root_dir=folder))]

    def _shown(self, name: str) -> str:
        return shown(os.path.relpath(name, self._folder))

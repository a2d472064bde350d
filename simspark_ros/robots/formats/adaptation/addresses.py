"""Finds the files that a robot's file names: in its folder or package, in another package, in configured folders."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

from simspark_ros.configuration.errors import shown
from simspark_ros.configuration.foreign import reads_for_client
from simspark_ros.configuration.read_files import note_file
from simspark_ros.configuration.resources import PACKAGE_PATH, ros_package
from simspark_ros.robots.description import RobotError

SEARCH_PATHS = ("SIMSPARK_MODEL_PATH", "GZ_SIM_RESOURCE_PATH", "SDF_PATH", "GAZEBO_MODEL_PATH")
"""Environment variables with folders of models, separated by colons; Gazebo's variables mean the same as in Gazebo."""

_MANIFEST = "package.xml"
MODEL_MANIFEST = "model.config"
MANIFESTS = (_MANIFEST, MODEL_MANIFEST)
"""Files in the folder of a ROS package, or of a Gazebo model."""

_OF_MESHES = ("meshes", "mesh", "assets")
"""Usual names of the folder of meshes beside a package's folder of models."""

_OF_MODELS = ("urdf", "xacro", "sdf", "mjcf")
"""Usual names of a package's folder of models."""

_LARGEST_MANIFEST = 100_000
_NAME = re.compile(r"<name>\s*([A-Za-z][A-Za-z0-9_-]*)\s*</name>")
_PACKAGE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


class NoSuchFileError(RobotError):
    """No file has that name."""


class NoSuchPackageError(NoSuchFileError):
    """No package has that name: the user can name its place."""


def home_of(file: Path, manifests: Collection[str] = (_MANIFEST,)) -> Path:
    """The folder whose files a robot's file may name: the nearest one above it with a manifest, else its own.

    A folder with a neighbour `meshes`, `mesh` or `assets`, and without such a folder in it, belongs to a package
    without a manifest, whose folder is the one above.
    """
    folder = file.resolve().parent
    above = (folder, *folder.parents)
    found = next((one for one in above if any((one / name).is_file() for name in manifests)), None)
    if found is not None:
        return found
    beside, inside = ({name for name in _OF_MESHES if (one / name).is_dir()} for one in (folder.parent, folder))
    return folder.parent if beside - {folder.name} and not inside and not is_common(folder.parent) else folder


def folders_above(file: Path) -> list[Path]:
    """The folder above a robot's file, if files in it may be named: by the operator, or from `urdf` and the like."""
    folder = file.resolve().parent
    allowed = (not reads_for_client() or folder.name in _OF_MODELS) and not is_common(folder.parent)
    return [folder.parent] if allowed else []


def is_common(folder: Path) -> bool:
    """Whether other things than a package lie in a folder: root, its folders, the user's and the temporary folder."""
    # Not by `tempfile`, which writes a file to find out: the process that reads foreign files may not.
    temporary = (os.environ.get(name) or "/tmp" for name in ("TMPDIR", "TEMP", "TMP"))
    shared = [*(Path(one).resolve() for one in temporary), Path("/var/tmp")]
    with suppress(RuntimeError):
        shared.append(Path.home().resolve())
    return len(folder.parts) <= 2 or any(one.is_relative_to(folder) for one in shared)


def configured_folders() -> list[Path]:
    """The folders that the environment names for models."""
    listed = [part for name in SEARCH_PATHS for part in os.environ.get(name, "").split(os.pathsep) if part]
    return [Path(part).resolve() for part in listed]


class MeshAddresses:
    """Finds the files that a robot's file names, in its home, in packages and in `configured_folders`.

    Args:
        file: the robot's file; relative addresses begin in its folder.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
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
            raise RobotError(f"{shown(address)} is not a file name: {type(error).__name__}") from None

    def _find(self, address: str) -> Path:
        scheme, mark, rest = address.partition("://")
        if scheme == "package":
            package, slash, path = unquote(rest).partition("/")
            if not slash:
                raise RobotError(f"{shown(address)} names a package and no file in it")
            try:
                folder = self.package(package)
            except NoSuchPackageError:
                # A package without a manifest may have another name, or its models lie deep in it.
                above = [one for one in self._folder.parents if one.name == package and not is_common(one)]
                found = [one for one in (self._home, *above) if (one / path).is_file()]
                if not found:
                    raise
                folder = found[0]
            return _within(folder / path, [folder], address)
        if scheme == "file":
            path = unquote(urlsplit(address).path)
        elif mark:
            raise RobotError(f"{shown(address)} is not supported; use package://, file:// or a path")
        else:
            path = address
        return _within(self._folder / path, [self._home, *folders_above(self._file), *configured_folders()], address)

    @cached_property
    def _home(self) -> Path:
        return home_of(self._file)

    def package(self, name: str) -> Path:
        """The folder of a ROS package.

        Raises:
            NoSuchPackageError: there is no such package.
            RobotError: no package can have such a name.
        """
        if not _PACKAGE.fullmatch(name):
            raise RobotError(f"{shown(name)} is not a package name")
        own = self._home
        if name == own.name or ((own / _MANIFEST).is_file() and name == _declared_name(own / _MANIFEST)):
            return own
        try:
            return ros_package(name)
        except FileNotFoundError:
            # Makers copy packages beside their files, and take folders of their package for packages.
            for folder in (self._folder / name, own / name):
                if folder.is_dir():
                    return folder
            raise NoSuchPackageError(
                f"package {shown(name)} is not found: no {_MANIFEST} above the file has this name, and it is not in "
                f"the file's folder, {PACKAGE_PATH} or the ROS 2 environment"
            ) from None


def _declared_name(manifest: Path) -> str:
    with manifest.open(encoding="utf-8", errors="replace") as file:
        found = _NAME.search(file.read(_LARGEST_MANIFEST))
    return found[1] if found else ""


def _within(path: Path, folders: list[Path], address: str) -> Path:
    """The file, if it lies in one of the folders; links in a package may lead out of it, as colcon makes them."""
    plain, real = Path(os.path.normpath(path)), path.resolve()
    if not any(
        real.is_relative_to(one) or ((one / _MANIFEST).is_file() and plain.is_relative_to(one)) for one in folders
    ):
        raise RobotError(
            f"{shown(address)} leads out of the folder of the robot's file or of its package; put a {_MANIFEST} into "
            f"the package's folder, or name the folder in {SEARCH_PATHS[0]}"
        )
    note_file(real)
    if not real.is_file():
        # A long address is cut, and its end is the name.
        name = f"{shown(real.name)} of " if real.name != address else ""
        raise NoSuchFileError(f"there is no file {name}{shown(address)}")
    return real

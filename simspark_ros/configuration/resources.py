"""Finds the package's data files (robot models, configuration, launch files) in any kind of installation."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

PACKAGE = "simspark_ros"


def resource(*parts: str) -> Path:
    """Path of a data file or folder below the package's share folder, for example of `"urdf", "nao.urdf.xacro"`.

    In a checkout it is the file in the source tree, so that changes show without a new installation.

    Raises:
        FileNotFoundError: no data folder of this package has the file; the message names the folders.
    """
    folders = _folders(__file__)
    for folder in folders:
        path = folder.joinpath(*parts)
        if path.exists():
            return path
    places = ", ".join(str(folder) for folder in folders)
    raise FileNotFoundError(f"{PACKAGE} has no data file {'/'.join(parts)!r}; looked in {places}")


@cache
def _folders(module: str) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(_share_folders(Path(module).resolve())))


def _share_folders(module: Path) -> Iterator[Path]:
    """Folders that may hold the data of the installation of this module."""
    root = module.parents[2]
    if (root / "package.xml").is_file():
        # Installed copies may be older than the checkout: they must not stand in for a file that the checkout lacks.
        yield root
        return
    # pip and colcon install <prefix>/lib/pythonX.Y/site-packages/simspark_ros/configuration/resources.py.
    yield module.parents[min(5, len(module.parents) - 1)] / "share" / PACKAGE
    with suppress(FileNotFoundError):
        yield ros_package(PACKAGE)
    yield Path(sys.prefix) / "share" / PACKAGE


PACKAGE_PATH = "ROS_PACKAGE_PATH"
"""Environment variable with folders of packages, as in ROS 1."""


def ros_package(name: str) -> Path:
    """The folder of a package in `ROS_PACKAGE_PATH`, else its share folder in a ROS 2 environment, by its ament index.

    Raises:
        FileNotFoundError: there is no such package; the message names the package, and where it was looked for.
    """
    for place in filter(None, os.environ.get(PACKAGE_PATH, "").split(os.pathsep)):
        for folder in (Path(place), Path(place, name)):
            if folder.name == name and folder.is_dir():
                return folder.resolve()
    try:
        from ament_index_python.packages import get_package_share_directory

        return Path(get_package_share_directory(name))
    # Depending on what is missing: ImportError, PackageNotFoundError (a KeyError), ValueError or OSError.
    except Exception:
        places = f"in {PACKAGE_PATH} or a ROS 2 environment"
        remedy = f"set {PACKAGE_PATH} to the folder that holds it, or source its workspace"
        raise FileNotFoundError(f"package '{name}' is not found {places}; {remedy}") from None

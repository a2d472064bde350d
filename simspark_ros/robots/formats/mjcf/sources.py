"""The files of an MJCF model, checked before MuJoCo opens any of them."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from contextlib import suppress
from pathlib import Path

from simspark_ros.configuration.errors import cut, shown
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.folders import Folders
from simspark_ros.robots.files.xml_text import read_xml
from simspark_ros.robots.formats.adaptation.addresses import NoSuchFileError
from simspark_ros.robots.formats.urdf.document import line_of

MAX_INCLUDES = 100

_DIRECTORIES = {"mesh": "meshdir", "skin": "meshdir", "hfield": "meshdir", "texture": "texturedir"}
_SOFT = ("composite", "flexcomp", "flex")
_FILES = ("file", *(f"file{side}" for side in ("right", "left", "up", "down", "front", "back")))


def check_sources(path: Path, limits: LimitSettings) -> tuple[Path, ...]:
    """The files of a model, the first file before the files that it includes.

    Raises:
        RobotError: an included file is missing, or a file is no MJCF, outside of the folders, included in a circle, or
            would become far larger than the limits when MuJoCo writes it out.
    """
    return _Sources(path, limits).files()


class _Sources:
    def __init__(self, path: Path, limits: LimitSettings) -> None:
        self._path = path.resolve()
        self._limits = limits
        self._folders = Folders(self._path)
        self._roots: dict[Path, ET.Element] = {}
        self._bodies = 0

    def files(self) -> tuple[Path, ...]:
        self._read(self._path, ())
        directories = self._directories()
        for path, root in self._roots.items():
            self._check_assets(path, root, directories)
            self._count(path, root, 1)
        return tuple(self._roots)

    def _read(self, path: Path, chain: tuple[Path, ...]) -> None:
        # MuJoCo opens the file again, and takes it for UTF-8.
        root = read_xml(path, self._limits, only_utf8=True)
        if not chain and root.tag != "mujoco":
            problem = f"an MJCF document starts with <mujoco>, this one with <{cut(root.tag, 40)}>"
            raise RobotError(f"{path}:{line_of(root)}: {problem}")
        self._roots[path] = root
        for element in root.iter("include"):
            place = f"{path}:{line_of(element)}: <include>"
            # MuJoCo looks for all included files beside the first file.
            included = self._folders.find(element.get("file", ""), self._path.parent, place)
            if included in (*chain, path):
                raise RobotError(f"{place}: the files include each other in a circle")
            if included in self._roots or len(self._roots) > MAX_INCLUDES:
                raise RobotError(f"{place}: each file may be included once, and at most {MAX_INCLUDES} files in all")
            self._read(included, (*chain, path))

    def _directories(self) -> dict[str, str]:
        """Folders of assets, by tag; settings of later files count, as with MuJoCo."""
        compilers = [one.attrib for root in self._roots.values() for one in root.iter("compiler")]
        merged = {key: value for attributes in compilers for key, value in attributes.items()}
        common = merged.get("assetdir", "")
        return {tag: merged.get(key, common) for tag, key in _DIRECTORIES.items()}

    def _check_assets(self, path: Path, root: ET.Element, directories: dict[str, str]) -> None:
        for element in root.iter():
            if element.tag == "include":
                continue
            self._check_mass(path, element)
            for name in (value for key, value in element.attrib.items() if key in _FILES):
                place = f"{path}:{line_of(element)}: <{cut(element.tag, 40)}>"
                if element.tag not in (*_DIRECTORIES, "model"):
                    raise RobotError(f"{place}: only meshes, textures and included models may name files")
                if element.tag == "model":
                    raise RobotError(f"{place}: <attach> of other models is not supported; use <include>")
                folder = self._path.parent / directories.get(element.tag, "")
                # Then MuJoCo looks beside the included file.
                folder = folder if os.path.lexists(folder / name) else path.parent
                # A picture, or a mesh that is only seen, is no reason to refuse a robot; others are missed later.
                with suppress(NoSuchFileError):
                    self._check_size(self._folders.find(name, folder, place), place)

    @staticmethod
    def _check_mass(path: Path, element: ET.Element) -> None:
        """Refuse masses below zero, which MuJoCo treats as missing."""
        for key in ("mass", "density"):
            if element.get(key, "").strip().startswith("-"):
                problem = f"{key}={shown(element.get(key, ''))} is negative"
                raise RobotError(f"{path}:{line_of(element)}: <{cut(element.tag, 40)}>: {problem}")

    def _check_size(self, path: Path, place: str) -> None:
        size, most = path.stat().st_size, self._limits.mesh_file_size
        if size > most:
            raise RobotError(f"{place}: {shown(path.name)} has {size} bytes; mesh_file_size allows {most}")

    def _count(self, path: Path, element: ET.Element, copies: int) -> None:
        """Count bodies as `<replicate>` multiplies them."""
        if element.tag in _SOFT:
            raise RobotError(f"{path}:{line_of(element)}: <{element.tag}>: soft and composed bodies are not supported")
        if element.tag == "replicate":
            try:
                copies *= int(element.get("count", "1"))
            except ValueError:
                problem = f"count={shown(element.get('count', ''))} must be a whole number"
                raise RobotError(f"{path}:{line_of(element)}: <replicate>: {problem}") from None
        if element.tag in ("body", "geom", "site"):
            self._bodies += copies
        most = 20 * self._limits.max_links
        if copies > most or self._bodies > most:
            problem = f"the model has more than {most} bodies, geoms and sites; max_links allows no more"
            raise RobotError(f"{path}:{line_of(element)}: {problem}")
        for child in element:
            self._count(path, child, copies)

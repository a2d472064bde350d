"""The files of an SDF model, and the models that they include."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from pathlib import Path

from simspark_ros.configuration.errors import cut, shown
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.folders import Folders
from simspark_ros.robots.files.report import ImportReport
from simspark_ros.robots.files.xml_text import read_xml
from simspark_ros.robots.formats.sdf.values import Values
from simspark_ros.robots.formats.urdf.document import line_of

MAX_FILES = 50
"""Most files of a robot, each counted as often as it is included."""

VERSIONS = ((1, 4), (1, 12))
"""The first known version, and the first version that is not known yet."""


def is_static(model: ET.Element) -> bool:
    """Whether a model never moves."""
    return (model.findtext("static") or "").strip().lower() in ("true", "1")


class Files:
    """Opens the files of one robot, only in its folders.

    Attributes:
        takes_static: whether static models are read, too.
    """

    def __init__(self, path: Path, limits: LimitSettings, report: ImportReport) -> None:
        self.folders = Folders(path)
        self.report = report
        self.takes_static = False
        self._limits = limits
        self._opened = 0
        self._links = 0

    def root(self, path: Path) -> tuple[ET.Element, tuple[int, int]]:
        """The root of a file, and the version of the format.

        Raises:
            RobotError: the file cannot be used.
        """
        self._opened += 1
        if self._opened > MAX_FILES:
            raise RobotError(f"{path}: the robot is made of more than {MAX_FILES} files")
        root = read_xml(path, self._limits)
        if root.tag != "sdf":
            Values(path).fail(root, f"an SDF document starts with <sdf>, this one with <{cut(root.tag, 40)}>")
        return root, self._version(path, root)

    def model(self, path: Path, number: int = 0) -> tuple[ET.Element, tuple[int, int]]:
        """A model of a file, by its number among the models that move, and the version of the format.

        Raises:
            RobotError: there is no such model, or the file cannot be used.
        """
        root, version = self.root(path)
        models = [*root.findall("model"), *root.findall("world/model")]
        usable = [model for model in models if self.takes_static or not is_static(model)] or models
        if not usable:
            Values(path).fail(root, "the file has no <model>")
        if number >= len(usable):
            raise RobotError(
                f"{path}: unknown type {number}; the types are the file's models that move, 0 to {len(usable) - 1}"
            )
        model = usable[number]
        for other in models:
            if other is not model:
                self.report.dropped(f"model '{other.get('name')}'", "a robot is one model", path.name, line_of(other))
        self._links += sum(1 for _ in model.iter("link"))
        most = 20 * self._limits.max_links
        if self._links > most:
            Values(path).fail(model, f"has more than {most} links; max_links allows {self._limits.max_links}")
        return model, version

    def included(self, address: str, base: Path, place: str) -> Path:
        """The SDF file that the `<uri>` of an include names, directly or by a folder with a `model.config`."""
        found = self.folders.find(address, base, place)
        if not found.is_dir():
            return found
        manifest = found / "model.config"
        if not manifest.is_file():
            raise RobotError(f"{place}: {shown(address)} is a folder without a model.config")
        listed = read_xml(manifest, self._limits).findall("sdf")
        if not listed:
            raise RobotError(f"{manifest}: names no <sdf> file")
        latest = max(listed, key=lambda one: _number(one.get("version", "")))
        return self.folders.find((latest.text or "").strip(), found, f"{manifest}:{line_of(latest)}: <sdf>")

    def _version(self, path: Path, root: ET.Element) -> tuple[int, int]:
        major, _, minor = root.get("version", "").partition(".")
        if not (major.isdecimal() and minor.isdecimal() and len(major + minor) < 6):
            Values(path).fail(root, f"version={shown(root.get('version', ''))} must be like 1.9")
        version, (first, end) = (int(major), int(minor)), VERSIONS
        if version < first:
            Values(path).fail(
                root, f"version {major}.{minor} is older than {first[0]}.{first[1]}; convert it with `gz sdf`"
            )
        if version >= end:
            known = f"{end[0]}.{end[1] - 1}"
            self.report.approximated(
                "the file", f"version {major}.{minor} is read as {known}", path.name, line_of(root)
            )
        return version


def _number(version: str) -> float:
    """A version as a number, for the order of versions: 1.10 is later than 1.9."""
    major, _, minor = version.partition(".")
    return int(major) + int(minor) / 1000 if major.isdecimal() and minor.isdecimal() else -math.inf

"""Meshes that are only seen become surfaces: all triangles of a robot within a budget, each colour apart."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.physics.geometry.simplification import simplified
from simspark_ros.physics.geometry.transforms import Array
from simspark_ros.physics.surface import Colour, Surface
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.formats.adaptation.addresses import MeshAddresses
from simspark_ros.robots.formats.adaptation.meshes import MeshContent, read_mesh
from simspark_ros.robots.formats.adaptation.notes import Notes, text_of
from simspark_ros.robots.formats.urdf.bounds import OFFSET, SIZE

MOST_TRIANGLES = 16_000
"""Triangles of all surfaces of a robot, about: a page draws a team of such robots, and they travel as 300 kB."""

_MOST_COLOURS = 12
"""Most colours of a mesh; the nearest of them stand for others."""

_SHADES = 63.0
"""Number of shades of red, green, blue and alpha that are told apart."""

_WEIGHTS = 128 ** np.arange(4)
"""Factors that make one number of four shades."""

_NEW: Colour = (math.nan, math.nan, math.nan, math.nan)
"""Mark of triangles to which the file of a mesh gives no colour: they take the material's."""


class _Seen(NamedTuple):
    """A visual mesh: its link, its element in the link, its file's content, its scale along the axes."""

    link: ET.Element
    part: ET.Element
    name: str
    content: MeshContent
    scale: tuple[float, ...]


@dataclass(frozen=True)
class VisualSurfaces:
    """Collects the visual meshes of a document, and writes them as surfaces.

    Attributes:
        notes: notes on the document.
        addresses: finder of files.
        limits: limits on meshes.
        materials: whether colours of the document's materials win over colours of the meshes' files.
        pictures: addresses of pictures by the names of materials.
    """

    notes: Notes
    addresses: MeshAddresses
    limits: LimitSettings
    materials: bool
    pictures: dict[str, str] = field(default_factory=dict)
    _seen: list[_Seen] = field(default_factory=list)

    def add(self, link: ET.Element, part: ET.Element, mesh: ET.Element, what: str) -> None:
        """Take a visual out of its link, to be written later; a mesh that cannot be used is dropped with a note."""
        link.remove(part)
        try:
            scale = tuple(self.notes.numbers(mesh, "scale", "1 1 1", what))
            path = self.addresses.find(mesh.get("filename", "").strip())
            content = read_mesh(path, self.limits, self._picture(part))
            check_size(content.points * scale)
        except (RobotError, OSError) as error:
            self.notes.dropped(mesh, what, str(error))
            return
        if not len(content.triangles):
            self.notes.dropped(mesh, what, f"{path.name}: it has no triangles")
            return
        self._seen.append(_Seen(link, part, path.name, content, scale))

    def write(self) -> None:
        """Write all surfaces; meshes with more triangles give more of them away."""
        weights = np.sqrt([len(one.content.triangles) for one in self._seen])
        made: dict[tuple[int, tuple[float, ...], bool], tuple[Surface, ...]] = {}
        for one, weight in zip(self._seen, weights, strict=True):
            most = max(int(MOST_TRIANGLES * weight / weights.sum()), 16)
            has_own = self.materials and one.part.find("material") is not None and _is_plain(one.content)
            key = id(one.content), one.scale, has_own
            if key not in made:
                made[key] = tuple(_surfaces(one, most, has_own))
            for surface in made[key]:
                _write(one, surface)
            count = len(one.content.triangles)
            if count > most:
                what = f"visual of link '{one.link.get('name', '')[:80]}'"
                self.notes.approximated(one.part, what, f"{one.name}: {most} of {count} triangles are kept")

    def _picture(self, part: ET.Element) -> Path | None:
        """The picture that a visual's material puts on it."""
        material = part.find("material")
        if material is None:
            return None
        texture = material.find("texture")
        if texture is not None:
            material.remove(texture)
        address = self.pictures.get(material.get("name", ""), "") if texture is None else texture.get("filename", "")
        try:
            return self.addresses.find(address) if address else None
        except RobotError as error:
            self.notes.dropped(material, "a texture", str(error))
            return None


def _surfaces(seen: _Seen, most: int, has_own: bool) -> Iterator[Surface]:
    """Yield the surfaces of a mesh, one for each colour, or one if the material gives its colour."""
    content = seen.content
    colours = np.full((len(content.triangles), 4), np.nan) if has_own else content.colours
    points, turned = content.points * seen.scale, math.prod(seen.scale) < 0.0
    for colour, triangles in _by_colour(colours, content.triangles):
        share = max(most * len(triangles) // len(content.triangles), 8)
        corners, faces = simplified(points, triangles, share)
        if len(faces):
            yield Surface.of(corners, faces[:, ::-1] if turned else faces, colour)


def _is_plain(content: MeshContent) -> bool:
    """Whether a mesh has one colour, or none."""
    return bool(np.ptp(np.nan_to_num(content.colours, nan=-1.0), axis=0).max() < 1.0 / _SHADES)


def check_size(points: Array) -> None:
    """Refuse points (N, 3) of a solid that is too small, too large or too far away, by a `RobotError`."""
    low, high = points.min(axis=0), points.max(axis=0)
    extent = float((high - low).max())
    if not (extent in SIZE and abs(np.concatenate((low, high))).max() <= OFFSET.high):
        remedy = '; is it in mm? scale="0.001 0.001 0.001"' if extent > SIZE.high and extent / 1000.0 in SIZE else ""
        raise RobotError(f"the mesh spans {extent:.3g} m; the edges of solids must be {SIZE}, near their link{remedy}")


def _by_colour(colours: Array, triangles: NDArray[np.int64]) -> Iterator[tuple[Colour, NDArray[np.int64]]]:
    steps = np.rint(np.nan_to_num(np.clip(colours, 0.0, 1.0), nan=-1.0) * _SHADES).astype(np.int64)
    # Equal numbers are found faster than equal rows.
    _, first, kind = np.unique(steps @ _WEIGHTS, return_index=True, return_inverse=True)
    kinds = steps[first]
    if len(kinds) > _MOST_COLOURS:
        kept = np.argsort(-np.bincount(kind), kind="stable")[:_MOST_COLOURS]
        nearest = ((kinds[:, None] - kinds[kept]) ** 2).sum(axis=2).argmin(axis=1)
        kinds, kind = kinds[kept], nearest[kind]
    for number, (red, green, blue, alpha) in enumerate((kinds / _SHADES).tolist()):
        if (kind == number).any():
            yield (_NEW if red < 0.0 else (red, green, blue, alpha)), triangles[kind == number]


def _write(seen: _Seen, surface: Surface) -> None:
    part = deepcopy(seen.part)
    for geometry in part.iter("geometry"):
        for solid in list(geometry):
            geometry.remove(solid)
        ET.SubElement(geometry, "surface", points=surface.points, triangles=surface.triangles)
    if not math.isnan(surface.rgba[0]):
        for material in part.findall("material"):
            part.remove(material)
        material = ET.SubElement(part, "material", name="")
        ET.SubElement(material, "color", rgba=text_of(surface.rgba))
    seen.link.append(part)

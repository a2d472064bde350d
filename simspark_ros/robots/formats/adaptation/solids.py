"""Solids of links: meshes that collide become convex hulls or parts, too small sizes the least that engines take."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from copy import deepcopy
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from simspark_ros.configuration.errors import named
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.read_files import kept_until_edited
from simspark_ros.physics.geometry.transforms import Array
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.format_table import MeshCollisions
from simspark_ros.robots.formats.adaptation.addresses import MeshAddresses, NoSuchFileError, NoSuchPackageError
from simspark_ros.robots.formats.adaptation.hulls import LIBRARY, MODULE, CoarseHull, coarse_hull, convex_parts
from simspark_ros.robots.formats.adaptation.meshes import read_mesh
from simspark_ros.robots.formats.adaptation.notes import Notes, text_of
from simspark_ros.robots.formats.adaptation.visuals import VisualSurfaces, check_size
from simspark_ros.robots.formats.urdf.attributes import AttributeReader
from simspark_ros.robots.formats.urdf.bounds import SIZE
from simspark_ros.robots.formats.urdf.elements import LinkReader

_KINDS = {"box": ("size", "1 1 1"), "sphere": ("radius", "1"), "cylinder": ("radius", "1"), "capsule": ("radius", "1")}
"""Solids that stay, each with its attribute to check and that attribute's default."""

_READER = LinkReader(AttributeReader(""), {}, {})


class Solids(NamedTuple):
    """Adapts the solids of a document's links.

    Attributes:
        notes: notes on the document.
        addresses: finder of the files of meshes.
        limits: limits on meshes.
        meshes: kind of solid that meshes collide as.
        surfaces: collector of the meshes that are seen.
    """

    notes: Notes
    addresses: MeshAddresses
    limits: LimitSettings
    meshes: MeshCollisions
    surfaces: VisualSurfaces

    def adapt_all(self, links: Sequence[ET.Element]) -> None:
        """Change the solids of all links to solids that `import_urdf` takes; errors are `RobotError`s.

        A link whose looks are all dropped, and every link of a robot without any, is seen as it collides. Of a robot
        that keeps no solid the first mesh that is missing is an error.
        """
        seen = [link for link in links if link.find("visual") is not None] or links
        lost = [(link, errors[0]) for link in links if (errors := self._adapt(link))]
        if lost and not any(link.find("collision") is not None for link in links):
            raise lost[0][1]
        self._warn([link for link, _ in lost])
        self.surfaces.write()
        for link in seen:
            if link.find("visual") is None:
                link.extend([_as_visual(part) for part in link.findall("collision")])

    def _adapt(self, link: ET.Element) -> list[NoSuchFileError]:
        """Change one link; returns the errors about meshes that it has lost."""
        name, missing = f"link '{link.get('name', '')[:80]}'", []
        for part in [*link.findall("collision"), *link.findall("visual")]:
            what = f"{part.tag} of {name}"
            try:
                self._adapt_part(link, part, what)
                if part.tag == "visual" and part in link:
                    _READER.check_visual(part, what)
            except RobotError as error:
                if part.tag == "collision":
                    if not isinstance(error, NoSuchFileError) or isinstance(error, NoSuchPackageError):
                        raise
                    missing.append(error)
                self.notes.dropped(part, what, str(error).rpartition(f"{what}: ")[2])
                link.remove(part)
        if missing:
            left = "nothing" if link.find("collision") is None else "its other solids alone"
            self.notes.approximated(link, name, f"it collides with {left}, as a mesh is missing")
        return missing

    def _warn(self, links: Sequence[ET.Element]) -> None:
        """Warn of the links that have lost solids, in at most two lines, however many links there are."""
        for bare, left in ((True, "nothing"), (False, "other solids alone")):
            if names := [link.get("name", "") for link in links if (link.find("collision") is None) is bare]:
                collide = "collides" if len(names) == 1 else "collide"
                self.notes.report.warnings.append(
                    f"{named('link', names)} {collide} with {left}, as meshes are missing"
                )

    def _adapt_part(self, link: ET.Element, part: ET.Element, what: str) -> None:
        geometry = part.find("geometry")
        solid = None if geometry is None else next(iter(geometry), None)
        if geometry is None or solid is None:
            self.notes.dropped(part, what, "it has no geometry")
            link.remove(part)
        elif solid.tag == "mesh" and part.tag == "visual":
            self.surfaces.add(link, part, solid, what)
        elif solid.tag == "mesh":
            self._mesh(link, part, geometry, solid, what)
        elif solid.tag in _KINDS:
            self._primitive(solid, what)
        elif solid.tag != "hull":
            self.notes.dropped(solid, what, f"<{solid.tag[:40]}> is not supported")
            link.remove(part)

    def _primitive(self, solid: ET.Element, what: str) -> None:
        name, form = _KINDS[solid.tag]
        for attribute, shape in ((name, form), ("length", "1")):
            if attribute not in solid.attrib:
                continue
            given = self.notes.numbers(solid, attribute, shape, what)
            if min(given) < 0.0:
                raise self.notes.fail(solid, what, f"{attribute}={solid.get(attribute)} must not be negative")
            if min(given) < SIZE.low:
                solid.set(attribute, text_of(max(value, SIZE.low) for value in given))
                self.notes.approximated(solid, what, f"its {attribute} is raised to the minimum, {SIZE.low:g} m")

    def _mesh(self, link: ET.Element, part: ET.Element, geometry: ET.Element, mesh: ET.Element, what: str) -> None:
        scale = tuple(self.notes.numbers(mesh, "scale", "1 1 1", what))
        try:
            path = self.addresses.find(mesh.get("filename", "").strip())
            check_size(read_mesh(path, self.limits, None).points * scale)
            hull = _hull(path, scale, self.limits)
            hulls = _parts(path, scale, self.limits) if self.meshes == "parts" else (hull,)
        except RobotError as error:
            raise type(error)(str(self.notes.fail(mesh, what, str(error)))) from None
        boxed = self.meshes == "boxes"
        self.notes.approximated(mesh, what, f"{path.name}: {_told(hulls, boxed)}")
        geometry.remove(mesh)
        _replace(link, part, [_box(hull.points)] if boxed else [one.points for one in hulls])


def _as_visual(part: ET.Element) -> ET.Element:
    part = deepcopy(part)
    part.tag = "visual"
    return part


def _told(hulls: tuple[CoarseHull, ...], boxed: bool) -> str:
    """Text about the solids that replace a mesh."""
    if len(hulls) > 1:
        return f"{len(hulls)} convex parts, cut by {LIBRARY}"
    hull = hulls[0]
    if hull.flat:
        return "it is flat: a plate replaces it"
    if boxed:
        return "the box around it"
    if hull.error == 0.0:
        return f"its convex hull of {len(hull.points)} corners"
    return f"its convex hull, {len(hull.points)} of {hull.of} corners, up to {1000.0 * hull.error:.1f} mm inside"


def _replace(link: ET.Element, part: ET.Element, solids: list[Array]) -> None:
    """Replace a part of a link, whose geometry is empty, by parts with the hull of each array of corners."""
    link.remove(part)
    for corners in solids:
        one = deepcopy(part)
        for geometry in one.iter("geometry"):
            ET.SubElement(geometry, "hull", points=text_of(corners.round(7).reshape(-1).tolist()))
        link.append(one)


def _box(points: Array) -> Array:
    return np.array(list(product(*zip(points.min(axis=0), points.max(axis=0), strict=True))))


@kept_until_edited(512)
def _hull(path: Path, scale: tuple[float, ...], limits: LimitSettings) -> CoarseHull:
    return coarse_hull(read_mesh(path, limits, None).points * np.array(scale))


@kept_until_edited(512)
def _parts(path: Path, scale: tuple[float, ...], limits: LimitSettings) -> tuple[CoarseHull, ...]:
    """Convex parts of a mesh; its hull if there is only one part, as the hull is exact."""
    mesh = read_mesh(path, limits, None)
    parts = convex_parts(mesh.points * np.array(scale), mesh.triangles)
    return tuple(map(coarse_hull, parts)) if len(parts) > 1 else (_hull(path, scale, limits),)


def hulls_of(path: Path, scale: tuple[float, ...], limits: LimitSettings) -> tuple[CoarseHull, ...]:
    """The convex parts of a mesh that stands still, m; its hull where the library that cuts meshes is not installed.

    Raises:
        RobotError: the mesh cannot be read.
    """
    if find_spec(MODULE) is None:
        return (_hull(path, scale, limits),)
    return _parts(path, scale, limits)

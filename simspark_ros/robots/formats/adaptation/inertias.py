"""Masses and inertias: missing and impossible ones are computed from the solids of the link."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from copy import copy

import numpy as np

from simspark_ros.physics.geometry.solving import principal
from simspark_ros.physics.geometry.transforms import Array, product
from simspark_ros.physics.model import Shape
from simspark_ros.physics.surface import Surface
from simspark_ros.robots.body.size import corners_of
from simspark_ros.robots.formats.adaptation.notes import Notes, text_of
from simspark_ros.robots.formats.urdf.attributes import AttributeReader
from simspark_ros.robots.formats.urdf.bounds import MASS, MOMENT
from simspark_ros.robots.formats.urdf.elements import LinkReader

DENSITY = 500.0
"""Density of links without a mass, kg per m3 of the box around their solids: about the density of whole robots."""

LEAST_SHARE = 0.005
"""Least share of such a link of the robot's other mass: engines oscillate if light links carry heavy ones."""

_NOTHING = 0.04
"""Edge of the box in place of a link without solids, m."""

_KEYS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


class Inertias:
    """Adapts the inertias of a document's links, whose solids have been adapted."""

    def __init__(self, notes: Notes, links: Sequence[ET.Element]) -> None:
        self._notes = notes
        # Of those to which the document gives one, before others get theirs.
        self._total = sum(max(self.mass(link), 0.0) for link in links)

    def adapt(self, link: ET.Element, needs_mass: bool) -> None:
        """Give a link a mass if it needs one, and the inertia of a body if it has a mass; errors are `RobotError`s."""
        what = f"link '{link.get('name', '')[:80]}'"
        mass = self.mass(link)
        inertial = link.find("inertial")
        if mass < 0.0:
            raise self._notes.fail(link if inertial is None else inertial, what, f"its mass {mass:g} kg is negative")
        if mass < MASS.low:
            if inertial is not None:
                link.remove(inertial)
            if needs_mass:
                self._invent(link, what)
            elif mass > 0.0:
                self._notes.approximated(link, what, f"its mass, {mass:g} kg, is too small: it becomes a frame")
        elif inertial is not None and mass in MASS:
            self._check(link, inertial, mass, what)

    def mass(self, link: ET.Element) -> float:
        """Mass of a link in the document, kg; 0 without one."""
        element = link.find("inertial/mass")
        what = f"link '{link.get('name', '')[:80]}'"
        return 0.0 if element is None else self._notes.numbers(element, "value", "0", what)[0]

    def _invent(self, link: ET.Element, what: str) -> None:
        low, high, box = self._box(link)
        mass = min(max(DENSITY * float(np.prod(high - low)), LEAST_SHARE * self._total, 0.01), MASS.high)
        inertial = ET.SubElement(link, "inertial")
        ET.SubElement(inertial, "origin", xyz=text_of((low + high) / 2.0), rpy="0 0 0")
        ET.SubElement(inertial, "mass", value=repr(mass))
        self._set(inertial, _box_tensor(mass, high - low))
        self._notes.approximated(link, what, f"it has no mass: {mass:.3g} kg are used, from {box}")

    def _check(self, link: ET.Element, inertial: ET.Element, mass: float, what: str) -> None:
        tensor = inertial.find("inertia")
        given = ET.Element("inertia") if tensor is None else tensor
        xx, xy, xz, yy, yz, zz = (self._notes.numbers(given, key, "0", what)[0] for key in _KEYS)
        moments, axes = principal([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if moments[0] < MOMENT.low:
            low, high, box = self._box(link)
            self._set(inertial, _box_tensor(mass, high - low))
            origin = inertial.find("origin")
            if origin is not None:
                origin.set("rpy", "0 0 0")
            self._notes.approximated(inertial, what, f"its inertia is impossible: that of {box} is used")
        elif (lack := moments[2] - moments[0] - moments[1]) > -1e-6 * moments[2]:
            # The smaller moments grow; the principal axes and the largest moment stay. MuJoCo computes the moments once
            # more, and refuses those of plates that rounding made impossible.
            moments[:2] += max(lack, 0.0) * 0.5 + 1e-6 * moments[2]
            self._set(inertial, product(axes * moments, axes.T))
            if lack > 1e-3 * moments[2]:
                how = "its inertia is impossible: its two smaller moments are raised until their sum equals the largest"
                self._notes.approximated(inertial, what, how)

    def _set(self, inertial: ET.Element, matrix: Array) -> None:
        for old in inertial.findall("inertia"):
            inertial.remove(old)
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = matrix.tolist()
        values = zip(_KEYS, (xx, xy, xz, yy, yz, zz), strict=True)
        ET.SubElement(inertial, "inertia", {key: repr(value) for key, value in values})

    def _box(self, link: ET.Element) -> tuple[Array, Array, str]:
        """Lower and upper corner of a box in the link's frame, m, and the box in words.

        It is around the solids that collide, else around visible ones, and of a default size where there are none.
        """
        plain = copy(link)
        for inertial in plain.findall("inertial"):
            plain.remove(inertial)
        read = LinkReader(AttributeReader(self._notes.file), {}, {}).link(plain)
        solids: tuple[Shape | Surface, ...] = read.collisions or (*read.visuals, *read.surfaces)
        if not solids:
            default = f"a box of the default size ({_NOTHING:g} m, as it has no solids)"
            return np.full(3, -_NOTHING / 2.0), np.full(3, _NOTHING / 2.0), default
        corners = np.concatenate([one.arrays[0] if isinstance(one, Surface) else corners_of(one) for one in solids])
        return corners.min(axis=0), corners.max(axis=0), "a box around its solids"


def _box_tensor(mass: float, edges: Array) -> Array:
    """Inertia (3, 3) of a homogeneous box about its centre, kg m2; its moments are large enough for engines."""
    x, y, z = (edges**2 * mass / 12.0).tolist()
    return np.diag(np.maximum((y + z, x + z, x + y), 10.0 * MOMENT.low))

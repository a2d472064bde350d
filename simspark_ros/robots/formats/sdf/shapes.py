"""Collisions, visuals and inertias of SDF links."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np

from simspark_ros.physics.geometry.solving import principal
from simspark_ros.physics.geometry.transforms import Transform, product
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.report import ImportReport
from simspark_ros.robots.formats.adaptation.addresses import NoSuchFileError, NoSuchPackageError
from simspark_ros.robots.formats.parts.bodies import Body, Solid, add_mass, ellipsoid
from simspark_ros.robots.formats.sdf.files import Files
from simspark_ros.robots.formats.sdf.scope import Scope
from simspark_ros.robots.formats.urdf.document import line_of

_WATER = 1000.0
"""Density of collisions without one in the file, kg/m3, by the format's specification."""

_FRICTION = "surface/friction/ode/mu"

_PICTURE = "pbr/metal/albedo_map"

Colour = tuple[float, float, float, float]

_OFF_DIAGONAL = ("ixy", "ixz", "iyz")


class LinkReader:
    """Reads the links of a robot."""

    def __init__(self, files: Files, report: ImportReport) -> None:
        self._files = files
        self._report = report

    def body(self, scope: Scope, element: ET.Element) -> Body:
        """One link."""
        values, name = scope.values, scope.values.name(element)
        own = scope.pose_of(name)
        body = Body(scope.prefix + name, scope.in_robot() @ own)
        inertial = element.find("inertial")
        is_automatic = inertial is not None and inertial.get("auto", "false") in ("true", "1")
        for tag in ("collision", "visual"):
            for part in element.findall(tag):
                what = f"{tag} '{part.get('name', '')}' of link '{body.name}'"
                try:
                    solid, pose = self._solid(scope, part, what), own.inverse() @ scope.placed(part, name)
                except RobotError as error:
                    if tag == "collision":
                        raise
                    self._drop(scope, part, what, error)
                    solid = None
                if solid is None:
                    body.lost_looks |= tag == "visual"
                    continue
                solid = replace(solid, pose=pose @ solid.pose, collides=tag == "collision", seen=tag == "visual")
                body.solids.append(solid)
                if is_automatic and tag == "collision":
                    density = values.number(inertial, "density", values.number(part, "density", _WATER))
                    self._add(body, solid, density, line_of(part), scope)
        if not is_automatic:
            self._inertial(scope, inertial, body)
        self._report.understood(f"link '{body.name}'", "", scope.values.file.name, line_of(element))
        return body

    def friction(self, scope: Scope, element: ET.Element) -> float | None:
        """The least coefficient of friction, in the first direction, of a link's collisions; None if none has one."""
        given = [part for part in element.findall("collision") if part.find(_FRICTION) is not None]
        return min((scope.values.number(part, _FRICTION, 1.0) for part in given), default=None)

    def _inertial(self, scope: Scope, element: ET.Element | None, body: Body) -> None:
        """Read mass, centre and inertia; by the specification 1 kg and 1 kg m2 if missing."""
        values = scope.values
        body.mass = values.number(element, "mass", 1.0)
        if element is not None and body.mass < 0.0:
            values.fail(element, f"<mass> {body.mass:g} is negative")
        tensor = None if element is None else element.find("inertia")
        numbers = {key: values.number(tensor, key, 0.0 if key in _OFF_DIAGONAL else 1.0) for key in _MOMENTS}
        xx, yy, zz, xy, xz, yz = (numbers[key] for key in _MOMENTS)
        pose = values.pose(None if element is None else element.find("pose"))
        matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if body.mass > 0.0 and tensor is not None and principal(matrix)[0][0] <= 0.0:
            values.fail(tensor, "must be positive definite, as that of every solid is")
        body.centre = pose.position
        body.inertia = product(product(pose.rotation, matrix), pose.rotation.T)

    def _add(self, body: Body, solid: Solid, density: float, line: int, scope: Scope) -> None:
        if not add_mass(body, solid, density):
            how = "its mass is not in the automatic inertia of its link"
            self._report.approximated(f"a mesh of link '{body.name}'", how, scope.values.file.name, line)

    def _solid(self, scope: Scope, element: ET.Element, what: str) -> Solid | None:
        """The solid of a collision or visual, at the origin; None if it has no counterpart."""
        values, geometry = scope.values, element.find("geometry")
        shapes = [] if geometry is None else list(geometry)
        if not shapes:
            return None
        shape, place = shapes[0], (values.file.name, line_of(shapes[0]))
        rgba = self._colour(scope, element, what)
        texture = self._texture(scope, element, what) if shape.tag == "mesh" else ""
        if shape.tag == "box":
            x, y, z = values.vector(shape, "size", (1.0, 1.0, 1.0))
            return Solid("box", (x, y, z), rgba=rgba)
        if shape.tag == "sphere":
            return Solid("sphere", (values.size(shape, "radius", 1.0),), rgba=rgba)
        if shape.tag in ("cylinder", "capsule", "cone"):
            if shape.tag == "cone":
                self._report.approximated(what, "the cone becomes the cylinder around it", *place)
            size = (values.size(shape, "radius", 0.5), values.size(shape, "length", 1.0))
            return Solid("capsule" if shape.tag == "capsule" else "cylinder", size, rgba=rgba)
        if shape.tag == "ellipsoid":
            solid = replace(ellipsoid(values.vector(shape, "radii", (1.0, 1.0, 1.0)), Transform()), rgba=rgba)
            self._report.approximated(what, f"the ellipsoid becomes a {solid.kind}", *place)
            return solid
        if shape.tag == "mesh":
            return self._mesh(scope, shape, what, rgba, texture)
        self._report.dropped(what, f"<{shape.tag[:40]}> is not supported", *place)
        return None

    def _mesh(self, scope: Scope, shape: ET.Element, what: str, rgba: Colour | None, texture: str) -> Solid:
        values = scope.values
        place = f"{values.file}:{line_of(shape)}: <mesh>"
        address = values.text(shape, "uri")
        try:
            address = f"file://{self._files.folders.find(address, values.file.parent, place)}"
        except NoSuchFileError as error:
            # What collides is dropped with the meshes of all formats.
            if what.startswith("visual") or isinstance(error, NoSuchPackageError):
                raise
        if shape.find("submesh") is not None:
            self._report.approximated(what, "the whole mesh is used, not a part", values.file.name, line_of(shape))
        scale = values.vector(shape, "scale", (1.0, 1.0, 1.0))
        return Solid("mesh", scale, rgba=rgba, file=address, texture=texture)

    def _colour(self, scope: Scope, element: ET.Element, what: str) -> Colour | None:
        material = element.find("material")
        if material is None:
            return None
        found = material.find("diffuse")
        if found is None:
            found = material.find("ambient")
        if found is None:
            if material.find(_PICTURE) is None:
                how = "only colours and the albedo map of <pbr> are read, not scripts"
                self._report.dropped(f"material of {what}", how, scope.values.file.name, line_of(material))
            return None
        words = (found.text or "").split()
        text = " ".join([*words, "1"] if len(words) == 3 else words)
        try:
            red, green, blue, alpha = scope.values.numbers(found, text, 4)
        except RobotError as error:
            self._drop(scope, found, f"colour of {what}", error)
            return None
        return (red, green, blue, alpha)

    def _texture(self, scope: Scope, element: ET.Element, what: str) -> str:
        """Address of the picture that a material puts on a mesh, empty if there is none."""
        found = element.find(f"material/{_PICTURE}")
        if found is None:
            return ""
        place = f"{scope.values.file}:{line_of(found)}: <{found.tag}>"
        try:
            folder = scope.values.file.parent
            return f"file://{self._files.folders.find((found.text or '').strip(), folder, place)}"
        except RobotError as error:
            self._drop(scope, found, f"texture of {what}", error)
            return ""

    def _drop(self, scope: Scope, element: ET.Element, what: str, error: RobotError) -> None:
        """Note what an error, which begins with its place, has cost."""
        self._report.dropped(what, str(error).partition(": ")[2], scope.values.file.name, line_of(element))


_MOMENTS = ("ixx", "iyy", "izz", *_OFF_DIAGONAL)

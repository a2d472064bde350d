"""Reads the worlds of SDF files: static models become obstacles, others objects and robots."""

from __future__ import annotations

import logging
import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

from simspark_ros.configuration.errors import shown
from simspark_ros.configuration.limits import LimitSettings, for_own_files
from simspark_ros.configuration.names import unique
from simspark_ros.configuration.read_files import kept_until_edited
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.report import ImportReport, Verdict
from simspark_ros.robots.formats.adaptation.solids import hulls_of
from simspark_ros.robots.formats.parts.bodies import GREY, Body, Solid
from simspark_ros.robots.formats.parts.gazebo import friction
from simspark_ros.robots.formats.sdf.files import Files, is_static
from simspark_ros.robots.formats.sdf.scope import Scope
from simspark_ros.robots.formats.sdf.shapes import LinkReader
from simspark_ros.robots.formats.sdf.values import Values
from simspark_ros.robots.formats.urdf.document import line_of

_GRAVITY = (0.0, 0.0, -9.8)
"""Gravity of worlds that name none, by the format's specification, m/s2."""

_EVERYWHERE = ("ground_plane", "sun")
"""Models of Gazebo's library that every world of this simulator has."""

_LOWEST_SUN = 5.0
"""Least elevation of the sun, degrees."""

_BOUNCE = "surface/bounce/restitution_coefficient"
_UNTOLD = ("model", "include", "light", "gravity", "physics", "scene", "gui", "plugin", "frame")

_log = logging.getLogger(__name__)


@kept_until_edited(8)
def read_sdf_world(path: Path) -> dict[str, Any]:
    """The content of a world file like the world of an SDF file; the log names approximated and omitted parts.

    Raises:
        ConfigurationError: the file cannot be used.
    """
    reader = _WorldReader(path)
    try:
        document = reader.document()
    except RobotError as error:
        raise ConfigurationError(str(error)) from None
    for note in reader.report.notes:
        if note.verdict is not Verdict.UNDERSTOOD:
            _log.warning("%s", note)
    return document


class _WorldReader:
    """Reads one world."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._values = Values(path)
        self._limits = for_own_files(LimitSettings())
        self.report = ImportReport()
        self._files = Files(path, self._limits, self.report)
        self._files.takes_static = True
        self._names = {"field", "ball"}
        self._moving = 0
        self._materials: dict[str, dict[str, float]] = {}
        self._ground: dict[str, str] = {}
        self._obstacles: dict[str, Any] = {}
        self._objects: dict[str, Any] = {}
        self._robots: dict[str, Any] = {}

    def document(self) -> dict[str, Any]:
        """The world's sections; errors are `RobotError`s."""
        root, version = self._files.root(self._path)
        found = root.find("world")
        world = root if found is None else found
        for child in world:
            if child.tag == "model":
                self._model(Scope(child, self._path, version), self._values.pose(child.find("pose")), (self._path,))
            elif child.tag == "include":
                self._include(child)
            elif child.tag not in _UNTOLD and world is not root:
                self._drop(child, "it is not supported in a world")
        document = {
            "based_on": "empty",
            "gravity": list(self._values.vector(world, "gravity", _GRAVITY)),
            "materials": self._materials,
            "obstacles": self._obstacles,
            "objects": self._objects,
            "robots": self._robots,
        }
        if self._ground:
            document["ground"] = self._ground
        if (light := self._light(world)) is not None:
            document["light"] = light
        return document

    def _include(self, element: ET.Element) -> None:
        address = self._values.text(element, "uri")
        place = f"{self._path}:{line_of(element)}: <include>"
        if _plain(address.rstrip("/").rpartition("/")[2]).lower() in _EVERYWHERE:
            return
        if address.startswith(("http://", "https://")):
            self._drop(element, f"{shown(address)} is not loaded; download the model, and name it by model://")
            return
        try:
            path = self._files.included(address, self._path.parent, place)
        except RobotError as error:
            self._drop(element, str(error))
            return
        model, version = self._files.model(path)
        pose = element.find("pose")
        where = self._values.pose(model.find("pose") if pose is None else pose)
        static = is_static(element) if element.find("static") is not None else is_static(model)
        name = self._values.text(element, "name") or Values(path).name(model)
        if static:
            self._stand(Scope(model, path, version), name, where, (self._path, path.resolve()))
        else:
            self._robot(name, path, 0, where, element)

    def _model(self, scope: Scope, where: Transform, chain: tuple[Path, ...]) -> None:
        """One model that the world's file itself describes."""
        name = self._values.name(scope.element)
        if is_static(scope.element):
            self._stand(scope, name, where, chain)
            return
        number, self._moving = self._moving, self._moving + 1
        if not self._object(scope, name, where):
            self._robot(name, self._path, number, where, scope.element)

    def _stand(self, scope: Scope, name: str, where: Transform, chain: tuple[Path, ...]) -> None:
        """Obstacles of all collisions of a static model."""
        scope.read_models(self._files, chain)
        links = LinkReader(self._files, self.report)
        for part in scope.walk():
            for link in part.element.findall("link"):
                colliding = link.findall("collision")
                self._planes(part, link, where)
                self._hills(part, link, name, where)
                surface = self._surface(part, colliding)
                body = links.body(part, link)
                for solid in filter(lambda one: one.collides, body.solids):
                    entry = {"material": surface} if surface else {}
                    self._obstacle(name, solid, where @ body.pose @ solid.pose, {**entry, "colour": _colour(body)})

    def _obstacle(self, name: str, solid: Solid, pose: Transform, entry: dict[str, Any]) -> None:
        if solid.kind == "mesh":
            path = Path(solid.file.removeprefix("file://"))
            if not (path.is_absolute() and path.is_file()):
                self.report.dropped(f"mesh of model '{name}'", f"there is no file {shown(path.name)}", self._path.name)
                return
            shapes: list[Any] = [
                {"hull": hull.points.round(6).tolist()} for hull in hulls_of(path, solid.size, self._limits)
            ]
            how = f"{path.name}: {len(shapes)} convex parts" if len(shapes) > 1 else f"{path.name}: its convex hull"
            self.report.approximated(f"mesh of model '{name}'", how, self._path.name)
        else:
            shapes = [_shape(solid)]
        for shape in shapes:
            self._obstacles[self._name(name)] = {**shape, **_placed(pose), **entry}

    def _object(self, scope: Scope, name: str, where: Transform) -> bool:
        """Take a model of one homogeneous solid as an object; returns whether it is one."""
        links, parts = scope.element.findall("link"), {child.tag for child in scope.element}
        if len(links) != 1 or parts & {"joint", "model", "include", "plugin"} or links[0].find("sensor") is not None:
            return False
        body = LinkReader(self._files, self.report).body(scope, links[0])
        colliding = [solid for solid in body.solids if solid.collides]
        if len(colliding) != 1 or colliding[0].kind == "mesh" or not _is_centred(body, colliding[0]):
            return False
        solid, surface = colliding[0], self._surface(scope, links[0].findall("collision"))
        placed = _placed(where @ body.pose @ solid.pose)
        entry = {**_shape(solid), **placed, "mass": body.mass, "colour": _colour(body)}
        if surface:
            entry["material"] = surface
        self._objects[self._name(name)] = entry
        return True

    def _robot(self, name: str, path: Path, number: int, where: Transform, element: ET.Element) -> None:
        x, y, z = where.position.tolist()
        roll, pitch, yaw = where.rpy()
        if abs(roll) + abs(pitch) > 1e-3 or abs(z) > 1e-3:
            how = "it stands on the ground, upright, at its x, y and heading"
            self.report.approximated(f"pose of model '{name}'", how, self._path.name, line_of(element))
        place = {"position": [x, y, 0.0], "heading_deg": math.degrees(yaw)}
        self._robots[self._name(name)] = {"robot": str(path.absolute()), "type": number, **place}

    def _planes(self, scope: Scope, link: ET.Element, where: Transform) -> None:
        """Take planes as the ground, and remove them."""
        for part in [*link.findall("collision"), *link.findall("visual")]:
            plane = part.find("geometry/plane")
            if plane is None:
                continue
            if part.tag == "collision":
                normal = scope.values.vector(plane, "normal", (0.0, 0.0, 1.0))
                pose = where @ scope.in_robot() @ scope.placed(part, scope.values.name(link))
                if abs(float(pose.position[2])) > 1e-6 or (pose.rotation @ normal)[2] < 0.999999:
                    how = "the ground is the plane z = 0, wherever planes of the file are"
                    self.report.approximated("plane", how, scope.values.file.name, line_of(plane))
                if surface := self._surface(scope, [part]):
                    self._ground = {"material": surface}
            link.remove(part)

    def _hills(self, scope: Scope, link: ET.Element, name: str, where: Transform) -> None:
        """Take the heightmaps of collisions as height fields, and remove all."""
        for part in [*link.findall("collision"), *link.findall("visual")]:
            heights = part.find("geometry/heightmap")
            if heights is None:
                continue
            link.remove(part)
            if part.tag == "visual":
                continue
            place = f"{scope.values.file}:{line_of(heights)}: <heightmap>"
            picture = self._files.folders.find(scope.values.text(heights, "uri"), scope.values.file.parent, place)
            x, y, z = scope.values.vector(heights, "size", (1.0, 1.0, 1.0))
            pose = where @ scope.in_robot() @ scope.placed(part, scope.values.name(link))
            origin = pose @ Transform.of(scope.values.vector(heights, "pos", (0.0, 0.0, 0.0)))
            if any(abs(angle) > 1e-3 for angle in origin.rpy()):
                self.report.approximated("heightmap", "it cannot be turned", scope.values.file.name, line_of(heights))
            field = {"size": [x, y], "image": picture, "height": z}
            self._obstacles[self._name(name)] = {"position": origin.position.tolist(), "height_field": field}

    def _surface(self, scope: Scope, collisions: list[ET.Element]) -> str:
        """The name of the material of a link's collisions, by their least friction; empty if they say nothing."""
        frictions = [scope.values.number(one, "surface/friction/ode/mu", math.inf, infinite=True) for one in collisions]
        told = [value for value in frictions if math.isfinite(value)]
        bounce = max((scope.values.number(one, _BOUNCE, 0.0) for one in collisions), default=0.0)
        if not told and not bounce:
            return ""
        material = {"friction": friction(min(told, default=1.0)), "restitution": min(max(bounce, 0.0), 1.0)}
        for name, known in self._materials.items():
            if known == material:
                return name
        name = f"surface_{len(self._materials) + 1}"
        self._materials[name] = material
        return name

    def _light(self, world: ET.Element) -> dict[str, float] | None:
        sun = next((light for light in world.findall("light") if light.get("type") == "directional"), None)
        if sun is None:
            return None
        x, y, z = self._values.vector(sun, "direction", (0.0, 0.0, -1.0))
        elevation = math.degrees(math.atan2(-z, math.hypot(x, y)))
        return {
            "azimuth_deg": math.degrees(math.atan2(-y, -x)) + 0.0,
            "elevation_deg": min(max(elevation, _LOWEST_SUN), 90.0),
        }

    def _name(self, name: str) -> str:
        """A name for an entity, letters, digits and single underscores, that nothing else has."""
        plain = _plain(name)[:48].strip("_")
        return unique(plain if plain[:1].isalpha() else f"model_{plain}".strip("_"), self._names)

    def _drop(self, element: ET.Element, how: str) -> None:
        what = f"{element.tag[:40]} '{element.get('name', '')[:80]}'"
        self.report.dropped(what, how, self._path.name, line_of(element))


def _plain(name: str) -> str:
    """The letters and digits of a name, with single underscores for all else between them."""
    return re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")


def _shape(solid: Solid) -> dict[str, Any]:
    return {solid.kind: solid.size[0] if solid.kind == "sphere" else list(solid.size)}


def _placed(pose: Transform) -> dict[str, list[float]]:
    return {
        "position": pose.position.round(9).tolist(),
        "rpy_deg": [round(math.degrees(angle), 9) + 0.0 for angle in pose.rpy()],
    }


def _colour(body: Body) -> list[float]:
    """The colour of the first visual that has one, or grey."""
    return list(next((one.rgba for one in body.solids if one.seen and one.rgba is not None), GREY)[:3])


def _is_centred(body: Body, solid: Solid) -> bool:
    """Whether a body's centre of mass is the middle of its solid, within a hundredth of its size."""
    away = math.dist(body.centre.tolist(), solid.pose.position.tolist())
    return body.mass > 0.0 and away < 0.01 * max(solid.size)

"""Names and frames of an SDF model: links, joints, frames and nested models, each with a pose relative to another."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from simspark_ros.configuration.errors import shown
from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.robots.formats.sdf.files import Files
from simspark_ros.robots.formats.sdf.values import Values
from simspark_ros.robots.formats.urdf.document import line_of

MODEL, WORLD = "__model__", "world"

MAX_NESTED = 10
"""Most models within one another."""

_LONGEST = 500
"""Most frames in a row that are relative to one another."""


@dataclass(frozen=True)
class Place:
    """The place of a model in the model around it.

    Attributes:
        outer: the model around this model.
        name: name of this model in the outer model.
        element: element that has the `<pose>`.
        frame: frame of this model that is put at this pose.
    """

    outer: Scope
    name: str
    element: ET.Element
    frame: str


class Scope:
    """One model, with the models nested in it or included by it.

    Attributes:
        element: element of the model.
        values: reader of values of the model's file.
        version: version of the format.
        prefix: prefix of the names of the model's links and joints in the robot.
        models: nested and included models, by name.
    """

    def __init__(
        self, element: ET.Element, file: Path, version: tuple[int, int], place: Place | None = None, prefix: str = ""
    ) -> None:
        self.element = element
        self.values = Values(file)
        self.version = version
        self.prefix = prefix
        self.models: dict[str, Scope] = {}
        self._place = place
        self._merged: list[Scope] = []
        self._parts: dict[str, ET.Element] = {}
        self._poses = {MODEL: Transform(), WORLD: Transform()}
        self._pending: list[str] = []
        for child in (child for tag in ("link", "joint", "frame") for child in element.findall(tag)):
            # As libsdformat does it: before 1.7, joints could have the names of links.
            if version < (1, 7) and child.tag == "joint" and self.values.name(child) in self._parts:
                child.set("name", f"{child.get('name')}_joint")
            self._check_new(child, self.values.name(child))
            self._parts[self.values.name(child)] = child

    def read_models(self, files: Files, chain: tuple[Path, ...], depth: int = 0) -> None:
        """Read the models in this model; `chain`: files that include one another on the way to it."""
        if depth == MAX_NESTED:
            self.values.fail(self.element, f"models are nested more than {MAX_NESTED} deep")
        for child in self.element.findall("model"):
            self._nest(child, self.values.file, self.version, child, self.values.name(child))
            self.models[self.values.name(child)].read_models(files, chain, depth + 1)
        for child in self.element.findall("include"):
            place = f"{self.values.file}:{line_of(child)}: <include>"
            path = files.included(self.values.text(child, "uri"), self.values.file.parent, place)
            if path in chain:
                self.values.fail(child, "the files include each other in a circle")
            model, version = files.model(path)
            name = self.values.text(child, "name") or Values(path).name(model)
            self._nest(model, path, version, child, name)
            self.models[name].read_models(files, (*chain, path), depth + 1)

    def walk(self) -> Iterator[Scope]:
        """This model and all within it."""
        yield self
        for scope in self.models.values():
            yield from scope.walk()

    def has_frame(self, name: str) -> bool:
        """Whether this model itself has a `<frame>` of that name."""
        return name in self._parts and self._parts[name].tag == "frame"

    def in_robot(self) -> Transform:
        """Pose of this model's frame in the outermost model."""
        if self._place is None:
            return Transform()
        return self._place.outer.in_robot() @ self._place.outer.pose_of(self._place.name)

    def pose_of(self, name: str) -> Transform:
        """Pose of a link, joint, frame or model in the frame of this model."""
        if name not in self._poses:
            if name in self._pending or len(self._pending) > _LONGEST:
                circle = ", ".join(map(shown, self._pending[:10]))
                self.values.fail(self.element, f"the poses of {circle} are relative to each other in a circle")
            self._pending.append(name)
            try:
                self._poses[name] = self._found(name)
            finally:
                self._pending.pop()
        return self._poses[name]

    def placed(self, element: ET.Element, default: str) -> Transform:
        """Pose of an element by its `<pose>`, relative to `default` unless it names one, in the frame of this model."""
        given = element.find("pose")
        relative = "" if given is None else given.get("relative_to", "")
        return self.pose_of(relative or default) @ self.values.pose(given)

    def body_of(self, name: str, element: ET.Element) -> str:
        """The link, by its name in the robot, that the name of a link, frame or model means."""
        seen = {""}
        while name not in seen and name != MODEL:
            seen.add(name)
            inner, rest = self._inner(name)
            if inner is not None:
                return inner.body_of(rest, element)
            if name in self.models:
                return self.models[name]._canonical(element)
            part = self._parts.get(name)
            if part is None:
                self.values.fail(element, f"unknown link or frame {shown(name)}")
            if part.tag == "link":
                return self.prefix + name
            name = part.get("attached_to", MODEL) if part.tag == "frame" else self.values.text(part, "child")
        return self._canonical(element)

    def _canonical(self, element: ET.Element) -> str:
        """The link that the frame of this model is fixed to."""
        if self.element.get("canonical_link"):
            return self.body_of(self.element.get("canonical_link", ""), element)
        first = self.element.find("link")
        if first is not None:
            return self.prefix + self.values.name(first)
        for scope in self.models.values():
            return scope._canonical(element)
        self.values.fail(element, "the model has no link")

    def _found(self, name: str) -> Transform:
        inner, rest = self._inner(name)
        if inner is not None and inner._place is not None:
            return self.pose_of(inner._place.name) @ inner.pose_of(rest)
        if name in self.models:
            place = self.models[name]._place
            assert place is not None
            return self.placed(place.element, MODEL) @ self.models[name].pose_of(place.frame).inverse()
        part = self._parts.get(name)
        if part is None:
            self.values.fail(self.element, f"a pose is relative to {shown(name)}, which is not in the model")
        default = {"frame": part.get("attached_to", MODEL), "joint": self.values.text(part, "child")}.get(
            part.tag, MODEL
        )
        return self.placed(part, default)

    def _inner(self, name: str) -> tuple[Scope | None, str]:
        """The model within this model that has a part of this name, and the part's name in it."""
        first, mark, rest = name.partition("::")
        if mark and first in self.models:
            return self.models[first], rest
        if name in self._parts or name in self.models:
            return None, name
        return next((scope for scope in self._merged if name in scope._parts), None), name

    def _nest(self, model: ET.Element, file: Path, version: tuple[int, int], placed: ET.Element, name: str) -> None:
        self._check_new(placed, name)
        merged = placed.tag == "include" and placed.get("merge", "false") in ("true", "1")
        frame = self.values.text(placed, "placement_frame") or placed.get("placement_frame", "")
        frame = frame or model.get("placement_frame", "") or MODEL
        source = placed if placed.find("pose") is not None else model
        prefix = self.prefix if merged else f"{self.prefix}{name}_"
        self.models[name] = scope = Scope(model, file, version, Place(self, name, source, frame), prefix)
        if merged:
            self._merged.append(scope)

    def _check_new(self, element: ET.Element, name: str) -> None:
        if name in self._parts or name in self.models:
            self.values.fail(element, "the name is used twice in the model; rename one")

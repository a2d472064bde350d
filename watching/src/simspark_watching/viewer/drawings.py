"""Drawings of programs in viser's scene."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simspark_ros.simulation.drawings import MOST_DRAWINGS, Drawing, Plane

ROOT = "/drawings"


@dataclass
class _Shown:
    """Viser's handles of a drawing.

    A browser takes longer to lay out a new label, or to decode a new picture, than a drawing lasts that is renewed ten
    times a second: these are kept and changed.
    """

    shapes: list[Any] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)
    plane: Any = None


class DrawingLayer:
    """Shows drawings by their names; all of them can be hidden."""

    def __init__(self, server: Any) -> None:
        self._server, self._scene = server, server.scene
        self._frame = self._scene.add_frame(ROOT, show_axes=False)
        self._shown: dict[str, _Shown] = {}
        self._count = 0

    def show(self, name: str, drawing: Drawing) -> None:
        """Show a drawing instead of the earlier one of its name."""
        if name not in self._shown and len(self._shown) >= 2 * MOST_DRAWINGS:
            return
        shown = self._shown.pop(name, None) or _Shown()
        with self._server.atomic():
            before, shown.shapes = shown.shapes, self._shapes(drawing)
            # Their replacements are there already: the page does not flicker.
            for handle in before:
                handle.remove()
            self._label(shown.labels, drawing.texts)
            shown.plane = self._laid(shown.plane, drawing.plane)
        if not drawing.is_empty:
            self._shown[name] = shown

    def show_all(self, shown: bool) -> None:
        """Show or hide all drawings."""
        self._frame.visible = shown

    def clear(self) -> None:
        """Remove all drawings: the server that had them is gone."""
        for name in list(self._shown):
            self.show(name, Drawing())

    def _name(self) -> str:
        """A new name in the scene."""
        self._count += 1
        return f"{ROOT}/{self._count}"

    def _shapes(self, drawing: Drawing) -> list[Any]:
        made: list[Any] = []
        if len(drawing.points):
            points, colours = drawing.points.astype(np.float32), drawing.point_colours
            # Viser's size is a radius.
            look = {"point_size": min(max(drawing.point_size, 0.01), 5.0) / 2.0, "point_shape": "circle"}
            made.append(self._scene.add_point_cloud(self._name(), points, colours, precision="float32", **look))
        if len(drawing.segments):
            colours = np.repeat(drawing.segment_colours[:, None], 2, axis=1)
            lines = drawing.segments.astype(np.float32)
            made.append(self._scene.add_line_segments(self._name(), lines, colours, thickness=0.01))
        return made

    def _label(self, labels: list[Any], texts: Sequence[tuple[float, float, float, str]]) -> None:
        """Show texts in labels, of which there are as many as texts afterwards."""
        while len(labels) < len(texts):
            labels.append(self._scene.add_label(self._name(), "", anchor="bottom-center"))
        while len(labels) > len(texts):
            labels.pop().remove()
        for label, (x, y, z, text) in zip(labels, texts, strict=True):
            label.text, label.position = text, (x, y, z)

    def _laid(self, handle: Any, plane: Plane | None) -> Any:
        """The handle of a map, which may have had one before."""
        if plane is None:
            if handle is not None:
                handle.remove()
            return None
        if handle is None:
            look = {"format": "png", "cast_shadow": False, "receive_shadow": False}
            handle = self._scene.add_image(self._name(), plane.pixels, plane.width, plane.height, **look)
        else:
            handle.image, handle.render_width, handle.render_height = plane.pixels, plane.width, plane.height
        # The rows of an image go along its y axis: a turn about the vertical, and half a one about x.
        handle.wxyz = (0.0, math.cos(plane.heading / 2.0), math.sin(plane.heading / 2.0), 0.0)
        handle.position = plane.centre
        return handle

"""Drawings of programs in viser's scene."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simspark_ros.simulation.drawings import MOST_DRAWINGS, Drawing, Plane

ROOT = "/drawings"


@dataclass
class _Shown:
    """Viser's handles of a drawing, whose names in the scene begin with `name`.

    A browser takes longer to lay out a new label, or to decode a new picture, than a drawing lasts that is renewed ten
    times a second, and viser keeps a message for each name of a part that was removed, for browsers to come. Therefore
    parts are kept and changed.
    """

    name: str
    points: Any = None
    lines: Any = None
    labels: list[Any] = field(default_factory=list)
    plane: Any = None

    def remove(self) -> None:
        """Remove all parts."""
        for handle in (self.points, self.lines, self.plane, *self.labels):
            if handle is not None:
                handle.remove()


class DrawingLayer:
    """Shows drawings by their names; all of them can be hidden."""

    def __init__(self, server: Any) -> None:
        self._server, self._scene = server, server.scene
        self._frame = self._scene.add_frame(ROOT, show_axes=False)
        self._shown: dict[str, _Shown] = {}
        # Names in the scene that are free. They come again as late as can be: viser loses a label that is removed and
        # added again at once.
        self._free = deque(f"{ROOT}/{number}" for number in range(2 * MOST_DRAWINGS))

    def show(self, name: str, drawing: Drawing) -> None:
        """Show a drawing instead of the earlier one of its name."""
        shown = self._shown.get(name)
        if drawing.is_empty:
            if shown is not None:
                self._end(name)
            return
        if shown is None:
            if not self._free:
                return
            shown = self._shown[name] = _Shown(self._free.popleft())
        with self._server.atomic():
            shown.points = self._pointed(shown, drawing)
            shown.lines = self._lined(shown, drawing)
            self._label(shown, drawing.texts)
            shown.plane = self._laid(shown, drawing.plane)

    def show_all(self, shown: bool) -> None:
        """Show or hide all drawings."""
        self._frame.visible = shown

    def clear(self) -> None:
        """Remove all drawings: the server that had them is gone."""
        for name in list(self._shown):
            self._end(name)

    def _end(self, name: str) -> None:
        shown = self._shown.pop(name)
        with self._server.atomic():
            shown.remove()
        self._free.append(shown.name)

    def _pointed(self, shown: _Shown, drawing: Drawing) -> Any:
        """The handle of the points, hidden if there are none."""
        handle = shown.points
        if not len(drawing.points):
            return _hidden(handle)
        points, colours = drawing.points.astype(np.float32), drawing.point_colours
        # Viser's size is a radius.
        radius = min(max(drawing.point_size, 0.01), 5.0) / 2.0
        if handle is None:
            look = {"point_size": radius, "point_shape": "circle", "precision": "float32"}
            return self._scene.add_point_cloud(f"{shown.name}_points", points, colours, **look)
        handle.points, handle.colors, handle.point_size, handle.visible = points, colours, radius, True
        return handle

    def _lined(self, shown: _Shown, drawing: Drawing) -> Any:
        """The handle of the lines, hidden if there are none."""
        handle = shown.lines
        if not len(drawing.segments):
            return _hidden(handle)
        lines = drawing.segments.astype(np.float32)
        colours = np.repeat(drawing.segment_colours[:, None], 2, axis=1)
        if handle is None:
            return self._scene.add_line_segments(f"{shown.name}_lines", lines, colours, thickness=0.01)
        handle.points, handle.colors, handle.visible = lines, colours, True
        return handle

    def _label(self, shown: _Shown, texts: Sequence[tuple[float, float, float, str]]) -> None:
        """Show texts in labels; those left over are hidden."""
        labels = shown.labels
        while len(labels) < len(texts):
            labels.append(self._scene.add_label(f"{shown.name}_text{len(labels)}", "", anchor="bottom-center"))
        for label, (x, y, z, text) in zip(labels, texts, strict=False):
            label.text, label.position, label.visible = text, (x, y, z), True
        for label in labels[len(texts) :]:
            label.visible = False

    def _laid(self, shown: _Shown, plane: Plane | None) -> Any:
        """The handle of the map, hidden if there is none."""
        handle = shown.plane
        if plane is None:
            return _hidden(handle)
        if handle is None:
            look = {"format": "png", "cast_shadow": False, "receive_shadow": False}
            handle = self._scene.add_image(f"{shown.name}_map", plane.pixels, plane.width, plane.height, **look)
        else:
            handle.image, handle.render_width, handle.render_height = plane.pixels, plane.width, plane.height
            handle.visible = True
        # The rows of an image go along its y axis: a turn about the vertical, and half a one about x.
        handle.wxyz = (0.0, math.cos(plane.heading / 2.0), math.sin(plane.heading / 2.0), 0.0)
        handle.position = plane.centre
        return handle


def _hidden(handle: Any) -> Any:
    if handle is not None:
        handle.visible = False
    return handle

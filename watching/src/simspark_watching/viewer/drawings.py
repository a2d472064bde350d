"""Drawings of programs in viser's scene."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from simspark_ros.simulation.drawings import MOST_DRAWINGS, Drawing

ROOT = "/drawings"


class DrawingLayer:
    """Shows drawings by their names; all of them can be hidden."""

    def __init__(self, server: Any) -> None:
        self._server, self._scene = server, server.scene
        self._frame = self._scene.add_frame(ROOT, show_axes=False)
        self._handles: dict[str, list[Any]] = {}
        self._labels: dict[str, list[Any]] = {}
        self._count = 0

    def show(self, name: str, drawing: Drawing) -> None:
        """Show a drawing instead of the earlier one of its name."""
        if name not in self._handles and len(self._handles) >= 2 * MOST_DRAWINGS:
            return
        with self._server.atomic():
            before = self._handles.pop(name, [])
            if not drawing.is_empty:
                self._count += 1
                self._handles[name] = self._made(f"{ROOT}/{self._count}", drawing)
            # Their replacements are there already: the page does not flicker.
            for handle in before:
                handle.remove()
            self._label(name, drawing.texts)

    def show_all(self, shown: bool) -> None:
        """Show or hide all drawings."""
        self._frame.visible = shown

    def clear(self) -> None:
        """Remove all drawings: the server that had them is gone."""
        for name in list(self._handles):
            self.show(name, Drawing())

    def _made(self, name: str, drawing: Drawing) -> list[Any]:
        made: list[Any] = []
        if len(drawing.points):
            points, colours = drawing.points.astype(np.float32), drawing.point_colours
            # Viser's size is a radius.
            look = {"point_size": min(max(drawing.point_size, 0.01), 5.0) / 2.0, "point_shape": "circle"}
            made.append(self._scene.add_point_cloud(f"{name}/points", points, colours, precision="float32", **look))
        if len(drawing.segments):
            colours = np.repeat(drawing.segment_colours[:, None], 2, axis=1)
            lines = drawing.segments.astype(np.float32)
            made.append(self._scene.add_line_segments(f"{name}/lines", lines, colours, thickness=0.01))
        if (plane := drawing.plane) is not None:
            made.append(
                self._scene.add_image(
                    f"{name}/map",
                    plane.pixels,
                    plane.width,
                    plane.height,
                    format="png",
                    cast_shadow=False,
                    receive_shadow=False,
                    # The rows of an image go along its y axis: a turn about the vertical, and half a one about x.
                    wxyz=(0.0, math.cos(plane.heading / 2.0), math.sin(plane.heading / 2.0), 0.0),
                    position=plane.centre,
                )
            )
        return made

    def _label(self, name: str, texts: Sequence[tuple[float, float, float, str]]) -> None:
        """Show texts of a drawing, in the labels that it has already.

        A browser takes longer to lay out a new label than a drawing lasts that is renewed ten times a second.
        """
        labels = self._labels.pop(name, [])
        for label, (x, y, z, text) in zip(labels, texts, strict=False):
            label.text, label.position = text, (x, y, z)
        for x, y, z, text in texts[len(labels) :]:
            self._count += 1
            where = {"position": (x, y, z), "anchor": "bottom-center"}
            labels.append(self._scene.add_label(f"{ROOT}/{self._count}/text", text, **where))
        for label in labels[len(texts) :]:
            label.remove()
        if texts:
            self._labels[name] = labels[: len(texts)]

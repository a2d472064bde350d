"""Standing and moving things in viser's scene."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.engine import Array
from simspark_ros.rendering.drawing.meshes import Colour, Mesh
from simspark_ros.rendering.drawing.sunlight import light_direction
from simspark_ros.rendering.ground import HORIZON, ZENITH
from simspark_watching.broadcast.bodies import BodyFrames
from simspark_watching.broadcast.labels import label_places, labelled
from simspark_watching.broadcast.scene_recognition import SceneObjects
from simspark_watching.viewer.field import ring
from simspark_watching.viewer.meshes import MARK_RADIUS, Batch, colour_bytes

BODIES = "/bodies/"
"""Start of the names of moving things in viser's scene."""

_NIGHT = ((52, 60, 74), (14, 18, 26))
"""Horizon and zenith of a dark page."""

_CHOSEN = ring(1.35 * MARK_RADIUS, 0.06)
"""The ring around the chosen entity, outside of the one in the team's colour."""
_CHOSEN_COLOUR, _CHOSEN_HEIGHT = (255, 212, 30), 0.012
"""Its colour, and its height above the ground, m."""

Clicked = Callable[[int], object]
"""Function that takes the row of a body's frame."""


class ViserScene:
    """The scene of all browsers; `clicked` is called when a body was clicked, in another thread.

    Attributes:
        objects, bodies, positions, quaternions: the scene shown last.
    """

    def __init__(self, server: Any, clicked: Clicked) -> None:
        self._server, self._scene, self._clicked = server, server.scene, clicked
        self.objects = SceneObjects()
        self.bodies: BodyFrames | None = None
        self.positions: Array = np.zeros((0, 3))
        self.quaternions: Array = np.zeros((0, 4))
        self._moving: list[tuple[Any, Batch]] = []
        self._labels: list[Any] = []
        self._labelled: list[int] = []
        self._still: list[Any] = []
        self._marks = self._names = True
        self._ring: Any = None
        self._light()

    def show_pitch(self, parts: Sequence[tuple[Mesh, Colour]]) -> None:
        """Replace everything that stands still."""
        with self._server.atomic():
            for handle in self._still:
                handle.remove()
            self._still = [
                self._scene.add_mesh_simple(
                    f"/pitch/{number}",
                    mesh.vertices.astype(np.float32),
                    mesh.triangles.astype(np.uint32),
                    color=tuple(_linear(colour_bytes([colour]))[0].tolist()),
                    flat_shading=True,
                    side="double",
                    cast_shadow=False,
                )
                for number, (mesh, colour) in enumerate(parts)
            ]

    def show_bodies(
        self, objects: SceneObjects, bodies: BodyFrames, batches: Sequence[Batch], positions: Array, quaternions: Array
    ) -> None:
        """Replace everything that moves."""
        self.objects, self.bodies, self.positions, self.quaternions = objects, bodies, positions, quaternions
        with self._server.atomic():
            for handle, _ in self._moving:
                handle.remove()
            self._moving = [(self._batch(number, batch), batch) for number, batch in enumerate(batches)]
            for handle, batch in self._moving:
                if not batch.is_mark:
                    handle.on_click(self._click(batch))
            self._label()

    def place(self, positions: Array, quaternions: Array) -> None:
        """Move all bodies to positions (K, 3), m, with quaternions (K, 4), w, x, y, z."""
        self.positions, self.quaternions = positions.astype(np.float32), quaternions.astype(np.float32)
        for handle, batch in self._moving:
            handle.batched_positions, handle.batched_wxyzs = batch.poses(self.positions, self.quaternions)
        self._place_labels()

    def point_at(self, place: Array | None) -> None:
        """Lay a ring around a place (3,), m; None = nothing is chosen."""
        if place is None:
            if self._ring is not None:
                self._ring.visible = False
            return
        there = np.array([(*place[:2], _CHOSEN_HEIGHT)], np.float32)
        if self._ring is None:
            # A batch of one: browsers draw plain meshes at their new places sooner than batches, such as robots.
            self._ring = self._scene.add_batched_meshes_simple(
                "/chosen",
                _CHOSEN.vertices,
                _CHOSEN.triangles,
                batched_wxyzs=np.array([(1.0, 0.0, 0.0, 0.0)], np.float32),
                batched_positions=there,
                batched_colors=_linear(np.array([_CHOSEN_COLOUR])),
                lod="off",
                cast_shadow=False,
            )
        self._ring.batched_positions = there
        self._ring.visible = True

    def show_lights(self, colours: NDArray[np.uint8]) -> None:
        """Give all lights, in the order of their batch, colours (n, 3)."""
        for handle, batch in self._moving:
            if batch.is_light:
                handle.batched_colors = _linear(colours)

    def show_marks(self, shown: bool) -> None:
        """Show or hide rings and the arrow."""
        self._marks = shown
        for handle, batch in self._moving:
            if batch.is_mark:
                handle.visible = shown

    def show_names(self, shown: bool) -> None:
        """Show or hide numbers and names over robots."""
        self._names = shown
        with self._server.atomic():
            self._label()

    def show_sky(self, dark: bool) -> None:
        """Show the sky of the day, or of the night."""
        horizon, zenith = _NIGHT if dark else (HORIZON, ZENITH)
        share = np.sqrt(np.linspace(1.0, 0.0, 64))[:, None]
        sky = np.array(horizon) * (1.0 - share) + np.array(zenith) * share
        self._scene.set_background_image(np.repeat(sky[:, None].astype(np.uint8), 8, axis=1), format="png")

    def _light(self) -> None:
        self.show_sky(dark=False)
        self._scene.configure_default_lights(enabled=False)
        self._scene.add_light_hemisphere("/sky", sky_color=(255, 255, 255), ground_color=(120, 140, 110), intensity=1.6)
        sun = 30.0 * light_direction()
        self._scene.add_light_directional("/sun", color=(255, 250, 240), intensity=2.3, position=tuple(sun.tolist()))

    def _batch(self, number: int, batch: Batch) -> Any:
        return self._scene.add_batched_meshes_simple(
            f"{BODIES}{number}",
            batch.mesh.vertices,
            batch.mesh.triangles,
            *reversed(batch.poses(self.positions, self.quaternions)),
            batched_scales=batch.scales,
            batched_colors=_linear(batch.colours),
            lod="off",
            cast_shadow=not batch.is_mark,
            visible=self._marks or not batch.is_mark,
        )

    def _label(self) -> None:
        """Have a label for each robot that wants one; viser loses a label that is removed and added again at once."""
        wanted = labelled(self.objects) if self._names and self.bodies is not None else []
        while len(self._labels) < len(wanted):
            name = f"/names/{len(self._labels)}"
            self._labels.append(self._scene.add_label(name, "", anchor="bottom-center", font_screen_scale=1.2))
        self._labelled = [number for number, _ in wanted]
        for handle, (_, text) in zip(self._labels, wanted, strict=False):
            handle.text = text
        for place, handle in enumerate(self._labels):
            handle.visible = place < len(wanted)
        self._place_labels()

    def _place_labels(self) -> None:
        if self._labelled and self.bodies is not None:
            places = label_places(self.bodies, self.positions)
            for handle, number in zip(self._labels, self._labelled, strict=False):
                handle.position = places[number]

    def _click(self, batch: Batch) -> Callable[[Any], Coroutine[Any, Any, None]]:
        """The function that viser calls when an instance of a mesh was clicked."""

        async def clicked(event: Any) -> None:
            index = event.instance_index or 0
            if 0 <= index < len(batch.rows):
                self._clicked(int(batch.rows[index]))

        return clicked


def _linear(colours: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Viser lights colours without undoing their gamma, which makes them pale."""
    return np.rint((colours / 255.0) ** 2.2 * 255.0).astype(np.uint8)

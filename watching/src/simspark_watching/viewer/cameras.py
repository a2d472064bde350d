"""The cameras of all browsers, which follow play, the ball or a robot, or go where one drags them."""

from __future__ import annotations

import contextlib
import time
from typing import Any

import numpy as np

from simspark_ros.physics.engine import Array
from simspark_ros.server.viewer_settings import FREE, TV
from simspark_watching.broadcast.tv_camera import AWAY, FIELD_OF_VIEW, TvCamera, whole_view


class Cameras:
    """Moves cameras with their target; each comes to `distance`, m, once, and may then be turned freely."""

    def __init__(self, server: Any, distance: float) -> None:
        self._server, self._distance = server, distance
        self._met: set[int] = set()
        self._near: set[int] = set()
        self._tv = TvCamera()
        self._time = time.monotonic()

    def begin(self, follow: str, length: float) -> None:
        """Set the view that browsers begin with: the whole field, by its length, m, or where the game begins."""
        camera = self._server.initial_camera
        camera.near, camera.fov = 0.1, FIELD_OF_VIEW
        camera.position, camera.look_at = (tuple(place.tolist()) for place in whole_view(length))
        if follow != FREE:
            camera.position, camera.look_at = tuple((self._distance * AWAY).tolist()), (0.0, 0.0, 0.0)

    def approach(self) -> None:
        """Have all cameras come near their target once more."""
        self._near.clear()
        self.cut()

    def cut(self) -> None:
        """Have all cameras go to the present scene at once."""
        self._tv = TvCamera()

    def follow(self, name: str, target: Array) -> None:
        """Move all cameras with their target (3,), m, of that name."""
        now = time.monotonic()
        passed, self._time = now - self._time, now
        if name == TV:
            target = self._tv.follow(target, passed)
        clients = self._server.get_clients()
        self._met &= clients.keys()
        self._near &= clients.keys()
        for number, client in clients.items():
            # Viser asserts that the browser has sent the pose of its camera, which may look at the place where it is.
            with contextlib.suppress(AssertionError, ValueError, ZeroDivisionError):
                away = client.camera.position - client.camera.look_at
                if number not in self._near:
                    self._near.add(number)
                    away = self._first(name == TV or number not in self._met, away, client.camera.aspect)
                    self._met.add(number)
                client.camera.position = target + away
                client.camera.look_at = target

    def _first(self, beside: bool, away: Array, aspect: float) -> Array:
        """First place of a camera, from its target: beside the field, or in the direction that it came from.

        A browser that has just come says anything of its camera: it may not have gone to the initial one yet.
        """
        if beside:
            # The upright picture of a phone would show the ball alone.
            return self._distance * min(max(1.0, 1.0 / aspect), 2.0) * AWAY
        return away * min(1.0, self._distance / float(np.linalg.norm(away)))

"""Pictures for players in the simulation, drawn in its process; the renderer is loaded when the first one asks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from simspark_ros.physics.engine import Array
from simspark_ros.simulation.loop import Simulation

if TYPE_CHECKING:
    from simspark_ros.rendering.world_view import WorldView


class PlayerPictures:
    """Draws the pictures of robots' cameras, as a `simulated_sensors.Draw`. `seed` determines the cameras' noise."""

    def __init__(self, simulation: Simulation, seed: int) -> None:
        self._simulation, self._seed = simulation, seed

    def __call__(self, robot: str, camera: str) -> Mapping[str, Array]:
        """All features of a camera; errors as of `WorldView.features`."""
        return self._view.features(robot, camera)

    @cached_property
    def _view(self) -> WorldView:
        # Drawing needs PyBullet, which a server of another engine need not have.
        from simspark_ros.rendering.world_view import WorldView

        return WorldView(lambda: self._simulation.world, lambda: self._seed)

"""Pictures for players in the simulation, drawn in its process; the renderer is loaded when they first ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING

from simspark_ros.physics.engine import Array
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.player_plugins.host import PlayerHost
from simspark_ros.simulation.settings import Renderer

if TYPE_CHECKING:
    from simspark_ros.rendering.world_view import WorldView


class PlayerPictures:
    """Draws views of robots' cameras, as a `simulated_sensors.Draw`; `seed` gives the seed of the cameras' noise."""

    def __init__(self, seed: Callable[[], int], renderer: Renderer) -> None:
        self._seed, self._renderer = seed, renderer
        self._simulation: Simulation

    def attach(self, simulation: Simulation, stack: ExitStack) -> None:
        """Draw for the players of a simulation from now on."""
        self._simulation = simulation
        simulation.required(PlayerHost).draw = self

    def __call__(self, robot: str, camera: str) -> Mapping[str, Array]:
        """All features of a camera; errors as in `WorldView.features`."""
        return self.view.features(robot, camera)

    def close(self) -> None:
        """Free the renderer, if there is one; pictures may be asked for again."""
        if (view := vars(self).pop("view", None)) is not None:
            view.close()

    @cached_property
    def view(self) -> WorldView:
        """The renderer of the simulation's world."""
        # Many simulations draw nothing.
        from simspark_ros.rendering.world_view import WorldView

        return WorldView(lambda: self._simulation.world, self._seed, self._renderer)

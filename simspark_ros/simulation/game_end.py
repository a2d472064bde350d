"""Ends the simulation after a simulated time or some time after the game: after the same cycle in every run."""

from __future__ import annotations

from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.soccer.game_state import PlayMode


class EndAfter(ControlNode):
    """Stops the simulation after a simulated time, s."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def end_cycle(self, simulation: Simulation) -> None:
        """Look at the clock."""
        if simulation.time >= self._seconds:
            simulation.stop()


class EndWithGame(ControlNode):
    """Stops the simulation when the game has been over for that many simulated seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def end_cycle(self, simulation: Simulation) -> None:
        """Look at the play mode."""
        game = simulation.world.game
        if game.play_mode is PlayMode.GAME_OVER and game.mode_time >= self._seconds:
            simulation.stop()

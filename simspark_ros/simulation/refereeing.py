"""The referee's place in the update loop: after physics, before perception."""

from __future__ import annotations

from simspark_ros.simulation.control_node import ControlNode
from simspark_ros.simulation.loop import Simulation
from simspark_ros.soccer.referee.referee import Referee


class Refereeing(ControlNode):
    """Has the referee judge every cycle."""

    def __init__(self, referee: Referee) -> None:
        """Take the referee."""
        self._referee = referee

    def sense_agent(self, simulation: Simulation) -> None:
        """Ball, clock and rules, in the measured order."""
        self._referee.judge()

"""A control node: logs how high any robot has been, when the simulation ends."""

import logging

from simspark_ros.plugins import ControlNode, Simulation


class FlightLog(ControlNode):
    """Looks at all robots at the end of each cycle."""

    def __init__(self) -> None:
        self._highest = 0.0

    def end_cycle(self, simulation: Simulation) -> None:
        """Physics and perception of the cycle are complete."""
        heights = simulation.world.engine.state.position[:, 2]
        self._highest = max(self._highest, heights.max(initial=0.0))

    def done(self, simulation: Simulation) -> None:
        """The simulation ends."""
        logging.getLogger("simspark").warning("the highest robot was at %.2f m", self._highest)

"""Control nodes: everything that takes part in the update loop (user manual, "Simulation Update Loop")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simspark_ros.exchange import Percepts

if TYPE_CHECKING:
    from simspark_ros.simulation.loop import Simulation


class ControlNode:
    """Base of control nodes; override the events that matter.

    One cycle is: start_cycle, act_agent, send_percepts, physics, sense_agent, end_cycle. Nodes are called in the
    order in which they were added. All events but `send_percepts` may read and change the world.
    """

    def init(self, simulation: Simulation) -> None:
        """The loop starts."""

    def start_cycle(self, simulation: Simulation) -> None:
        """Take what came from outside since the last cycle."""

    def act_agent(self, simulation: Simulation) -> None:
        """Let effectors act on the world."""

    def send_percepts(self, percepts: Percepts) -> None:
        """Send the perception of the previous cycle, so that agents think while physics works.

        In the multi-threaded mode this runs beside physics: it must not touch the world.
        """

    def sense_agent(self, simulation: Simulation) -> None:
        """Physics is done, perception is not: change what robots are about to perceive (rules, referee)."""

    def end_cycle(self, simulation: Simulation) -> None:
        """Perception is complete (`simulation.percepts`): publish."""

    def done(self, simulation: Simulation) -> None:
        """The loop ends."""

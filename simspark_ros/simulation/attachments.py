"""Attachments of simulations: `simspark serve`, the simulator node and the Arena each list theirs."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from typing import Protocol

from simspark_ros.simulation.loop import ControlNode, Simulation


class Attachment(Protocol):
    """One thing that a program adds to a simulation before the loop starts; it is made with its own settings."""

    def attach(self, simulation: Simulation, stack: ExitStack) -> None:
        """Add it; `stack` has what frees it at the program's end. A `UserError` says what cannot be used."""


class Nodes:
    """Control nodes that need nothing but to be called."""

    def __init__(self, *nodes: ControlNode | None) -> None:
        self._nodes = [node for node in nodes if node is not None]

    def attach(self, simulation: Simulation, stack: ExitStack) -> None:
        """Add the nodes in their order."""
        for node in self._nodes:
            simulation.add_node(node)


def attach_all(attachments: Iterable[Attachment], simulation: Simulation, stack: ExitStack) -> None:
    """Attach all in their order, which is that of their events in a cycle."""
    for attachment in attachments:
        attachment.attach(simulation, stack)

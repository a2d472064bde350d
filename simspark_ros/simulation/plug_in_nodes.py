"""Control nodes of other distributions: a node that fails no longer takes part, and the simulation goes on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from simspark_ros.configuration.entry_points import Group
from simspark_ros.exchange import Notice, Percepts
from simspark_ros.simulation.loop import ControlNode, Simulation

NODE_GROUP = Group("simspark_ros.control_nodes")


class PlugInNode(ControlNode):
    """A plug-in, by the name of its entry point, until it fails."""

    def __init__(self, name: str, node: ControlNode) -> None:
        self._name, self._node = name, node
        self._has_failed = False
        self._simulation: Simulation | None = None

    @property
    def itself(self) -> ControlNode:
        """The plug-in."""
        return self._node

    def init(self, simulation: Simulation) -> None:
        """See `ControlNode`."""
        self._simulation = simulation
        self._try(partial(self._node.init, simulation))

    def start_cycle(self, simulation: Simulation) -> None:
        """See `ControlNode`."""
        self._simulation = simulation
        self._try(partial(self._node.start_cycle, simulation))

    def act_agent(self, simulation: Simulation) -> None:
        """See `ControlNode`."""
        self._try(partial(self._node.act_agent, simulation))

    def send_percepts(self, percepts: Percepts) -> None:
        """See `ControlNode`."""
        self._try(partial(self._node.send_percepts, percepts))

    def sense_agent(self, simulation: Simulation) -> None:
        """See `ControlNode`."""
        self._try(partial(self._node.sense_agent, simulation))

    def end_cycle(self, simulation: Simulation) -> None:
        """See `ControlNode`."""
        self._try(partial(self._node.end_cycle, simulation))

    def reset(self) -> None:
        """See `ControlNode`."""
        self._try(self._node.reset)

    def done(self, simulation: Simulation) -> None:
        """See `ControlNode`."""
        self._try(partial(self._node.done, simulation))

    def _try(self, event: Callable[[], None]) -> None:
        if self._has_failed:
            return
        try:
            event()
        # Any code may run there.
        except Exception as error:
            self._has_failed = True
            text = NODE_GROUP.fails(self._name, error, "it no longer takes part")
            if self._simulation is not None:
                self._simulation.notice(Notice("", text))


def third_party_control_nodes() -> list[ControlNode]:
    """New control nodes of other distributions."""
    nodes: list[ControlNode] = []
    for name, factory in NODE_GROUP.plug_ins().items():
        with NODE_GROUP.left_out_if_broken(name):
            nodes.append(PlugInNode(name, factory()))
    return nodes

"""A simulator's node in this process."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from simspark_ros.ros.settings import NodeOptions
from simspark_ros.ros.simulator_node import SimulatorNode
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.settings import SimulationSettings

Build = Callable[..., tuple[SimulatorNode, Simulation]]


@pytest.fixture
def build(ros_here: None) -> Iterator[Build]:
    built: list[tuple[SimulatorNode, Simulation]] = []

    def make(*robots: str, **settings: Any) -> tuple[SimulatorNode, Simulation]:
        node = SimulatorNode(SimulationSettings(**settings), NodeOptions(robots=robots))
        built.append((node, node.build()[0]))
        return built[-1]

    yield make
    for node, simulation in built:
        simulation.world.engine.close()
        node.destroy_node()

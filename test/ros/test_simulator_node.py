"""What the simulator's node does beside its topics and services."""

from __future__ import annotations

import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from simspark_ros.ros import simulator_node
from simspark_ros.ros.settings import NodeOptions
from simspark_ros.simulation.settings import SimulationSettings
from test.rigs.ros_processes import Domain
from test.rigs.waiting import until


def test_freed_memory_is_returned_again_and_again(domain: Domain, monkeypatch: pytest.MonkeyPatch) -> None:
    returns: list[None] = []
    monkeypatch.setattr(simulator_node, "return_freed_memory", lambda: returns.append(None))
    monkeypatch.setattr(simulator_node, "MEMORY_PERIOD", 0.01)
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    rclpy.init(args=[], domain_id=domain.number, signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = simulator_node.SimulatorNode(SimulationSettings(), NodeOptions())
        simulation, _ = node.build()
        executor = SingleThreadedExecutor()
        executor.add_node(node)

        def returned() -> bool:
            executor.spin_once(timeout_sec=0.01)
            return len(returns) > 2

        until(returned)
        executor.shutdown()
        simulation.world.engine.close()
        node.destroy_node()
    finally:
        rclpy.shutdown()

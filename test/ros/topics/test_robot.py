"""Topics of robots: those of one do not depend on those of another."""

from __future__ import annotations

from typing import Any

import pytest
import rclpy
from rclpy.signals import SignalHandlerOptions

from simspark_ros.ros import simulator_node
from simspark_ros.ros.settings import NodeOptions
from simspark_ros.ros.topics.robot import RobotTopics
from simspark_ros.simulation.settings import SimulationSettings
from test.rigs.ros_processes import Domain


def test_a_robot_whose_topics_cannot_be_made_takes_no_other_one_its_own(
    domain: Domain, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(node: Any, entry: Any, *arguments: Any) -> RobotTopics:
        if entry.name == "bad":
            raise RuntimeError("DDS does not take this name")
        return RobotTopics(node, entry, *arguments)

    monkeypatch.setattr(simulator_node, "RobotTopics", make)
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    rclpy.init(args=[], domain_id=domain.number, signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = simulator_node.SimulatorNode(SimulationSettings(), NodeOptions(robots=("bad=nao", "good=nao")))
        simulation, _ = node.build()
        assert node.count_subscribers("/good/joint_command") == 1
        assert node.count_subscribers("/bad/joint_command") == 0
        simulation.world.engine.close()
        node.destroy_node()
    finally:
        rclpy.shutdown()


def test_a_node_keeps_nothing_of_topics_that_are_gone(domain: Domain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    rclpy.init(args=[], domain_id=domain.number, signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = simulator_node.SimulatorNode(SimulationSettings(), NodeOptions(robots=("one=nao",)))
        simulation, _ = node.build()
        kept = len(node.default_callback_group.entities)
        (entry,) = node.control.roster
        for _ in range(3):
            made = RobotTopics(
                node, entry, node.control.cycle, lambda *_: None, lambda: 0.0, lambda _: None, NodeOptions()
            )
            made.destroy()
        assert len(node.default_callback_group.entities) == kept
        simulation.world.engine.close()
        node.destroy_node()
    finally:
        rclpy.shutdown()

"""A trained policy as a node: joints and IMU in, commands of joints out."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import Imu, JointState

from simspark_learning.policy import BodyPolicy, Policy
from simspark_ros.ros.player.node import ALL, NEWEST
from simspark_ros.ros.player.percepts import PerceptCollector
from simspark_ros.ros.process import BackgroundExecutor, run_process
from simspark_ros.server.signals import Signals


class PolicyNode(Node):
    """Answers messages on `joint_states` and `imu/data_raw` of a robot by `joint_command`, all of standard types.

    It answers as seldom as the policy did in training, in simulated time. A message that lacks a joint, or the first
    ones of a robot, are not answered.
    """

    def __init__(self, policy: BodyPolicy, robot: str) -> None:
        super().__init__("policy")
        self._policy = policy
        self._percepts = PerceptCollector(0, "")
        self._countdown = 0
        self._commands = self.create_publisher(JointState, f"{robot}/joint_command", ALL)
        self.create_subscription(JointState, f"{robot}/joint_states", self._on_joint_states, NEWEST)
        self.create_subscription(Imu, f"{robot}/imu/data_raw", self._on_imu, NEWEST)

    def _on_joint_states(self, message: Any) -> None:
        self._percepts.on_joint_states(message)
        self._act()

    def _on_imu(self, message: Any) -> None:
        self._percepts.on_imu(message)
        self._act()

    def _act(self) -> None:
        percept = self._percepts.take()
        if percept is None or percept.gyro is None or percept.accelerometer is None:
            return
        self._countdown -= 1
        if self._countdown > 0:
            return
        try:
            angles = np.array([percept.joints[name] for name in self._policy.joints])
        except KeyError as error:
            self.get_logger().warning(f"joint_states lacks the joint {error}", throttle_duration_sec=10.0)
            return
        self._countdown = self._policy.cycles
        positions = self._policy.answer(angles, np.array(percept.gyro), np.array(percept.accelerometer))
        self._commands.publish(JointState(name=list(positions), position=list(positions.values())))


def move(file: Path, robot: str, ros_arguments: Sequence[str]) -> int:
    """Move a robot by a policy until SIGINT or SIGTERM; returns the exit status, see `run_process`."""
    ending = threading.Event()
    Signals().on_signal(ending.set)

    def work() -> None:
        node = PolicyNode(BodyPolicy(Policy.load(file)), robot)
        executor = BackgroundExecutor(node)
        node.get_logger().info(f"moves '{robot}'")
        ending.wait()
        executor.close()
        node.destroy_node()

    return run_process("simspark policy", ["policy", *ros_arguments], work)

"""How far the ball goes that a policy of `kick_far` kicks on ROS topics, and one that adds nothing to its key frames.

    .venv/bin/python benchmarks/policy_kicks.py learn-kick_far/policy.npz [--tries 8] [--speed 1]

A simulator is a process of its own. For each try the robot takes its pose, is put on its feet, stands for a second, and
gets the ball of the game before its foot, as in training; then the node of `simspark policy` moves it. `--speed`, times
real time, may be less on a busy machine, which answers late otherwise.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from nav_msgs.msg import Odometry
from rclpy.node import Node
from sensor_msgs.msg import JointState

from simspark_learning.policy import BodyPolicy, Policy
from simspark_learning.ros.policy import PolicyNode
from simspark_learning.tasks.kick_far import ACTION, BALL, RADIUS, SPREAD, KickFarTask
from simspark_ros.physics.engine import Array
from simspark_ros.ros.conversions import seconds_of
from simspark_ros.ros.process import BackgroundExecutor
from simspark_ros.srv import SetEntityState
from simspark_stress.own_domain import use_own_domain

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
use_own_domain()

ROBOT = "nao"
PATIENCE = 120.0
"""Longest wait for anything, s."""

STAND, ROLL = 1.0, 6.0
"""Simulated time before a kick and after it, s."""

START = (-5.0, 0.0)
"""Place of the robot at the start, m."""

UPRIGHT = 0.9
"""Cosine of the tilt of a robot that is on its feet."""


class Field(Node):
    """What the simulator tells, and how robot and ball are placed."""

    def __init__(self) -> None:
        super().__init__("field")
        self.time, self.upright, self.ball, self.robot = -1.0, 1.0, np.zeros(3), np.zeros(3)
        self._joints = self.create_publisher(JointState, f"{ROBOT}/joint_command", 10)
        self._place = self.create_client(SetEntityState, "set_entity_state")
        self.create_subscription(Odometry, "ground_truth/ball", self._on_ball, 10)
        self.create_subscription(Odometry, f"{ROBOT}/ground_truth", self._on_robot, 10)

    def _on_ball(self, message: Any) -> None:
        self.ball, self.time = _place_of(message), seconds_of(message.header.stamp)

    def _on_robot(self, message: Any) -> None:
        turn = message.pose.pose.orientation
        self.robot, self.upright = _place_of(message), 1.0 - 2.0 * (turn.x**2 + turn.y**2)

    def until(self, happened: Callable[[], bool], what: str) -> None:
        """Wait for something."""
        end = time.monotonic() + PATIENCE
        while not happened():
            if time.monotonic() > end:
                raise SystemExit(f"{what}: not within {PATIENCE:g} s")
            time.sleep(0.01)

    def wait(self, seconds: float) -> None:
        """Let simulated time pass."""
        end = self.time + seconds
        self.until(lambda: self.time >= end, "simulated time")

    def place(self, entity: str, x: float, y: float, z: float) -> None:
        """Put the robot, looking along x, or the ball somewhere, m, at rest."""
        self._place.wait_for_service(PATIENCE)
        request = SetEntityState.Request(entity=entity, set_pose=True)
        position = request.state.pose.position
        position.x, position.y, position.z = x, y, z
        answer = self._place.call_async(request)
        self.until(answer.done, f"an answer about {entity}")
        if answer.result().result.result != 1:
            raise SystemExit(f"{entity}: {answer.result().result.error_message}")

    def take_pose(self) -> None:
        """Have the robot's joints where the kick begins."""
        pose = KickFarTask.pose
        self._joints.publish(JointState(name=list(pose), position=list(pose.values())))
        self.wait(STAND)


def kick(field: Field, policy: Policy, ball: Array) -> tuple[float, bool]:
    """Kick once; how far the ball has come along the robot's axis, m, and whether the robot is on its feet."""
    field.place("ball", 3.0, 3.0, RADIUS)
    field.take_pose()
    field.place(ROBOT, *START, 0.0)
    field.take_pose()
    x, y = (field.robot[:2] + ball).tolist()
    field.place("ball", x, y, RADIUS)
    node = PolicyNode(BodyPolicy(policy), ROBOT)
    executor = BackgroundExecutor(node)
    field.wait(ACTION * KickFarTask.longest + ROLL)
    executor.close()
    node.destroy_node()
    return float(field.ball[0]) - x, field.upright > UPRIGHT


def main() -> None:
    """Measure, by turns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("policy", type=Path)
    parser.add_argument("--tries", type=int, default=8)
    parser.add_argument("--speed", type=float, default=1.0)
    options = parser.parse_args()
    trained = Policy.load(options.policy)
    weights, biases = trained.layers[-1]
    untrained = replace(trained, layers=[*trained.layers[:-1], (0.0 * weights, 0.0 * biases)])
    parameters = {"engine": "mujoco", "robots": f"['{ROBOT}']", "referee": "false"}
    words = [word for name, value in parameters.items() for word in ("-p", f"{name}:={value}")]
    command = [sys.executable, "-m", "simspark_ros.ros.simulator_node", "--ros-args", *words]
    simulator = subprocess.Popen([*command, "-p", f"speed:={options.speed}"], stdout=subprocess.DEVNULL)
    try:
        measure({"untrained": untrained, "trained": trained}, options.tries)
    finally:
        simulator.send_signal(signal.SIGINT)
        simulator.wait(PATIENCE)


def measure(policies: Mapping[str, Policy], tries: int) -> None:
    """Kick by turns, and tell how each went."""
    rclpy.init(args=[])
    field = Field()
    executor = BackgroundExecutor(field)
    field.until(lambda: field.time >= 0.0, "the simulator")
    random = np.random.default_rng(1)
    found: dict[str, list[tuple[float, bool]]] = {name: [] for name in policies}
    for _ in range(tries):
        ball = BALL + random.uniform(-SPREAD, SPREAD, 2)
        for name, policy in policies.items():
            way, stands = kick(field, policy, ball)
            found[name].append((way, stands))
            print(f"{name}: {way:.2f} m, {'stands' if stands else 'has fallen'}", flush=True)
    for name, kicks in found.items():
        ways, standing = zip(*kicks, strict=True)
        print(f"{name}: median {np.median(ways):.2f} m, {min(ways):.2f} to {max(ways):.2f} m, {sum(standing)} stand")
    executor.close()


def _place_of(message: Any) -> Array:
    place = message.pose.pose.position
    return np.array([place.x, place.y, place.z])


if __name__ == "__main__":
    main()

"""Topics of robots: those of one do not depend on those of another."""

import time
from pathlib import Path
from typing import Any

import pytest
import rclpy
from sensor_msgs.msg import JointState

from simspark_ros.configuration.league_models import MODELS_VARIABLE
from simspark_ros.robots.motors.commands import MotorMode
from simspark_ros.ros.settings import NodeOptions
from simspark_ros.ros.simulator_node import SimulatorNode
from simspark_ros.ros.topics import robot as robot_topics
from simspark_ros.ros.topics import roster
from simspark_ros.ros.topics.robot import RobotTopics
from simspark_ros.simulation.loading.spawning import spawn_text
from test.rigs.waiting import DEADLINE
from test.ros.topics.conftest import Build


def test_a_robot_without_topics_takes_no_other_one_its_own(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    def make(node: Any, entry: Any, *arguments: Any) -> RobotTopics:
        if entry.name == "bad":
            raise RuntimeError("DDS does not take this name")
        return RobotTopics(node, entry, *arguments)

    monkeypatch.setattr(roster, "RobotTopics", make)
    node, _ = build("bad=nao", "good=nao")
    assert node.count_subscribers("/good/joint_command") == 1
    assert node.count_subscribers("/bad/joint_command") == 0


def test_a_node_keeps_nothing_of_topics_that_are_gone(build: Build) -> None:
    node, _ = build("one=nao")
    kept = len(node.default_callback_group.entities)
    (entry,) = node.control.roster
    for _ in range(3):
        made = RobotTopics(node, entry, node.control.cycle, lambda *_: None, lambda: 0.0, lambda _: None, NodeOptions())
        made.destroy()
    assert len(node.default_callback_group.entities) == kept


def test_motors_with_gains_take_them_from_a_topic_of_their_own(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MODELS_VARIABLE, str(Path(__file__, "../../../data/league_models").resolve()))
    node, simulation = build("one=toy", "two=nao")
    assert [node.count_subscribers(f"/{name}/motor_gains") for name in ("one", "two")] == [1, 0]
    topics, motors = node.control._topics[0], simulation.world.motors
    topics._on_gains(JointState(name=["neck"], position=[30.0], velocity=[2.0]))
    topics._on_command(JointState(name=["neck"], position=[0.4], effort=[0.5]))
    topics._on_gains(JointState(name=["neck"], position=[-1.0]))
    simulation.begin()
    simulation.run_cycle()
    simulation.end()
    neck = topics._index_of["neck"]
    assert motors.mode[neck] == MotorMode.SERVO
    assert motors.servo[neck].tolist() == [0.4, 0.0, 30.0, 2.0, 0.5]


def made_by(node: SimulatorNode) -> list[int]:
    return [len(list(kind)) for kind in (node.publishers, node.subscriptions, node.actions.waitables)]


@pytest.mark.parametrize("failing", ["TrajectoryAction", "EffectorTopics", "DriverTopics"])
def test_topics_that_cannot_be_made_leave_nothing(build: Build, monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("DDS does not take this name")

    monkeypatch.setattr(robot_topics, failing, fail)
    node, simulation = build()
    before = made_by(node)
    spawn_text(simulation.world, "one=nao", simulation.scheduler.settings)
    node.control.update_roster(simulation.world)
    node._topics.follow()
    # The node's executor takes the action away.
    deadline = time.monotonic() + DEADLINE
    while made_by(node) != before and time.monotonic() < deadline:
        rclpy.spin_once(node.actions, timeout_sec=0.1)
    assert made_by(node) == before

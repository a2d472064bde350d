"""A topic whose message cannot be made or sent ends no match: it is off, and all others go on."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState

from simspark_ros.msg import GameState, ScenePoses, TeamStatus
from simspark_ros.ros.topics.joints import JointStatePublisher
from simspark_ros.soccer.teams import Side
from test.rigs.waiting import until
from test.ros.topics.conftest import Build

HALF = "x\ud800"
"""A text that no message can carry."""

MORE = 20
"""Messages after which a topic that is on has been filled often enough."""


class Room:
    """A simulator with two robots, and a node that counts what it hears; both run while a test waits."""

    def __init__(self, build: Build) -> None:
        node, self.simulation = build("one=nao", "two=nao", pacing="fast")
        self.listener = Node("listener")
        self.heard: dict[str, int] = {}
        self._executor = SingleThreadedExecutor()
        for one in (node, self.listener):
            self._executor.add_node(one)

    def hear(self, kind: type, topic: str) -> None:
        def count(_: Any) -> None:
            self.heard[topic] += 1

        self.heard[topic] = 0
        self.listener.create_subscription(kind, topic, count, 10)

    def until(self, condition: Callable[[], object]) -> None:
        def work() -> None:
            self.simulation.run_cycle()
            self._executor.spin_once(timeout_sec=0.01)

        until(condition, work)

    def heard_of(self, *topics: str) -> None:
        before = dict(self.heard)
        self.until(lambda: all(self.heard[topic] >= before[topic] + MORE for topic in topics))

    def close(self) -> None:
        self._executor.shutdown()
        self.listener.destroy_node()


@pytest.fixture
def room(build: Build, close_later: Callable[[Room], Room]) -> Room:
    return close_later(Room(build))


def lines_about(capfd: pytest.CaptureFixture[str]) -> list[str]:
    """Topics that are said to be off, each as often as it is said."""
    return re.findall(r"topic '([^']+)' is switched off: UnicodeEncodeError: .*\n", capfd.readouterr().err)


def fail_to_fill(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    whole: Callable[..., Any] = getattr(JointStatePublisher, method)

    def fail(self: JointStatePublisher) -> Any:
        if self.topic.startswith("one/"):
            HALF.encode()
        return whole(self)

    monkeypatch.setattr(JointStatePublisher, method, fail)


@pytest.mark.parametrize("method", ["fill", "bind"])
def test_a_topic_of_a_robot_that_fails_is_off_and_that_of_another_one_on(
    room: Room, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], method: str
) -> None:
    fail_to_fill(monkeypatch, method)
    room.hear(JointState, "one/joint_states")
    room.hear(JointState, "two/joint_states")
    room.heard_of("two/joint_states")
    room.heard_of("two/joint_states")
    assert room.heard["one/joint_states"] == 0
    assert lines_about(capfd) == ["one/joint_states"]


def test_topics_of_the_game_that_fail_are_off_and_the_others_on(room: Room, capfd: pytest.CaptureFixture[str]) -> None:
    room.simulation.world.teams.of(Side.LEFT).name = HALF
    room.hear(GameState, "game/state")
    for side in ("left", "right"):
        room.hear(TeamStatus, f"game/{side}_team")
    room.heard_of("game/right_team")
    assert (room.heard["game/state"], room.heard["game/left_team"]) == (0, 0)
    assert sorted(lines_about(capfd)) == ["game/left_team", "game/state"]


def test_poses_for_cameras_that_cannot_be_sent_are_off(room: Room, capfd: pytest.CaptureFixture[str]) -> None:
    world = room.simulation.world
    robot = next(iter(world.robots.values()))
    robot.description = replace(robot.description, source=HALF)
    room.hear(ScenePoses, "scene_poses")
    room.hear(JointState, "two/joint_states")
    room.heard_of("two/joint_states")
    assert room.heard["scene_poses"] == 0
    assert lines_about(capfd) == ["scene, scene_models, scene_world, scene_poses"]

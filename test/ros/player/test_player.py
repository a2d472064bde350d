"""A player that uses ROS topics and services alone; stepped, so that the load of the machine does not count."""

import math
import signal
import threading
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState

from simspark_ros.msg import SeenObjects, SimulationState
from simspark_ros.players.answer import Answer
from simspark_ros.players.geometry import Pose
from simspark_ros.ros.player import node
from simspark_ros.ros.settings import PlayerParameters
from simspark_ros.srv import SetPlayMode, SetSimulationState, StepSimulation
from test.rigs.ros_processes import Observer

pytestmark = pytest.mark.slow

ROBOT = "/Red_3"
PAUSED = SetSimulationState.Request(state=SimulationState(state=SimulationState.STATE_PAUSED))


def step(observer: Observer, commands: Any) -> None:
    before = len(commands.messages)
    observer.call(StepSimulation, "step_simulation", StepSimulation.Request(steps=1))
    observer.until(lambda: len(commands.messages) > before, "a command of the player")


def from_ball(truth: Any) -> float:
    """Distance of the robot from the middle of the field, where the ball lies, m."""
    place = truth.messages[-1].pose.pose.position
    return math.hypot(place.x, place.y)


def test_a_player_joins_is_beamed_sees_and_walks_to_the_ball(start, observer):
    process = start("player.node", parameters=("team:=Red", "first_number:=3"))
    with (
        observer.hear(Odometry, f"{ROBOT}/ground_truth") as truth,
        observer.hear(JointState, f"{ROBOT}/joint_command") as commands,
        observer.hear(SeenObjects, f"{ROBOT}/seen_objects") as seen,
    ):
        # One after the other, so that a failure says who has not found whom.
        truth.wait()
        commands.wait()
        # From beside the field, where it has come, to its place for the kick-off.
        observer.until(lambda: from_ball(truth) < 5.0, "the beam")
        names = {name for message in seen.wait(20) for name in message.names}
        assert {"B", "G1R", "Red/3/llowerarm"} <= names
        observer.call(SetSimulationState, "set_simulation_state", PAUSED)
        observer.call(SetPlayMode, "game/set_play_mode", SetPlayMode.Request(play_mode="PlayOn"))
        far = from_ball(truth)
        for _ in range(250):
            step(observer, commands)
        # 0.4 m/s for five seconds, with a start from rest.
        assert 1.5 < far < 3.0 and from_ball(truth) < far - 0.7
        process.send(signal.SIGINT)
        # Its robot leaves between two cycles.
        for _ in range(50):
            observer.call(StepSimulation, "step_simulation", StepSimulation.Request(steps=1))
            if not process.running:
                break
    assert process.wait() == 0, process.output
    assert "plays as left 3" in process.output and "Traceback" not in process.output
    assert "Red_3" not in observer.entities()


def test_motions_count_on_the_cycle_that_the_simulator_tells(monkeypatch):
    cycles: list[float] = []
    monkeypatch.setattr(node, "call_standard", lambda *arguments: SimpleNamespace(entity_name="Red_1"))
    monkeypatch.setattr(node, "call", lambda *arguments: SimpleNamespace(left=True, unum=1, cycle=0.012))
    monkeypatch.setattr(node, "_robot_types", lambda *arguments: "")
    monkeypatch.setattr(node, "team_player", lambda team, unum, tactics, cycle, types, world: cycles.append(cycle))
    monkeypatch.setattr(node, "RosPlayer", lambda *arguments: None)
    squad = PlayerParameters(team="Red")
    joining: Any = SimpleNamespace(_squad=squad, _robots=[], _players=[], get_logger=MagicMock)
    node.PlayerNode.join(joining, threading.Event())
    assert cycles == [0.012]


def test_a_player_begins_when_the_simulator_has_found_its_topics():
    topics: dict[str, Any] = {}
    ros: Any = MagicMock()
    ros.create_publisher = lambda kind, name, qos: topics.setdefault(name, MagicMock())
    player: Any = MagicMock()
    player.act.side_effect = [Answer(beam=Pose(-2.0, 0.0, 0.0)), *[Answer()] * 2 * node.MATCHED]
    robot = node.RosPlayer(ros, "Red_1", player, 1, "left")
    robot._percepts = MagicMock()
    for topic in topics.values():
        topic.get_subscription_count.return_value = 1
    topics["Red_1/beam"].get_subscription_count.return_value = 0
    robot._act()
    assert not player.act.called
    topics["Red_1/beam"].get_subscription_count.return_value = 1
    for _ in range(node.MATCHED):
        robot._act()
    # The simulator's readers find the player's writers by themselves.
    assert topics["Red_1/joint_command"].publish.called and not topics["Red_1/beam"].publish.called
    for _ in range(node.MATCHED):
        robot._act()
    assert topics["Red_1/beam"].publish.call_count == 1


def test_impossible_numbers_are_refused_by_name(start, observer):
    process = start("player.node", parameters=("players:=2", "first_number:=11"))
    assert process.wait() == 2
    assert "first_number 11 and players 2" in process.output and "Traceback" not in process.output

"""Goals of cases reach an action, from well-behaved clients and others, and a dead action is noticed."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from rclpy.task import Future

from simspark_ros.action import FollowJointTrajectory, SimulateSteps
from simspark_ros.ros.action_server import create_action_server
from simspark_ros.ros.process import BackgroundExecutor
from simspark_ros.ros.services.standard import ACTION as STEPS
from simspark_ros.ros.topics.commands.follow_joint_trajectory import ACTION as FOLLOW
from simspark_ros.ros.topics.commands.joint_command import JointCommandError
from simspark_ros.ros.topics.commands.joint_trajectory import check_trajectory
from simspark_stress.ros.actions import ActionClients, Goals
from simspark_stress.ros.fields import fill
from simspark_stress.ros.goals import draw_goals
from test.rigs.ros_nodes import RosNodes
from test.rigs.waiting import until

ROBOT = f"r1/{FOLLOW}"


class Robot:
    """An action without a simulator: goals for the joint `stays` go on until they are cancelled."""

    def __init__(self, room: RosNodes) -> None:
        self.goals: list[Any] = []
        self.cancelled: list[Any] = []
        self._ends: dict[int, Future] = {}
        self.node = room.node("robot")
        self.server = create_action_server(
            self.node, FollowJointTrajectory, ROBOT, self._execute, lambda: True, self._cancel
        )
        self.executor = BackgroundExecutor(self.node)

    async def _execute(self, goal: Any) -> Any:
        self.goals.append(goal.request.trajectory)
        if list(goal.request.trajectory.joint_names) == ["stays"]:
            end = self._ends[id(goal)] = Future()
            await end
        goal.abort()
        return FollowJointTrajectory.Result()

    def _cancel(self, goal: Any) -> None:
        self.cancelled.append(goal)
        self._ends[id(goal)].set_result(None)


@pytest.fixture
def robot(room: RosNodes) -> Iterator[Robot]:
    made = Robot(room)
    yield made
    made.executor.close()


@pytest.fixture
def clients(room: RosNodes) -> Iterator[ActionClients]:
    node = room.node("client")
    executor = BackgroundExecutor(node)
    yield ActionClients(node)
    executor.close()


def test_goals_are_sent_repeated_abandoned_and_cancelled(robot: Robot, clients: ActionClients):
    goals = Goals(clients)
    assert clients[ROBOT].is_there("cancel_goal", 20.0)
    point = {"time_from_start": {"sec": 1, "nanosec": 5}, "positions": ["0.5"]}
    goals.goal(ROBOT, 1, {"trajectory": {"joint_names": ["a"], "points": [point]}}, 3)
    until(lambda: len(robot.goals) == 1)
    (sent,) = robot.goals
    assert [(at.time_from_start.sec, at.time_from_start.nanosec) for at in sent.points] == [(1, 5), (3, 5), (5, 5)]
    goals.result(ROBOT, 1, 0.3)
    goals.goals(ROBOT, 2, {})
    goals.gone(ROBOT, {})
    until(lambda: len(robot.goals) >= 3)
    goals.goal(ROBOT, 2, {"trajectory": {"joint_names": ["stays"]}})
    goals.cancel(ROBOT, "unknown", {})
    assert not robot.cancelled
    goals.cancel(ROBOT, 2, {})
    until(lambda: robot.cancelled)


def test_an_action_that_is_gone_is_a_fault(robot: Robot, clients: ActionClients):
    assert clients.fault(ROBOT, 20.0) == ""
    robot.executor.close()
    assert ROBOT in clients.fault(ROBOT, 0.1)


def test_questions_about_unknown_goals_fill_no_log(robot: Robot, clients: ActionClients, capfd: Any):
    client = clients[ROBOT]
    fields = {"goal_id": {"uuid": [1] * 16}}
    assert client.ask("get_result", client.request("get_result", fields), 20.0).status == 0
    assert "unknown or expired" not in capfd.readouterr().err


def test_drawn_goals_fit_their_types_and_some_trajectories_are_valid():
    valid, refused, verbs, actions = 0, 0, set(), set()
    index = {name: number for number, name in enumerate(("hj1", "hj2", "llj3", "rlj4"))}
    for seed in range(300):
        for verb, *arguments in draw_goals(random.Random(seed)):
            if verb not in ("goal", "goals", "gone"):
                continue
            verbs.add(verb)
            actions.add(arguments[0])
            fields = next(part for part in arguments if isinstance(part, dict))
            goal = (SimulateSteps if arguments[0] == STEPS else FollowJointTrajectory).Goal()
            fill(goal, fields)
            if arguments[0] != STEPS:
                try:
                    valid += check_trajectory(index, goal.trajectory, 10_000) is not None
                except JointCommandError:
                    refused += 1
    assert verbs == {"goal", "goals", "gone"} and len(actions) == 3
    assert min(valid, refused) > 100

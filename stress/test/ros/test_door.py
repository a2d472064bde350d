"""What the grammars of ROS draw fits its services and messages, and much of it is taken."""

import contextlib
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from rcl_interfaces.msg import ParameterValue
from rclpy.task import Future

from simspark_ros.action import FollowJointTrajectory, SimulateSteps
from simspark_ros.effectors import EFFECTORS
from simspark_ros.msg import SimulationState
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotError
from simspark_ros.ros.action_server import create_action_server
from simspark_ros.ros.network import choose_network
from simspark_ros.ros.process import BackgroundExecutor
from simspark_ros.ros.services.standard import ACTION as STEPS
from simspark_ros.ros.topics.commands.follow_joint_trajectory import ACTION as FOLLOW
from simspark_ros.ros.topics.commands.joint_command import JointCommandError
from simspark_ros.ros.topics.commands.joint_trajectory import check_trajectory
from simspark_ros.ros.topics.publisher import message_type
from simspark_ros.server.remote.codec import CommandsMessage, PerceptsMessage, decode
from simspark_ros.server.remote.serialization import CodecError
from simspark_stress.fuzz.case import Case
from simspark_stress.fuzz.doors.proxies import PROXY
from simspark_stress.fuzz.doors.robot_files import robot_file
from simspark_stress.fuzz.session import Session
from simspark_stress.fuzz.trials import play_all
from simspark_stress.ros.actions import ActionClients, Goals
from simspark_stress.ros.bridge import BRIDGE_DOOR, draw_bridge
from simspark_stress.ros.fields import fill
from simspark_stress.ros.goals import draw_goals
from simspark_stress.ros.grammar import SERVICES, VALUE_FIELDS, draw_files, draw_ros
from simspark_stress.settings import FuzzSettings
from test.rigs.ros_nodes import RosNodes
from test.rigs.ros_processes import Domain
from test.rigs.waiting import until


def test_no_drawn_request_ends_the_server_all_effectors_are_commanded_and_robots_come_as_texts():
    drawn = [step for seed in range(800) for step in draw_ros(random.Random(seed), False)]
    parameters = {arguments[0] for verb, *arguments in drawn if verb == "parameter"}
    assert any(name.startswith("rule_book.game.") for name in parameters)
    assert "rule_book.game.automatic_quit" not in parameters
    states = {arguments[1]["state"]["state"] for _, *arguments in drawn if arguments[0] == "set_simulation_state"}
    assert states and SimulationState.STATE_QUITTING not in states
    steps = [step for seed in range(600) for step in draw_ros(random.Random(seed), False)]
    published = {step[1].partition("/")[2] for step in steps if step[0] == "publish"}
    assert published >= {one.topic.name or kind for kind, one in EFFECTORS.items() if one.topic}
    assert any(step[0] == "parameter" and str(step[1]).startswith("sensors.r1.") for step in steps)
    files = [step for seed in range(60) for step in draw_files(random.Random(seed), False)]
    spawned = [step[2]["entity_resource"] for step in files if step[:2] == ["call", "spawn_entity"]]
    assert {key for one in spawned for key in one} == {"uri", "resource_string"}


@pytest.mark.parametrize("draw", [draw_ros, draw_files])
def test_drawn_requests_and_messages_have_fields_of_the_right_types(draw):
    seen = set()
    for seed in range(200):
        for verb, *arguments in draw(random.Random(seed), False):
            seen.add(verb)
            if verb == "call":
                fill(SERVICES[arguments[0]].Request(), arguments[1])
            elif verb == "publish":
                fill(message_type(arguments[1])(), arguments[2])
            elif verb == "parameter":
                fill(ParameterValue(), {VALUE_FIELDS[arguments[1]]: arguments[2]})
    assert {"call", "publish"} <= seen


def test_a_fair_part_of_the_drawn_robot_files_is_valid(tmp_path):
    good = 0
    for seed in range(60):
        files = robot_file(random.Random(seed), f"r{seed}")
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        with contextlib.suppress(RobotError):
            load_robot(str(tmp_path / next(iter(files))))
            good += 1
    assert 10 < good < 50


def test_forgers_send_both_valid_and_broken_messages_and_clients_come_to_both_ports_of_the_bridge():
    read, broken, verbs, who = 0, 0, set(), set()
    for seed in range(500):
        for verb, *arguments in draw_bridge(random.Random(seed), False):
            verbs.add(verb)
            if verb == "message":
                who.add(arguments[0].split()[0])
            elif verb in ("commands", "percepts"):
                try:
                    decode(arguments[0].encode("latin-1"), CommandsMessage, PerceptsMessage)
                    read += 1
                except CodecError:
                    broken += 1
    assert min(read, broken) > 100
    assert {"commands", "percepts", "message", "read"} <= verbs and who == {"agent", "monitor"}


@pytest.mark.slow
def test_a_proxy_and_a_bridge_are_attacked_beside_good_clients_at_their_ports(domain: Domain, tmp_path: Path):
    source = random.Random(1)
    doors = (PROXY, BRIDGE_DOOR)
    cases = [Case(door.name, tuple(door.draw(source, False))) for door in doors for _ in range(60)]
    # The machine of the tests may be busy.
    settings = FuzzSettings(max_gap=20.0, recovery=30.0)
    with mock.patch.dict(os.environ, domain.environment):
        choose_network("loopback")
        with Session((), doors, settings, tmp_path / "server") as session:
            assert set(session.server.agents) == {"server", "proxy", "bridge"}
            session.begin()
            play_all(session, cases, settings.workers)
            assert session.faults() == []
            assert session.server.end() == {"bridge": 0, "proxy": 0, "server": 0}
            session.begin()
            # The witnesses see that it is gone.
            assert [fault.kind for fault in session.faults()] == ["the server has ended"]


ROBOT = f"r1/{FOLLOW}"


class Robot:
    """An action without a simulator: goals for the joint `stays` go on until they are cancelled."""

    def __init__(self, room: RosNodes) -> None:
        self.goals: list[Any] = []
        self.cancelled: list[Any] = []
        self._ends: dict[int, Future] = {}
        node = room.node("robot")
        self.server = create_action_server(
            node, FollowJointTrajectory, ROBOT, self._execute, lambda: True, self._cancel
        )
        self.executor = BackgroundExecutor(node)

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


def test_unknown_goals_fill_no_log_and_a_gone_action_is_a_fault(robot: Robot, clients: ActionClients, capfd: Any):
    client = clients[ROBOT]
    fields = {"goal_id": {"uuid": [1] * 16}}
    assert client.ask("get_result", client.request("get_result", fields), 20.0).status == 0
    assert "unknown or expired" not in capfd.readouterr().err
    assert clients.fault(ROBOT, 20.0) == ""
    robot.executor.close()
    assert ROBOT in clients.fault(ROBOT, 0.1)


def test_drawn_goals_fit_their_types_and_some_trajectories_are_valid():
    valid, refused, verbs, actions = 0, 0, set(), set()
    index = {"hj1": 0, "hj2": 1, "llj3": 2, "rlj4": 3}
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

"""Trajectories as goals: they succeed, are cancelled, take each other's place, and leave their tolerances."""

import gc
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from rclpy.action import ActionClient, ActionServer
from rclpy.node import Node, NodeNameNonExistentError
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from simspark_ros.action import FollowJointTrajectory
from simspark_ros.msg import JointTolerance
from simspark_ros.robots.motors.trajectory import JointTrajectory as RobotTrajectory
from simspark_ros.ros.conversions import set_stamp
from simspark_ros.ros.endpoints import create_guard
from simspark_ros.ros.process import BackgroundExecutor
from simspark_ros.ros.topics.commands.follow_joint_trajectory import (
    ACTION,
    GoalWatch,
    Tolerances,
    TrajectoryAction,
    action_type,
)
from simspark_ros.ros.topics.commands.joint_trajectory import FollowedTrajectory, State, TrajectoryInbox
from simspark_ros.server.tcp.client_log import RateLimitedLog
from simspark_ros.srv import ResetSimulation
from test.rigs.ros_nodes import RosNodes
from test.rigs.ros_processes import Domain, Observer, Process, seconds
from test.rigs.waiting import DEADLINE, until
from test.ros.entities import delete, spawned

PARAMETERS = ("robots:=['nao']", "referee:=false")
Goal, Answer = FollowJointTrajectory.Goal, FollowJointTrajectory.Result
ENTRY: Any = SimpleNamespace(name="r", topic=lambda name: f"r/{name}")


def duration(time: float) -> Duration:
    made = Duration()
    set_stamp(made, time)
    return made


def goal(joints: list[str], *points: tuple[float, list[float]], stamp: float = 0.0, **fields: Any) -> Any:
    made = [JointTrajectoryPoint(time_from_start=duration(at), positions=positions) for at, positions in points]
    trajectory = JointTrajectory(joint_names=joints, points=made)
    set_stamp(trajectory.header.stamp, stamp)
    return Goal(trajectory=trajectory, **fields)


def tolerance(joint: str, position: float) -> list[JointTolerance]:
    return [JointTolerance(name=joint, position=position)]


class Client:
    def __init__(self, observer: Observer, robot: str = "nao") -> None:
        self.observer, self.name = observer, f"/{robot}/{ACTION}"
        self.client = ActionClient(observer.node, FollowJointTrajectory, self.name)
        observer.until(self.client.server_is_ready, "the action")

    def done(self, future: Any, timeout: float = DEADLINE) -> Any:
        self.observer.until(future.done, "an answer of the action", timeout)
        return future.result()

    def run(self, request: Any) -> Any:
        """Send a goal and wait until it is followed, which begins some time after it was accepted."""
        told: list[Any] = []
        handle = self.send(request, told.append)
        self.observer.until(lambda: told, "feedback")
        return handle

    def send(self, request: Any, feedback: Callable[[Any], object] | None = None) -> Any:
        try:
            handle = self.done(self.client.send_goal_async(request, feedback), 10.0)
        except AssertionError:
            # On a busy machine the server may have found this client's requests, but not yet where answers go: then the
            # first answer is lost for good. The same goal takes the place of the one before.
            handle = self.done(self.client.send_goal_async(request, feedback))
        assert handle.accepted
        return handle

    def result(self, handle: Any) -> Any:
        return self.done(handle.get_result_async()).result

    def code(self, request: Any) -> tuple[int, str]:
        result = self.result(self.send(request))
        return result.error_code, result.error_string


@pytest.fixture
def client(observer: Observer) -> Iterator[Client]:
    made = Client(observer)
    yield made
    made.client.destroy()


@pytest.fixture
def head(observer: Observer) -> Iterator[Callable[[], float]]:
    with observer.hear(JointState, "/nao/joint_states") as joints:

        def position() -> float:
            newest = joints.wait()[-1]
            return float(newest.position[list(newest.name).index("hj1")])

        yield position


def test_a_goal_is_followed_with_feedback_and_succeeds(client: Client, head: Callable[[], float]) -> None:
    with client.observer.hear(FollowJointTrajectory.Impl.FeedbackMessage, f"{client.name}/_action/feedback") as told:
        client.observer.until(lambda: client.observer.node.count_publishers(f"{client.name}/_action/feedback"))
        request = goal(["hj1"], (0.5, [0.3]), (1.0, [0.6]), path_tolerance=tolerance("hj1", 0.05))
        request.goal_tolerance = tolerance("hj1", 0.02)
        assert client.code(request) == (Answer.SUCCESSFUL, "")
        client.observer.until(lambda: len(told.messages) >= 20, "feedback")
    assert head() == pytest.approx(0.6, abs=0.02)
    first, last = (told.messages[i].feedback for i in (0, -1))
    assert last.joint_names == ["hj1"]
    assert seconds(last.header.stamp) - seconds(first.header.stamp) == pytest.approx(1.0, abs=0.06)
    assert seconds(last.actual.time_from_start) == pytest.approx(1.0, abs=0.06)
    (wanted,), (actual,), (error,) = last.desired.positions, last.actual.positions, last.error.positions
    assert error == pytest.approx(wanted - actual) and abs(error) < 0.02
    rates = [message.feedback.desired.velocities[0] for message in told.messages]
    assert rates[len(rates) // 2] == pytest.approx(0.6, abs=0.2)


@pytest.mark.parametrize(
    ("request_", "code", "named"),
    [
        (goal(["elbow"], (1.0, [0.0])), Answer.INVALID_JOINTS, "unknown joint 'elbow'"),
        (goal(["hj1"]), Answer.INVALID_GOAL, "has no points; to stop, cancel"),
        (goal(["hj1"], (1.0, [math.nan])), Answer.INVALID_GOAL, "is nan"),
        (goal(["hj1"], (0.001, [0.0]), stamp=0.001), Answer.OLD_HEADER_TIMESTAMP, "the trajectory ended"),
        (goal(["hj1"], (1.0, [0.0]), path_tolerance=tolerance("hj2", 0.1)), Answer.INVALID_JOINTS, "'hj2', which is"),
        (goal(["hj1"], (1.0, [0.0]), goal_tolerance=tolerance("hj1", math.inf)), Answer.INVALID_GOAL, "is inf"),
    ],
)
def test_a_faulty_goal_is_aborted_with_its_reason(client: Client, request_: Any, code: int, named: str) -> None:
    found, text = client.code(request_)
    assert found == code and named in text


def test_a_goal_that_cannot_keep_to_its_path_or_reach_its_end_is_aborted(client: Client) -> None:
    found, text = client.code(goal(["hj1"], (0.1, [-2.0]), path_tolerance=tolerance("hj1", 0.1)))
    assert found == Answer.PATH_TOLERANCE_VIOLATED and "position of joint 'hj1' is" in text
    # Beyond the joint's stop.
    never = goal(["hj2"], (0.5, [1.5]), goal_tolerance=tolerance("hj2", 0.05), goal_time_tolerance=duration(0.3))
    found, text = client.code(never)
    assert found == Answer.GOAL_TOLERANCE_VIOLATED and text.startswith(
        "0.3 s after the end, the position of joint 'hj2'"
    )


def test_a_goal_is_cancelled_and_its_joints_stop(client: Client, head: Callable[[], float]) -> None:
    start = head()
    handle = client.send(goal(["hj1"], (30.0, [start + (1.5 if start < 0.0 else -1.5)])))
    client.observer.until(lambda: abs(head() - start) > 0.05, "the head turning")
    client.done(handle.cancel_goal_async())
    assert "cancelled" in client.result(handle).error_string
    stopped = head()
    assert [head() for _ in range(10)] == pytest.approx([stopped] * 10, abs=0.01)


def test_another_trajectory_takes_the_place_of_a_goal(client: Client, head: Callable[[], float]) -> None:
    first = client.send(goal(["hj1"], (60.0, [1.0])))
    second = client.send(goal(["hj1"], (0.2, [0.2])))
    assert client.result(second).error_code == Answer.SUCCESSFUL
    ended = client.result(first)
    assert (ended.error_code, ended.error_string) == (Answer.INVALID_GOAL, "another trajectory took its place")
    third = client.send(goal(["hj1"], (60.0, [1.0])))
    topic = client.observer.publisher(JointTrajectory, "/nao/joint_trajectory_controller/joint_trajectory")
    topic.publish(JointTrajectory(joint_names=["hj1"]))
    assert client.result(third).error_string == "another trajectory took its place"
    assert head() < 0.9


def test_goals_end_when_the_simulation_is_reset_or_the_robot_goes(client: Client) -> None:
    observer = client.observer
    running = client.run(goal(["hj1"], (60.0, [1.0])))
    reset = ResetSimulation.Request(scope=ResetSimulation.Request.SCOPE_STATE)
    observer.call(ResetSimulation, "/reset_simulation", reset)
    assert client.result(running).error_string == "the simulation was reset"
    spawned(observer, "other")
    other = Client(observer, "other")
    over = other.send(goal(["elbow"], (1.0, [1.0])))
    running = other.run(goal(["hj1"], (60.0, [1.0])))
    # The second answer comes after the executor has had the time to remove what the first one has left.
    for _ in range(2):
        delete(observer, "other")
    assert other.result(running).error_string == "the robot or its topics are gone"
    assert "unknown joint 'elbow'" in other.result(over).error_string, "a result can be fetched still"
    other.client.destroy()


def test_types_of_control_msgs_are_used_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert action_type() is FollowJointTrajectory
    types = ModuleType("control_msgs.action")
    types.FollowJointTrajectory = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "control_msgs", ModuleType("control_msgs"))
    monkeypatch.setitem(sys.modules, "control_msgs.action", types)
    assert action_type() is object


def state(wanted: float, actual: float, since: float = 0.5, rate: float = 0.0) -> State:
    return State(9.0, since, np.array([wanted]), np.zeros(1), np.array([actual]), np.array([rate]))


@pytest.mark.parametrize(("number", "is_open"), [(0.0, True), (-1.0, True), (0.1, False)])
def test_tolerances_of_zero_and_less_are_open(number: float, is_open: bool) -> None:
    limits = Tolerances(["a"], [SimpleNamespace(name="a", position=number, velocity=number)])
    assert limits.is_open is is_open
    assert bool(limits.violation(state(0.0, 0.5))) is not is_open
    assert ("velocity of joint 'a'" in limits.violation(state(0.0, 0.0, rate=0.5))) is not is_open


def test_a_goal_may_be_reached_late_but_not_too_late() -> None:
    limits = Tolerances(["a"], [SimpleNamespace(name="a", position=0.1, velocity=0.0)])
    for actual, code in ((0.95, 0), (0.5, Answer.GOAL_TOLERANCE_VIOLATED)):
        outcomes: list[tuple[int, str]] = []
        watch = GoalWatch(Tolerances(["a"], []), limits, 0.1, outcomes.append, lambda state: None)
        assert not watch.check(state(1.0, 0.5, 1.0), True)
        assert watch.check(state(1.0, actual, 1.11), True)
        assert outcomes[0][0] == code


def test_actions_of_robots_that_leave_are_taken_away_while_the_executor_is_busy(room, monkeypatch):
    node, failed = room.node("actions"), []
    monkeypatch.setattr(RateLimitedLog, "warning", lambda log, text: failed.append(text))
    guard = create_guard(node, lambda: guard.trigger())
    guard.trigger()
    executor = BackgroundExecutor(node)
    for _ in range(30):
        actions = [TrajectoryAction(node, ENTRY, TrajectoryInbox(), None, None) for _ in range(3)]  # type: ignore[arg-type]
        for action in actions:
            action.destroy()
    until(lambda: not any(isinstance(one, ActionServer) for one in node.waitables))
    executor.close()
    assert failed == []


def test_an_executor_that_is_faster_than_who_takes_the_action_away_waits_for_it(room, monkeypatch):
    node, failed = room.node("robot"), []
    monkeypatch.setattr(RateLimitedLog, "warning", lambda log, text: failed.append(text))
    create, ran = node.create_timer, threading.Event()

    def create_slowly(period, callback, **options):
        def run():
            ran.set()
            callback()

        timer = create(period, run, **options)
        assert ran.wait(DEADLINE)
        # Time in which the callback could fail.
        time.sleep(0.1)
        return timer

    monkeypatch.setattr(node, "create_timer", create_slowly)
    executor = BackgroundExecutor(node)
    TrajectoryAction(node, ENTRY, TrajectoryInbox(), None, None).destroy()  # type: ignore[arg-type]
    until(lambda: failed or not any(isinstance(one, ActionServer) for one in node.waitables))
    executor.close()
    assert failed == []


def _clients_known_to(server: Node, client: Node) -> set[str]:
    try:
        names = server.get_client_names_and_types_by_node(client.get_name(), client.get_namespace())
    except NodeNameNonExistentError:
        return set()
    return {name.rpartition("/")[2] for name, _ in names if "/_action/" in name}


@contextmanager
def following(
    room: RosNodes, inbox: TrajectoryInbox, hear: Callable[[Any], object] = lambda message: None
) -> Iterator[ActionClient]:
    """A client of the action of a robot that is not simulated; `hear` gets its trajectories."""

    def read(message: Any) -> FollowedTrajectory:
        hear(message)
        return FollowedTrajectory(RobotTrajectory(np.array([0]), np.array([1.0]), np.zeros((1, 1))))

    robot, other = room.node("robot"), room.node("client")
    action = TrajectoryAction(robot, ENTRY, inbox, None, read)  # type: ignore[arg-type]
    client = ActionClient(other, FollowJointTrajectory, f"r/{ACTION}")
    executors = [BackgroundExecutor(node) for node in (robot, other)]
    until(client.server_is_ready)
    # An answer to a client that the server does not know yet is lost.
    until(lambda: _clients_known_to(robot, other) == {"send_goal", "cancel_goal", "get_result"})
    yield client
    for executor in executors:
        executor.close()
    action.destroy()


def test_a_goal_that_is_taken_up_when_its_robot_is_gone_ends_at_once(room: RosNodes) -> None:
    """It waited in the executor; nothing would end it any more, and it would be kept for good."""
    inbox = TrajectoryInbox()
    with following(room, inbox, lambda message: inbox.close("the robot is gone")) as client:
        sent = client.send_goal_async(goal(["hj1"]))
        until(sent.done)
        result = sent.result().get_result_async()
        until(result.done)
        assert result.result().result.error_string == "the robot is gone" and not inbox.active


def test_the_points_of_a_goal_are_not_kept(room: RosNodes) -> None:
    inbox = TrajectoryInbox()

    def points() -> int:
        return sum(isinstance(one, JointTrajectoryPoint) for one in gc.get_objects())

    with following(room, inbox) as client:
        gc.collect()
        before = points()
        sent = client.send_goal_async(goal(["hj1"], *[(float(time), [0.0]) for time in range(500)]))
        until(lambda: inbox.active)
        # Points of earlier tests may go meanwhile.
        until(lambda: points() <= before)
        sent.result().cancel_goal_async()
        until(lambda: not inbox.active)


def test_the_simulation_may_look_at_a_goal_that_has_just_ended(room: RosNodes) -> None:
    """It takes a trajectory, then another thread replaces it and its goal ends."""
    put: list[Any] = []

    class Inbox(TrajectoryInbox):
        def put(self, motion: FollowedTrajectory | None, reason: str) -> None:
            put.append(motion)
            super().put(motion, reason)

    with following(room, Inbox()) as client:
        first = client.send_goal_async(goal(["hj1"]))
        until(first.done)
        client.send_goal_async(goal(["hj1"]))
        result = first.result().get_result_async()
        until(result.done)
        put[0].watch.check(state(0.0, 0.0, since=0.7), False)
        put[0].watch.check(state(0.0, 0.0, since=0.8), True)


def test_arguments_of_the_process_rename_the_action(domain: Domain, observer: Observer):
    rename = ["--ros-args", "-r", f"/nao/{ACTION}:=/moves"]
    with Process(domain, *PARAMETERS, command=[sys.executable, "-m", "simspark_ros.ros.simulator_node", *rename, "--"]):
        client = ActionClient(observer.node, FollowJointTrajectory, "/moves")
        observer.until(client.server_is_ready, "the action")
        assert {"simulator", "simulator_actions"} <= set(observer.node.get_node_names())

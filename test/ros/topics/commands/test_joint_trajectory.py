"""A trajectory is followed point by point, until the next one or a faulty one is refused as a whole."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory as Message
from trajectory_msgs.msg import JointTrajectoryPoint as Point

from simspark_ros.ros.conversions import seconds_of, set_stamp
from simspark_ros.ros.topics.commands.joint_command import JointCommandError
from simspark_ros.ros.topics.commands.joint_trajectory import FollowedTrajectory, check_start, check_trajectory
from test.rigs.ros_processes import Observer, Process

PARAMETERS = ("robots:=['nao']", "referee:=false", "max_trajectory_points:=50")
TOPIC = "/nao/joint_trajectory_controller/joint_trajectory"
JOINTS = {"hip": 0, "knee": 1, "ankle": 2}


def point(at: float, positions: list[float], velocities: list[float] | None = None) -> Point:
    time = Duration()
    set_stamp(time, at)
    return Point(time_from_start=time, positions=positions, velocities=velocities or [])


def message(names: list[str], *points: Point) -> Message:
    return Message(joint_names=names, points=list(points))


def test_points_become_arrays_none_mean_stop_and_a_motion_goes_on_when_time_is_set_back() -> None:
    trajectory = check_trajectory(JOINTS, message(["ankle", "hip"], point(0.5, [1.0, 2.0]), point(1.5, [3.0, 4.0])), 9)
    assert trajectory is not None
    assert (trajectory.joints.tolist(), trajectory.times.tolist()) == ([2, 0], [0.5, 1.5])
    assert trajectory.positions.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert trajectory.velocities is None
    one = point(1.0, [1.0])
    one.accelerations = [5.0]
    trajectory = check_trajectory(JOINTS, message(["hip"], one), 9)
    assert trajectory is not None and trajectory.accelerations is None
    assert check_trajectory(JOINTS, message(["hip"]), 9) is None
    trajectory = check_trajectory(JOINTS, message(["hip"], point(1.0, [0.0])), 9)
    assert trajectory is not None
    motion = FollowedTrajectory(trajectory, start=10.5)
    assert motion.since(10.0, 30.0, np.zeros(1)) == pytest.approx(-0.5)
    assert motion.since(0.0, 31.0, np.zeros(1)) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("faulty", "reason", "named"),
    [
        (message(["elbow"], point(1.0, [0.0])), "unknown joint", "'elbow'; its joints are"),
        (message(["hip", "hip"], point(1.0, [0.0, 0.0])), "joint named twice", "'hip'"),
        (message(["hip"], *[point(i + 1.0, [0.0]) for i in range(10)]), "too long", "max_trajectory_points allows 9"),
        (message(["hip"], point(1.0, [0.0]), point(1.0, [0.1])), "wrong times", "has to rise"),
        (message(["hip"], point(-1.0, [0.0])), "wrong times", "from 0 or more"),
        (message(["hip"], point(1.0, [])), "wrong length", "no positions"),
        (message(["hip", "knee"], point(1.0, [0.0])), "wrong length", "1 positions for 2 joints"),
        (message(["hip"], point(1.0, [0.0], [0.0]), point(2.0, [0.0])), "wrong length", "0, 1 velocities for 1"),
        (message(["hip"], point(1.0, [math.nan])), "not finite", "positions of joint 'hip' in point 0 is nan"),
        (message(["hip"], point(1.0, [0.0], [1e300])), "not finite", "velocities of joint 'hip' in point 0 is 1e+300"),
    ],
)
def test_refusals_say_where_and_what_to_do(faulty: Message, reason: str, named: str) -> None:
    with pytest.raises(JointCommandError) as caught:
        check_trajectory(JOINTS, faulty, 9)
    assert caught.value.reason == reason and named in str(caught.value)


@pytest.mark.parametrize(("start", "named"), [(1.7e9, "use_sim_time"), (8.0, "ended 1.000 s ago")])
def test_starts_far_away_are_refused(start: float, named: str) -> None:
    trajectory = check_trajectory(JOINTS, message(["hip"], point(1.0, [0.0])), 9)
    assert trajectory is not None
    with pytest.raises(JointCommandError, match=named):
        check_start(trajectory, start, 10.0)


@pytest.fixture
def position(observer: Observer) -> Any:
    with observer.hear(JointState, "/nao/joint_states") as joints:

        def of(name: str) -> float:
            newest = joints.wait()[-1]
            return float(newest.position[list(newest.name).index(name)])

        yield of


def test_a_trajectory_is_followed_within_a_hundredth_of_a_radian(observer: Observer) -> None:
    publisher = observer.publisher(Message, TOPIC)
    points = [point(0.4, [0.3, -0.5], [0.8, 0.0]), point(1.0, [0.9, 0.1], [0.0, 0.0])]
    with observer.hear(JointState, "/nao/joint_states") as joints:
        now = seconds_of(joints.wait()[-1].header.stamp)
        command = message(["hj1", "raj1"], *points)
        start = now + 1.0
        set_stamp(command.header.stamp, start)
        joints.messages.clear()
        publisher.publish(command)
        observer.until(lambda: seconds_of(joints.messages[-1].header.stamp) > start + 1.2 if joints.messages else False)
        heard = list(joints.messages)
    names = list(heard[0].name)
    index = [names.index("hj1"), names.index("raj1")]
    before = [m for m in heard if seconds_of(m.header.stamp) <= start]
    trajectory = check_trajectory({"hj1": 0, "raj1": 1}, command, 9)
    assert trajectory is not None and before
    whole = trajectory.starting_at(np.array([before[-1].position[i] for i in index]))
    errors = []
    for state in heard:
        since = seconds_of(state.header.stamp) - start
        if since >= 0.0:
            wanted, _ = whole.sample(since)
            errors.append(max(abs(wanted - [state.position[i] for i in index])))
    # The servo arrives at the end of each cycle; what is left is the load on the arm.
    assert len(errors) > 50 and max(errors) < 0.01


def test_commands_and_trajectories_go_before_older_ones(observer: Observer, position: Callable[[str], float]) -> None:
    trajectories, commands = observer.publisher(Message, TOPIC), observer.publisher(JointState, "/nao/joint_command")
    trajectories.publish(message(["hj1", "hj2"], point(0.1, [0.5, 0.3]), point(60.0, [0.5, 0.3])))
    observer.until(lambda: abs(position("hj1") - 0.5) < 0.02, "the head turning")
    trajectories.publish(message(["hj1"], point(0.1, [-0.5])))
    observer.until(lambda: abs(position("hj1") + 0.5) < 0.02, "the head turning back")
    commands.publish(JointState(name=["hj1"], position=[0.1]))
    observer.until(lambda: abs(position("hj1") - 0.1) < 0.02, "the head obeying the command")


def test_a_faulty_trajectory_is_refused(
    observer: Observer, simulator: Process, position: Callable[[str], float]
) -> None:
    publisher = observer.publisher(Message, TOPIC)
    publisher.publish(message(["hj1"], point(0.5, [0.7])))
    publisher.publish(message(["hj1"], *[point(0.1 * (i + 1), [0.0]) for i in range(51)]))
    simulator.wait_for_line("51 points; max_trajectory_points allows 50")
    observer.until(lambda: abs(position("hj1") - 0.7) < 0.02, "the head turning")

"""A faulty joint command is refused as a whole, NaN skips a joint, and the last command of a cycle wins."""

import math

import numpy as np
import pytest

from simspark_ros.physics.engine import EngineState
from simspark_ros.robots.motors.commands import MotorMode, Motors
from simspark_ros.ros.topics.commands.joint_command import CommandInbox, JointCommandError, check_command, check_gains

JOINTS = {"hip": 0, "knee": 1, "ankle": 2}


def test_position_goes_before_velocity_before_effort_and_without_numbers_nothing_is_commanded() -> None:
    both = check_command(JOINTS, ["knee", "hip"], [0.1, 0.2], [1.0, 2.0], [])
    assert (both.joints.tolist(), both.values.tolist()) == ([1, 0], [0.1, 0.2])
    assert both.modes.tolist() == [MotorMode.POSITION] * 2
    assert check_command(JOINTS, ["knee"], [], [1.0], [5.0]).modes.tolist() == [MotorMode.VELOCITY]
    for names in ([], ["hip", "knee"]):
        targets = check_command(JOINTS, names, [], [], [])
        assert (len(targets.joints), targets.skipped) == (0, 0)


def test_nan_is_no_command_for_its_joint_and_kind() -> None:
    nan = math.nan
    mixed = check_command(JOINTS, ["hip", "knee", "ankle"], [nan, 0.2, nan], [1.0, 2.0, nan], [nan] * 3)
    assert mixed.joints.tolist() == [0, 1]
    assert mixed.modes.tolist() == [MotorMode.VELOCITY, MotorMode.POSITION]
    assert mixed.values.tolist() == [1.0, 0.2]
    assert mixed.skipped == 1
    inbox = CommandInbox(3)
    inbox.put(check_command(JOINTS, ["hip", "knee"], [nan, nan], [], []))
    assert (inbox.waiting, inbox.skipped) == (False, 2)


@pytest.mark.parametrize(
    ("names", "position", "velocity", "reason", "named"),
    [
        (["hip", "elbow"], [0.0, 0.0], [], "unknown joint", "'elbow'; its joints are: hip, knee, ankle"),
        (["hip", "hip"], [0.0, 0.0], [], "joint named twice", "'hip'"),
        (["hip", "knee"], [0.0], [], "wrong length", "give all joints in its tag the same"),
        (["hip"], [0.0, 0.0], [], "wrong length", "2 position values for 1 joints (hip); give one per name (NaN = no"),
        ([], [0.0], [], "wrong length", "1 position values for 0 joints"),
        (["hip", "knee"], [math.nan, -math.inf], [], "not finite", "position of joint 'knee' is -inf; send"),
        (["hip"], [0.0], [math.inf], "not finite", "velocity of joint 'hip' is inf"),
        (["x" * 100_000], [0.0], [], "unknown joint", "'" + "x" * 40 + "'"),
    ],
)
def test_refusals_name_the_joint_and_the_remedy(
    names: list[str], position: list[float], velocity: list[float], reason: str, named: str
) -> None:
    with pytest.raises(JointCommandError) as caught:
        check_command(JOINTS, names, position, velocity, [])
    assert caught.value.reason == reason
    assert named in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.fixture
def motors() -> tuple[Motors, EngineState]:
    motors, state = Motors(), EngineState(handles=(1, 2))
    state.joint_offset = np.array([0, 2, 5])
    for name, value in {"lower": -1.0, "upper": 1.0, "max_velocity": 6.0, "max_effort": 9.0}.items():
        setattr(state, f"joint_{name}", np.full(5, value))
    motors.rebind(state)
    return motors, state


def test_a_velocity_beside_a_position_leads_it_by_a_cycle(motors: tuple[Motors, EngineState]) -> None:
    drives, state = motors
    inbox = CommandInbox(3)
    inbox.put(check_command(JOINTS, ["hip", "knee", "ankle"], [0.1, 0.2, 0.3], [2.0, -100.0, math.nan], []))
    inbox.apply(drives, 2, state, 0.02)
    # Led by a cycle's way, the second one by that of its largest speed.
    assert drives.target[2:].tolist() == pytest.approx([0.14, 0.08, 0.3])
    inbox.put(check_command(JOINTS, ["hip"], [0.1], [], []))
    inbox.apply(drives, 2, state, 0.02)
    assert drives.target[2] == pytest.approx(0.1)


def test_the_inbox_merges_joint_by_joint_and_is_empty_afterwards(motors: tuple[Motors, EngineState]) -> None:
    inbox, (drives, state) = CommandInbox(3), motors
    for names, numbers in ((["hip", "knee"], [0.1, 0.2]), (["knee"], [0.3]), (["ankle"], [5.0])):
        inbox.put(check_command(JOINTS, names, numbers, [], []))
    inbox.put(check_command(JOINTS, ["hip"], [], [2.0], []))
    assert inbox.apply(drives, 2, state, 0.02)
    assert drives.mode.tolist() == [0, 0, MotorMode.VELOCITY, MotorMode.POSITION, MotorMode.POSITION]
    # The last position is clamped to the joint's limit, and the other robot is left alone.
    assert drives.target.tolist() == [0.0, 0.0, 2.0, 0.3, 1.0]
    assert not inbox.apply(drives, 2, state, 0.02)


def test_a_joint_with_gains_gets_all_that_was_given_and_is_ideal_without(motors: tuple[Motors, EngineState]) -> None:
    inbox, (drives, state) = CommandInbox(3), motors
    inbox.set_gains(*check_gains(JOINTS, ["knee", "ankle"], [50.0, 20.0], [2.0, 1.0]))
    inbox.put(check_command(JOINTS, ["hip", "knee"], [0.1, 0.2], [0.0, 3.0], [1.0, 4.0]))
    # Without a position nothing draws the joint anywhere.
    inbox.put(check_command(JOINTS, ["ankle"], [], [0.5], []))
    applied = inbox.apply(drives, 2, state, 0.02)
    assert drives.mode[2:].tolist() == [MotorMode.POSITION, MotorMode.SERVO, MotorMode.SERVO]
    assert drives.servo[3:].tolist() == [[0.2, 3.0, 50.0, 2.0, 4.0], [0.0, 0.5, 0.0, 1.0, 0.0]]
    found = [(mode, joints.tolist()) for mode, joints, _ in applied]
    assert found == [(MotorMode.SERVO, [1, 2]), (MotorMode.POSITION, [0])]
    inbox.set_gains(*check_gains(JOINTS, ["knee"], [50.0], []))
    inbox.put(check_command(JOINTS, ["knee"], [0.2], [], [1e9]))
    inbox.apply(drives, 2, state, 0.02)
    assert drives.servo[3].tolist() == [0.2, 0.0, 50.0, 0.0, 1e6], "absurd torques are cut"
    inbox.set_gains(*check_gains(JOINTS, ["knee"], [], []))
    inbox.put(check_command(JOINTS, ["knee"], [0.2], [], []))
    inbox.apply(drives, 2, state, 0.02)
    assert drives.mode[3] == MotorMode.POSITION


@pytest.mark.parametrize(
    ("names", "stiffness", "damping", "reason"),
    [
        (["elbow"], [1.0], [], "unknown joint"),
        (["hip"], [1.0, 2.0], [], "wrong length"),
        (["hip", "knee"], [1.0, -1.0], [], "wrong gain"),
        (["hip"], [], [math.inf], "wrong gain"),
    ],
)
def test_wrong_gains_are_refused(names: list[str], stiffness: list[float], damping: list[float], reason: str) -> None:
    with pytest.raises(JointCommandError) as caught:
        check_gains(JOINTS, names, stiffness, damping)
    assert caught.value.reason == reason

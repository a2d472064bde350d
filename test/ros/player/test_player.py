"""A player through the ROS door, by topics and services; stepped, so that the load of the machine does not count."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState

from simspark_ros.msg import SeenObjects, SimulationState
from simspark_ros.srv import GetEntities, SetPlayMode, SetSimulationState, StepSimulation
from test.rigs.ros_processes import DEADLINE, Domain, Observer, Process

pytestmark = pytest.mark.slow

ROBOT = "/Red_3"
PAUSED = SetSimulationState.Request(state=SimulationState(state=SimulationState.STATE_PAUSED))


@pytest.fixture(scope="module")
def simulator(domain: Domain) -> Iterator[Process]:
    process = Process(domain)
    process.wait_for_line("ready")
    yield process
    assert process.end(signal.SIGINT) == 0, process.output


@pytest.fixture(scope="module")
def observer(domain: Domain, simulator: Process) -> Iterator[Observer]:
    observer = Observer(domain)
    yield observer
    observer.close()


def player(domain: Domain, *parameters: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "simspark_ros.ros.player.node", "--ros-args"]
    command += [word for text in parameters for word in ("-p", text)]
    return subprocess.Popen(
        command, env=domain.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def entities(observer: Observer) -> list[str]:
    return list(observer.call(GetEntities, "get_entities").entities)


def step(observer: Observer, commands: Any) -> None:
    """One cycle, and the player's commands after it."""
    before = len(commands.messages)
    observer.call(StepSimulation, "step_simulation", StepSimulation.Request(steps=1))
    observer.until(lambda: len(commands.messages) > before, "a command of the player")


def test_a_player_joins_is_beamed_sees_and_walks_to_the_ball(domain, observer):
    process = player(domain, "team:=Red", "first_number:=3")
    try:
        with (
            observer.hear(Odometry, f"{ROBOT}/ground_truth") as truth,
            observer.hear(JointState, f"{ROBOT}/joint_command") as commands,
            observer.hear(SeenObjects, f"{ROBOT}/seen_objects") as seen,
        ):
            observer.until(lambda: truth.messages and truth.messages[-1].pose.pose.position.x < -2.0, "the beam")
            commands.wait()
            names = {name for message in seen.wait(20) for name in message.names}
            assert {"B", "G1R", "Red/3/llowerarm"} <= names
            observer.call(SetSimulationState, "set_simulation_state", PAUSED)
            observer.call(SetPlayMode, "game/set_play_mode", SetPlayMode.Request(play_mode="PlayOn"))
            for _ in range(250):
                step(observer, commands)
            # 0.4 m/s for five seconds, with a start from rest.
            assert truth.messages[-1].pose.pose.position.x > -1.4
            process.send_signal(signal.SIGINT)
            # Its robot leaves between two cycles.
            for _ in range(50):
                observer.call(StepSimulation, "step_simulation", StepSimulation.Request(steps=1))
                if process.poll() is not None:
                    break
        output, _ = process.communicate(timeout=DEADLINE)
        assert process.returncode == 0, output
        assert "plays as left 3" in output and "Traceback" not in output
    finally:
        process.kill()
    assert "Red_3" not in entities(observer)


def test_impossible_numbers_are_refused_by_name(domain, observer):
    process = player(domain, "players:=2", "first_number:=11")
    output, _ = process.communicate(timeout=DEADLINE)
    assert process.returncode == 2
    assert "'first_number' 11" in output and "Traceback" not in output

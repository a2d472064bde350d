"""The client that launch files put robots into the world with, against a simulator in another process."""

import signal
from collections.abc import Callable

import pytest
from nav_msgs.msg import Odometry

from simspark_ros.msg import Result, SimulationState
from simspark_ros.srv import DeleteEntity, ResetSimulation, SetSimulationState
from test.rigs.ros_processes import Observer, Process

Start = Callable[..., Process]
CLIENT = "services.spawn_client"


def test_a_robot_comes_where_it_is_wanted_and_leaves_at_the_end(start: Start, observer: Observer) -> None:
    with observer.hear(Odometry, "/own/ground_truth") as truth:
        client = start(CLIENT, "--name", "striker", "--namespace", "/own", "--x=-1.5", "--yaw=3", "--remove-at-end")
        pose = truth.wait()[0].pose.pose
    assert pose.position.x == pytest.approx(-1.5, abs=0.01)  # it settles on its feet
    assert abs(pose.orientation.z) == pytest.approx(0.997, abs=0.01)
    assert "striker" in observer.entities()
    assert client.end(signal.SIGINT) == 0, client.output
    assert "striker" not in observer.entities()


def state(observer: Observer, wanted: int) -> None:
    request = SetSimulationState.Request(state=SimulationState(state=wanted))
    assert observer.call(SetSimulationState, "/set_simulation_state", request).result.result == Result.RESULT_OK


def test_a_robot_comes_back_after_a_reset_but_not_after_it_was_deleted(start: Start, observer: Observer) -> None:
    client = start(CLIENT, "--name", "striker", "--x=-1.5", "--remove-at-end")
    client.found("is watched for resets")
    # Paused, time stays at its beginning until the client looks.
    state(observer, SimulationState.STATE_PAUSED)
    assert observer.call(ResetSimulation, "/reset_simulation").result.result == Result.RESULT_OK
    client.found("a reset has removed 'striker': it is spawned again")
    state(observer, SimulationState.STATE_PLAYING)
    client.found("spawned again[\\s\\S]*is watched for resets")
    assert "striker" in observer.entities()
    assert observer.call(DeleteEntity, "/delete_entity", DeleteEntity.Request(entity="striker")).result.result == 1
    client.found("'striker' has been removed; it is not spawned again")
    assert client.wait() == 0
    assert "striker" not in observer.entities()


@pytest.mark.usefixtures("simulator")
def test_a_refusal_and_a_missing_simulator_are_printed_and_end_the_client(start: Start) -> None:
    client = start(CLIENT, "--robot", "kuka")
    assert client.wait() == 2
    assert "there is no robot 'kuka'" in client.output
    client = start(CLIENT, "--timeout", "0.3", "--ros-args", "-r", "__ns:=/elsewhere")
    assert client.wait() == 2
    assert "no service '/elsewhere/spawn_entity' within 0.3 s; is the simulator running there?" in client.output

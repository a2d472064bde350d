"""The simulator as users of ROS 2 meet it: another process, topics, services and parameters."""

import math
import signal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseArray, WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import String

from simspark_ros.msg import FootContacts, Result, SimulationState
from simspark_ros.srv import GetSimulationState, ResetSimulation, SetSimulationState, SpawnEntity, StepSimulation
from test.rigs.ros_processes import BEST_EFFORT, Domain, Observer, Process, seconds
from test.ros.entities import delete, spawn

STEP = 0.02
PARAMETERS = ("robots:=['nao', 'toed=nao/4']",)


def test_data_comes_at_50_hz_of_simulated_time_with_the_stamps_of_the_clock(observer: Observer) -> None:
    with (
        observer.hear(Clock, "/clock", BEST_EFFORT) as clock,
        observer.hear(JointState, "/nao/joint_states") as joints,
        observer.hear(Imu, "/toed/imu/data_raw") as imu,
    ):
        joints.wait()
        imu.wait()
        clock.wait()
        joints.wait(30)
        observer.until(lambda: seconds(clock.messages[-1].clock) >= seconds(joints.messages[29].header.stamp))
    stamps = [seconds(message.header.stamp) for message in joints.messages[:30]]
    assert [b - a for a, b in pairwise(stamps)] == pytest.approx([STEP] * 29)
    times = [t for t in (seconds(message.clock) for message in clock.messages) if stamps[0] <= t <= stamps[-1]]
    # The clock is best effort with depth 1: of cycles that follow at once, as late ones do, not every time arrives.
    assert set(times) <= set(stamps)
    assert len(times) >= 10
    assert len(joints.messages[0].name) == 22


def test_a_standing_robot_feels_its_weight_and_the_world_has_descriptions_a_ball_and_poses(observer: Observer) -> None:
    with (
        observer.hear(Imu, "/toed/imu/data") as imu,
        observer.hear(FootContacts, "/toed/foot_contacts") as feet,
        observer.hear(WrenchStamped, "/toed/wrench/lfoot") as wrench,
        observer.hear(Odometry, "/toed/ground_truth") as truth,
    ):
        felt, contacts, push, pose = (heard.wait()[0] for heard in (imu, feet, wrench, truth))
    assert felt.header.frame_id == "torso"
    assert felt.linear_acceleration.z == pytest.approx(9.81, abs=0.5)
    assert [contact.name for contact in contacts.contacts] == ["rf", "rf1", "lf", "lf1"]
    assert sum(contact.force.z for contact in contacts.contacts) == pytest.approx(4.6 * 9.81, rel=0.15)
    assert push.header.frame_id == "lfoot"
    assert push.wrench.force.z > 1.0
    assert (pose.header.frame_id, pose.child_frame_id) == ("map", "base_link")
    assert pose.pose.pose.position.z == pytest.approx(0.27, abs=0.02)
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    with observer.hear(String, "/toed/robot_description", latched) as description:
        assert 'name="nao_type4"' in description.wait()[0].data
    with (
        observer.hear(Odometry, "/ground_truth/ball") as ball,
        observer.hear(PoseArray, "/ground_truth/robots") as robots,
    ):
        assert ball.wait()[0].pose.pose.position.z == pytest.approx(0.0403, abs=1e-3)
        assert len(robots.wait()[0].poses) == 2


@pytest.mark.parametrize("topic", ["joint_command", "joint_commands"])
def test_commands_by_name_move_their_joints_only(observer: Observer, topic: str) -> None:
    commands = observer.publisher(JointState, f"/nao/{topic}")
    with observer.hear(JointState, "/nao/joint_states") as joints:

        def position(name: str) -> float:
            message = joints.wait()[0]
            return float(message.position[list(message.name).index(name)])

        other = position("laj2")
        commands.publish(JointState(name=["hj1"], velocity=[1.0]))
        observer.until(lambda: position("hj1") > 0.3, "the head turning")
        commands.publish(JointState(name=["raj1", "hj1"], position=[-0.5, 0.0], velocity=[0.0, 0.0]))
        observer.until(lambda: abs(position("raj1") + 0.5) < 0.02, "the arm getting there")
        observer.until(lambda: abs(position("hj1")) < 0.02, "the head coming back")
        assert position("laj2") == pytest.approx(other, abs=0.02)


def test_bad_commands_are_named_and_counted_and_nan_commands_no_joint(observer: Observer, simulator: Process) -> None:
    commands = observer.publisher(JointState, "/toed/joint_command")
    bad = {
        "unknown joint 'elbow'": JointState(name=["hj1", "elbow"], position=[0.5, 0.5]),
        "position of joint 'hj1' is inf": JointState(name=["hj1", "hj2"], position=[math.inf, 0.5]),
        "joint 'hj1' is named twice": JointState(name=["hj1", "hj1"], velocity=[1.0, 1.0]),
    }
    for text, message in bad.items():
        commands.publish(message)
        simulator.wait_for_line(f"robot 'toed' refused: {text}")
    with (
        observer.hear(DiagnosticArray, "/diagnostics") as diagnostics,
        observer.hear(JointState, "/toed/joint_states") as joints,
    ):
        values = values_of(diagnostics.wait()[0], "simulator: rejected input")
        assert max(map(abs, joints.wait()[0].position)) < 0.05
        reasons = ("unknown joint", "not finite", "joint named twice")
        assert [values[f"joint_command of toed: {reason}"] for reason in reasons] == ["1"] * 3
        commands.publish(JointState(name=["hj2", "hj1"], position=[math.nan, 0.3], velocity=[math.nan, math.nan]))
        observer.until(lambda: abs(joints.wait()[0].position[0] - 0.3) < 0.02, "the head turning")
        commands.publish(JointState(name=["hj1"], position=[0.0]))
        observer.until(lambda: abs(joints.wait()[0].position[0]) < 0.02, "the head coming back")
        assert values_of(diagnostics.wait()[0], "simulator: robot toed")["joints skipped as NaN"] == "1"


def values_of(array: DiagnosticArray, name: str) -> dict[str, str]:
    (status,) = (status for status in array.status if status.name == name)
    return {value.key: value.value for value in status.values}


def test_a_topic_without_subscribers_is_not_published(observer: Observer) -> None:
    with observer.hear(DiagnosticArray, "/diagnostics") as diagnostics:

        def published() -> tuple[int, int]:
            values = values_of(diagnostics.wait()[0], "simulator: simulation")
            return int(values["cycles"]), int(values["messages published"])

        reports = [published()]

        def quiet() -> bool:
            reports.append(published())
            (cycle, messages), (later, more) = reports[-2:]
            return later > cycle + 20 and more == messages

        observer.until(quiet, "silence")
        with observer.hear(JointState, "/nao/joint_states") as joints:
            joints.wait()
            assert published()[1] > reports[-1][1]


def test_pause_steps_and_resume_and_steps_that_are_interrupted_are_reported(observer: Observer) -> None:
    def step(count: int) -> int:
        request = StepSimulation.Request(steps=count)
        return int(observer.call(StepSimulation, "/step_simulation", request).result.result)

    with observer.hear(JointState, "/nao/joint_states") as joints:
        joints.wait()
        assert step(1) == Result.RESULT_INCORRECT_STATE
        assert set_state(observer, SimulationState.STATE_PAUSED) == Result.RESULT_OK
        assert set_state(observer, SimulationState.STATE_PAUSED) == SetSimulationState.Response.ALREADY_IN_TARGET_STATE
        assert state(observer) == SimulationState.STATE_PAUSED
        observer.drain()
        joints.messages.clear()
        assert step(1) == Result.RESULT_OK
        observer.until(lambda: joints.messages, "the message of a step")
        before = seconds(joints.messages.pop().header.stamp)
        assert step(5) == Result.RESULT_OK
        observer.until(lambda: len(joints.messages) >= 5, "five messages of five steps")
        stamps = [seconds(message.header.stamp) for message in joints.messages]
        assert stamps == pytest.approx([before + STEP * (i + 1) for i in range(5)])
        assert step(0) == Result.RESULT_OPERATION_FAILED
        assert set_state(observer, SimulationState.STATE_PLAYING) == Result.RESULT_OK
        joints.wait()
    assert set_state(observer, SimulationState.STATE_NO_WORLD) == SetSimulationState.Response.INCORRECT_TRANSITION
    set_state(observer, SimulationState.STATE_PAUSED)
    steps = observer.send(StepSimulation, "/step_simulation", StepSimulation.Request(steps=100_000_000))
    second = observer.call(StepSimulation, "/step_simulation", StepSimulation.Request(steps=1))
    assert second.result.result == Result.RESULT_INCORRECT_STATE
    set_state(observer, SimulationState.STATE_PLAYING)
    observer.until(steps.done)
    assert steps.result().result.result == Result.RESULT_OPERATION_FAILED
    assert "of 100000000 steps" in steps.result().result.error_message


def state(observer: Observer) -> int:
    return int(observer.call(GetSimulationState, "/get_simulation_state").state.state)


def set_state(observer: Observer, wanted: int) -> int:
    request = SetSimulationState.Request(state=SimulationState(state=wanted))
    return int(observer.call(SetSimulationState, "/set_simulation_state", request).result.result)


def test_spawned_robots_have_topics_in_any_namespace_take_commands_and_can_be_deleted(observer: Observer) -> None:
    answer = spawn(observer, "guest", "nao/3", x=3.0, y=2.0)
    assert (answer.result.result, answer.entity_name) == (Result.RESULT_OK, "guest"), answer.result.error_message
    assert observer.entities() == ["field", "ball", "nao", "toed", "guest"]
    with observer.hear(Odometry, "/guest/ground_truth") as truth:
        place = truth.wait()[0].pose.pose.position
    assert (place.x, place.y) == pytest.approx((3.0, 2.0), abs=0.02)
    other = spawn(observer, "guest", allow_renaming=True)
    assert other.entity_name == "guest_2"
    assert spawn(observer, "guest").result.result == SpawnEntity.Response.NAME_NOT_UNIQUE
    assert reset(observer, ResetSimulation.Request.SCOPE_SPAWNED) == Result.RESULT_OK
    assert observer.entities() == ["field", "ball", "nao", "toed"]
    observer.until(lambda: not any(name.startswith("/guest") for name in observer.topics()), "the end of its topics")
    assert spawn(observer, "visitor", namespace="away/team").result.result == Result.RESULT_OK
    with observer.hear(JointState, "/away/team/joint_states") as joints:
        joints.wait()
    assert delete(observer, "visitor") == Result.RESULT_OK
    assert delete(observer, "visitor") == Result.RESULT_NOT_FOUND
    assert delete(observer, "ball") == Result.RESULT_OPERATION_FAILED


@pytest.mark.parametrize(
    ("fields", "result"),
    [
        ({"name": "no spaces"}, SpawnEntity.Response.NAME_INVALID),
        ({"name": ""}, SpawnEntity.Response.NAME_NOT_UNIQUE),
        ({"name": "ball"}, SpawnEntity.Response.NAME_NOT_UNIQUE),
        ({"name": "x", "uri": ""}, SpawnEntity.Response.NO_RESOURCE),
        ({"name": "x", "uri": "asimo"}, SpawnEntity.Response.NO_RESOURCE),
        ({"name": "x", "uri": "robot.blend"}, SpawnEntity.Response.UNSUPPORTED_FORMAT),
        ({"name": "x", "uri": "nao/9"}, SpawnEntity.Response.RESOURCE_PARSE_ERROR),
        ({"name": "x", "namespace": "1/2"}, SpawnEntity.Response.NAMESPACE_INVALID),
        ({"name": "x", "x": math.nan}, SpawnEntity.Response.INVALID_POSE),
        ({"name": "x", "x": 1.0, "frame": "odom"}, SpawnEntity.Response.INVALID_POSE),
        ({"name": "x", "x": 0.01, "y": -1.0}, SpawnEntity.Response.INVALID_POSE),
    ],
)
def test_what_cannot_be_spawned_is_refused_in_words(observer: Observer, fields: dict[str, Any], result: int) -> None:
    answer = spawn(observer, **fields)
    assert answer.result.result == result, answer.result.error_message
    assert answer.result.error_message
    assert answer.entity_name == ""
    assert observer.entities() == ["field", "ball", "nao", "toed"]


def reset(observer: Observer, scope: int) -> int:
    return int(observer.call(ResetSimulation, "/reset_simulation", ResetSimulation.Request(scope=scope)).result.result)


def test_resets_with_and_without_time(observer: Observer) -> None:
    commands = observer.publisher(JointState, "/nao/joint_command")
    with observer.hear(JointState, "/nao/joint_states") as joints:
        commands.publish(JointState(name=["hj1"], position=[1.0]))
        observer.until(lambda: joints.messages and joints.messages[-1].position[0] > 0.9)
        observer.until(lambda: joints.messages and seconds(joints.messages[-1].header.stamp) > 1.0)
        assert reset(observer, ResetSimulation.Request.SCOPE_STATE) == Result.RESULT_OK
        message = joints.wait(3)[-1]
        assert message.position[0] == pytest.approx(0.0, abs=0.01)
        later = seconds(message.header.stamp)
        assert later > 1.0
        assert set_state(observer, SimulationState.STATE_STOPPED) == Result.RESULT_OK
        assert state(observer) == SimulationState.STATE_STOPPED
        joints.messages.clear()
        assert set_state(observer, SimulationState.STATE_PLAYING) == Result.RESULT_OK
        observer.until(lambda: any(seconds(m.header.stamp) < later / 2 for m in joints.messages), "time from 0")
    assert reset(observer, 8) == Result.RESULT_FEATURE_UNSUPPORTED


def test_parameters_are_described_checked_and_applied(observer: Observer) -> None:
    set_parameter = observer.set_parameter
    assert "there is no source of time 'slow'; use one of: realtime" in set_parameter("pacing", "slow")
    assert "catch_up_limit" in set_parameter("catch_up_limit", -1.0)
    assert set_parameter("engine", "ode")
    assert "use_sim_time" in set_parameter("use_sim_time", True)
    with observer.hear(DiagnosticArray, "/diagnostics") as diagnostics:
        assert set_parameter("pacing", "fast") == ""

        def factor() -> float:
            return float(values_of(diagnostics.wait()[0], "simulator: simulation")["real-time factor"])

        # On a busy machine some seconds are not fast.
        observer.until(lambda: factor() > 1.5)
        assert set_parameter("pacing", "realtime") == ""


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ("pacing:=slow", "parameter 'pacing': there is no source of time 'slow'; use one of: realtime"),
        ("seed:=abc", "seed"),
        ("world:=/nowhere.yaml", "/nowhere.yaml: cannot be read"),
        ("robots:=['nao/77']", "parameter 'robots': 'nao/77'"),
        ("nonsense", "nonsense"),
        ("config:={file}", "mine.yaml: simulation: pacing: there is no source of time 'warp'"),
        ("hash_log:=/none/log", "/none/log: cannot be written"),
    ],
)
def test_a_bad_setting_ends_the_start_by_its_name(domain: Domain, tmp_path: Path, parameter: str, message: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("simulation: {pacing: warp}")
    process = Process(domain, parameter.format(file=file))
    assert process.wait() == 2, process.output
    assert message in process.output
    assert "Traceback" not in process.output


def test_a_typing_error_is_pointed_out_and_sigterm_ends_cleanly(domain: Domain) -> None:
    process = Process(domain, "pacng:=fast", "robots:=['']")
    process.wait_for_line("parameter 'pacng' is unknown and ignored; did you mean 'pacing'?")
    process.wait_for_line("ready")
    assert process.end(signal.SIGTERM) == 0
    assert "Traceback" not in process.output


def test_another_simulator_in_the_domain_is_named_and_one_that_quits_by_service_answers() -> None:
    domain = Domain()
    process = Process(domain)
    process.wait_for_line("ready")
    other = Observer(domain)
    try:
        other.node.create_publisher(Clock, "/clock", BEST_EFFORT)
        process.wait_for_line(f"/observer publishes /clock, too: two simulators in ROS domain {domain.number}")
        assert set_state(other, SimulationState.STATE_QUITTING) == Result.RESULT_OK
    finally:
        other.close()
        assert process.wait() == 0
        domain.close()

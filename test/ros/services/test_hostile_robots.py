"""Robots that clients spawn from files: whatever is in them, time goes on and other robots get their topics."""

import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock

from simspark_ros.msg import Result, SimulationState
from simspark_ros.srv import GetSimulationState, SpawnEntity
from test.rigs.ros_processes import BEST_EFFORT, Domain, Observer, Process, seconds
from test.ros.entities import deleted, request, spawn, spawned

PARAMETERS = ("robot_file_time:=6.0", "max_joints:=3")
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
XACRO = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
ENDLESS = f'<robot name="${{9**9**9}}" {XACRO}/>'
SECRET = "hunter2"


def robot_file(folder: Path, model: str, yaml: str = "") -> str:
    (folder / "bot.urdf.xacro").write_text(model, encoding="utf-8")
    path = folder / "bot.yaml"
    path.write_text(f"model: bot.urdf.xacro\n{yaml}", encoding="utf-8")
    return str(path)


def link(name: str) -> str:
    return f'<robot name="bot"><link name="{name}">{MASS}</link></robot>'


def test_time_and_services_go_on_while_a_file_is_read(observer: Observer, tmp_path: Path) -> None:
    uri = robot_file(tmp_path, ENDLESS)
    with observer.hear(Clock, "/clock", BEST_EFFORT) as clock:
        clock.wait()
        answer = observer.send(SpawnEntity, "/spawn_entity", request("bomb", uri))
        for name in ("one", "two"):
            spawned(observer, name)
        before = seconds(clock.wait()[0].clock)
        observer.until(lambda: seconds(clock.messages[-1].clock) > before + 1.0)
        assert not answer.done(), "the file was not read while all that happened"
        observer.until(answer.done)
    assert answer.result().result.result == SpawnEntity.Response.RESOURCE_PARSE_ERROR
    assert "more processor time than robot_file_time = 6 s" in answer.result().result.error_message
    deleted(observer, "one", "two")
    assert observer.entities() == ["field", "ball"]


@pytest.mark.parametrize(
    ("model", "yaml", "arguments", "result"),
    [
        (link("a"), "", ("/" + "n" * 240,), SpawnEntity.Response.NAMESPACE_INVALID),
        (
            link("left-foot"),
            "touch_links: [{link: left-foot}]\n"
            "perceptors: [{kind: force_resistance, name: left-foot, link: left-foot}]",
            (),
            SpawnEntity.Response.RESOURCE_PARSE_ERROR,
        ),
        (
            link("a"),
            f"perceptors: [{{kind: camera, name: {'c' * 240}, link: a}}]\n"
            f"touch_links: [{{link: a}}]\neffectors: [{{kind: {'e' * 3000}}}]",
            (),
            SpawnEntity.Response.RESOURCE_PARSE_ERROR,
        ),
    ],
    ids=["namespace", "sensor", "cut"],
)
def test_a_robot_without_possible_topics_is_not_added_and_the_next_one_has_its_own(
    observer: Observer, tmp_path: Path, model: str, yaml: str, arguments: tuple[str, ...], result: int
) -> None:
    answer = spawn(observer, "bad", robot_file(tmp_path, model, yaml), *arguments)
    assert answer.result.result == result, answer.result.error_message
    assert len(answer.result.error_message) < 2100
    assert observer.entities() == ["field", "ball"]
    spawned(observer, "good")
    with observer.hear(Odometry, "/good/ground_truth") as truth:
        truth.wait()
    deleted(observer, "good")


@pytest.mark.parametrize("name", ["9x", "'{x}'", "a//b", "../up", "'~'"])
def test_a_camera_without_possible_topics_is_refused(observer: Observer, tmp_path: Path, name: str) -> None:
    answer = spawn(observer, "bad", robot_file(tmp_path, link("a"), f"perceptors: [{{kind: camera, name: {name}}}]\n"))
    assert answer.result.result == SpawnEntity.Response.RESOURCE_PARSE_ERROR, answer.result.error_message
    assert "the topic '/robot/" in answer.result.error_message and "is not possible" in answer.result.error_message
    assert observer.entities() == ["field", "ball"]


def test_the_empty_namespace_belongs_to_one_robot(observer: Observer) -> None:
    spawned(observer, "first", "nao", "/")
    answer = spawn(observer, "second", "nao", "/")
    assert answer.result.result == SpawnEntity.Response.NAMESPACE_INVALID
    deleted(observer, "first")
    spawned(observer, "second", "nao", "/")
    deleted(observer, "second")


def test_a_file_that_is_no_robot_is_not_repeated(observer: Observer, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(f"{SECRET}\n", encoding="utf-8")
    (tmp_path / "link.yaml").symlink_to(tmp_path / "secret")
    answer = spawn(observer, "spy", str(tmp_path / "link.yaml"))
    assert answer.result.result == SpawnEntity.Response.RESOURCE_PARSE_ERROR
    assert SECRET not in answer.result.error_message


def test_a_perceptor_that_does_not_exist_is_named(observer: Observer, tmp_path: Path) -> None:
    result = spawn(observer, "blind", robot_file(tmp_path, link("a"), "perceptors: [{kind: vision}]\n")).result
    assert result.result == SpawnEntity.Response.RESOURCE_PARSE_ERROR
    assert "unknown perceptor 'vision'" in result.error_message


def test_limits_are_parameters(observer: Observer, tmp_path: Path) -> None:
    links = "".join(f'<link name="l{i}">{MASS}</link>' for i in range(5))
    ends = [f'<parent link="l{i}"/><child link="l{i + 1}"/>' for i in range(4)]
    joints = "".join(f'<joint name="j{i}" type="continuous">{end}</joint>' for i, end in enumerate(ends))
    answer = spawn(observer, "long", robot_file(tmp_path, f'<robot name="long">{links}{joints}</robot>'))
    assert "4 joints; max_joints allows 3" in answer.result.error_message


def test_a_file_without_a_name_for_ros_gives_its_robot_another_one(observer: Observer, tmp_path: Path) -> None:
    path = Path(robot_file(tmp_path, link("a"))).rename(tmp_path / f"3-d.{'o' * 200}.yaml")
    answer = spawn(observer, "", str(path), allow_renaming=True)
    assert answer.result.result == Result.RESULT_OK, answer.result.error_message
    assert answer.entity_name.startswith("d_ooo")
    observer.until(lambda: f"/{answer.entity_name}/joint_command" in observer.topics())
    deleted(observer, answer.entity_name)


def test_sigterm_ends_the_simulator_while_a_file_is_read(domain: Domain, tmp_path: Path) -> None:
    process = Process(domain, "robot_file_time:=600.0")
    process.wait_for_line("ready")
    observer = Observer(domain)
    try:
        answer = observer.send(SpawnEntity, "/spawn_entity", request("bomb", robot_file(tmp_path, ENDLESS)))
        # The simulator has taken the request if it answers a later one.
        state = observer.call(GetSimulationState, "/get_simulation_state")
        assert state.state.state == SimulationState.STATE_PLAYING
        assert not answer.done()
        begun = time.monotonic()
        assert process.end(signal.SIGTERM) == 0, process.output
        assert time.monotonic() - begun < 30.0
    finally:
        observer.close()


def test_a_robot_named_at_the_start_is_read_within_the_limits_too(
    start: Callable[..., Process], tmp_path: Path
) -> None:
    path = robot_file(tmp_path, ENDLESS)
    process = start("simulator_node", parameters=(f"robots:=['{path}']", "robot_file_time:=1.0"))
    assert process.wait() == 2
    assert "robot_file_time = 1 s" in process.output

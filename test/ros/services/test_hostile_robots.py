"""Robots that clients spawn: whatever is in their files or names, time goes on and other robots get their topics."""

import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from nav_msgs.msg import Odometry
from rclpy.action import ActionClient
from rclpy.action.graph import get_action_names_and_types
from rosgraph_msgs.msg import Clock

from simspark_ros.msg import Result, SimulationState
from simspark_ros.ros.topics.commands.follow_joint_trajectory import ACTION, action_type
from simspark_ros.srv import GetSimulationState, SpawnEntities, SpawnEntity
from test.rigs.ros_processes import BEST_EFFORT, Domain, Observer, Process, seconds
from test.ros.entities import deleted, request, spawn, spawned

PARAMETERS = ("robot_file_time:=4.0", "max_joints:=3", "max_topics:=60", "world_topics:=80")
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
XACRO = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
ENDLESS = f'<robot name="${{9**9**9}}" {XACRO}/>'
SECRET = "hunter2"
NOT_POSSIBLE = "the topic '/robot/.* is not possible"
NO_TOPICS = ("9x", "'{x}'", "a//b", "../up", "'~'")


def robot_file(folder: Path, model: str, yaml: str = "") -> str:
    (folder / "bot.urdf.xacro").write_text(model, encoding="utf-8")
    path = folder / "bot.yaml"
    path.write_text(f"model: bot.urdf.xacro\n{yaml}", encoding="utf-8")
    return str(path)


def link(name: str) -> str:
    return f'<robot name="bot"><link name="{name}">{MASS}</link></robot>'


def detecting(folder: Path, detectors: int) -> str:
    """A robot with a camera, and detectors in its picture that have eleven topics each."""
    detector = "{{kind: detections, name: d{}, link: a, parameters: {{camera: camera}}}}"
    parts = ["{kind: camera, name: camera, link: a}", *map(detector.format, range(detectors))]
    return robot_file(folder, link("a"), f"perceptors: [{', '.join(parts)}]\n")


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
    assert "more processor time than robot_file_time = 4 s" in answer.result().result.error_message
    deleted(observer, "one", "two")
    assert observer.entities() == ["field", "ball"]


FOOT = "touch_links: [{link: left-foot}]\nperceptors: [{kind: force_resistance, name: left-foot, link: left-foot}]"
CUT = f"perceptors: [{{kind: camera, name: {'c' * 240}, link: a}}]\n"
CUT += f"touch_links: [{{link: a}}]\neffectors: [{{kind: {'e' * 3000}}}]"


@pytest.mark.parametrize(("model", "yaml"), [(link("left-foot"), FOOT), (link("a"), CUT)], ids=["sensor", "cut"])
def test_a_robot_without_topics_is_not_added(observer: Observer, tmp_path: Path, model: str, yaml: str) -> None:
    answer = spawn(observer, "bad", robot_file(tmp_path, model, yaml))
    assert answer.result.result == SpawnEntity.Response.RESOURCE_PARSE_ERROR, answer.result.error_message
    assert len(answer.result.error_message) < 2100
    assert observer.entities() == ["field", "ball"]
    spawned(observer, "good")
    with observer.hear(Odometry, "/good/ground_truth") as truth:
        truth.wait()
    deleted(observer, "good")


TOO_LONG = '<robot name="long">{}{}</robot>'.format(
    "".join(f'<link name="l{i}">{MASS}</link>' for i in range(5)),
    "".join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/></joint>' for i in range(4)
    ),
)


@pytest.mark.parametrize(
    ("model", "yaml", "named"),
    [
        *((link("a"), f"perceptors: [{{kind: camera, name: {name}}}]\n", NOT_POSSIBLE) for name in NO_TOPICS),
        (link("a"), "perceptors: [{kind: vision}]\n", "unknown perceptor 'vision'"),
        (TOO_LONG, "", "4 joints; max_joints allows 3"),
    ],
)
def test_a_file_with_impossible_topics_or_unknown_parts_or_beyond_the_limits_is_refused_by_name(
    observer: Observer, tmp_path: Path, model: str, yaml: str, named: str
) -> None:
    result = spawn(observer, "bad", robot_file(tmp_path, model, yaml)).result
    assert result.result == SpawnEntity.Response.RESOURCE_PARSE_ERROR
    assert re.search(named, result.error_message), result.error_message
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


def test_a_robot_named_at_the_start_is_read_within_the_limits(start: Callable[..., Process], tmp_path: Path) -> None:
    path = robot_file(tmp_path, ENDLESS)
    process = start("simulator_node", parameters=(f"robots:=['{path}']", "robot_file_time:=1.0"))
    assert process.wait() == 2
    assert "robot_file_time = 1 s" in process.output


def test_a_robot_with_too_many_topics_is_refused(observer: Observer, tmp_path: Path) -> None:
    answer = spawn(observer, "large", detecting(tmp_path, 5))
    assert answer.result.result == SpawnEntity.Response.RESOURCE_PARSE_ERROR
    assert "more than 60 topics; max_topics allows no more" in answer.result.error_message
    assert observer.entities() == ["field", "ball"]
    assert not any(name.startswith("/large") for name in observer.topics())


def test_robots_are_refused_where_they_would_have_too_many_topics_together(observer: Observer, tmp_path: Path) -> None:
    small = detecting(tmp_path, 2)
    spawned(observer, "one", small)
    # Several at a time do not pass the limit that one would not.
    wishes = [request(name, small) for name in ("two", "three", "four")]
    answer = observer.call(SpawnEntities, "/spawn_entities", SpawnEntities.Request(spawn_requests=wishes))
    results = [one.result for one in answer.results]
    assert [one.result for one in results] == [Result.RESULT_OK, *[Result.RESULT_OPERATION_FAILED] * 2]
    assert "would have 102 topics; world_topics allows 80" in results[1].error_message
    assert observer.entities() == ["field", "ball", "one", "two"]
    # Robots of the package are always added, and room that is given back is room again.
    spawned(observer, "five")
    deleted(observer, "two", "five")
    spawned(observer, "two", small)
    deleted(observer, "one", "two")


def below(observer: Observer, namespace: str) -> set[str]:
    """Topics, services and actions of a namespace, as another node sees them, without it."""
    node = observer.node
    found = {"topic": node.get_topic_names_and_types(), "service": node.get_service_names_and_types()}
    found["action"] = get_action_names_and_types(node)
    pairs = ((kind, name) for kind, names in found.items() for name, _ in names if name.startswith(f"{namespace}/"))
    return {f"{kind} {name.removeprefix(namespace)}" for kind, name in pairs}


def wait_for_action(observer: Observer, namespace: str) -> None:
    client = ActionClient(observer.node, action_type(), f"{namespace}/{ACTION}")
    observer.until(client.server_is_ready, f"the action of {len(namespace)} letters")
    client.destroy()


def test_a_robot_of_any_namespace_is_found_whole_or_not_added(observer: Observer) -> None:
    spawned(observer, "bot", "sphere", "/short")
    wait_for_action(observer, "/short")
    observer.drain()
    wanted = below(observer, "/short")
    assert {name.split()[0] for name in wanted} == {"topic", "service", "action"}
    deleted(observer, "bot")
    added = []
    # /joint_trajectory_controller/follow_joint_trajectory/_action/cancel_goal has 72, its requests' topic 9 more.
    longest = 251 - 72 - 9
    for length in (*range(longest - 9, longest + 10), *range(245, 256)):
        namespace = "/" + "n" * (length - 1)
        answer = spawn(observer, "bot", "sphere", namespace)
        if answer.result.result == Result.RESULT_OK:
            observer.until(lambda: below(observer, namespace) >= wanted, f"all of {length} letters")  # noqa: B023
            wait_for_action(observer, namespace)
            deleted(observer, "bot")
            added.append(length)
        else:
            assert answer.result.result == SpawnEntity.Response.NAMESPACE_INVALID
            assert "is not possible" in answer.result.error_message or "no ROS name" in answer.result.error_message
            assert observer.entities() == ["field", "ball"]
    assert added == list(range(longest - 9, longest + 1))
    observer.until(lambda: not any(name.startswith("/nnn") for name in observer.topics()), "the end of all topics")

"""The pages of the nodes are what the nodes offer, their examples work, and so does what the tutorial has pasted."""

import re
import signal
import subprocess
import sys
from fnmatch import fnmatchcase
from types import ModuleType
from typing import Any

import pytest
import yaml
from geometry_msgs.msg import Twist
from lifecycle_msgs.srv import ChangeState, GetAvailableStates, GetAvailableTransitions, GetState
from rclpy.action import ActionClient

from simspark_ros import action, srv
from simspark_ros.configuration.resources import resource
from simspark_ros.msg import Result
from simspark_ros.ros.topics.publisher import message_type
from test.rigs.ros_processes import Domain, Observer, Process
from test.rigs.waiting import DEADLINE

PARAMETERS = ("robots:=['nao']",)
ROOT = resource("config").parent
LIFECYCLE = {kind.__name__: kind for kind in (ChangeState, GetAvailableStates, GetAvailableTransitions, GetState)}
TUTORIAL = re.findall(r"(?ms)^```python\n(.*?)^```", resource("docs", "tutorials", "ros_node.md").read_text())
(LISTENER,) = (block for block in TUTORIAL if "class" in block)
QUICK = "import time; sleep = time.sleep; time.sleep = lambda seconds: sleep(0.1 * seconds)\n"


@pytest.fixture(scope="module")
def written() -> ModuleType:
    """The script, which only a checkout has."""
    return pytest.importorskip("scripts.write_node_pages")  # type: ignore[no-any-return]


def test_the_pages_are_current(written: ModuleType) -> None:
    for path, content in written.files().items():
        assert (ROOT / path).read_text(encoding="utf-8") == content, f"{path}: run python -m scripts.write_node_pages"


def test_every_line_and_example_has_its_place(written: ModuleType) -> None:
    endpoints = [one for page in written.NODE_PAGES for one in page.endpoints()]
    names = [f"{one.role} {one.name}" for one in endpoints]
    assert [line for line in written.LINES if not any(fnmatchcase(name, line) for name in names)] == []
    calls = {one.name.removeprefix("/") for one in endpoints if one.role in ("service", "action")}
    assert set(written.EXAMPLES) <= calls


def test_the_page_of_the_node_has_exactly_what_it_offers(observer: Observer) -> None:
    page = (ROOT / "docs" / "reference" / "nodes" / "simulator.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\S+)` \| \w+/msg/\w+ \| [^|]+ \| ([^|]+) \|", page, flags=re.M)
    documented = {name for name, _ in rows} | set(re.findall(r"^### `(\S+)`", page, flags=re.M))
    others = {name for name, who in rows if name.startswith("<robot>") and not {"all", "nao"} & set(who.split(", "))}
    node, nodes = observer.node, {"simulator", "simulator_actions"}
    observer.until(lambda: nodes <= set(node.get_node_names()), "their discovery")

    def offered() -> set[str]:
        found = [
            *(pair for name in nodes for pair in node.get_publisher_names_and_types_by_node(name, "/")),
            *(pair for name in nodes for pair in node.get_subscriber_names_and_types_by_node(name, "/")),
            *(pair for name in nodes for pair in node.get_service_names_and_types_by_node(name, "/")),
        ]
        own = (name for name, (kind, *_) in found if not kind.startswith(("rcl_interfaces", "type_description")))
        return {as_documented(name) for name in own}

    # With tf2_msgs, and with the parameter `bridge`.
    optional = {"<robot>/tf", "<robot>/tf_static", "/bridge/percepts", "/bridge/commands"}
    observer.until(lambda: offered() >= documented - others - optional, "that of all topics and services")
    assert offered() <= documented - others


def as_documented(name: str) -> str:
    name = re.sub(r"/wrench/.*", "/wrench/<link>", name.partition("/_action/")[0])
    return re.sub("^/nao/", "<robot>/", name)


def test_the_nodes_of_the_tutorial_hear_of_the_ball_and_walk_to_it(domain: Domain, observer: Observer) -> None:
    programs = (("-c", LISTENER), (str(resource("examples", "ros_node.py")),))
    namespace = ("--ros-args", "-r", "__ns:=/nao")
    nodes = [Process(domain, command=[sys.executable, *program, *namespace]) for program in programs]
    try:
        with observer.hear(Twist, "/nao/cmd_vel") as velocities:
            observer.until(lambda: any(each.linear.x == 0.3 for each in velocities.messages), "a step to the ball")
        for node in nodes:
            node.found(r"ball \d\.\d m away")
    finally:
        # Their status says nothing of the page: rclpy raises RCLError where Ctrl-C meets it between two of its steps.
        for node in nodes:
            node.end(signal.SIGINT)


def test_what_the_tutorial_has_pasted_shows_messages_and_spawns_a_robot(domain: Domain, observer: Observer) -> None:
    pasted = QUICK + "\n".join(block for block in TUTORIAL if block is not LISTENER)
    console = [sys.executable, "-i", "-q"]
    ended = subprocess.run(
        console, input=pasted, env=domain.environment, capture_output=True, text=True, timeout=DEADLINE, check=True
    )
    assert "Traceback" not in ended.stderr, ended.stderr
    observer.call(srv.DeleteEntity, "/delete_entity", srv.DeleteEntity.Request(entity="second"))
    assert re.search(r"'hj1': .*\n.*Vector3\(.*z=\d(.|\n)*entity_name='second'", ended.stdout)


def test_every_example_of_a_call_works(observer: Observer, written: ModuleType) -> None:
    page = (ROOT / "docs" / "reference" / "nodes" / "simulator.md").read_text(encoding="utf-8")
    calls = {
        name.removeprefix("/nao"): (role, name, kind, yaml.safe_load(fields or "{}"))
        for role, name, kind, fields in re.findall(
            r'^ros2 (service call|action send_goal --feedback) (\S+) \w+/\w+/(\w+)(?: "(.*)")?$', page, flags=re.M
        )
    }
    assert len(calls) == page.count("\n### `")
    order = [f"/{name.removeprefix('<robot>/')}" for name in written.EXAMPLES]
    for call in sorted(calls, key=lambda name: order.index(name) if name in order else -1):
        role, name, kind, fields = calls[call]
        if role == "service call":
            made = getattr(srv, kind, None) or LIFECYCLE[kind]
            response = observer.call(made, name, filled(made.Request(), fields))
            result = getattr(response, "result", None)
            assert result is None or result.result == Result.RESULT_OK, f"{name}: {result.error_message}"
            assert getattr(response, "success", True), f"{name}: {response}"
        else:
            follow(observer, getattr(action, kind), name, fields)


def follow(observer: Observer, kind: Any, name: str, fields: Any) -> None:
    client = ActionClient(observer.node, kind, name)
    observer.until(client.server_is_ready, name)
    feedback: list[Any] = []
    client.send_goal_async(filled(kind.Goal(), fields), feedback.append)
    observer.until(lambda: feedback, f"feedback of {name}")


def filled(message: Any, values: dict[str, Any]) -> Any:
    """A message with values from YAML, as ros2cli makes it."""
    kinds = message.get_fields_and_field_types()
    for name, value in values.items():
        if isinstance(value, dict):
            filled(getattr(message, name), value)
        elif value and isinstance(value[0] if isinstance(value, list) else 0, dict):
            kind = message_type(kinds[name].removeprefix("sequence<").removesuffix(">").replace("/", "/msg/"))
            setattr(message, name, [filled(kind(), one) for one in value])
        else:
            setattr(message, name, value)
    return message

"""The doors of ROS for `simspark stress --minutes`: services, topics, parameters and robot files."""

from __future__ import annotations

import contextlib
import os
import random
import tempfile
import threading
from functools import partial
from pathlib import Path
from typing import Any

import rclpy
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from simspark_ros import srv
from simspark_ros.clients.stress.fuzz.case import Step
from simspark_ros.clients.stress.fuzz.grammar import PAUSES, number, word
from simspark_ros.clients.stress.fuzz.robot_files import bomb_file, robot_file
from simspark_ros.clients.stress.fuzz.server import Server
from simspark_ros.clients.stress.fuzz.session import Door
from simspark_ros.ros.bridge.stress_door import BRIDGE_DOOR
from simspark_ros.ros.network import choose_network
from simspark_ros.ros.services.standard import installed_interfaces, resource_of
from simspark_ros.ros.topics.publisher import message_type

_BOMBS = 0.05
"""Part of the robots whose files are out of all proportion: each takes a process up to `robot_file_time`."""

_ANSWER, _ALIVE = 2.0, 15.0
"""How long a case waits for a service, and how long a service may take before it counts as dead, s."""

SERVICES = {
    **installed_interfaces().services,
    "game/kick_off": srv.KickOff,
    "game/drop_ball": srv.DropBall,
    "game/set_play_mode": srv.SetPlayMode,
    "game/overrule": srv.OverruleDecision,
    "game/join_team": srv.JoinTeam,
}
"""Services of a simulator and their types."""

_CALLED = [name for name in SERVICES if name != "unload_world"]
"""Services that cases call: without a world no good client could join."""

_TOPICS = {
    "joint_command": "sensor_msgs/msg/JointState",
    "joint_trajectory_controller/joint_trajectory": "trajectory_msgs/msg/JointTrajectory",
    "beam": "simspark_ros/msg/Beam",
    "say": "simspark_ros/msg/Say",
    "pass": "std_msgs/msg/Empty",
    "pantilt": "simspark_ros/msg/PanTilt",
    "drive": "geometry_msgs/msg/Vector3",
    "kick": "simspark_ros/msg/Kick",
}

_ROBOTS = ("r1", "r2", "left_1")
"""Robots of the cases and that of the good client, which no topic commands."""

_NAMES = 100
"""Names of robots with files of their own. Fast DDS keeps 3 KB for the topics of each name that it sees first."""

_LONG = "x" * 5000

_URIS = (f"{_LONG}.yaml", f"nao/{_LONG}", f"package://simspark_ros/{_LONG}", "file://[x/a.yaml", "package://\0/a.yaml")

_PARAMETERS = ("late_cycles", "catch_up_limit", "tf", "engine", "seed", "robots", "nothing", "")

_DOUBLE, _TEXT = 3, 4
"""Types of parameters, see rcl_interfaces/ParameterType."""

_WORLDS = (
    "",
    "based_on: nowhere",
    "field: {length: .nan}",
    "a: &a [*a, *a]",
    "[" * 9999,
    _LONG,
    "time: {cycle: 0.012}",
)
"""Texts of worlds."""

_SPAWNED, _PLAYING = 4, 1

_TIDY: tuple[tuple[str, dict[str, Any]], ...] = (
    ("set_simulation_state", {"state": {"state": _PLAYING}}),
    ("reset_simulation", {"scope": _SPAWNED}),
)
"""Calls after a case."""


class RosDoor:
    """A node of its own beside a running simulator.

    Verbs: `call SERVICE FIELDS`, `publish TOPIC TYPE FIELDS`, `parameter NAME TYPE VALUE`, `file NAME TEXT` and `wait
    SECONDS`. Fields are a JSON object; `nan` and `inf` are texts. A uri that begins with `file:` is that of a `file`.
    """

    def __init__(self, server: Server) -> None:
        self._context = rclpy.Context()
        rclpy.init(context=self._context, args=[], signal_handler_options=SignalHandlerOptions.NO)
        self._node = Node(f"stress_{id(self)}", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._folder = tempfile.TemporaryDirectory(prefix="simspark-stress-")
        self._publishers: dict[str, Any] = {}
        self._making = threading.Lock()
        self._clients = {name: self._node.create_client(kind, name) for name, kind in SERVICES.items()}
        self._clients["parameters"] = self._node.create_client(SetParameters, "simulator/set_parameters")
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()
        for client in self._clients.values():
            client.wait_for_service(_ALIVE)

    def play(self, steps: tuple[Step, ...]) -> None:
        """Play one case; the simulator may refuse whatever it likes."""
        for verb, *arguments in steps:
            # After a change of values a step may make no sense, e.g. be of a wrong type; it is left out then.
            with contextlib.suppress(Exception):
                getattr(self, f"_{verb}")(*arguments)

    def fault(self) -> str:
        """What is wrong with the services, empty if nothing is."""
        answer = self._send("get_simulation_state", self._request("get_simulation_state"), _ALIVE)
        return "" if answer else "get_simulation_state does not answer"

    def tidy(self) -> None:
        """Remove spawned robots, and let time run."""
        for service, fields in _TIDY:
            self._send(service, self._request(service, fields), _ALIVE)

    def close(self) -> None:
        """Leave the domain."""
        self._executor.shutdown()
        self._thread.join(_ALIVE)
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)
        self._folder.cleanup()

    def _spin(self) -> None:
        with contextlib.suppress(rclpy.executors.ExternalShutdownException, rclpy.executors.ShutdownException):
            self._executor.spin()

    def _call(self, service: str, fields: dict[str, Any]) -> None:
        request = self._request(service, fields)
        if service == "spawn_entity" and (resource := resource_of(request)).uri.startswith("file:"):
            resource.uri = str(self._path(resource.uri[5:]))
        self._send(service, request, _ANSWER)

    @staticmethod
    def _request(service: str, fields: dict[str, Any] | None = None) -> Any:
        request = SERVICES[service].Request()
        fill(request, fields or {})
        return request

    def _publish(self, topic: str, kind: str, fields: dict[str, Any]) -> None:
        message = message_type(kind)()
        fill(message, fields)
        with self._making:
            if topic not in self._publishers:
                self._publishers[topic] = self._node.create_publisher(type(message), topic, 10)
        self._publishers[topic].publish(message)

    def _parameter(self, name: str, kind: int, value: Any) -> None:
        given = ParameterValue(type=kind)
        fill(given, {{_DOUBLE: "double_value", _TEXT: "string_value"}[kind]: value})
        self._send("parameters", SetParameters.Request(parameters=[Parameter(name=name, value=given)]), _ANSWER)

    def _file(self, name: str, text: str) -> None:
        self._path(name).write_text(text, encoding="utf-8")

    def _wait(self, seconds: float) -> None:
        threading.Event().wait(min(max(float(seconds), 0.0), 0.3))

    def _path(self, name: str) -> Path:
        return Path(self._folder.name, name.replace("/", "_"))

    def _send(self, service: str, request: Any, patience: float) -> Any:
        """The answer, or None if there is none in time."""
        answered = threading.Event()
        future = self._clients[service].call_async(request)
        future.add_done_callback(lambda future: answered.set())
        if answered.wait(patience):
            return future.result()
        self._clients[service].remove_pending_request(future)
        return None


def fill(message: Any, fields: dict[str, Any]) -> None:
    """Set fields of a message from JSON values, converted to the types of the fields."""
    for name, value in fields.items():
        old = getattr(message, name)
        if isinstance(value, dict):
            fill(old, value)
        elif isinstance(value, list):
            kind = message.get_fields_and_field_types()[name].removeprefix("sequence<").removesuffix(">")
            setattr(message, name, [_item(kind, item) for item in value])
        else:
            setattr(message, name, type(old)(value))


def _item(kind: str, value: Any) -> Any:
    """An entry of a list of a field, of a type that is written as in messages' definitions."""
    if "/" in kind:
        package, _, name = kind.partition("/")
        item = message_type(f"{package}/msg/{name}")()
        fill(item, value)
        return item
    return float(value) if kind in ("float", "double") else str(value)


def draw_ros(source: random.Random, quiet: bool) -> list[Step]:
    """Some calls, messages and parameters; none are quiet."""
    return [_step(source) for _ in range(source.randint(1, 5))]


def draw_files(source: random.Random, quiet: bool) -> list[Step]:
    """A robot from a file of its own, perhaps commanded."""
    name = f"r{source.randrange(_NAMES)}"
    files = (bomb_file if source.random() < _BOMBS else robot_file)(source, name)
    steps: list[Step] = [["file", file, text] for file, text in files.items()]
    uri = "file:" + next(iter(files))
    steps.append(
        ["call", "spawn_entity", {"name": name, "entity_resource": {"uri": uri}, "initial_pose": _pose(source)}]
    )
    if source.random() < 0.5:
        steps.append(["publish", f"{name}/joint_command", _TOPICS["joint_command"], _joints(source)])
        steps.append(["wait", source.choice(PAUSES)])
    steps.append(["call", "delete_entity", {"entity": name}])
    return steps


def _step(source: random.Random) -> Step:
    kind = source.random()
    if kind < 0.5:
        service = source.choice(_CALLED)
        return ["call", service, _request(source, service)]
    if kind < 0.85:
        topic = source.choice(list(_TOPICS))
        return ["publish", f"{source.choice(_ROBOTS[:2])}/{topic}", _TOPICS[topic], _message(source, topic)]
    name = source.choice(_PARAMETERS)
    if source.random() < 0.5:
        return ["parameter", name, _DOUBLE, _number(source)]
    return ["parameter", name, _TEXT, word(source, "realtime", "slip", "full", "none")]


def _request(source: random.Random, service: str) -> dict[str, Any]:
    match service:
        case "spawn_entity":
            namespaces = ("", "", "/", "a/b", "9", "x" * 240, "left-foot", "r1", "\u00e4")
            uri = word(source, "nao", "nao/4", "sphere", "nao/99", "/etc/passwd", "file:nothing", *_URIS)
            return {
                "name": word(source, *_ROBOTS, "", "x" * 260),
                "allow_renaming": source.random() < 0.5,
                "entity_resource": {"uri": uri},
                "entity_namespace": source.choice(namespaces),
                "initial_pose": _pose(source),
            }
        case "delete_entity" | "get_entity_state" | "get_entity_info" | "get_entity_bounds":
            return {"entity": word(source, *_ROBOTS, "ball", "field", _LONG)}
        case "get_entities" | "get_entities_states":
            return {"filters": _filters(source)}
        case "set_entity_state":
            # The ball alone: the good client plays.
            flags = {name: source.random() < 0.7 for name in ("set_pose", "set_twist", "set_acceleration")}
            return {"entity": word(source, *_ROBOTS[:2], "ball", "field"), "state": _state(source), **flags}
        case "set_entity_info":
            # Many are short: DDS keeps the last requests of a service.
            tags = source.choice(([], ["a"], [_LONG], ["a"] * 40, ["t"] * 2000))
            info = {
                "category": {"category": source.choice((0, 1, 5, 99))},
                "description": word(source, _LONG),
                "tags": tags,
            }
            return {"entity": word(source, *_ROBOTS, "ball"), "info": info}
        case "get_named_poses":
            return {"tags": _tags(source)}
        case "get_named_pose_bounds":
            return {"name": word(source, "centre", "left_goal", _LONG)}
        case "get_spawnables":
            return {"sources": [word(source, "nao", *_URIS) for _ in range(source.choice((0, 1, 3, 100)))]}
        case "spawn_entities":
            one = [_request(source, "spawn_entity") for _ in range(source.choice((0, 1, 2, 200)))]
            return {"spawn_requests": one}
        case "load_world":
            # None that can be loaded: a good client may be about to join.
            uri = word(source, "", "", "nowhere", "/etc/passwd", *_URIS)
            return {"world_resource": {"uri": uri, "resource_string": source.choice(_WORLDS)}}
        case "get_available_worlds":
            more = [word(source, "msl", *_URIS) for _ in range(source.choice((0, 1, 40)))]
            return {"additional_sources": more, "filter": _tags(source), "continue_on_error": source.random() < 0.5}
        case "game/join_team":
            return {
                "entity": word(source, *_ROBOTS),
                "team": word(source, "Hostile"),
                "unum": source.choice((0, 2, 11, 12, 255)),
            }
        case "reset_simulation":
            # Not the time, which the good client watches.
            return {"scope": source.choice((2, 4, 6, 8, 254))}
        case "set_simulation_state":
            # Neither stopped, which sets time back, nor quitting.
            return {"state": {"state": source.choice((1, 2, 4, 5, 255))}}
        case "step_simulation":
            return {"steps": source.choice((0, 1, 10, 2**32, 2**64 - 1))}
        case "game/kick_off":
            return {"team": source.choice((0, 1, 2, 3, 255))}
        case "game/set_play_mode":
            return {"play_mode": word(source, "PlayOn", "BeforeKickOff", "GameOver")}
        case "game/overrule":
            return {"number": source.choice((0, 1, 5, 2**64 - 1))}
    return {}


def _message(source: random.Random, topic: str) -> dict[str, Any]:
    match topic:
        case "joint_command":
            return _joints(source)
        case "joint_trajectory_controller/joint_trajectory":
            return _trajectory(source)
        case "say":
            return {"text": word(source, "hello", "x" * 21, "\u00e4")}
        case "pass":
            return {}
    names = {"beam": "x y theta", "pantilt": "pan tilt", "drive": "x y z", "kick": "angle power"}[topic].split()
    return {name: _number(source) for name in names}


def _joints(source: random.Random) -> dict[str, Any]:
    count = source.choice((0, 1, 2, 22, 300))
    joints: dict[str, Any] = {"name": [word(source, "hj1", "hj2", "llj3", "rlj4", "joint_1") for _ in range(count)]}
    for field in source.sample(("position", "velocity", "effort"), source.randint(1, 3)):
        length = count if source.random() < 0.8 else source.randint(0, 3)
        joints[field] = [_number(source) for _ in range(length)]
    return joints


def _filters(source: random.Random) -> dict[str, Any]:
    points = [{axis: _number(source) for axis in "xyz"} for _ in range(source.choice((0, 1, 2, 2, 3, 4, 100)))]
    return {
        "filter": word(source, "", "r[0-9]+", "(a*)*b", "((a{9}){9}){9}", "[[:alpha:]]*", "(" * 300, "\\1", _LONG),
        "categories": [{"category": source.choice((0, 1, 4, 5, 77))} for _ in range(source.choice((0, 0, 1, 3000)))],
        "tags": _tags(source),
        "bounds": {"type": source.choice((0, 0, 1, 2, 3, 255)), "points": points},
    }


def _tags(source: random.Random) -> dict[str, Any]:
    tags = source.choice(([], [], ["nao"], ["player", "goal"], [_LONG], ["t"] * 3000))
    return {"tags": tags, "filter_mode": source.choice((0, 0, 1, 9))}


def _state(source: random.Random) -> dict[str, Any]:
    def vector() -> dict[str, str]:
        return {axis: _number(source) for axis in "xyz"}

    twist = {"linear": vector(), "angular": vector()}
    return {**_pose(source), "twist": twist, "acceleration": twist if source.random() < 0.3 else {}}


def _trajectory(source: random.Random) -> dict[str, Any]:
    joints = _joints(source)
    fields = {"position": "positions", "velocity": "velocities", "effort": "accelerations"}
    point = {fields[field]: values for field, values in joints.items() if field != "name"}
    times = sorted(source.choice((-1, 0, 1, 2, 2**31 - 1)) for _ in range(source.choice((0, 1, 2, 30))))
    points = [{"time_from_start": {"sec": sec, "nanosec": index}, **point} for index, sec in enumerate(times)]
    return {"joint_names": joints["name"], "points": points}


def _pose(source: random.Random) -> dict[str, Any]:
    kind = source.random()
    if kind < 0.5:
        return {}
    if kind < 0.8:
        return {"pose": {"position": {axis: source.uniform(-9.0, 9.0) for axis in "xyz"}}}
    place = {axis: _number(source) for axis in "xyz"}
    turn = {axis: _number(source) for axis in "xyzw"}
    return {
        "header": {"frame_id": word(source, "", "world", "map")},
        "pose": {"position": place, "orientation": turn},
    }


def _number(source: random.Random) -> str:
    """A number as text, which `float` takes."""
    text = number(source)
    with contextlib.suppress(ValueError):
        float(text)
        return text
    return "0"


def ros_doors() -> list[Door]:
    """The doors, in a domain of this process unless the environment names one."""
    os.environ.setdefault("ROS_DOMAIN_ID", str(1 + os.getpid() % 101))
    choose_network("loopback")
    make = partial(Door, open=RosDoor, options=("--headless",), quiet=False)
    return [make(name="ros", draw=draw_ros), make(name="files", draw=draw_files, share=0.3), BRIDGE_DOOR]

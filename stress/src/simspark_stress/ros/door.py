"""The doors of a simulator's ROS interface: services, topics, parameters and robot files."""

from __future__ import annotations

import contextlib
import tempfile
import threading
from functools import partial
from pathlib import Path
from typing import Any

import rclpy
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions

from simspark_ros.ros.endpoints import create_subscription
from simspark_ros.ros.network import choose_network
from simspark_ros.ros.process import BackgroundExecutor
from simspark_ros.ros.services.standard import ACTION as STEPS
from simspark_ros.ros.services.standard import resource_of
from simspark_ros.ros.topics.commands.follow_joint_trajectory import ACTION as FOLLOW
from simspark_ros.ros.topics.publisher import MissingMessagesError, TopicError, message_type
from simspark_stress.fuzz.case import Step
from simspark_stress.fuzz.server import Server
from simspark_stress.fuzz.session import Door
from simspark_stress.own_domain import use_own_domain
from simspark_stress.ros.actions import ActionClients, Goals
from simspark_stress.ros.bridge import BRIDGE_DOOR
from simspark_stress.ros.fields import fill
from simspark_stress.ros.goals import HEAVIEST
from simspark_stress.ros.grammar import SERVICES, VALUE_FIELDS, draw_files, draw_ros

_ANSWER, _ALIVE = 2.0, 15.0
"""Longest wait of a case for a service, and time after which a silent service counts as dead, s."""

_NOTICED = 0.5
"""Time for which a case listens, and longest pause, s. The simulator looks for subscribers five times a second."""

_MOST_TOPICS = 60
"""Most topics that a case listens to, since the good client also needs this process's time."""

_NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)

_SPAWNED, _PLAYING = 4, 1

_WATCHED: dict[str, Any] = {"name": "watched", "entity_resource": {"uri": "nao"}}
"""Request for the robot whose action is checked for faults."""

_TIDY: tuple[tuple[str, dict[str, Any]], ...] = (
    ("set_simulation_state", {"state": {"state": _PLAYING}}),
    ("reset_simulation", {"scope": _SPAWNED}),
)
"""Services that are called after each round, with the fields of their requests."""


class RosDoor:
    """A node beside a running simulator.

    Verbs: `call SERVICE FIELDS`, `publish TOPIC TYPE FIELDS`, `listen NAMESPACE` (to the topics in it, for a moment),
    `parameter NAME TYPE VALUE`, `file NAME TEXT`, `wait SECONDS`, and the methods of `Goals`. Fields are a JSON object,
    in which `nan` and `inf` are texts. A uri `file:NAME` names a file of the verb `file`.
    """

    def __init__(self, server: Server) -> None:
        self._context = rclpy.Context()
        rclpy.init(context=self._context, args=[], signal_handler_options=SignalHandlerOptions.NO)
        self._node = Node(f"stress_{id(self)}", context=self._context)
        self._folder = tempfile.TemporaryDirectory(prefix="simspark-stress-")
        self._publishers: dict[str, Any] = {}
        self._making = threading.Lock()
        self._actions = ActionClients(self._node)
        self._clients = {name: self._node.create_client(kind, name) for name, kind in SERVICES.items()}
        self._clients["parameters"] = self._node.create_client(SetParameters, "simulator/set_parameters")
        self._executor = BackgroundExecutor(self._node)
        for client in self._clients.values():
            client.wait_for_service(_ALIVE)

    def play(self, steps: tuple[Step, ...]) -> None:
        """Play one case; the simulator may refuse any of its steps."""
        goals = Goals(self._actions)
        for verb, *arguments in steps:
            # Shrinking may leave steps that make no sense, e.g. with a wrong type; they are left out.
            with contextlib.suppress(Exception):
                (getattr(goals, verb, None) or getattr(self, f"_{verb}"))(*arguments)

    def fault(self) -> str:
        """Return the fault of the services and actions; empty if they answer."""
        if not self._send("get_simulation_state", self._request("get_simulation_state"), _ALIVE):
            return "get_simulation_state does not answer"
        self._send("spawn_entity", self._request("spawn_entity", _WATCHED), _ALIVE)
        names = (STEPS, f"{_WATCHED['name']}/{FOLLOW}")
        faults = (fault for name in names if (fault := self._actions.fault(name, _ALIVE)))
        fault = next(faults, "")
        self._send("delete_entity", self._request("delete_entity", {"entity": _WATCHED["name"]}), _ALIVE)
        return fault

    def tidy(self) -> None:
        """Let time run, and remove spawned robots."""
        for service, fields in _TIDY:
            self._send(service, self._request(service, fields), _ALIVE)

    def close(self) -> None:
        """Remove the node from the domain."""
        self._executor.close()
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)
        self._folder.cleanup()

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

    def _listen(self, namespace: str) -> None:
        """Subscribe to all topics until the simulator must have noticed, so that it fills and sends their messages."""
        start = f"/{namespace}/" if namespace else "/"
        known = self._node.get_topic_names_and_types()
        subscriptions = []
        for name, kinds in [topic for topic in known if topic[0].startswith(start)][:_MOST_TOPICS]:
            # Topics of actions have types of their own, and the types of foreign topics may not be installed.
            with contextlib.suppress(MissingMessagesError, TopicError):
                kind = message_type(kinds[0])
                subscriptions.append(create_subscription(self._node, kind, name, _ignore, _NEWEST, raw=True))
        self._wait(_NOTICED)
        for subscription in subscriptions:
            self._node.destroy_subscription(subscription)

    def _parameter(self, name: str, kind: int, value: Any) -> None:
        given = ParameterValue(type=kind)
        fill(given, {VALUE_FIELDS[kind]: value})
        self._send("parameters", SetParameters.Request(parameters=[Parameter(name=name, value=given)]), _ANSWER)

    def _file(self, name: str, text: str) -> None:
        self._path(name).write_text(text, encoding="utf-8")

    def _wait(self, seconds: float) -> None:
        threading.Event().wait(min(max(float(seconds), 0.0), _NOTICED))

    def _path(self, name: str) -> Path:
        return Path(self._folder.name, name.replace("/", "_"))

    def _send(self, service: str, request: Any, patience: float) -> Any:
        """Send a request; returns the answer, None if none comes in time."""
        answered = threading.Event()
        future = self._clients[service].call_async(request)
        future.add_done_callback(lambda future: answered.set())
        if answered.wait(patience):
            return future.result()
        self._clients[service].remove_pending_request(future)
        return None


def _ignore(message: bytes) -> None:
    """Ignore a message: filling and sending it was its purpose."""


def ros_doors() -> list[Door]:
    """Return the doors; they use a domain of this process unless the environment names one."""
    use_own_domain()
    choose_network("loopback")
    make = partial(Door, open=RosDoor, options=("--headless",), quiet=False)
    return [
        make(name="ros", draw=draw_ros, heaviest=HEAVIEST),
        make(name="files", draw=draw_files, share=0.3),
        BRIDGE_DOOR,
    ]

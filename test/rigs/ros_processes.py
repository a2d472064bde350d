"""A simulator in a process of its own and a ROS 2 node that looks at it, on a domain of its own."""

from __future__ import annotations

import atexit
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import rclpy
from rcl_interfaces.srv import SetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy

from simspark_ros.ros.network import profiles, profiles_variable
from simspark_ros.srv import GetEntities
from simspark_stress.own_domain import OwnDomain
from test.rigs import processes
from test.rigs.waiting import DEADLINE

BEST_EFFORT = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)

SIMULATOR = (sys.executable, "-m", "simspark_ros.ros.simulator_node")

_AGAIN = 10.0
"""Seconds after which a question is asked again."""


class Domain(OwnDomain):
    """A ROS domain held by this process, and the environment of processes in it.

    They talk by UDP on the loopback. Ports of shared memory belong to the machine, not to a domain: where processes of
    several domains start and are killed at the same time, all that one process sends to another is lost at times.
    `shared_memory` = as users' processes talk.
    """

    def __init__(self, shared_memory: bool = False) -> None:
        super().__init__()
        self.environment = {
            **os.environ,
            "ROS_DOMAIN_ID": str(self.number),
            "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST" if shared_memory else "SUBNET",
            "RCUTILS_COLORIZED_OUTPUT": "0",
        }
        if not shared_memory:
            self.environment[profiles_variable()] = str(_without_shared_memory("loopback.xml"))


@cache
def _without_shared_memory(profile: str) -> Path:
    """A copy of a profile of the package by which processes talk by UDP alone, as between machines."""
    name = "<transport_id>shared_memory</transport_id>"
    text = Path(profiles(profile)).read_text(encoding="utf-8")
    text, count = re.subn(
        rf"<transport_descriptor>\s*{name}.*?</transport_descriptor>|{name}", "", text, flags=re.DOTALL
    )
    assert count == 2
    folder = tempfile.TemporaryDirectory(prefix="simspark-profiles-")
    atexit.register(folder.cleanup)
    file = Path(folder.name, profile)
    file.write_text(text, encoding="utf-8")
    return file


def without_shared_memory(domain: Domain, profile: str) -> None:
    """Have the processes of a domain talk by a profile of the package, by UDP alone."""
    domain.environment |= {
        profiles_variable(): str(_without_shared_memory(profile)),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET",
    }


class Process(processes.Process):
    """A process on a domain, the simulator unless another command is given."""

    def __init__(self, domain: Domain, *parameters: str, command: Sequence[str] = SIMULATOR) -> None:
        if SIMULATOR[-1] in command:
            # Some tests start a second one beside their module's; they may say otherwise, the last word counts.
            parameters = "share_domain:=true", *parameters
        command = [*command]
        if parameters:
            command += ["--ros-args", *(word for text in parameters for word in ("-p", text))]
        super().__init__(command, domain.environment)


class BridgeProcess(Process):
    """The bridge as `ros2 run` starts it, on free ports."""

    def __init__(self, domain: Domain, namespace: str = "/") -> None:
        command = [sys.executable, "-m", "simspark_ros.ros.bridge.node", "--ros-args", "-r", f"__ns:={namespace}"]
        super().__init__(domain, "agent_port:=0", "monitor_port:=0", command=command)
        self.agent_port = int(self.found(r"agent port (\d+), monitor"))
        self.monitor_port = int(self.found(r"monitor port (\d+)"))


class Observer:
    """A node that collects what it hears; it works only while a test waits for something."""

    def __init__(self, domain: Domain) -> None:
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
        self._context = rclpy.Context()
        rclpy.init(context=self._context, domain_id=domain.number, args=[])
        self.node = Node("observer", context=self._context)
        self.executor = SingleThreadedExecutor(context=self._context)
        self.executor.add_node(self.node)
        self._clients: dict[str, Any] = {}

    def until(self, condition: Callable[[], Any], what: str = "it", timeout: float = DEADLINE) -> None:
        deadline = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < deadline, f"{what} does not happen"
            self.executor.spin_once(timeout_sec=0.02)

    def drain(self, quiet: float = 0.3) -> None:
        """Take everything that is on its way, until nothing has come for some seconds."""
        end = time.monotonic() + quiet
        while time.monotonic() < end:
            before = time.monotonic()
            self.executor.spin_once(timeout_sec=quiet)
            if time.monotonic() - before < quiet:
                end = time.monotonic() + quiet

    def hear(self, kind: type, topic: str, qos: Any = 100) -> Heard:
        heard = Heard(self, topic)
        heard.subscription = self.node.create_subscription(kind, topic, heard.messages.append, qos)
        return heard

    def publisher(self, kind: type, topic: str) -> Any:
        """A publisher that the simulator listens to already."""
        publisher = self.node.create_publisher(kind, topic, 10)
        self.until(publisher.get_subscription_count, f"a subscription to {topic}")
        return publisher

    def call(self, kind: Any, service: str, request: Any = None) -> Any:
        """Call and wait. Questions are asked again: DDS may lose an answer to a client that a server has not found."""
        futures, asked = [self.send(kind, service, request)], time.monotonic()

        def answered() -> bool:
            nonlocal asked
            if kind.__name__.startswith("Get") and time.monotonic() - asked > _AGAIN:
                futures.append(self.send(kind, service, request))
                asked = time.monotonic()
            return any(future.done() for future in futures)

        self.until(answered, f"an answer from {service}")
        return next(future for future in futures if future.done()).result()

    def send(self, kind: Any, service: str, request: Any = None) -> Any:
        """Call without waiting; returns the future."""
        if service not in self._clients:
            self._clients[service] = self.node.create_client(kind, service)
            self.until(self._clients[service].service_is_ready, f"service {service}")
        return self._clients[service].call_async(request or kind.Request())

    def set_parameter(self, name: str, value: Any) -> str:
        """Set a parameter of the simulator; returns why it is refused, empty if it is not."""
        request = SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
        (result,) = self.call(SetParameters, "/simulator/set_parameters", request).results
        return "" if result.successful else result.reason or "refused"

    def entities(self) -> list[str]:
        return list(self.call(GetEntities, "/get_entities").entities)

    def topics(self) -> set[str]:
        return {name for name, _ in self.node.get_topic_names_and_types()}

    def close(self) -> None:
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self._context)


class Heard:
    """Messages of one topic."""

    def __init__(self, observer: Observer, topic: str) -> None:
        self.messages: list[Any] = []
        self.subscription: Any = None
        self._observer, self._topic = observer, topic

    def wait(self, count: int = 1) -> list[Any]:
        """Wait for this number of new messages; returns them."""
        self.messages.clear()
        self._observer.until(lambda: len(self.messages) >= count, f"{count} messages on {self._topic}")
        return list(self.messages)

    def close(self) -> None:
        self._observer.node.destroy_subscription(self.subscription)

    def __enter__(self) -> Heard:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def seconds(stamp: Any) -> float:
    return float(stamp.sec + stamp.nanosec * 1e-9)

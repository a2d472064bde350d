"""Puts one robot into a running simulator; `robot.launch.py` starts it."""

from __future__ import annotations

import argparse
import math
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.utilities import remove_ros_args

from simspark_ros.configuration.errors import UserError
from simspark_ros.msg import Result
from simspark_ros.ros.conversions import seconds_of, set_heading
from simspark_ros.ros.process import run_process
from simspark_ros.ros.services.standard import found_interfaces, service_name, set_resource
from simspark_ros.server.signals import Signals

REMOVAL_TIMEOUT = 2.0
"""Seconds that the simulator has to delete a robot; often it is ending itself."""

LOOK_INTERVAL = 1.0
"""Seconds from one look for the robot to the next."""

_SLICE = 0.1


class CallError(UserError):
    """A service does not answer, or refuses; the message says which and why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Spawn a robot; with `--remove-at-end` wait for SIGINT or SIGTERM and delete it again; see `run_process`."""
    words = list(sys.argv if arguments is None else arguments)
    options = _parser().parse_args(remove_ros_args(words)[1:])
    ending = threading.Event()
    Signals().on_signal(ending.set)

    def work() -> None:
        node = Node("spawn_client")
        try:
            name = _spawn(node, options, ending)
            while options.remove_at_end and _has_gone_by_a_reset(node, options.services_namespace, name, ending):
                node.get_logger().warning(f"a reset has removed '{name}': it is spawned again")
                name = _spawn(node, options, ending)
            if options.remove_at_end and ending.is_set():
                delete(node, options.services_namespace, name)
        except CallError:
            if not ending.is_set():
                raise
        finally:
            node.destroy_node()

    return run_process("spawn_client", words, work)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="spawn_client", description="Put a robot into a running simulator.", allow_abbrev=False
    )
    parser.add_argument("--robot", default="nao", metavar="MODEL[/TYPE]", help="the robot, e.g. nao or nao/4 [nao]")
    parser.add_argument("--name", default="", help="name of the robot; empty = the simulator chooses one")
    parser.add_argument("--namespace", default="", help="namespace of the robot's topics; empty = the robot's name")
    parser.add_argument(
        "--services-namespace", default="", help="the simulator's parameter of that name; empty = this node's namespace"
    )
    parser.add_argument("--x", type=float, default=0.0, help="place, m; if x, y and yaw are 0, any free place [0]")
    parser.add_argument("--y", type=float, default=0.0, help="place, m [0]")
    parser.add_argument("--yaw", type=float, default=0.0, help="heading, rad [0]")
    parser.add_argument("--timeout", type=float, default=60.0, help="longest wait for the simulator, s [60]")
    parser.add_argument("--remove-at-end", action="store_true", help="wait, and remove the robot at SIGINT or SIGTERM")
    return parser


def _spawn(node: Node, options: argparse.Namespace, ending: threading.Event) -> str:
    """Spawn the robot; returns its name. Errors as in `call`."""
    fill = partial(_fill, options)
    name: str = call_standard(
        node, options.services_namespace, "spawn_entity", fill, ending.is_set, options.timeout
    ).entity_name
    node.get_logger().info(f"'{name}' has been spawned")
    return name


def _has_gone_by_a_reset(node: Node, namespace: str, name: str, ending: threading.Event) -> bool:
    """Wait until the robot is gone, or for the end; whether it is gone and simulated time began anew."""
    entities, last = _Entities(node, namespace), math.inf
    while True:
        # A simulator that does not answer is busy or ends.
        with suppress(CallError):
            times = entities.times(ending.is_set)
            if name in times:
                if last == math.inf:
                    node.get_logger().info(f"'{name}' is watched for resets")
                last = times[name]
            elif min(times.values(), default=0.0) < last:
                return True
            else:
                node.get_logger().warning(f"'{name}' has been removed; it is not spawned again")
                return False
        if ending.wait(LOOK_INTERVAL):
            return False


class _Entities:
    """Asks the simulator for its entities."""

    def __init__(self, node: Node, namespace: str) -> None:
        service = service_name(namespace, "get_entities_states")
        interfaces = found_interfaces(node, node.resolve_service_name(service))
        if interfaces is None:
            raise _missing(service, 0.0)
        self._node, self._kind = node, interfaces.services["get_entities_states"]
        self._client = node.create_client(self._kind, service)

    def times(self, ended: Callable[[], bool]) -> dict[str, float]:
        """Simulated time, s, of each entity's state, by the entities' names; errors as in `call`."""
        response = _ask(self._node, self._client, self._kind.Request(), ended, REMOVAL_TIMEOUT)
        times = (seconds_of(state.header.stamp) for state in response.states)
        return dict(zip(response.entities, times, strict=True))


def _fill(options: argparse.Namespace, request: Any) -> None:
    request.name, request.allow_renaming = options.name, not options.name
    set_resource(request, options.robot)
    request.entity_namespace = options.namespace
    pose = request.initial_pose.pose
    pose.position.x, pose.position.y = options.x, options.y
    set_heading(pose.orientation, options.yaw)


def delete(node: Node, namespace: str, name: str) -> None:
    """Delete an entity; errors as in `call`."""

    def fill(request: Any) -> None:
        request.entity = name

    call_standard(node, namespace, "delete_entity", fill, lambda: False, REMOVAL_TIMEOUT)


def call_standard(
    node: Node, namespace: str, service: str, fill: Callable[[Any], None], ended: Callable[[], bool], timeout: float
) -> Any:
    """Call a service of simulation_interfaces with the types that the simulator uses.

    Its namespace is as in the simulator's parameter; `fill` writes the request. All else as in `call`.
    """
    name, deadline = service_name(namespace, service), time.monotonic() + timeout
    whole = node.resolve_service_name(name)
    while (interfaces := found_interfaces(node, whole)) is None:
        if ended() or time.monotonic() > deadline:
            raise _missing(whole, timeout)
        time.sleep(_SLICE)
    kind = interfaces.services[service]
    request = kind.Request()
    fill(request)
    return call(node, kind, name, request, ended, max(deadline - time.monotonic(), _SLICE))


def call(node: Node, kind: Any, service: str, request: Any, ended: Callable[[], bool], timeout: float) -> Any:
    """Call a service whose response has a `result`, and wait for the response; no executor may serve the node.

    The timeout (s) is for the service to appear and to answer; `ended` says whether to give up before.

    Raises:
        CallError: there is no answer, or a refusal.
    """
    client = node.create_client(kind, service)
    try:
        return _ask(node, client, request, ended, timeout)
    finally:
        node.destroy_client(client)


def _ask(node: Node, client: Any, request: Any, ended: Callable[[], bool], timeout: float) -> Any:
    name = node.resolve_service_name(client.srv_name)
    executor = SingleThreadedExecutor(context=node.context)
    deadline = time.monotonic() + timeout
    while not client.wait_for_service(_SLICE):
        if ended() or time.monotonic() > deadline:
            raise _missing(name, timeout)
    future = client.call_async(request)
    while not future.done():
        if ended() or time.monotonic() > deadline:
            raise CallError(f"no answer from '{name}' within {timeout:g} s")
        rclpy.spin_until_future_complete(node, future, executor, timeout_sec=_SLICE)
    response = future.result()
    if response.result.result != Result.RESULT_OK:
        raise CallError(f"'{name}' refused: {response.result.error_message}")
    return response


def _missing(name: str, timeout: float) -> CallError:
    return CallError(f"no service '{name}' within {timeout:g} s; is the simulator running there?")


if __name__ == "__main__":
    sys.exit(main())

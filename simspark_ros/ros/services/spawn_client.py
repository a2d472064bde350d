"""Puts one robot into a running simulator; `robot.launch.py` starts it."""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.utilities import remove_ros_args

from simspark_ros.configuration.errors import UserError
from simspark_ros.msg import Result
from simspark_ros.ros.conversions import set_heading
from simspark_ros.ros.process import run_process
from simspark_ros.ros.services.standard import found_interfaces, service_name, set_resource
from simspark_ros.server.signals import Signals

REMOVAL_TIMEOUT = 2.0
"""Seconds that the simulator has to delete a robot; often it is ending itself."""

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
            namespace = options.services_namespace
            response = call_standard(
                node, namespace, "spawn_entity", partial(_fill, options), ending.is_set, options.timeout
            )
            node.get_logger().info(f"'{response.entity_name}' has been spawned")
            if options.remove_at_end:
                ending.wait()
                delete(node, namespace, response.entity_name)
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
    client, name = node.create_client(kind, service), node.resolve_service_name(service)
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

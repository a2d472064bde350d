"""The actions of the door of ROS: goals as good and bad clients send them."""

from __future__ import annotations

import threading
import time
import uuid
from collections import defaultdict
from copy import copy
from itertools import islice
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile, qos_profile_action_status_default

from simspark_ros.ros.endpoints import create_subscription
from simspark_ros.ros.services.standard import ACTION as STEPS
from simspark_ros.ros.services.standard import installed_interfaces
from simspark_ros.ros.topics.commands.follow_joint_trajectory import action_type
from simspark_stress.ros.fields import fill

_ANSWER = 0.3
"""Longest time for which a case waits for an answer, or for a server to be found, s."""

_RETRY = 3.0
"""Time for which a well-behaved client waits for an answer before it asks again, s."""

_POLL = 0.005

_ALL = bytes(16)
"""Identity that stands for all goals in a request to cancel, see action_msgs/CancelGoal."""

_UNKNOWN = bytes(range(16))

_MOST_POINTS = 20_000
"""Most points of a trajectory; more would take time that the good client in this process needs."""

_KEPT = 10
"""Depth of the queues of feedback."""


class ActionClient:
    """The services and topics of one action, used one by one.

    So goals may have any identity, and need not be waited for.
    """

    def __init__(self, node: Node, name: str) -> None:
        self._node = node
        impl = (installed_interfaces().action if name == STEPS else action_type()).Impl
        types = {"send_goal": impl.SendGoalService, "cancel_goal": impl.CancelGoalService}
        types["get_result"] = impl.GetResultService
        self._clients = {
            kind: node.create_client(each, f"{name}/_action/{kind}", callback_group=ReentrantCallbackGroup())
            for kind, each in types.items()
        }
        topics = {"feedback": (impl.FeedbackMessage, QoSProfile(depth=_KEPT))}
        topics["status"] = (impl.GoalStatusMessage, qos_profile_action_status_default)
        self._topics = [
            create_subscription(node, kind, f"{name}/_action/{topic}", lambda message: None, qos)
            for topic, (kind, qos) in topics.items()
        ]

    def close(self) -> None:
        """Remove the services and topics from the node."""
        for client in self._clients.values():
            self._node.destroy_client(client)
        for topic in self._topics:
            self._node.destroy_subscription(topic)

    def is_there(self, kind: str, patience: float) -> bool:
        """Return whether a service is found within `patience` s."""
        end = time.monotonic() + patience
        while not (found := self._clients[kind].service_is_ready()) and time.monotonic() < end:
            time.sleep(_POLL)
        return bool(found)

    def request(self, kind: str, fields: dict[str, Any]) -> Any:
        """Return a request of one of the services, e.g. `send_goal`."""
        request = self._clients[kind].srv_type.Request()
        fill(request, fields)
        return request

    def ask(self, kind: str, request: Any, patience: float) -> Any:
        """Send a request; returns the answer, None if none comes within `patience` s."""
        client = self._clients[kind]
        if not self.is_there(kind, max(patience, _ANSWER)):
            return None
        answered = threading.Event()
        future = client.call_async(request)
        future.add_done_callback(lambda future: answered.set())
        if answered.wait(patience):
            return future.result()
        client.remove_pending_request(future)
        return None


class ActionClients:
    """Clients of actions by name, each made when it is first needed."""

    def __init__(self, node: Node) -> None:
        self._node, self._lock = node, threading.Lock()
        self._known: dict[str, ActionClient] = {}

    def __getitem__(self, name: str) -> ActionClient:
        """Return the client of an action."""
        with self._lock:
            if name not in self._known:
                self._known[name] = self.new(name)
            return self._known[name]

    def new(self, name: str) -> ActionClient:
        """Return a further client of an action, which the caller closes."""
        return ActionClient(self._node, name)

    def fault(self, name: str, patience: float) -> str:
        """Return the fault of an action; empty if an impossible goal gets its result within `patience` s.

        The goal is sent again after a while, since the first one may go to a deleted robot of the same name that this
        process's middleware still knows.
        """
        client, end = self[name], time.monotonic() + patience
        while (left := end - time.monotonic()) > 0.0:
            identity = _identity(uuid.uuid4().bytes)
            answer = client.ask("send_goal", client.request("send_goal", identity), min(left, _RETRY))
            if answer is not None:
                break
        else:
            return f"{name} does not answer a goal"
        if answer.accepted and client.ask("get_result", client.request("get_result", identity), patience) is None:
            return f"{name} gives no result of a goal"
        return ""


class Goals:
    """The goals of one case by number; their identities differ each time the case is played."""

    def __init__(self, clients: ActionClients) -> None:
        self._clients = clients
        self._identities: dict[int, bytes] = defaultdict(lambda: uuid.uuid4().bytes)

    def goal(self, action: str, number: int, fields: dict[str, Any], copies: int = 1) -> None:
        """Send a goal and wait for the answer."""
        client = self._clients[action]
        client.ask("send_goal", _goal(client, self._identity(number), fields, copies), _ANSWER)

    def goals(self, action: str, count: int, fields: dict[str, Any]) -> None:
        """Send equal goals with different identities without waiting for answers."""
        client = self._clients[action]
        request = _goal(client, _ALL, fields, 1)
        for _ in range(min(int(count), 1000)):
            if not client.is_there("send_goal", _ANSWER):
                return
            fill(request, _identity(uuid.uuid4().bytes))
            client.ask("send_goal", request, 0.0)

    def gone(self, action: str, fields: dict[str, Any], copies: int = 1) -> None:
        """Send a goal from a client that leaves at once."""
        client = self._clients.new(action)
        try:
            client.ask("send_goal", _goal(client, uuid.uuid4().bytes, fields, copies), 0.0)
        finally:
            client.close()

    def cancel(self, action: str, number: int | str | None, stamp: dict[str, int]) -> None:
        """Cancel one goal, all goals (`number` None), or the goals up to a time."""
        client = self._clients[action]
        identity = _ALL if number is None else self._identity(number)
        request = client.request("cancel_goal", {"goal_info": {**_identity(identity), "stamp": stamp}})
        client.ask("cancel_goal", request, _ANSWER)

    def result(self, action: str, number: int | str, seconds: float) -> None:
        """Ask for the result of a goal and wait for at most so many seconds."""
        client = self._clients[action]
        request = client.request("get_result", _identity(self._identity(number)))
        client.ask("get_result", request, min(max(float(seconds), 0.0), _ANSWER))

    def _identity(self, number: int | str) -> bytes:
        return _UNKNOWN if isinstance(number, str) else self._identities[int(number)]


def _identity(identity: bytes) -> dict[str, Any]:
    return {"goal_id": {"uuid": list(identity)}}


def _goal(client: ActionClient, identity: bytes, fields: dict[str, Any], copies: int) -> Any:
    """Return a request that repeats its trajectory's points: each copy starts a second after the end of the last."""
    request = client.request("send_goal", {**_identity(identity), "goal": fields})
    if copies > 1 and (points := list(request.goal.trajectory.points)):
        period = points[-1].time_from_start.sec + 1
        repeated = (_later(point, number * period) for number in range(int(copies)) for point in points)
        request.goal.trajectory.points = list(islice(repeated, _MOST_POINTS))
    return request


def _later(point: Any, seconds: int) -> Any:
    moved = copy(point)
    moved.time_from_start = type(point.time_from_start)(
        sec=point.time_from_start.sec + seconds, nanosec=point.time_from_start.nanosec
    )
    return moved

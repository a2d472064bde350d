"""Action servers that cost a long-lived node little, and a limit on the goals that each takes.

rclpy keeps each goal for a while, and each message about states lists them all.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.logging import LoggingSeverity
from rclpy.node import Node

KEPT = 2
"""Seconds for which the result of a goal is kept for a client that has not asked for it before its end."""

MAX_GOALS = 200
"""Goals that are taken in this time."""


class GoalLimit:
    """Counts the goals of one action."""

    def __init__(self) -> None:
        self._taken: deque[float] = deque()

    def take(self) -> bool:
        """Whether another goal may be taken now; if so, it is counted."""
        now = time.monotonic()
        while self._taken and now > self._taken[0] + KEPT:
            self._taken.popleft()
        if len(self._taken) >= MAX_GOALS:
            return False
        self._taken.append(now)
        return True


class _Server(ActionServer):
    """Forgets no goal that runs.

    When several goals have been over for `KEPT`, rcl also names one that runs. rclpy would forget that goal, and its
    client would never get the result.
    """

    _running: tuple[Any, ...] = ()

    async def _execute_expire_goals(self, expired_goals: tuple[Any, ...]) -> None:
        named = {bytes(goal.goal_id.uuid): goal for goal in (*self._running, *expired_goals)}
        handles = {key: self._goal_handles[key] for key in named if key in self._goal_handles}
        self._running = tuple(named[key] for key, handle in handles.items() if handle.is_active)
        over = tuple(named[key] for key, handle in handles.items() if not handle.is_active)
        await super()._execute_expire_goals(over)


def create_action_server(
    node: Node,
    kind: Any,
    name: str,
    execute: Callable[[Any], Awaitable[Any]],
    accept: Callable[[], bool],
    cancel: Callable[[Any], None],
) -> ActionServer:
    """An action server that takes the goals that `accept` allows, and all requests to cancel.

    Its callbacks have a group of their own, as in `simspark_ros.ros.endpoints`.
    """
    # It would write a line for each request about a goal that it does not know; no client should fill logs.
    node.get_logger().get_child("action_server").set_level(LoggingSeverity.ERROR)

    def cancelled(goal: Any) -> CancelResponse:
        cancel(goal)
        return CancelResponse.ACCEPT

    return _Server(
        node,
        kind,
        name,
        execute_callback=execute,
        goal_callback=lambda goal: GoalResponse.ACCEPT if accept() else GoalResponse.REJECT,
        cancel_callback=cancelled,
        callback_group=ReentrantCallbackGroup(),
        result_timeout=KEPT,
    )

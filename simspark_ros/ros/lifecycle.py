"""The services of managed nodes, for nodes that have the states of ROS 2's life cycle by themselves.

There is no second state machine as in rclpy's `LifecycleNode`: other changes of a node, such as a pause by a monitor or
in the viewer, would contradict it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from lifecycle_msgs.msg import State, Transition, TransitionDescription, TransitionEvent
from lifecycle_msgs.srv import ChangeState, GetAvailableStates, GetAvailableTransitions, GetState
from rclpy.node import Node
from rclpy.qos import QoSProfile

from simspark_ros.configuration.errors import UserError, suggestion
from simspark_ros.ros.endpoints import create_publisher

Offer = Callable[[type[Any], str, Callable[[Any, Any], Awaitable[None]]], None]
"""Function that offers a service of a type by a name; the coroutine gets request and response."""

UNCONFIGURED = State.PRIMARY_STATE_UNCONFIGURED
INACTIVE = State.PRIMARY_STATE_INACTIVE
ACTIVE = State.PRIMARY_STATE_ACTIVE
FINALIZED = State.PRIMARY_STATE_FINALIZED
CONFIGURING = State.TRANSITION_STATE_CONFIGURING

LABELS = {
    UNCONFIGURED: "unconfigured",
    INACTIVE: "inactive",
    ACTIVE: "active",
    FINALIZED: "finalized",
    CONFIGURING: "configuring",
}

TRANSITIONS = (
    (Transition.TRANSITION_CONFIGURE, "configure", UNCONFIGURED, INACTIVE),
    (Transition.TRANSITION_UNCONFIGURED_SHUTDOWN, "shutdown", UNCONFIGURED, FINALIZED),
    (Transition.TRANSITION_CLEANUP, "cleanup", INACTIVE, UNCONFIGURED),
    (Transition.TRANSITION_ACTIVATE, "activate", INACTIVE, ACTIVE),
    (Transition.TRANSITION_INACTIVE_SHUTDOWN, "shutdown", INACTIVE, FINALIZED),
    (Transition.TRANSITION_DEACTIVATE, "deactivate", ACTIVE, INACTIVE),
    (Transition.TRANSITION_ACTIVE_SHUTDOWN, "shutdown", ACTIVE, FINALIZED),
)
"""Number, name, states before and after."""


class TransitionRefusedError(UserError):
    """A transition cannot be carried out now; the message says why."""


class Managed(Protocol):
    """An object with the states of a managed node."""

    @property
    def state(self) -> int:
        """One of `LABELS`."""

    async def carry_out(self, label: str) -> None:
        """Carry out a transition from the current state; `UserError` if that is not possible now."""


class LifecycleServices:
    """`get_state`, `change_state`, `get_available_states`, `get_available_transitions`, `get_transition_graph`.

    They and `transition_event` are below the node's name. Everything belongs to the executor's thread.
    """

    def __init__(self, node: Node, offer: Offer, managed: Managed) -> None:
        self._node, self._managed = node, managed
        self._known = managed.state
        self._events = create_publisher(node, TransitionEvent, "~/transition_event", QoSProfile(depth=10))
        offer(GetState, "~/get_state", self._get_state)
        offer(ChangeState, "~/change_state", self._change)
        offer(GetAvailableStates, "~/get_available_states", self._get_states)
        offer(GetAvailableTransitions, "~/get_available_transitions", self._get_available)
        offer(GetAvailableTransitions, "~/get_transition_graph", self._get_graph)

    def refresh(self) -> None:
        """Publish a transition that has happened, whatever caused it."""
        before, self._known = self._known, self._managed.state
        if before != self._known:
            event = TransitionEvent(timestamp=self._node.get_clock().now().nanoseconds)
            event.start_state, event.goal_state = _message(before), _message(self._known)
            for number, label, start, goal in TRANSITIONS:
                if (start, goal) == (before, self._known):
                    event.transition = Transition(id=number, label=label)
            self._events.publish(event)

    async def _get_state(self, request: Any, response: Any) -> None:
        response.current_state = _message(self._managed.state)

    async def _get_states(self, request: Any, response: Any) -> None:
        response.available_states = [_message(state) for state in LABELS]

    async def _get_available(self, request: Any, response: Any) -> None:
        response.available_transitions = [_description(*one) for one in TRANSITIONS if one[2] == self._managed.state]

    async def _get_graph(self, request: Any, response: Any) -> None:
        response.available_transitions = [_description(*one) for one in TRANSITIONS]

    async def _change(self, request: Any, response: Any) -> None:
        wanted = request.transition
        try:
            for number, label, start, _goal in TRANSITIONS:
                if start == self._managed.state and (label == wanted.label if wanted.label else number == wanted.id):
                    await self._managed.carry_out(label)
                    response.success = True
                    self.refresh()
                    return
            known = [one[1] for one in TRANSITIONS if one[2] == self._managed.state]
            hint = suggestion(wanted.label, known) if known else "this state has no transitions"
            raise TransitionRefusedError(f"no such transition from the state {LABELS[self._managed.state]}; {hint}")
        # The response has no room for a reason.
        except UserError as error:
            self._node.get_logger().warning(f"transition {wanted.label or wanted.id} is refused: {error}")


def _message(state: int) -> State:
    return State(id=state, label=LABELS[state])


def _description(number: int, label: str, start: int, goal: int) -> TransitionDescription:
    transition = Transition(id=number, label=label)
    return TransitionDescription(transition=transition, start_state=_message(start), goal_state=_message(goal))

"""The states of managed nodes: the state of the simulation by the names of ROS 2's life cycle.

There is no second state machine, as rclpy's `LifecycleNode` has one: time that is paused by a service of the standard,
by a monitor or in the viewer would contradict it.
"""

from __future__ import annotations

from typing import Any

from lifecycle_msgs.msg import State, Transition, TransitionDescription, TransitionEvent
from lifecycle_msgs.srv import ChangeState, GetAvailableStates, GetAvailableTransitions, GetState
from rclpy.node import Node

from simspark_ros.configuration.errors import UserError
from simspark_ros.msg import SimulationState
from simspark_ros.ros.endpoints import create_publisher
from simspark_ros.ros.services.server import RequestError, ServiceServer
from simspark_ros.ros.services.simulation import SimulationServices
from simspark_ros.ros.services.worlds import WorldServices
from simspark_ros.ros.topics.publisher import RELIABLE

_UNCONFIGURED = State.PRIMARY_STATE_UNCONFIGURED
_INACTIVE = State.PRIMARY_STATE_INACTIVE
_ACTIVE = State.PRIMARY_STATE_ACTIVE
_FINALIZED = State.PRIMARY_STATE_FINALIZED
_CONFIGURING = State.TRANSITION_STATE_CONFIGURING

LABELS = {
    _UNCONFIGURED: "unconfigured",
    _INACTIVE: "inactive",
    _ACTIVE: "active",
    _FINALIZED: "finalized",
    _CONFIGURING: "configuring",
}

STATES = {
    SimulationState.STATE_NO_WORLD: _UNCONFIGURED,
    SimulationState.STATE_LOADING_WORLD: _CONFIGURING,
    SimulationState.STATE_STOPPED: _INACTIVE,
    SimulationState.STATE_PAUSED: _INACTIVE,
    SimulationState.STATE_PLAYING: _ACTIVE,
    SimulationState.STATE_QUITTING: _FINALIZED,
}

TRANSITIONS = (
    (Transition.TRANSITION_CONFIGURE, "configure", _UNCONFIGURED, _INACTIVE),
    (Transition.TRANSITION_UNCONFIGURED_SHUTDOWN, "shutdown", _UNCONFIGURED, _FINALIZED),
    (Transition.TRANSITION_CLEANUP, "cleanup", _INACTIVE, _UNCONFIGURED),
    (Transition.TRANSITION_ACTIVATE, "activate", _INACTIVE, _ACTIVE),
    (Transition.TRANSITION_INACTIVE_SHUTDOWN, "shutdown", _INACTIVE, _FINALIZED),
    (Transition.TRANSITION_DEACTIVATE, "deactivate", _ACTIVE, _INACTIVE),
    (Transition.TRANSITION_ACTIVE_SHUTDOWN, "shutdown", _ACTIVE, _FINALIZED),
)
"""Number, name, states before and after."""


class LifecycleServices:
    """`get_state`, `change_state`, `get_available_states`, `get_available_transitions`, `get_transition_graph`.

    They and `transition_event` are below the node's name. Everything belongs to the executor's thread.
    """

    def __init__(
        self, node: Node, server: ServiceServer, simulation: SimulationServices, worlds: WorldServices
    ) -> None:
        self._node, self._simulation, self._worlds = node, simulation, worlds
        self._known = self._state
        self._events = create_publisher(node, TransitionEvent, "~/transition_event", RELIABLE)
        server.offer_coroutine(GetState, "~/get_state", self._get_state)
        server.offer_coroutine(ChangeState, "~/change_state", self._change)
        server.offer_coroutine(GetAvailableStates, "~/get_available_states", self._get_states)
        server.offer_coroutine(GetAvailableTransitions, "~/get_available_transitions", self._get_available)
        server.offer_coroutine(GetAvailableTransitions, "~/get_transition_graph", self._get_graph)

    def refresh(self) -> None:
        """Publish a transition that has happened, by whatever."""
        before, self._known = self._known, self._state
        if before != self._known:
            event = TransitionEvent(timestamp=self._node.get_clock().now().nanoseconds)
            event.start_state, event.goal_state = _message(before), _message(self._known)
            for number, label, start, goal in TRANSITIONS:
                if (start, goal) == (before, self._known):
                    event.transition = Transition(id=number, label=label)
            self._events.publish(event)

    @property
    def _state(self) -> int:
        return int(STATES[self._simulation.state])

    async def _get_state(self, request: Any, response: Any) -> None:
        response.current_state = _message(self._state)

    async def _get_states(self, request: Any, response: Any) -> None:
        response.available_states = [_message(state) for state in LABELS]

    async def _get_available(self, request: Any, response: Any) -> None:
        response.available_transitions = [_description(*one) for one in TRANSITIONS if one[2] == self._state]

    async def _get_graph(self, request: Any, response: Any) -> None:
        response.available_transitions = [_description(*one) for one in TRANSITIONS]

    async def _change(self, request: Any, response: Any) -> None:
        wanted = request.transition
        try:
            for number, label, start, _goal in TRANSITIONS:
                if start == self._state and (label == wanted.label if wanted.label else number == wanted.id):
                    await self._carry_out(label)
                    response.success = True
                    self.refresh()
                    return
            raise RequestError(0, f"no such transition from the state {LABELS[self._state]}")
        # The response has no room for a reason.
        except (RequestError, UserError) as error:
            self._node.get_logger().warning(f"transition {wanted.label or wanted.id} is refused: {error}")

    async def _carry_out(self, label: str) -> None:
        if label == "configure":
            await self._worlds.load_again()
        elif label == "cleanup":
            await self._worlds.unload()
        else:
            wanted = {
                "activate": SimulationState.STATE_PLAYING,
                "deactivate": SimulationState.STATE_PAUSED,
                "shutdown": SimulationState.STATE_QUITTING,
            }
            await self._simulation.change(wanted[label])


def _message(state: int) -> State:
    return State(id=state, label=LABELS[state])


def _description(number: int, label: str, start: int, goal: int) -> TransitionDescription:
    transition = Transition(id=number, label=label)
    return TransitionDescription(transition=transition, start_state=_message(start), goal_state=_message(goal))

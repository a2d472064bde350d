"""Nodes that a test leads through the states of managed ones."""

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState

from test.rigs.ros_processes import Observer


def state(observer: Observer, node: str) -> str:
    return str(observer.call(GetState, f"/{node}/get_state").current_state.label)


def change(observer: Observer, node: str, label: str = "", number: int = 0) -> bool:
    """Whether a transition is made, named by its label or its number."""
    request = ChangeState.Request(transition=Transition(id=number, label=label))
    return bool(observer.call(ChangeState, f"/{node}/change_state", request).success)

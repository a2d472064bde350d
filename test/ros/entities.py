"""Robots that come and go by services, and managed nodes that a test leads through their states."""

from typing import Any

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState

from simspark_ros.msg import Resource, Result
from simspark_ros.srv import DeleteEntity, SpawnEntity
from test.rigs.ros_processes import Observer


def request(name: str, uri: str = "nao", namespace: str = "", **fields: Any) -> SpawnEntity.Request:
    """The wish for a robot; `x`, `y` and `frame` are of its pose."""
    x, y, frame = (fields.pop(name, default) for name, default in (("x", 0.0), ("y", 0.0), ("frame", "")))
    made = SpawnEntity.Request(name=name, entity_namespace=namespace, entity_resource=Resource(uri=uri), **fields)
    made.initial_pose.header.frame_id = frame
    made.initial_pose.pose.position.x, made.initial_pose.pose.position.y = x, y
    return made


def spawn(observer: Observer, name: str, uri: str = "nao", namespace: str = "", **fields: Any) -> SpawnEntity.Response:
    return observer.call(SpawnEntity, "/spawn_entity", request(name, uri, namespace, **fields))


def spawned(observer: Observer, name: str, uri: str = "nao", namespace: str = "", **fields: Any) -> None:
    result = spawn(observer, name, uri, namespace, **fields).result
    assert result.result == Result.RESULT_OK, result.error_message


def delete(observer: Observer, name: str) -> int:
    return int(observer.call(DeleteEntity, "/delete_entity", DeleteEntity.Request(entity=name)).result.result)


def deleted(observer: Observer, *names: str) -> None:
    for name in names:
        assert delete(observer, name) == Result.RESULT_OK


def state(observer: Observer, node: str) -> str:
    return str(observer.call(GetState, f"/{node}/get_state").current_state.label)


def change(observer: Observer, node: str, label: str = "", number: int = 0) -> bool:
    """Whether a transition is made, named by its label or its number."""
    request = ChangeState.Request(transition=Transition(id=number, label=label))
    return bool(observer.call(ChangeState, f"/{node}/change_state", request).success)

"""Robots that come and go by services."""

from typing import Any

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
    """Spawn a robot that has to come."""
    result = spawn(observer, name, uri, namespace, **fields).result
    assert result.result == Result.RESULT_OK, result.error_message


def delete(observer: Observer, name: str) -> int:
    """The result of the service."""
    return int(observer.call(DeleteEntity, "/delete_entity", DeleteEntity.Request(entity=name)).result.result)


def deleted(observer: Observer, *names: str) -> None:
    """Delete robots that are there."""
    for name in names:
        assert delete(observer, name) == Result.RESULT_OK

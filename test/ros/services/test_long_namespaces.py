"""A namespace of any length: the robot has all of its topics, services and actions for other nodes, or is not added."""

from rclpy.action import ActionClient
from rclpy.action.graph import get_action_names_and_types

from simspark_ros.msg import Result
from simspark_ros.ros.topics.commands.follow_joint_trajectory import ACTION, action_type
from simspark_ros.srv import SpawnEntity
from test.rigs.ros_processes import Observer
from test.ros.entities import deleted, spawn, spawned


def below(observer: Observer, namespace: str) -> set[str]:
    """Topics, services and actions of a namespace, as another node sees them, without it."""
    node = observer.node
    found = {
        "topic": node.get_topic_names_and_types(),
        "service": node.get_service_names_and_types(),
        "action": get_action_names_and_types(node),
    }
    return {
        f"{kind} {name.removeprefix(namespace)}"
        for kind, names in found.items()
        for name, _ in names
        if name.startswith(f"{namespace}/")
    }


def wait_for_action(observer: Observer, namespace: str) -> None:
    """Wait until all services and topics of a robot's action are found."""
    client = ActionClient(observer.node, action_type(), f"{namespace}/{ACTION}")
    observer.until(client.server_is_ready, f"the action of {len(namespace)} letters")
    client.destroy()


def test_a_robot_of_any_namespace_is_found_whole_or_not_added(observer: Observer) -> None:
    spawned(observer, "bot", "sphere", "/short")
    wait_for_action(observer, "/short")
    observer.drain()
    wanted = below(observer, "/short")
    assert {name.split()[0] for name in wanted} == {"topic", "service", "action"}
    deleted(observer, "bot")
    added = []
    # /joint_trajectory_controller/follow_joint_trajectory/_action/cancel_goal has 72, its requests' topic 9 more.
    longest = 251 - 72 - 9
    for length in (*range(longest - 9, longest + 10), *range(245, 256)):
        namespace = "/" + "n" * (length - 1)
        answer = spawn(observer, "bot", "sphere", namespace)
        if answer.result.result == Result.RESULT_OK:
            observer.until(lambda: below(observer, namespace) >= wanted, f"all of {length} letters")  # noqa: B023
            wait_for_action(observer, namespace)
            deleted(observer, "bot")
            added.append(length)
        else:
            assert answer.result.result == SpawnEntity.Response.NAMESPACE_INVALID
            assert "is not possible" in answer.result.error_message or "no ROS name" in answer.result.error_message
            assert observer.entities() == ["field", "ball"]
    assert added == list(range(longest - 9, longest + 1))
    observer.until(lambda: not any(name.startswith("/nnn") for name in observer.topics()), "the end of all topics")

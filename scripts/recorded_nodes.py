"""Starts the nodes of the package and notes their topics, services and actions; nothing reaches the network.

The real nodes make their topics, services and actions, but on a `Node` whose `create_...` only take notes. So a page
has what the code makes, whatever packages of messages are installed here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock, patch

import rclpy
from rclpy.action import ActionServer
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from simspark_ros.perceptors.base import Perceptor, Topic
from simspark_ros.rendering.rendered_scene import SceneCamera
from simspark_ros.rendering.robot_cameras import cameras_of
from simspark_ros.rendering.scene_models import SimulatedRobot
from simspark_ros.robots.catalogue import load_robot, robot_names
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros import simulator_node
from simspark_ros.ros.bridge.fast_subscriber import FastSubscriber
from simspark_ros.ros.bridge.node import BridgeNode
from simspark_ros.ros.camera import node as camera_node
from simspark_ros.ros.camera.topics import CameraTopics
from simspark_ros.ros.network import start_ros
from simspark_ros.ros.player.node import RosPlayer
from simspark_ros.ros.settings import NodeOptions
from simspark_ros.ros.topics import registry
from simspark_ros.ros.topics.commands.effectors import commanded_by_topics
from simspark_ros.ros.topics.publisher import RELIABLE, RobotEntry, TopicPublisher
from simspark_ros.ros.topics.vision import levels
from simspark_ros.simulation import assembly
from simspark_ros.simulation.registry import PERCEPTORS
from simspark_ros.simulation.settings import SimulationSettings

_ABSENT = ("simulation_interfaces", "control_msgs")
"""Packages with types that ours stand for: the pages name ours, which are there in any case."""

_PRESENT = ("tf2_msgs", "visualization_msgs", "nao_lola_sensor_msgs", "nao_lola_command_msgs")
"""Packages without which topics are missing; their types are needed by name only."""

_DOMAIN = "101"
"""The nodes exist for an instant, and need not be seen where people work."""

_OF_EVERY_NODE = ("/rosout", "/parameter_events")
_OF_PARAMETERS = "rcl_interfaces"


@dataclass(frozen=True)
class Endpoint:
    """A topic, service or action of a node.

    Attributes:
        role: publisher, subscription, service or action.
        type: package/kind/name.
        kind: the class of the type.
        robots: names of the shipped robots that have it.
        line: the code's description of it, empty if there is only its type.
    """

    role: str
    name: str
    type: str
    kind: Any
    qos: str = ""
    robots: tuple[str, ...] = ()
    line: str = ""


@dataclass
class Recorded:
    """What nodes have offered since the beginning of a recording, and lines about topics by their full names."""

    endpoints: list[Endpoint] = field(default_factory=list)
    lines: dict[str, str] = field(default_factory=dict)

    def note(self, role: str, node: Node, kind: Any, name: str, qos: Any = None) -> MagicMock:
        """Take a note; returns what stands for the endpoint."""
        full = node.resolve_topic_name(name)
        type_name = kind if isinstance(kind, str) else _type_name(kind)
        if full not in _OF_EVERY_NODE and not type_name.startswith(_OF_PARAMETERS):
            self.endpoints.append(Endpoint(role, full, type_name, kind, _qos_text(qos) if qos is not None else ""))
        stand_in = MagicMock()
        stand_in.get_subscription_count.return_value = 0
        return stand_in

    def merged(self) -> list[Endpoint]:
        """The endpoints, those of robots once for all that have them, in the order in which they were made."""
        found: dict[tuple[str, str, str], Endpoint] = {}
        for one in self.endpoints:
            robot, name = _generic(one.name)
            line = self.lines.get(one.name, "")
            entry = found.setdefault((one.role, name, one.type), replace(one, name=name, robots=(), line=line))
            if robot and robot not in entry.robots:
                found[one.role, name, one.type] = replace(entry, robots=(*entry.robots, robot))
        return list(found.values())


def first_paragraph(text: str | None) -> str:
    """The beginning of a docstring without the name and type of a topic."""
    line = " ".join((text or "").split("\n\n")[0].split())
    name, found, rest = line.partition("): ")
    return rest if found and name.startswith("`") else line


def _line_of(publisher: TopicPublisher) -> str:
    if isinstance(publisher, levels.LevelPublisher):
        return publisher.level.line
    return first_paragraph(type(publisher).__doc__)


@cache
def simulator() -> list[Endpoint]:
    """The nodes `simulator` and `simulator_actions`, with one robot of each kind."""
    robots = tuple(f"{name}={name}" for name in robot_names())
    with _recording() as recorded:
        node = simulator_node.SimulatorNode(SimulationSettings(), NodeOptions(robots=robots, bridge=True))
        simulation, _ = node.build(simulator_node.bridge_links(node))
        for publisher in node._topics.publishers:
            recorded.lines[node.resolve_topic_name(publisher.topic)] = _line_of(publisher)
        for robot in node.control.roster:
            for effector, topic in commanded_by_topics(robot.description):
                name = node.resolve_topic_name(robot.topic(topic.name or effector.kind))
                recorded.lines[name] = first_paragraph(effector.__doc__)
        simulation.world.engine.close()
        node.destroy_node()
    found = recorded.merged()
    known = {(one.name, one.type) for one in found}
    return found + [one for one in _of_no_shipped_robot() if (one.name, one.type) not in known]


def _of_no_shipped_robot() -> Iterator[Endpoint]:
    """Topics that perceptors declare for all their instances, whatever robots carry them."""
    for perceptor in PERCEPTORS.values():
        for topic in perceptor.topics:
            name = f"<robot>/{topic.name.format(name='<name>', link='<link>')}"
            line = first_paragraph(perceptor.__doc__)
            yield Endpoint("publisher", name, topic.type, None, _qos_text(RELIABLE), line=line)


@cache
def bridge() -> list[Endpoint]:
    """The node `bridge`."""
    ports = [Parameter("agent_port", value=0), Parameter("monitor_port", value=-1)]
    with _recording() as recorded:
        BridgeNode(parameter_overrides=ports).close()
    return recorded.merged()


@cache
def camera() -> list[Endpoint]:
    """The node `simspark_camera`, with one robot of each kind, of whose cameras one is wanted."""
    cameras = [
        SceneCamera(SimulatedRobot(name, name, 0, None, 0), 0, camera)
        for name in robot_names()
        for camera in cameras_of(load_robot(name))
    ]
    with _recording() as recorded, patch.multiple(camera_node, SceneRenderer=MagicMock(), RenderedScene=MagicMock()):
        node = camera_node.CameraNode()
        node._rendered_scene = MagicMock(cameras=cameras, labels={})
        node._follow(())
        with patch.object(CameraTopics, "refresh"):
            next(iter(node._topics.values())).wanted = frozenset({"image_raw"})
            node._check_subscribers()
        node.close()
    return recorded.merged()


@cache
def player() -> list[Endpoint]:
    """The node `player`, with one robot."""
    with _recording() as recorded:
        node = Node("player")
        RosPlayer(node, "nao", MagicMock(), 1, "left")
        node.destroy_node()
    return [replace(one, robots=()) for one in recorded.merged()]


@contextmanager
def _recording() -> Iterator[Recorded]:
    recorded = Recorded()

    def publisher(node: Node, kind: Any, name: str, qos: Any, **_: Any) -> MagicMock:
        return recorded.note("publisher", node, kind, name, qos)

    def subscription(node: Node, kind: Any, name: str, callback: Any, qos: Any, **_: Any) -> MagicMock:
        return recorded.note("subscription", node, kind, name, qos)

    def service(node: Node, kind: Any, name: str, callback: Any, **_: Any) -> MagicMock:
        return recorded.note("service", node, kind, name)

    def action(server: ActionServer, node: Node, kind: Any, name: str, **_: Any) -> None:
        recorded.note("action", node, kind, name)

    def declared(robot: RobotEntry, cycle: Any, spec: PerceptorSpec, topic: Topic, perceptor: type[Perceptor]) -> Any:
        # By its names: the type's package need not be there.
        name = f"/{robot.topic(topic.name.format(name=spec.name, link=spec.link))}"
        if robot.handle >= 0:
            recorded.endpoints.append(Endpoint("publisher", name, topic.type, None, _qos_text(RELIABLE)))
            recorded.lines[name] = first_paragraph(perceptor.__doc__)
        return ()

    with ExitStack() as stack:
        stack.enter_context(patch.dict(os.environ, ROS_DOMAIN_ID=_DOMAIN))
        stack.enter_context(patch.dict(sys.modules, _packages()))
        stack.enter_context(patch.object(Node, "create_publisher", publisher))
        stack.enter_context(patch.object(Node, "create_subscription", subscription))
        stack.enter_context(patch.object(Node, "create_service", service))
        stack.enter_context(patch.object(ActionServer, "__init__", action))
        stack.enter_context(patch.object(FastSubscriber, "_receive"))
        stack.enter_context(patch.object(registry, "_declared", declared))
        stack.enter_context(patch.object(levels, "soccer_type", _own_type))
        stack.enter_context(patch.object(assembly, "preload_robots"))
        start_ros(["write_node_pages", "--ros-args", "--disable-rosout-logs", "--disable-stdout-logs"])
        stack.callback(rclpy.try_shutdown)
        yield recorded


class _AnyMessage(ModuleType):
    """A module that has every message."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (SimpleNamespace,), {"__module__": self.__name__, "header": SimpleNamespace()})


def _own_type(package: str, name: str) -> Any:
    # Found without being built, as this package may have been installed before it had the message.
    own = levels.OWN.get(package)
    return getattr(_AnyMessage(f"{package if own is None else 'simspark_ros'}.msg"), f"{own or ''}{name}")


def _packages() -> dict[str, Any]:
    modules: dict[str, Any] = {f"{name}{part}": None for name in _ABSENT for part in ("", ".msg", ".srv", ".action")}
    for name in _PRESENT:
        modules |= {name: ModuleType(name), f"{name}.msg": _AnyMessage(f"{name}.msg")}
    return modules


def _type_name(kind: Any) -> str:
    package, part = kind.__module__.split(".")[:2]
    return f"{package}/{part}/{kind.__name__}"


def _qos_text(qos: Any) -> str:
    if isinstance(qos, int):
        qos = QoSProfile(depth=qos)
    reliable = "best effort" if qos.reliability is ReliabilityPolicy.BEST_EFFORT else "reliable"
    latched = ", latched" if qos.durability is DurabilityPolicy.TRANSIENT_LOCAL else ""
    return f"{reliable}{latched}, depth {qos.depth}"


def _generic(name: str) -> tuple[str, str]:
    """The robot that a topic belongs to, empty if none, and its name with `<robot>`, `<link>`, `<name>` for such."""
    robot, *parts = name.strip("/").split("/")
    if robot not in robot_names():
        return "", name
    description = load_robot(robot)
    kinds = {spec.kind for spec in description.perceptors}
    links = {link.name for link in description.model.links} - kinds
    names = {spec.name for spec in description.perceptors} - kinds
    generic = ["<link>" if part in links else "<name>" if part in names else part for part in parts]
    return robot, "/".join(["<robot>", *generic])

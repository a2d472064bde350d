"""`scene`, `scene_models`, `scene_world` and `scene_poses`, from which other processes draw pictures."""

from __future__ import annotations

import contextlib
from array import array
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import String

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.msg import ScenePoses
from simspark_ros.physics.engine import Array, LinkSelection
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations
from simspark_ros.rendering.drawing.drawer import ScenePose
from simspark_ros.rendering.robot_cameras import cameras_of
from simspark_ros.rendering.scene_models import ModelKey, Perceptors, SimulatedRobot, line_of_model, lines_of_cameras
from simspark_ros.robots.description import RobotDescription
from simspark_ros.ros.conversions import MAP, set_stamp, tick_of
from simspark_ros.ros.endpoints import create_publisher
from simspark_ros.ros.topics.publisher import Fuse
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.soccer.settings import SoccerSettings
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld

POSES_TOPIC = "scene_poses"
"""Poses, once per picture period."""
ROBOTS_TOPIC = "scene"
"""The same message whenever robots come, go or change; late subscribers get it, too."""
MODELS_TOPIC = "scene_models"
"""Looks and cameras of the robots, published before robots of a new kind come in `ROBOTS_TOPIC`, and when cameras of a
robot change."""
WORLD_TOPIC = "scene_world"
"""The looks of the world as a line of text (`soccer.settings.text_of_world`), at the start and when it is replaced."""

ROBOTS_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
NEWEST_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
"""QoS of subscribers of poses: older poses are dropped, and never sent again."""

DEFAULT_RATE = 10.0
"""Rate of poses while no robot has a camera, Hz of simulated time."""

_TEAMS = {None: ScenePoses.NO_TEAM, Side.LEFT: ScenePoses.LEFT_TEAM, Side.RIGHT: ScenePoses.RIGHT_TEAM}
_SIDES = {number: side for side, number in _TEAMS.items()}


class ScenePosesControl(ControlNode):
    """Publishes `scene_poses` while it has subscribers, `scene`, `scene_models` and `scene_world` when they change.

    A cycle in which nothing is due costs less than a microsecond; one with poses costs one `link_poses` call and one
    message.

    `namespaces` has the namespaces of robots' topics, by handle, where they differ from the robots' names; it is read
    again whenever robots change. `rate` is the rate of poses, Hz; None = as the fastest camera of any robot.
    """

    def __init__(self, node: Node, namespaces: Mapping[int, str], rate: float | None = None) -> None:
        self._namespaces, self._wanted_rate = namespaces, rate
        self._rate = rate or DEFAULT_RATE
        self._poses = create_publisher(node, ScenePoses, POSES_TOPIC, QoSProfile(depth=1))
        self._robots = create_publisher(node, ScenePoses, ROBOTS_TOPIC, ROBOTS_QOS)
        self._models = create_publisher(node, String, MODELS_TOPIC, ROBOTS_QOS)
        self._world = create_publisher(node, String, WORLD_TOPIC, ROBOTS_QOS)
        # Two topics have the same message, and none says anything without the others.
        self._fuse = Fuse(node, f"{ROBOTS_TOPIC}, {MODELS_TOPIC}, {WORLD_TOPIC}, {POSES_TOPIC}")
        self._message = ScenePoses()
        self._message.header.frame_id = MAP
        self._links: LinkSelection
        self._drawn: SoccerSettings | None = None
        self._told: dict[ModelKey, tuple[RobotDescription, str]] = {}
        self._own_cameras: list[str] = []
        # Rates of each robot's cameras, Hz, for the perceptors that it carries.
        self._camera_rates: dict[int, tuple[Perceptors, list[float]]] = {}
        self._revision = -1
        self._tick = -1
        self._wanted = False

    def refresh(self) -> None:
        """Find out whether poses have subscribers; for the executor's thread."""
        self._wanted = self._poses.get_subscription_count() > 0

    def end_cycle(self, simulation: Simulation) -> None:
        """Publish what is due."""
        if self._wanted or simulation.world.revision != self._revision:
            self._fuse.run(lambda: self._publish(simulation))

    def _publish(self, simulation: Simulation) -> None:
        world = simulation.world
        if world.revision != self._revision:
            self._tell_world(simulation)
            carried = [simulation.sensing.mounted(robot) for robot in world.robots.values()]
            self._bind(world, carried)
            self._tell_models(world, carried)
            self._fill(world, simulation.time)
            self._robots.publish(self._message)
        if not self._wanted:
            return
        tick = tick_of(simulation.time, self._rate)
        if tick != self._tick:
            self._tick = tick
            self._fill(world, simulation.time)
            self._poses.publish(self._message)

    def _bind(self, world: SoccerWorld, carried: list[Perceptors]) -> None:
        robots, message = list(world.robots.values()), self._message
        message.names = [self._namespaces.get(robot.handle, robot.name) for robot in robots]
        message.models = [robot.description.source for robot in robots]
        message.variants = [robot.description.variant for robot in robots]
        message.teams = [_TEAMS[robot.side] for robot in robots]
        message.link_counts = [len(robot.description.model.links) for robot in robots]
        links = [(robot.handle, link.name) for robot in robots for link in robot.description.model.links]
        self._links = world.engine.select_links(links)
        self._rate = self._wanted_rate or self._fastest_camera(robots, carried)
        self._revision = world.revision

    def _fastest_camera(self, robots: list[SoccerRobot], carried: list[Perceptors]) -> float:
        before, self._camera_rates = self._camera_rates, {}
        for robot, perceptors in zip(robots, carried, strict=True):
            kept = before.get(robot.handle)
            if kept is None or kept[0] != perceptors:
                kept = perceptors, _camera_rates(replace(robot.description, perceptors=perceptors))
            self._camera_rates[robot.handle] = kept
        return max((rate for _, rates in self._camera_rates.values() for rate in rates), default=DEFAULT_RATE)

    def _tell_world(self, simulation: Simulation) -> None:
        if simulation.world.settings is not self._drawn:
            self._drawn = simulation.world.settings
            self._world.publish(String(data=simulation.worlds.drawn))

    def _tell_models(self, world: SoccerWorld, carried: list[Perceptors]) -> None:
        descriptions = [robot.description for robot in world.robots.values()]
        # If a file changed in between, the newest description holds.
        wanted, told = {(one.source, one.variant): one for one in descriptions}, self._told
        # Robots that have left may stay in the message until others come.
        own = lines_of_cameras(zip(self._message.names, descriptions, carried, strict=True))
        if own == self._own_cameras and all(key in told and told[key][0] is one for key, one in wanted.items()):
            return
        self._own_cameras = own
        self._told = {
            key: told[key] if key in told and told[key][0] is one else (one, line_of_model(one))
            for key, one in wanted.items()
        }
        self._models.publish(String(data="\n".join([*(line for _, line in self._told.values()), *own])))

    def _fill(self, world: SoccerWorld, time: float) -> None:
        message = self._message
        set_stamp(message.header.stamp, time)
        positions, rotations = world.engine.link_poses(self._links)
        message.positions = _floats(positions)
        message.quaternions = _floats(quaternions_from_rotations(rotations))
        has_ball = world.scene.ball is not None
        message.ball = [*world.engine.state.ball_position.tolist(), *world.ball_quaternion] if has_ball else []


def scene_of(message: ScenePoses) -> tuple[tuple[SimulatedRobot, ...], ScenePose]:
    """The robots of a message, and the poses of all their links.

    Raises:
        ValueError: the lengths of its arrays contradict each other, or a value is impossible.
    """
    count, ball = len(message.names), _array(message.ball)
    for name in ("models", "variants", "teams", "link_counts"):
        if len(getattr(message, name)) != count:
            raise ValueError(f"{count} names, but {len(getattr(message, name))} {name}")
    if any(number not in _SIDES for number in message.teams) or any(links < 0 for links in message.link_counts):
        raise ValueError("teams must be 0, 1 or 2, and link_counts at least 0")
    links = sum(message.link_counts)
    positions, quaternions = _array(message.positions), _array(message.quaternions)
    if (len(positions), len(quaternions)) != (3 * links, 4 * links) or len(ball) not in (0, 7):
        raise ValueError(
            f"{links} links, but {len(positions)} numbers in positions, {len(quaternions)} in quaternions, "
            f"and {len(ball)} for the ball"
        )
    columns = (message.names, message.models, message.variants, message.teams, message.link_counts)
    robots = tuple(
        SimulatedRobot(name, model, variant, _SIDES[team], links)
        for name, model, variant, team, links in zip(*columns, strict=True)
    )
    return robots, ScenePose(positions.reshape(-1, 3), quaternions.reshape(-1, 4), ball[:3] if len(ball) else None)


def _camera_rates(description: RobotDescription) -> list[float]:
    # The process that draws reports a faulty camera.
    with contextlib.suppress(ConfigurationError):
        return [camera.settings.rate_hz for camera in cameras_of(description)]
    return []


def _floats(values: Array) -> array[float]:
    # Conversion of single numbers would take as long as reading the poses.
    return array("f", values.astype(np.float32).tobytes())


def _array(values: array[float]) -> NDArray[np.float64]:
    return np.frombuffer(values, np.float32).astype(np.float64) if len(values) else np.zeros(0)

"""The camera process beside a real simulator: it shows the world, the robots and the cameras that are there now."""

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, Image

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.msg import ScenePoses
from simspark_ros.physics.geometry.rotations import rotations_from_quaternions
from simspark_ros.rendering.drawing.optics import CameraPose, Lens
from simspark_ros.rendering.robot_cameras import cameras_of
from simspark_ros.ros.remote_robot import RemoteRobot
from simspark_ros.ros.topics.world.scene_poses import POSES_TOPIC, ROBOTS_QOS, ROBOTS_TOPIC, ScenePosesControl, scene_of
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.worlds.world import Zoom
from test.rendering.scenes import project
from test.rigs.cameras import LINKS, NAO, Peer, Start, end, message


class _SubscriberCheck(ControlNode):
    """Does what the simulator's executor does now and then."""

    def __init__(self, poses: ScenePosesControl) -> None:
        self._poses = poses

    def start_cycle(self, simulation: Simulation) -> None:
        self._poses.refresh()


@pytest.fixture
def simulation(peer: Peer) -> Iterator[Simulation]:
    """The real one, with one robot and a ball before it."""
    simulation, _ = build_simulation(SimulationSettings(pacing="fast"), [], time.monotonic, time.sleep)
    world = simulation.world
    world.add_robot(NAO, (0.0, 0.0, NAO.spawn_height), 0.0, name="left_1")
    world.place_ball((2.0, 0.4))
    peer.node.destroy_publisher(peer.scene)
    peer.node.destroy_publisher(peer.poses)
    peer.node.destroy_publisher(peer.models)
    poses = ScenePosesControl(peer.node, {})
    simulation.add_node(poses)
    simulation.add_node(_SubscriberCheck(poses))
    yield simulation
    world.engine.close()


def test_the_real_simulator_shows_the_ball(peer: Peer, simulation: Simulation, start_camera: Start) -> None:
    images = peer.collect(Image, "/left_1/camera/image_raw")
    process = start_camera()
    # A topic without a subscriber costs nothing: only the first cycle says which robots there are.
    peer.wait(lambda: images, lambda: simulation.run(5))
    end(process)
    stamp, picture = images[0].header.stamp, np.frombuffer(images[0].data, np.uint8).reshape(240, 320, 3).astype(int)
    cycles = (stamp.sec + stamp.nanosec * 1e-9) / 0.02
    assert cycles == pytest.approx(round(cycles)), "the stamp is the time of a cycle"
    red, green, blue = picture.transpose(2, 0, 1)
    rows, columns = np.nonzero((red > green + 60) & (green > blue + 25))
    # The robot has hardly moved since the picture, so that its pose now will do; 1 pixel is 0.2 degrees.
    world = simulation.world
    (camera,) = cameras_of(NAO)
    selection = world.engine.select_links([(min(world.robots), "head")])
    centres, rotations = world.engine.link_poses(selection)
    pose = CameraPose.on_link(camera.mount, centres[0], rotations[0])
    expected = project(Lens(), world.engine.state.ball_position[None], pose)[0]
    np.testing.assert_allclose([columns.mean(), rows.mean()], expected, atol=2.0)


def test_a_camera_shows_the_world_that_is_loaded(peer: Peer, simulation: Simulation, start_camera: Start) -> None:
    images = peer.collect(Image, "/left_1/camera/image_raw")
    # As launch files start it: it shows that world until the simulator tells its own.
    process = start_camera("world:=spl")
    peer.wait(lambda: images, lambda: simulation.run(5))
    for robot in list(simulation.world.robots.values()):
        simulation.world.remove_robot(robot)
    wall = "obstacles: {wall: {box: [0.1, 9.0, 4.0], position: [2.0, 0.0, 0.0], colour: [0.9, 0.1, 0.1]}}"
    text = f"based_on: empty\n{wall}"
    simulation.worlds.prepare(simulation, simulation.worlds.find("", text, LimitSettings())())()
    simulation.scheduler.resume()
    simulation.world.add_robot(NAO, (0.0, 0.0, NAO.spawn_height), 0.0, name="left_1")

    def red() -> float:
        picture = np.frombuffer(images[-1].data, np.uint8).reshape(-1, 3).astype(int)
        return float((picture[:, 0] > 1.6 * picture[:, 1:].max(axis=1)).mean())

    # The wall fills all but the ground.
    peer.wait(lambda: images and red() > 0.3, lambda: simulation.run(1))
    end(process)


def test_a_camera_follows_changes_and_a_zooming_lens(peer: Peer, simulation: Simulation, start_camera: Start) -> None:
    images = peer.collect(Image, "/left_1/camera/image_raw")
    infos = peer.collect(CameraInfo, "/left_1/camera/camera_info")
    depths = peer.collect(Image, depth := "/left_1/camera/depth/image_raw")
    process = start_camera()
    peer.wait(lambda: images and infos, lambda: simulation.run(5))
    assert infos[-1].k[0] == pytest.approx(160.0 / math.tan(math.radians(30.0)))
    world = simulation.world
    world.zooms[min(world.robots), "camera"] = Zoom(60.0, 30.0, 100.0)
    narrow = 160.0 / math.tan(math.radians(15.0))
    peer.wait(lambda: infos[-1].k[0] == pytest.approx(narrow), lambda: simulation.run(5))
    (spec,) = (one for one in NAO.perceptors if one.kind == "camera")
    small = {**spec.parameters, "width": 64, "height": 48, "rate_hz": 25.0, "depth": True}
    (robot,) = simulation.world.robots.values()
    simulation.sensing.adjust(simulation.world, robot, replace(spec, parameters=small))
    images.clear()
    peer.wait(lambda: depths and images and images[-1].width == 64, lambda: simulation.run(1))
    assert (depths[-1].width, depths[-1].height, depths[-1].encoding) == (64, 48, "32FC1")
    simulation.sensing.adjust(simulation.world, robot, replace(spec, parameters={**small, "depth": False}))
    peer.wait(lambda: not peer.node.get_publishers_info_by_topic(depth), lambda: simulation.run(1))
    end(process)


def test_a_robot_of_an_unreadable_file_has_pictures(peer: Peer, simulation: Simulation, start_camera: Start) -> None:
    gone = replace(NAO, source="/gone/own.yaml")
    simulation.world.add_robot(gone, (0.0, 2.0, NAO.spawn_height), 0.0, name="own")
    process = start_camera("width:=32", "height:=24")
    node = Node("program", context=peer.node.context)
    robot = RemoteRobot(node, "based_on: nao", "own", spawned=False, limits=LimitSettings(robot_file_time=60.0))
    image = robot.sensors.get(type="camera", feature="image")
    peer.wait(lambda: robot.sensors.update(image, patience=0.1), lambda: simulation.run(5))
    assert image.values.shape == (24, 32, 3)
    robot.close()
    node.destroy_node()
    assert "not drawn" not in end(process)


def test_poses_are_published_once_a_period_and_only_while_wanted(peer: Peer, simulation: Simulation) -> None:
    simulation.run(10)
    latched: list[Any] = []
    peer.node.create_subscription(ScenePoses, ROBOTS_TOPIC, latched.append, ROBOTS_QOS)
    peer.wait(lambda: latched)
    robots = (list(latched[0].names), list(latched[0].models), list(latched[0].link_counts))
    assert robots == (["left_1"], ["nao"], [LINKS])
    assert latched[0].header.stamp.nanosec == 20_000_000, "it is sent in the cycle in which the robots changed"
    poses = peer.collect(ScenePoses, POSES_TOPIC)
    peer.wait(lambda: poses, lambda: simulation.run(5))
    poses.clear()
    start = simulation.time
    # Served cycle by cycle: the queue holds the newest only.
    for _ in range(50):
        simulation.run(1)
        peer.executor.spin_once(timeout_sec=0.02)
    peer.wait(lambda: len(poses) >= 9)
    times = [message.header.stamp.sec + message.header.stamp.nanosec * 1e-9 for message in poses]
    assert start < times[0]
    np.testing.assert_allclose(np.diff(times) / 0.1, np.rint(np.diff(times) / 0.1), atol=1e-6)
    assert len(times) <= 11
    seen, pose = scene_of(poses[-1])
    assert seen[0].name == "left_1"
    # float32 numbers of a few metres.
    np.testing.assert_allclose(np.linalg.norm(pose.quaternions, axis=1), 1.0, atol=1e-6)
    assert rotations_from_quaternions(pose.quaternions)[0, 2, 2] == pytest.approx(1.0, abs=0.05), "it stands"


def test_a_message_survives_being_taken_apart() -> None:
    robots, pose = scene_of(message("a", "b"))
    assert [robot.name for robot in robots] == ["a", "b"]
    assert pose.positions.shape == (2 * LINKS, 3)
    assert scene_of(ScenePoses())[1].ball is None
    for name, value in (("models", []), ("teams", [7]), ("link_counts", [-1]), ("ball", [1.0]), ("quaternions", [1.0])):
        broken = message("a")
        setattr(broken, name, value)
        with pytest.raises(ValueError, match=r"names|team|links"):
            scene_of(broken)

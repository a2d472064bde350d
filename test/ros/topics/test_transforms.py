"""The transforms of several robots: one tree, whether each has its own topic or all share one; and their bytes."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Pose, PoseArray
from rclpy.serialization import deserialize_message, serialize_message
from std_msgs.msg import Header

from simspark_ros.arena import Arena
from simspark_ros.physics.geometry.rotations import rotations_from_quaternions
from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.rendering.robot_cameras import cameras_of
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics import transforms
from simspark_ros.ros.topics.publisher import RobotEntry, TopicPublisher
from simspark_ros.ros.topics.registry import publishers_of
from simspark_ros.ros.topics.transforms import SerializedMessage, TransformPublisher, has_footprint, static_transforms
from test.robots.formats.adaptation.makers import BOX, joint, link, robot, write

ROBOTS = (*map(load_robot, ("nao", "nao_lola", "nao_sensors", "nao_v6", "kidsize", "sphere")), load_robot("nao", 4))
NAMES = [f"{side}_{number}" for side in ("left", "right") for number in range(1, 5)]


@dataclass
class Transforms:
    """Stands for tf2_msgs/TFMessage, which does not come with the ROS wheels of PyPI."""

    transforms: list[Any] = field(default_factory=list)


@pytest.fixture(autouse=True)
def with_transforms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transforms, "transform_message", lambda: Transforms)


def team(tf: str) -> list[RobotEntry]:
    """Eight robots, of all these kinds."""
    return [RobotEntry(handle, name, name, ROBOTS[handle % len(ROBOTS)], tf) for handle, name in enumerate(NAMES)]


def topics(entry: RobotEntry) -> list[TopicPublisher]:
    # Packages that are not installed are none of this.
    return list(publishers_of(entry, Cycle(), lambda text: None))


def edges(entry: RobotEntry) -> list[tuple[str, str]]:
    """(child, parent) of all transforms of a robot."""
    moving = [publisher.message for publisher in topics(entry) if isinstance(publisher, TransformPublisher)]
    assert len(moving) == 1
    sent = [*moving[0].transforms, *static_transforms(Time(), entry)]
    return [(transform.child_frame_id, transform.header.frame_id) for transform in sent]


def check_tree(found: list[tuple[str, str]]) -> set[str]:
    """Check that these make one tree below `map`; returns its frames."""
    parents = dict(found)
    assert len(parents) == len(found), "a frame has two parents"
    for frame in parents:
        seen, above = {frame}, frame
        while above in parents:
            above = parents[above]
            assert above not in seen, "a circle"
            seen.add(above)
        assert above == "map", f"{frame} hangs on {above}"
    return {"map", *parents}


def shown_frames(entry: RobotEntry) -> set[str]:
    """Frame ids of the headers of a robot's topics, those of its cameras included, and its links."""
    headers = {publisher.message.header.frame_id for publisher in topics(entry) if hasattr(publisher.message, "header")}
    links = {link.get("name") for link in ElementTree.fromstring(entry.description.urdf).findall("link")}
    cameras = {camera.frame for camera in cameras_of(entry.description)}
    return headers - {""} | {f"{entry.prefix}{frame}" for frame in links | cameras}


def test_with_a_topic_each_every_robot_has_a_tree_with_plain_frames() -> None:
    entries = team("namespaced")
    for entry in entries:
        frames = check_tree(edges(entry))
        assert shown_frames(entry) <= frames
        assert {"odom", entry.base_frame} <= frames and not any("/" in frame for frame in frames)
    names = [publisher.topic for entry in entries for publisher in topics(entry)]
    assert len(names) == len(set(names)), "two publishers of a topic"
    assert {f"{name}/tf" for name in NAMES} <= set(names)


def test_with_one_topic_all_robots_are_in_one_tree() -> None:
    entries = team("global")
    frames = check_tree([edge for entry in entries for edge in edges(entry)])
    for entry in entries:
        assert shown_frames(entry) <= frames
        assert {f"{entry.name}/odom", entry.base_frame} <= frames
    # But for the world's, every frame says whose it is.
    assert {frame.partition("/")[0] for frame in frames} == {"map", *NAMES}
    names = [publisher.topic for entry in entries for publisher in topics(entry)]
    assert names.count("/tf") == len(NAMES) and not any(name.endswith("/tf") and name != "/tf" for name in names)


def test_a_robot_state_publisher_is_left_its_part_of_the_tree_and_only_soles_have_a_footprint() -> None:
    for entry in team("base"):
        frames = check_tree(edges(entry))
        footprint = {"base_footprint"} if has_footprint(entry.description.model) else set()
        assert frames == {"map", "odom", entry.base_frame} | footprint
    assert [one.name for one in ROBOTS if not has_footprint(one.model)] == ["sphere"]
    for entry in team("none"):
        assert not any(isinstance(publisher, TransformPublisher) for publisher in topics(entry))


@pytest.mark.parametrize("tf", ["namespaced", "global", "base"])
@pytest.mark.parametrize("root", ["base_footprint", "world"])
def test_a_link_of_the_file_above_the_base_frame_is_the_root_of_the_tree(tmp_path: Path, tf: str, root: str) -> None:
    """As TurtleBot3's base_footprint, or the world of a bolted arm: robot_state_publisher hangs base_link on it."""
    mount = joint("mount", root, "base_link", '<origin xyz="0.3 0 -0.1" rpy="0 0 0.5"/>', "fixed")
    path = write(tmp_path, robot(link(root, mass=0.0), link("base_link", BOX, 2.0), mount))
    with Arena(engine="planar") as arena:
        arena.add(str(path), name="own", position=(1.0, 2.0, 0.2), heading=0.7)
        arena.step()
        cycle = Cycle()
        cycle.bind(arena.world, arena.percepts)
        cycle.update(arena.world, arena.percepts, {})
        entry = RobotEntry(arena.entity("own").handle, "own", "own", load_robot(str(path)), tf)
        assert check_tree(edges(entry)) >= {f"{entry.prefix}{root}"}
        (publisher,) = TransformPublisher.of_robot(entry, cycle)
        assert isinstance(publisher, TransformPublisher)
        publisher.bind()
        publisher.fill()
        above = Transform(rotations_from_quaternions(publisher.values[:1, 3:])[0], publisher.values[0, :3])
        base = above @ Transform.of((0.3, 0.0, -0.1), (0.0, 0.0, 0.5))
        assert base.position == pytest.approx(cycle.motion.position[0])
        assert base.rpy() == pytest.approx((0.0, 0.0, 0.7))


def poses(frame: str, stamp: Time, values: list[list[float]]) -> PoseArray:
    message = PoseArray(header=Header(frame_id=frame))
    message.header.stamp = stamp
    for x, y, z, w in values:
        pose = Pose()
        pose.position.x, pose.position.y, pose.position.z, pose.orientation.w = x, y, z, w
        message.poses.append(pose)
    return message


def test_numbers_and_stamp_are_replaced_and_nothing_else() -> None:
    # Names of all lengths: numbers begin at multiples of eight.
    for frame in ("", "a", "map", "odometry", "x" * 33):
        stamp = Time(sec=3, nanosec=4)
        first = poses(frame, stamp, [[0.0, 0.0, 0.0, 1.0]] * 3)
        parts = [each for pose in first.poses for each in ((pose.position, "xyz"), (pose.orientation, "w"))]
        numbers = [(part, name) for part, names in parts for name in names]
        before = serialize_message(first)
        serialized = SerializedMessage(first, numbers, stamp)
        assert serialize_message(first) == before, "the message was changed"
        for time in (5, 6):
            values = np.random.default_rng(time).random((3, 4))
            stamp.sec, stamp.nanosec = time, 10 * time
            expected = poses(frame, stamp, values.tolist())
            data = serialized.at(values.ravel(), stamp)
            assert deserialize_message(data, PoseArray) == expected
            assert data == serialize_message(expected)

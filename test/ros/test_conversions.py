"""Units, frames and covariances of messages, and the tree of transforms against independent kinematics."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from builtin_interfaces.msg import Time

from simspark_ros.physics.engine import EngineState
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.rotations import quaternion_from_rotation, rotations_from_quaternions
from simspark_ros.physics.geometry.transforms import Transform, rotation_from_rpy
from simspark_ros.robots.body.kinematics import base_frame
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.formats.urdf.importer import urdf_joints
from simspark_ros.ros import conversions
from simspark_ros.ros.topics.publisher import RobotEntry
from simspark_ros.ros.topics.transforms import MovingFrames, TransformPublisher, static_transforms


@pytest.mark.parametrize(
    ("time", "sec", "nanosec"),
    [(0.0, 0, 0), (0.02, 0, 20_000_000), (0.06, 0, 60_000_000), (86400.98, 86400, 980000000)],
)
def test_stamps_are_whole_cycles_without_rounding_noise(time: float, sec: int, nanosec: int) -> None:
    stamp = Time()
    conversions.set_stamp(stamp, time)
    assert (stamp.sec, stamp.nanosec) == (sec, nanosec)


def test_covariances_torques_and_ticks() -> None:
    assert np.reshape(conversions.covariance(0.1), (3, 3)) == pytest.approx(0.01 * np.eye(3))
    assert not any(conversions.covariance(0.0))
    # 20 N upward, 3 cm in front of the origin: the toes are lifted, which is negative pitch.
    torque = conversions.wrench_at_origin(np.array([0.03, 0.0, -0.045]), np.array([0.0, 0.0, 20.0]))
    assert torque == pytest.approx([0, -0.6, 0])
    ticks = [conversions.tick_of(cycle * 0.02, 7.0) for cycle in range(1, 501)]
    # 10 s at 7 Hz; the phase of cycles does not matter in the long run.
    assert len(set(ticks)) == 71
    assert conversions.tick_of(0.1 + 0.2, 10.0) == 3


def state_of(rotation: np.ndarray, **motion: tuple[float, float, float]) -> EngineState:
    state = EngineState()
    state.rotation = rotation[None]
    state.position, state.linear_velocity, state.angular_velocity = (
        np.array([motion.get(name, (0.0, 0.0, 0.0))]) for name in ("position", "linear", "angular")
    )
    return state


def test_ground_truth_is_of_base_link_and_its_twist_in_base_link() -> None:
    name, frame = base_frame(load_robot("nao").model)
    assert name == "base_link"
    assert frame.position == pytest.approx([-0.01, 0.0, -0.115])
    # Turned to the left by 90 degrees, walking along +y of the world and turning left at 2 rad/s.
    turned = rotation_from_rpy((0.0, 0.0, math.pi / 2))
    state = state_of(turned, position=(1.0, 2.0, 0.385), linear=(0.0, 0.5, 0.0), angular=(0.0, 0.0, 2.0))
    motion = conversions.base_motion(state, frame.position[None], frame.rotation[None])
    assert motion.position[0] == pytest.approx([1.0, 1.99, 0.27])
    assert motion.quaternion[0] == pytest.approx([0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)])
    # Forward is the body's x; 1 cm behind the centre the turn adds a velocity to the right.
    assert motion.linear[0] == pytest.approx([0.5, -0.02, 0.0])
    assert motion.angular[0] == pytest.approx([0.0, 0.0, 2.0])


def transform_of(message: SimpleNamespace) -> Transform:
    t, q = message.transform.translation, message.transform.rotation
    rotation = rotations_from_quaternions(np.array([[q.x, q.y, q.z, q.w]]))[0]
    return Transform(rotation, np.array([t.x, t.y, t.z]))


@pytest.mark.parametrize("prefix", ["", "left_1/"])
def test_transforms_of_all_links_agree_with_forward_kinematics(prefix: str) -> None:
    description = load_robot("nao", 4)
    model = description.model
    names = [joint.name for joint in model.joints]
    angles = np.random.default_rng(1).uniform(-0.7, 0.7, len(names))
    robot = RobotEntry(1, "left_1", "left_1", description, "global" if prefix else "robot")
    cycle, message = a_cycle(description.model, angles), SimpleNamespace()
    publisher = TransformPublisher(robot, cycle, message, drifted())
    links = {m.child_frame_id: m for m in (*sent(publisher), *static_transforms(cycle.stamp, robot))}
    assert publisher.topic == ("/tf" if prefix else "left_1/tf")
    assert links[f"{prefix}odom"].header.frame_id == "map"
    assert links[f"{prefix}base_link"].header.frame_id == f"{prefix}odom"

    def in_world(name: str) -> Transform:
        if name == "map":
            return Transform()
        return in_world(links[name].header.frame_id) @ transform_of(links[name])

    torso = in_world(f"{prefix}torso")
    assert torso.position == pytest.approx([1.0, 2.0, 0.385])
    for name, pose in link_frames(model, dict(zip(names, angles.tolist(), strict=True))).items():
        expected = torso @ pose
        found = in_world(f"{prefix}{name}")
        assert found.position == pytest.approx(expected.position, abs=1e-9), name
        assert found.rotation == pytest.approx(expected.rotation, abs=1e-9), name


def sent(publisher: TransformPublisher) -> list[Any]:
    publisher.bind()
    publisher.fill()
    for message, row in zip(publisher.message.transforms, publisher.values.tolist(), strict=True):
        conversions.set_xyz(message.transform.translation, row[:3])
        conversions.set_quaternion(message.transform.rotation, row[3:])
    return list(publisher.message.transforms)


def drifted() -> Any:
    base = Transform(rotation_from_rpy((0.0, 0.1, 0.7)), np.array([0.4, -0.3, 0.27]))
    quaternion = np.array(quaternion_from_rotation(base.rotation))
    return SimpleNamespace(base=base, quaternion=quaternion, bind=lambda: None, update=lambda: None)


def a_cycle(model: Any, angles: np.ndarray) -> Any:
    state = state_of(rotation_from_rpy((0.1, -0.2, 0.3)), position=(1.0, 2.0, 0.385))
    state.joint_position = angles
    frame = base_frame(model)[1]
    motion = conversions.base_motion(state, frame.position[None], frame.rotation[None])
    joints = slice(0, len(angles))
    return SimpleNamespace(stamp=Time(), state=state, motion=motion, row=lambda handle: 0, joints=lambda handle: joints)


def test_a_sliding_joint_moves_along_its_axis_in_its_own_frame() -> None:
    document = """<robot name="r"><joint name="lift" type="prismatic"><parent link="a"/><child link="b"/>
        <origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/><axis xyz="2 0 0"/>
        <limit lower="0" upper="1" velocity="1" effort="1"/></joint></robot>"""
    frames = MovingFrames(urdf_joints(document), {"lift": 0})
    translation, quaternion = frames.at(np.array([0.25]))
    assert translation[0] == pytest.approx([1.0, 0.25, 0.0])
    assert quaternion[0] == pytest.approx([0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)])


def test_map_to_odom_may_be_left_to_a_node_that_localizes_and_without_odometry_a_robot_is_truly_there() -> None:
    description = load_robot("nao")
    robot = RobotEntry(1, "nao", "nao", description, "base", localized=False)
    cycle = a_cycle(description.model, np.zeros(len(description.model.joints)))
    message: Any = SimpleNamespace()
    odometry = drifted()
    publisher = TransformPublisher(robot, cycle, message, odometry)
    base, footprint = sent(publisher)
    assert not static_transforms(cycle.stamp, robot)
    assert (base.header.frame_id, base.child_frame_id) == ("odom", "base_link")
    assert (footprint.header.frame_id, footprint.child_frame_id) == ("base_link", "base_footprint")
    assert transform_of(base).position == pytest.approx(odometry.base.position)
    assert transform_of(base).rotation == pytest.approx(odometry.base.rotation)
    robot = RobotEntry(1, "ball", "ball", load_robot("sphere"), "base")
    (odom,) = static_transforms(Time(), robot)
    assert (odom.header.frame_id, odom.child_frame_id) == ("map", "odom")
    assert transform_of(odom).position == pytest.approx([0.0, 0.0, 0.0])

"""Topics of a robot's sensors as ROS will have them, told where ROS 2 may not be installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simspark_ros.configuration.schema import build
from simspark_ros.perceptors.base import Perceptor, Topic, TopicParameters
from simspark_ros.perceptors.camera import CameraParameters
from simspark_ros.perceptors.detection.detections import camera_frame
from simspark_ros.physics.presets import USUAL_CYCLE
from simspark_ros.robots.body.kinematics import base_frame
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.simulation.registry import PERCEPTORS

_WITH_HEADER = ("sensor_msgs/", "nav_msgs/")
_INERTIAL = ("gyroscope", "accelerometer")
_ONE_A_ROBOT = ("restricted_vision", "agent_state")
MAP = "map"
"""The frame of the world."""

Topics = dict[str, str]
"""Names of topics below the robot's namespace, with the frame ids of their messages; empty = they have none."""


def topics_of(spec: PerceptorSpec, robot: RobotDescription, perceptor: type[Perceptor]) -> Topics:
    """The topics of one sensor of a robot, of the class `perceptor`; a sensor may share them with others.

    The publishers of `simspark_ros.ros` decide; a test compares all built-in kinds with them. Kinds of other
    distributions have the topics that they declare.
    """
    link = spec.link or robot.model.base.name
    declared = {topic.name_of(spec): link if _has_header(topic) else "" for topic in perceptor.topics_of(spec)}
    published = _PUBLISHED.get(spec.kind)
    is_silent = spec.kind in _ONE_A_ROBOT and spec is not next(o for o in robot.perceptors if o.kind == spec.kind)
    return declared if published is None or is_silent else {**published(spec, robot, link), **declared}


def rate_of(spec: PerceptorSpec, robot: RobotDescription, perceptor: type[Perceptor]) -> float:
    """Messages a second on the topics of a sensor, in cycles of the usual length; arguments as `topics_of`."""
    if perceptor.options is None:
        return 1.0 / USUAL_CYCLE
    options: Any = build(perceptor.options, dict(spec.parameters), robot.place(spec))
    if isinstance(options, CameraParameters):
        return options.rate_hz
    # The parameter of a plug-in may mean something else.
    has_interval = isinstance(options, TopicParameters) or PERCEPTORS.get(spec.kind) is perceptor
    interval: int = getattr(options, "interval", 1) if has_interval else 1
    if spec.kind in _INERTIAL:
        interval = min(int(one.parameters.get("interval", 1)) for one in _carried(spec, robot).values())
    return 1.0 / USUAL_CYCLE / interval


def _has_header(topic: Topic) -> bool:
    return topic.type.startswith(_WITH_HEADER) or topic.type.endswith("Stamped")


def _carried(spec: PerceptorSpec, robot: RobotDescription) -> dict[str, PerceptorSpec]:
    """The inertial sensors with topics, by kind, of the link that carries one of them: the first of each kind."""
    base = robot.model.base.name
    carried: dict[str, PerceptorSpec] = {}
    for one in robot.perceptors:
        if one.kind in _INERTIAL and (one.link or base) == (spec.link or base):
            carried.setdefault(one.kind, one)
    return carried


def _below(spec: PerceptorSpec, topic: str) -> str:
    return topic if spec.name in (spec.kind, topic) else f"{spec.name}/{topic}"


def _imu(spec: PerceptorSpec, robot: RobotDescription, link: str) -> Topics:
    place = "imu" if link == robot.model.base.name else f"imu/{link}"
    names = (f"{place}/data_raw", f"{place}/data") if _carried(spec, robot)[spec.kind] is spec else ()
    return dict.fromkeys(names, link)


def _detections(spec: PerceptorSpec, robot: RobotDescription, link: str) -> Topics:
    things = ("balls", "goalposts", "robots", "markings")
    frames = {f"vision_2d/{one}": camera_frame(spec, robot) for one in things}
    frames |= {f"vision_3d/{one}": link for one in things}
    frames |= {f"model/{one}": MAP for one in ("ball", "robots", "pose")}
    return {_below(spec, topic): frame for topic, frame in frames.items()}


def _pictures(spec: PerceptorSpec, robot: RobotDescription, link: str) -> Topics:
    settings = build(CameraParameters, dict(spec.parameters), spec.name)
    frame = settings.optical_frame or f"{link}_optical"
    names = ["image_raw", "image_raw/compressed", "camera_info"]
    if settings.depth:
        names += ["depth/image_raw", "depth/image_raw/compressedDepth", "depth/camera_info", "depth/points"]
    if settings.segmentation:
        names += ["segmentation/image_raw", "segmentation/camera_info", "segmentation/labels"]
    return {f"{spec.name}/{name}": "" if name == "segmentation/labels" else frame for name in names}


_PUBLISHED: dict[str, Callable[[PerceptorSpec, RobotDescription, str], Topics]] = {
    "gyroscope": _imu,
    "accelerometer": _imu,
    "hinge_joint": lambda spec, robot, link: {"joint_states": ""},
    "universal_joint": lambda spec, robot, link: {"joint_states": ""},
    "force_resistance": lambda spec, robot, link: {
        f"wrench/{spec.link}": link,
        "foot_contacts": base_frame(robot.model)[0],
    },
    "restricted_vision": lambda spec, robot, link: {"seen_objects": link, "seen_lines": link},
    "hear": lambda spec, robot, link: {"hear": base_frame(robot.model)[0]},
    "agent_state": lambda spec, robot, link: {"battery_state": link},
    "lola": lambda spec, robot, link: {"sensors/robot_config": ""},
    "ground_truth": lambda spec, robot, link: {_below(spec, "ground_truth"): MAP},
    "odometry": lambda spec, robot, link: {_below(spec, "odometry"): spec.name},
    "laser_objects": lambda spec, robot, link: {_below(spec, "laser_robots"): link, _below(spec, "laser_pose"): MAP},
    "detections": _detections,
    "camera": _pictures,
}
"""Topics of a sensor on a robot and a link, by the kinds for which a declaration is not enough."""

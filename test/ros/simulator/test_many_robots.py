"""22 robots in a simulator of its own: every namespace has what a robot has, and nothing is there twice."""

from collections import Counter

import pytest
import yaml
from diagnostic_msgs.msg import DiagnosticArray
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import String

from simspark_ros.configuration.resources import resource
from simspark_ros.ros.topics.publisher import LATCHED
from test.rigs.ros_processes import BEST_EFFORT, Observer, Process, seconds

NAMES = [f"{side}_{number}" for side in ("left", "right") for number in range(1, 12)]
ROBOTS = [f"{name}=nao/{number % 5}" for number, name in enumerate(NAMES)]
PARAMETERS = (f"robots:={ROBOTS}", "engine:=mujoco", "tf:=global")


@pytest.mark.slow
def test_every_status_is_in_one_group_of_the_aggregator(simulator: Process, observer: Observer) -> None:
    (parameters,) = yaml.safe_load(resource("config", "diagnostics.yaml").read_text(encoding="utf-8")).values()
    of_groups = (group for group in parameters["ros__parameters"].values() if isinstance(group, dict))
    groups = {group["path"]: tuple(group["startswith"]) for group in of_groups}
    with observer.hear(DiagnosticArray, "/diagnostics") as heard:
        names = [status.name for status in heard.wait()[0].status]
    assert len(names) >= len(NAMES) + 2
    names += ["bridge: simulator", "bridge: agent 3 (127.0.0.1:51234)"]
    found = {name: [path for path, starts in groups.items() if name.startswith(starts)] for name in names}
    assert all(len(paths) == 1 for paths in found.values()), found
    assert found["simulator: robot left_1"] == ["Robots"]


@pytest.mark.slow
def test_every_robot_has_its_namespace_its_description_and_one_clock(simulator: Process, observer: Observer) -> None:
    described = {name: observer.hear(String, f"/{name}/robot_description", LATCHED) for name in NAMES}
    joints = {name: observer.hear(JointState, f"/{name}/joint_states") for name in NAMES}
    imus = {name: observer.hear(Imu, f"/{name}/imu/data") for name in NAMES}
    clock = observer.hear(Clock, "/clock", BEST_EFFORT)
    kinds = (described, joints, imus)
    observer.until(lambda: all(one.messages for heard in kinds for one in heard.values()) and clock.messages)
    for name in NAMES:
        assert "<robot" in described[name].messages[0].data
        assert len(joints[name].messages[0].name) in (22, 24)
        assert imus[name].messages[0].header.frame_id == f"{name}/torso"
    observer.until(lambda: seconds(clock.messages[-1].clock) >= seconds(joints["right_11"].messages[0].header.stamp))
    publishers = Counter({topic: observer.node.count_publishers(topic) for topic in observer.topics()})
    several = {topic for topic, count in publishers.items() if count > 1}
    assert publishers["/clock"] == 1
    # Every node has these; with tf2_msgs, robots share /tf_static and /tf.
    assert several <= {"/rosout", "/parameter_events", "/tf", "/tf_static"}
    of_robots = {topic.split("/")[1] for topic in publishers if topic.endswith("/ground_truth")}
    assert of_robots == set(NAMES)

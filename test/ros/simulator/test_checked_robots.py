"""What `robot check` cannot see, as it runs without ROS: each sensor's message on its topic, each link's name."""

from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest
from builtin_interfaces.msg import Time
from std_msgs.msg import String

from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.files.reading import read_robot
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import LATCHED, RobotEntry
from simspark_ros.ros.topics.registry import publishers_of
from simspark_ros.ros.topics.transforms import static_transforms
from test.physics.engine_availability import skip_without
from test.rigs.ros_processes import BEST_EFFORT, Observer
from test.robots.formats.adaptation.makers import LIMITS

FILES = Path(__file__).parents[2] / "data" / "robots"
ROBOTS = {"nao": "nao_sensors", "wheels": "differential_sensors", "rover": str(FILES / "rover.sdf")}
if find_spec("mujoco"):
    ROBOTS |= {name: str(FILES / f"{name}.xml") for name in ("arm", "quadruped")}
PARAMETERS = (
    f"robots:={[f'{name}={robot}' for name, robot in ROBOTS.items()]}",
    *("engine:=ode", "world:=empty", "tf:=global", "robot_file_time:=60.0"),
)
SILENT = ("hear", "model/ball")
"""Topics that say nothing here: nobody speaks, and there is no ball."""


@pytest.mark.parametrize("name", ROBOTS)
def test_each_sensor_has_a_message_on_its_topic_and_each_link_its_name(observer: Observer, name: str) -> None:
    source = ROBOTS[name]
    skip_without("ode")
    robot = read_robot(Path(source), 0, LIMITS) if "/" in source else load_robot(source)
    entry = RobotEntry(0, name, f"/{name}", robot, "global")
    topics = {one.topic: type(one.message) for one in publishers_of(entry, Cycle(), pytest.fail)}
    silent = {entry.topic(topic) for topic in SILENT}
    silent |= {f"/{name}/{spec.name}/model/ball" for spec in robot.perceptors}
    heard = {topic: observer.hear(kind, topic, BEST_EFFORT) for topic, kind in topics.items() if topic not in silent}
    description = observer.hear(String, f"/{name}/robot_description", LATCHED)
    observer.until(lambda: all(one.messages for one in (description, *heard.values())), "a message on each topic")
    root = ElementTree.fromstring(description.messages[0].data)
    links = {link.get("name") for link in root.iter("link")}
    assert links >= {link.name for link in robot.model.links} | {frame.name for frame in robot.model.frames}
    assert {joint.get("name") for joint in root.iter("joint")} >= {joint.name for joint in robot.model.joints}
    frames = {entry.frame(str(link)) for link in links}
    frames |= {transform.child_frame_id for transform in static_transforms(Time(), entry)}
    # Poses of odometry are in frames of their own, and pictures in those that sensors.md says tf need not have.
    frames |= {f"{entry.frame(spec.link)}_optical" for spec in entry.perceptors("camera")}
    frames |= {"", "map", "odom", entry.base_frame, entry.frame("odom"), entry.frame("odometry")}
    places = {one.messages[0].header.frame_id for one in heard.values() if hasattr(one.messages[0], "header")}
    assert places <= frames

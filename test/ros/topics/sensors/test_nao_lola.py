"""The topics of nao_lola, with stand-ins for its messages, which are not on PyPI: their fields alone.

The messages that rosidl generates from nao_lola's own files were tried outside of the repository.
"""

import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from builtin_interfaces.msg import Time

from simspark_ros.effectors.lola import DeviceCommand
from simspark_ros.exchange import Slot
from simspark_ros.protocol.lola.identity import Identity
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.lola import COLUMNS, DEVICES, JOINTS, START
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.limits import MAX_LOLA_COMMANDS
from simspark_ros.ros.topics.commands import effectors
from simspark_ros.ros.topics.publisher import RobotEntry
from simspark_ros.ros.topics.registry import DeclaredPublisher, publishers_of
from simspark_ros.ros.topics.sensors.nao_lola import DriverTopics, RobotConfigPublisher

JOINT_FLOATS = "float[25]"
CORNERS = [f"{side}_foot_{end}_{hand}" for side in "lr" for end in ("front", "back") for hand in ("left", "right")]
FIELDS: dict[str, dict[str, str]] = {
    "Accelerometer": dict.fromkeys("xyz", "float"),
    "Gyroscope": dict.fromkeys("xyz", "float"),
    "Angle": dict.fromkeys("xy", "float"),
    "Battery": {"charge": "float", "charging": "boolean", "current": "float", "temperature": "float"},
    "Buttons": dict.fromkeys(["chest", *(f"{s}_foot_bumper_{h}" for s in "lr" for h in ("left", "right"))], "boolean"),
    "FSR": dict.fromkeys(CORNERS, "float"),
    "JointCurrents": {"currents": JOINT_FLOATS},
    "JointPositions": {"positions": JOINT_FLOATS},
    "JointStatuses": {"statuses": "int32[25]"},
    "JointStiffnesses": {"stiffnesses": JOINT_FLOATS},
    "JointTemperatures": {"temperatures": JOINT_FLOATS},
    "RobotConfig": dict.fromkeys(["body_id", "body_version", "head_id", "head_version"], "string"),
    "Sonar": dict.fromkeys(["left", "right"], "float"),
    "Touch": dict.fromkeys(["head_front", "head_middle", "head_rear"], "boolean"),
}
"""Messages of nao_lola_sensor_msgs 1.2.0, with their fields."""

COMMANDS = (
    *("JointPositions", "JointStiffnesses", "ChestLed", "LeftFootLed", "RightFootLed", "LeftEarLeds", "RightEarLeds"),
    *("LeftEyeLeds", "RightEyeLeds", "HeadLeds", "SonarUsage"),
)


def stand_in(name: str, fields: dict[str, str]) -> type[Any]:
    def start(self: Any, **values: Any) -> None:
        vars(self).update(dict.fromkeys(fields, 0), **values)

    return type(name, (), {"__init__": start, "get_fields_and_field_types": lambda self: fields})


@pytest.fixture
def messages(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    commands: dict[str, dict[str, str]] = {name: {} for name in COMMANDS}
    packages = {"nao_lola_sensor_msgs": FIELDS, "nao_lola_command_msgs": commands}
    for package, fields in packages.items():
        module = ModuleType(f"{package}.msg")
        vars(module).update({name: stand_in(name, of) for name, of in fields.items()})
        monkeypatch.setitem(sys.modules, package, ModuleType(package))
        monkeypatch.setitem(sys.modules, f"{package}.msg", module)
    yield


def entry(robot: str = "nao_lola") -> RobotEntry:
    return RobotEntry(7, "red_1", "red_1", load_robot(robot), "namespaced")


def published(values: np.ndarray) -> dict[str, Any]:
    """The messages of all topics that a robot with these values has, by topic."""
    slot = Slot("lola", "lola", COLUMNS, 0)
    percepts = SimpleNamespace(values=values, present=np.ones(1, bool))
    cycle: Any = SimpleNamespace(
        stamp=Time(), resets=0, odometry={}, identities={}, percepts=percepts, slot=lambda *key: (slot, 0)
    )
    made = {}
    for publisher in publishers_of(entry(), cycle, pytest.fail):
        of_lola = isinstance(publisher, DeclaredPublisher) and "sensors/" in publisher.topic
        if of_lola or publisher.topic == "red_1/imu" or isinstance(publisher, RobotConfigPublisher):
            publisher.bind()
            assert publisher.fill()
            made[publisher.topic.removeprefix("red_1/")] = publisher.message
    return made


def test_every_sensor_has_its_topic_and_its_values_and_buttons_are_true_or_false(messages):
    values = np.arange(len(COLUMNS)) * 1.0
    made = published(values)
    assert len(made) == 15
    positions = made["sensors/joint_positions"].positions
    assert positions == (START["Position"] + np.arange(len(JOINTS))).tolist()
    assert made["sensors/joint_statuses"].statuses == list(range(START["Status"], START["Status"] + 25))
    assert all(isinstance(status, int) for status in made["sensors/joint_statuses"].statuses)
    assert [getattr(made["sensors/fsr"], corner) for corner in CORNERS] == list(range(START["FSR"], START["FSR"] + 8))
    battery = made["sensors/battery"]
    assert (battery.charge, battery.charging) == (100.0 * START["Battery"], False)
    assert (battery.current, battery.temperature) == (START["Battery"] + 1, START["Battery"] + 3)
    config = made["sensors/robot_config"]
    assert (config.body_id, config.body_version) == ("000000000000000red_1", "6.0.0")
    imu = made["imu"]
    assert imu.header.frame_id == "ImuTorsoAccelerometer_frame"
    assert imu.linear_acceleration.z == made["sensors/accelerometer"].z == START["Accelerometer"] + 2
    assert imu.angular_velocity.y == made["sensors/gyroscope"].y == START["Gyroscope"] + 1
    assert imu.orientation_covariance.tolist() == [-1.0, *[0.0] * 8]
    for reading in ("angular_velocity", "linear_acceleration"):
        # Zeros would say that it is unknown.
        assert getattr(imu, f"{reading}_covariance").reshape(3, 3).diagonal().min() == pytest.approx(1e-6)
    values = np.zeros(len(COLUMNS))
    values[START["Touch"] + np.array([0, 2, 5, 9])] = 1.0
    made = published(values)
    buttons, touch = made["sensors/buttons"], made["sensors/touch"]
    assert (buttons.chest, touch.head_front, touch.head_middle, touch.head_rear) == (True, False, True, False)
    assert (buttons.l_foot_bumper_left, buttons.l_foot_bumper_right) == (False, True)
    assert (buttons.r_foot_bumper_left, buttons.r_foot_bumper_right) == (True, False)


def test_a_robot_has_the_identifications_that_it_is_given_and_others_have_none_of_these_topics(messages, monkeypatch):
    given = Identity("P0000074A01S8AF00033", "P0000073A03S8CH00011")
    config = RobotConfigPublisher(entry(), Cycle(identities={"red_1": given})).message
    assert (config.body_id, config.head_id) == given
    assert Doors(monkeypatch, "nao").take == {}


class Doors:
    """The subscriptions of a robot, which a test calls by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, robot: str = "nao_lola") -> None:
        self.take: dict[str, Any] = {}
        self.refused: list[tuple[str, ...]] = []
        self.lacking: set[str] = set()

        def subscribe(node: Any, kind: Any, topic: str, take: Any, qos: Any) -> object:
            assert qos.depth > 1
            self.take[topic.removeprefix("red_1/effectors/")] = take
            return take

        monkeypatch.setattr(effectors, "create_subscription", subscribe)
        node: Any = SimpleNamespace(destroy_subscription=lambda take: None)
        self.topics = DriverTopics(node, entry(robot), lambda *words: self.refused.append(words), self.lacking.add)

    def send(self, topic: str, **fields: Any) -> DeviceCommand:
        self.take[topic](SimpleNamespace(**fields))
        return self.topics.waiting[-1][1]


@pytest.fixture
def doors(messages: None, monkeypatch: pytest.MonkeyPatch) -> Doors:
    return Doors(monkeypatch)


def colour(number: float) -> SimpleNamespace:
    return SimpleNamespace(r=number, g=number + 0.25, b=number + 0.5, a=1.0)


def test_joints_are_commanded_by_their_indexes_and_lights_in_the_order_of_lola(doors):
    indexes = np.array([1, 24], np.uint8)
    command = doors.send("joint_positions", indexes=indexes, positions=np.array([0.5, 1.0], np.float32))
    assert command == ("Position", (1, 24), (0.5, 1.0))
    command = doors.send("joint_stiffnesses", indexes=indexes, stiffnesses=np.array([0.25, 0.0], np.float32))
    assert command == ("Stiffness", (1, 24), (0.25, 0.0))
    assert doors.send("chest_led", color=colour(0.0)).values == (0.0, 0.25, 0.5)
    assert doors.send("left_foot_led", color=colour(0.5)) == ("LFoot", (0, 1, 2), (0.5, 0.75, 1.0))
    assert doors.send("right_foot_led", color=colour(0.0)).device == "RFoot"
    ear, head = np.arange(10, dtype=np.float32), np.arange(12, dtype=np.float32)
    assert doors.send("left_ear_leds", intensities=ear).values == tuple(range(10))
    # From 0 degrees on in the messages, down to 0 degrees in LoLA.
    assert doors.send("right_ear_leds", intensities=ear).values == tuple(reversed(range(10)))
    assert doors.send("head_leds", intensities=head).values == tuple(reversed(range(12)))
    eye = [colour(float(number)) for number in range(8)]
    assert doors.send("left_eye_leds", colors=eye).values[:9] == (*range(8), 0.25)
    assert doors.send("right_eye_leds", colors=eye).values[:9] == (*reversed(range(8)), 7.25)
    assert doors.send("sonar_usage", left=True, right=False) == ("Sonar", (0, 1), (1.0, 0.0))
    assert {command.device for _, command in doors.topics.waiting} == DEVICES.keys()


@pytest.mark.parametrize(("indexes", "positions"), [([1, 2], [0.5]), ([25], [0.5]), ([1], [float("nan")])])
def test_bad_commands_are_refused(doors, indexes, positions):
    message = {"indexes": np.array(indexes, np.uint8), "positions": np.array(positions, np.float32)}
    doors.take["joint_positions"](SimpleNamespace(**message))
    assert doors.topics.waiting == []
    ((robot, reason, text, topic),) = doors.refused
    assert (robot, reason, topic) == ("red_1", "refused", "effectors/joint_positions") and text.startswith("Position: ")


def test_more_commands_than_a_cycle_takes_are_refused(doors):
    for _ in range(MAX_LOLA_COMMANDS):
        doors.send("sonar_usage", left=True, right=False)
    doors.send("sonar_usage", left=True, right=False)
    assert len(doors.topics.waiting) == MAX_LOLA_COMMANDS
    assert doors.refused[0][1] == "too many"


def test_commands_are_noted_and_carried_out_once(doors, played):
    robot = played.world.add_robot(load_robot("nao_lola"), (0.0, 3.0, 0.386), 0.0, name="red_1")
    doors.send("chest_led", color=colour(0.0))
    noted: list[Any] = []
    for _ in range(2):
        doors.topics.apply(played.world, robot, lambda *command: noted.append(command))
    assert noted == [("Chest", (0, 1, 2), (0.0, 0.25, 0.5))]
    assert robot.devices == {"Chest": (0.0, 0.25, 0.5)}


def test_packages_that_are_not_installed_are_known_and_their_topics_left_out(monkeypatch):
    for package in ("nao_lola_sensor_msgs", "nao_lola_command_msgs"):
        monkeypatch.setitem(sys.modules, f"{package}.msg", None)
    doors = Doors(monkeypatch)
    cycle: Any = SimpleNamespace(stamp=Time(), resets=0, odometry={})
    lacking: set[str] = set()
    topics = [publisher.topic for publisher in publishers_of(entry(), cycle, pytest.fail, lacking.add)]
    assert "red_1/imu" in topics and not any("sensors/" in topic for topic in topics)
    assert (lacking, doors.lacking) == ({"nao_lola_sensor_msgs"}, {"nao_lola_command_msgs"})
    assert doors.take == {}

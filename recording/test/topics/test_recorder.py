"""`simspark record` as a process beside a simulator, read by rosbags and by the library of MCAP."""

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosbags.highlevel import AnyReader
from rosbags.interfaces import QosDurability, QosReliability
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Image, JointState
from std_msgs.msg import String

from simspark_recording.settings import RecordSettings
from simspark_recording.topics import recorder as recorder_module
from simspark_recording.topics.recorder import TopicRecorder, summary
from simspark_recording.topics.recording import TopicRecording
from simspark_ros.ros.topics.publisher import message_type
from simspark_ros.srv import ResetSimulation, SpawnEntity
from test.rigs.recordings import recorded_topics, stream
from test.rigs.ros_nodes import RosNodes
from test.rigs.ros_processes import Domain, Observer, Process, seconds
from test.rigs.waiting import until

PARAMETERS = ("robots:=['nao', 'toed=nao/4', 'lola=nao_lola']",)

NANOSECONDS = 1_000_000_000
IS_NUMBERED = int(version("rclpy").partition(".")[0]) >= 9
"""Whether ROS numbers messages: from Kilted on."""

# What is published before both sides know each other arrives, too.
LATCHED = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)


Record = Callable[..., tuple[Process, Path]]


@pytest.fixture
def record(domain: Domain, tmp_path: Path) -> Iterator[Record]:
    """Starts recorders; returns each with its file."""
    with contextlib.ExitStack() as stack:

        def start(*options: str, name: str = "all.mcap") -> tuple[Process, Path]:
            command = [sys.executable, "-m", "simspark_ros.cli", "record", str(tmp_path / name), *options]
            process = Process(domain, command=command)
            stack.enter_context(process)
            process.wait_for_line("Ctrl-C ends it")
            return process, tmp_path / name

        yield start


def test_all_of_a_simulator_is_recorded_with_its_time_and_decoded_by_others(simulator, observer, record) -> None:
    pictures = observer.node.create_publisher(Image, "/nao/camera/image_raw", 10)
    commands = observer.publisher(JointState, "/nao/joint_command")
    recorder, path = record()
    observer.until(lambda: {"/nao/joint_states", "/lola/joint_states"} <= recorded_topics(path))
    request = SpawnEntity.Request(name="late")
    request.entity_resource.uri = "nao"
    assert observer.call(SpawnEntity, "/spawn_entity", request).result.result == 1
    until(lambda: commands.get_subscription_count() >= 2)
    commands.publish(JointState(name=["hj1"], position=[0.25]))
    pictures.publish(Image())
    wanted = {"/nao/joint_command", "/late/imu/data", "/scene_poses"}
    observer.until(lambda: wanted <= recorded_topics(path), f"{wanted} are recorded")
    assert recorder.end(signal.SIGINT) == 0
    assert "messages of" in recorder.output and "Traceback" not in recorder.output

    with AnyReader([path]) as reader:
        topics = {connection.topic: connection for connection in reader.connections}
        shown = {topic for topic in observer.topics() if topic.startswith(("/nao", "/toed", "/late", "/game"))}
        # Parts of actions are hidden.
        published = {topic for topic in shown if "/_" not in topic and observer.node.count_publishers(topic)}
        assert published - {"/nao/camera/image_raw"} <= set(topics), "topics are missing"
        assert "/nao/camera/image_raw" not in topics
        offered = topics["/nao/robot_description"].ext.offered_qos_profiles[0]  # type: ignore[union-attr]
        assert offered.durability is QosDurability.TRANSIENT_LOCAL
        offered = topics["/clock"].ext.offered_qos_profiles[0]  # type: ignore[union-attr]
        assert offered.reliability is QosReliability.BEST_EFFORT
        stamps = []
        for connection, time, data in reader.messages():
            message: Any = reader.deserialize(data, connection.msgtype)
            if connection.topic == "/nao/joint_command":
                assert list(message.position) == [0.25]
            elif connection.topic == "/toed/joint_states":
                stamp = message.header.stamp.sec * NANOSECONDS + message.header.stamp.nanosec
                # What came before the first /clock has its time; a recorder that is behind takes several cycles.
                assert abs(stamp - time) < NANOSECONDS
                stamps.append(stamp)
        # Its last lines say what DDS has lost.
        assert [b - a for a, b in pairwise(stamps)] == [NANOSECONDS // 50] * (len(stamps) - 1), recorder.output
    times = [message.log_time for _, message in stream(path)]
    assert times == sorted(times)


@pytest.mark.usefixtures("simulator")
def test_a_recorder_that_is_killed_leaves_what_it_has_written(observer: Observer, record: Record) -> None:
    recorder, path = record("--topic", "/nao/*", "--without", "*/imu/*", "--compression", "lz4")
    observer.until(lambda: len(list(stream(path))) > 100 if path.exists() else False, "messages are written")
    recorder.end(signal.SIGKILL)
    read = list(stream(path))
    assert len(read) > 100 and all(topic.startswith("/nao/") and "imu" not in topic for topic, _ in read)


def test_a_reset_of_time_begins_another_part(simulator: Process, observer: Observer, record: Record) -> None:
    recorder, path = record("--topic", "/nao/ground_truth", "--topic", "/clock")
    second = path.with_stem("all_1")
    with observer.hear(Clock, "/clock", QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)) as clock:
        observer.until(lambda: recorded_topics(path) and clock.messages and seconds(clock.messages[-1].clock) > 2.0)
    request = ResetSimulation.Request(scope=ResetSimulation.Request.SCOPE_TIME)
    observer.call(ResetSimulation, "/reset_simulation", request)
    observer.until(lambda: len(recorded_topics(second)) == 2, "the second part is written")
    assert recorder.end(signal.SIGTERM) == 0 and "time was set back" in recorder.output
    for part in (path, second):
        times = [message.log_time for _, message in stream(part)]
        assert times == sorted(times)
    assert next(stream(second))[1].log_time < 2 * NANOSECONDS


class Rig:
    """A recorder and a publisher of time in one domain, without processes."""

    def __init__(self, room: RosNodes, path: Path, **settings: object) -> None:
        self.told: list[str] = []
        self.node = room.node("publisher")
        self.clock = self.node.create_publisher(Clock, "/clock", LATCHED)
        chosen = RecordSettings(path, **settings)  # type: ignore[arg-type]
        self.recording = TopicRecording(chosen, self.told.append)
        self.recorder = TopicRecorder(room.node("recorder"), chosen, self.recording, self.told.append)

    def run(self, until_written: Callable[[], object]) -> None:
        until(until_written, lambda: self.recorder.run(iter((False, False, True)).__next__))

    def tick(self, time: int) -> None:
        message = Clock()
        message.clock.sec = time
        self.clock.publish(message)
        self.run(lambda: self.recorder.seconds >= time - 1)


def test_a_recorder_waits_for_a_simulator_and_writes_nothing_without_its_time(room, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(recorder_module, "HINT_AFTER", 0.0)
    # Nodes have topics of their own, too.
    settings, told = RecordSettings(tmp_path / "a.mcap", topics=("/chat", "/clock")), list[str]()
    recording = TopicRecording(settings, told.append)
    recorder = TopicRecorder(room.node("recorder"), settings, recording, told.append)
    recorder.run(iter((False, False, True)).__next__)
    assert told == [f"no simulator tells the time on /clock in ROS domain {room.domain.number}; waiting for it"]
    assert "no topic matches '/chat'; topics are: /" in summary(recorder, recording)[0]
    node = room.node("talker")
    talker = node.create_publisher(String, "/chat", LATCHED)
    talker.publish(String(data="early"))
    until(talker.get_subscription_count, lambda: recorder.run(iter((False, False, True)).__next__))
    assert recording.messages == 0 and "no message came on /clock" in summary(recorder, recording)[-1]
    node.create_publisher(Clock, "/clock", LATCHED).publish(Clock())
    until(lambda: recording.messages == 2, lambda: recorder.run(iter((False, True)).__next__))
    recording.close()
    assert recorded_topics(tmp_path / "a.mcap") == {"/chat", "/clock"}
    assert summary(recorder, recording) == ["2 messages of 0.00 s"]
    # A file without messages would be taken for a recording.
    TopicRecording(RecordSettings(tmp_path / "empty.mcap"), told.append).close()
    assert not (tmp_path / "empty.mcap").exists()


def test_messages_that_find_the_queue_full_are_counted(room: RosNodes, tmp_path: Path) -> None:
    rig = Rig(room, tmp_path / "a.mcap", topics=("/chat",), queue=5)
    chat = rig.node.create_publisher(String, "/chat", LATCHED)
    rig.tick(1)
    chat.publish(String(data="0"))
    rig.run(lambda: rig.recording.messages == 1)
    for number in range(1, 21):
        chat.publish(String(data=str(number)))
    rig.run(lambda: rig.recording.messages == 6)
    # Before Kilted, ROS numbers no messages: what was lost is not known.
    assert rig.recorder.lost == ({"/chat": 15} if IS_NUMBERED else {})
    rig.recording.close()


def test_a_publisher_that_offers_less_is_heard_too(room: RosNodes, tmp_path: Path) -> None:
    rig = Rig(room, tmp_path / "a.mcap", topics=("/chat",))
    rig.node.create_publisher(String, "/chat", LATCHED).publish(String(data="latched"))
    rig.tick(1)
    rig.run(lambda: rig.recording.messages == 1)
    second = rig.node.create_publisher(String, "/chat", QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT))

    rig.run(lambda: second.publish(String(data="lost?")) or rig.recording.messages > 1)
    rig.recording.close()


def test_a_topic_that_cannot_be_subscribed_to_is_left_out_with_a_line(room, tmp_path: Path, monkeypatch) -> None:
    def broken(kind: str) -> type:
        if kind.endswith("JointState"):
            raise RuntimeError("no type support")
        return message_type(kind)

    monkeypatch.setattr(recorder_module, "message_type", broken)
    rig = Rig(room, tmp_path / "a.mcap", topics=("/chat", "/joints"))
    rig.node.create_publisher(JointState, "/joints", 10)
    rig.node.create_publisher(String, "/chat", LATCHED).publish(String(data="here"))
    rig.tick(1)
    rig.run(lambda: rig.recording.messages == 1 and rig.told)
    assert rig.told == ["topics of type sensor_msgs/msg/JointState are left out: no type support"]
    rig.recording.close()


def test_further_topics_than_allowed_are_left_out_with_a_line(room: RosNodes, tmp_path: Path) -> None:
    rig = Rig(room, tmp_path / "a.mcap", topics=("/chat*",), max_topics=2)
    publishers = [rig.node.create_publisher(String, f"/chat{number}", 10) for number in range(3)]
    rig.run(lambda: rig.told)
    assert "left out: 2 topics are already recorded (max_topics)" in rig.told[0]
    assert sum(publisher.get_subscription_count() for publisher in publishers) <= 2
    rig.recording.close()


def test_a_recording_of_a_given_duration_ends(room: RosNodes, tmp_path: Path) -> None:
    rig = Rig(room, tmp_path / "a.mcap", topics=("/clock",), duration=2.0)
    rig.tick(1)
    rig.tick(3)
    rig.recorder.run(lambda: False)
    rig.recording.close()
    assert max(message.log_time for _, message in stream(tmp_path / "a.mcap")) == 3 * NANOSECONDS

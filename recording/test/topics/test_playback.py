import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from rclpy.qos import DurabilityPolicy
from rclpy.serialization import deserialize_message, serialize_message
from rosbags.highlevel import AnyReader
from rosbags.interfaces import Qos, QosDurability, QosHistory, QosLiveliness, QosReliability, QosTime
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from simspark_recording.files import recording_source
from simspark_recording.playing.monitor_state import MonitorState
from simspark_recording.settings import RecordSettings, ReplaySettings
from simspark_recording.topics.definitions import message_definition, same_definition
from simspark_recording.topics.playback import BagSource, TopicPublishers, wanted
from simspark_recording.topics.qos import recorded_qos
from simspark_recording.topics.reader import Moment, RecordedTopic, RecordingError, moments, topics_of
from simspark_recording.topics.recording import TopicRecording
from simspark_ros.cli import main
from simspark_ros.clients.classic_client import ClassicClient
from simspark_ros.configuration.errors import UserError
from simspark_ros.ros.topics.publisher import LATCHED
from test.rigs.messages.monitor_reader import Board, read
from test.rigs.recordings import record_texts, recorded_topics, texts
from test.rigs.ros_nodes import RosNodes
from test.rigs.ros_processes import BEST_EFFORT, Domain, Observer, Process
from test.rigs.waiting import until

NANOSECONDS = 1_000_000_000


@pytest.fixture(scope="module")
def bag(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A recording of two robots."""
    path = tmp_path_factory.mktemp("bag") / "two.mcap"
    domain = Domain()
    with Process(domain, "robots:=['nao', 'toed=nao/4']") as simulator:
        simulator.wait_for_line("ready")
        with Process(domain, command=[sys.executable, "-m", "simspark_ros.cli", "record", str(path)]) as recorder:
            until(lambda: {"/scene_poses", "/toed/joint_states", "/diagnostics"} <= recorded_topics(path))
            assert recorder.end(signal.SIGINT) == 0
        assert simulator.end(signal.SIGINT) == 0
    domain.close()
    return path  # type: ignore[return-value]


def stamps(path: Path, topic: str) -> list[int]:
    with AnyReader([path]) as reader:
        connections = [connection for connection in reader.connections if connection.topic == topic]
        messages: Any = [reader.deserialize(data, topic.msgtype) for topic, _, data in reader.messages(connections)]
    return [nanoseconds(message.header.stamp) for message in messages]


def nanoseconds(stamp: Any) -> int:
    return int(stamp.sec * NANOSECONDS + stamp.nanosec)


def test_topics_come_as_they_were_recorded_with_the_clock_and_to_monitors(bag: Path, room: RosNodes) -> None:
    command = [sys.executable, "-m", "simspark_ros.cli", "replay", str(bag), "--monitor-port", "0", "--loop"]
    observer = Observer(room.domain)
    joints = observer.hear(JointState, "/toed/joint_states")
    clock = observer.hear(Clock, "/clock", BEST_EFFORT)
    with Process(room.domain, command=command) as player:
        port = int(player.found(r"--monitor-port (\d+)"))
        observer.until(lambda: len(joints.messages) >= 20 and clock.messages, "a replay")
        # Who comes later gets what was latched.
        description = observer.hear(String, "/nao/robot_description", LATCHED)
        observer.until(lambda: description.messages, "a description")
        assert "<robot" in description.messages[0].data
        with ClassicClient("127.0.0.1", port) as monitor:
            board = Board()
            board.show(read(monitor.receive().decode()))
            board.show(read(monitor.receive().decode()))
            monitor.send("(pause)")
            meshes = [facts for node in board.nodes for facts in node.facts.get("load", []) if "naobody" in facts]
            assert len(meshes) == 2
        assert player.end(signal.SIGINT) == 0 and "Traceback" not in player.output
    recorded = stamps(bag, "/toed/joint_states")
    heard = [nanoseconds(message.header.stamp) for message in joints.messages]
    # Beginning and end of a round may be missed; nothing else is.
    begin = recorded.index(heard[0])
    assert heard[: len(recorded) - begin] == recorded[begin : begin + len(heard)]
    observer.close()


def test_every_recorded_topic_is_read_again(bag: Path) -> None:
    topics = topics_of(bag)
    with AnyReader([bag]) as reader:
        assert {topic.name for topic in topics} == {connection.topic for connection in reader.connections}
        assert sum(len(moment.messages) for moment in moments(bag)) == reader.message_count
    chosen = wanted(ReplaySettings(bag, topics=("/nao/*", "/clock"), without=("*/imu/*",)), topics)
    assert "/nao/joint_states" in {topic.name for topic in chosen}
    assert all(topic.name == "/clock" or topic.name.startswith("/nao/") for topic in chosen)
    assert not any("imu" in topic.name for topic in chosen)
    state = MonitorState()
    assert len(list(BagSource(ReplaySettings(bag), print)(state))) > 10
    assert state.full().count(b"naobody") == 2


@pytest.fixture
def flushed(tmp_path: Path) -> tuple[Path, list[int]]:
    """A recording of ten texts, and its sizes after each flush, when a recorder that is killed loses nothing."""
    path, sizes = tmp_path / "whole.mcap", []
    recording = TopicRecording(RecordSettings(path), print)
    for number in range(10):
        recording.write(texts(), number, serialize_message(String(data=f"{number} " * 50)))
        recording.flush()
        sizes.append(path.stat().st_size)
    recording.close()
    return path, sizes


def test_a_file_that_was_cut_off_is_played_as_far_as_it_goes(flushed: tuple[Path, list[int]], tmp_path: Path) -> None:
    whole, sizes = flushed
    data, cut = whole.read_bytes(), tmp_path / "cut.mcap"
    for length in sorted({*sizes, *range(sizes[0], len(data), 7)}):
        cut.write_bytes(data[:length])
        assert [topic.name for topic in topics_of(cut)] == ["/chat"]
        count = sum(len(moment.messages) for moment in moments(cut))
        complete = sum(size <= length for size in sizes)
        # The messages of a flush are read as soon as they are there; their index, which comes last, is not needed.
        assert count == complete or (count == complete + 1 and length not in sizes)
    with pytest.raises(UserError, match="has no poses to show: record"):
        recording_source(ReplaySettings(whole), print)


def test_damage_is_named_and_ends_the_replay_there(flushed: tuple[Path, list[int]], tmp_path: Path) -> None:
    data, path, named = flushed[0].read_bytes(), tmp_path / "bad.mcap", 0
    for place in range(8, len(data), 64):
        path.write_bytes(data[:place] + bytes(64) + data[place + 64 :])
        try:
            list(BagSource(ReplaySettings(path), lambda text: None)(MonitorState()))
        except UserError as error:
            assert "bad.mcap" in str(error)
            named += 1
    assert named > 10


def test_a_file_that_is_no_recording_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, complaint = tmp_path / "none.mcap", "No such file"
    for content in (b"", b"((time 0))(RSG 0 1)()\n", b""):
        assert main(["replay", str(path), "--monitor-port", "0"]) == 2
        assert complaint in capsys.readouterr().err
        with pytest.raises(RecordingError):
            topics_of(path)
        path.write_bytes(content)
        complaint = "this file is not an MCAP file"


def test_types_that_changed_or_are_missing_are_left_out_and_times_become_the_clock(room: RosNodes) -> None:
    string = message_definition("std_msgs/msg/String")
    topics = [
        RecordedTopic("/same", "std_msgs/msg/String", "# another comment\n" + string, {}),
        RecordedTopic("/changed", "std_msgs/msg/String", string + "\nint32 more\n", {}),
        RecordedTopic("/missing", "nowhere_msgs/msg/None", "int32 x\n", {}),
    ]
    told: list[str] = []
    publishers = TopicPublishers(room.node("player"), topics, told.append)
    assert publishers.count == 1 and len(told) == 2
    assert "/changed is left out: the definition of std_msgs/msg/String here differs" in told[0]
    assert "nowhere_msgs" in told[1]
    observer = Observer(room.domain)
    observer.node.create_publisher(Clock, "/clock", 1)
    said, clock = observer.hear(String, "/same"), observer.hear(Clock, "/clock", BEST_EFFORT)
    moment = Moment(3 * NANOSECONDS + 5, tuple((topic, serialize_message(String(data="hello"))) for topic in topics))

    def arrived() -> bool:
        publishers.publish(moment)
        return bool(said.messages and clock.messages and len(told) > 2)

    observer.until(arrived)
    assert said.messages[0].data == "hello"
    assert len(told) == 3 and "also publishes /clock in this domain" in told[2]
    assert (clock.messages[0].clock.sec, clock.messages[0].clock.nanosec) == (3, 5)
    observer.close()


@pytest.mark.parametrize("version", [8, 9])
def test_a_bag_of_another_writer_is_read_with_its_qos(tmp_path: Path, version: Literal[8, 9]) -> None:
    store = get_typestore(Stores.ROS2_KILTED)
    message = store.types["std_msgs/msg/String"](data="hello")
    never = QosTime(0, 0)
    policies = QosHistory.KEEP_LAST, 1, QosReliability.RELIABLE, QosDurability.TRANSIENT_LOCAL
    latched = Qos(*policies, never, never, QosLiveliness.AUTOMATIC, never, False)
    with Writer(tmp_path / "bag", version=version, storage_plugin=StoragePlugin.MCAP) as writer:
        chat = writer.add_connection("/chat", "std_msgs/msg/String", typestore=store, offered_qos_profiles=[latched])
        writer.write(chat, 7, store.serialize_cdr(message, "std_msgs/msg/String"))
    (path,) = (tmp_path / "bag").glob("*.mcap")
    (topic,) = topics_of(path)
    assert same_definition(topic.definition, message_definition(topic.kind))
    assert recorded_qos(topic.metadata, 10).durability == DurabilityPolicy.TRANSIENT_LOCAL
    (moment,) = moments(path)
    assert moment.time == 7 and deserialize_message(moment.messages[0][1], String).data == "hello"


def test_steps_have_the_recorded_pauses_and_messages_of_one_time_come_together(tmp_path: Path) -> None:
    times = (100, 100, 150, 400)
    path = record_texts(tmp_path / "a.mcap", *((time * NANOSECONDS // 100, str(time)) for time in times))
    shown: list[Moment] = []
    steps = list(BagSource(ReplaySettings(path), print, shown.append)(MonitorState()))
    assert [step.pause for step in steps] == pytest.approx([0.0, 0.5, 2.5])
    for step in steps:
        step.act()
    assert [len(moment.messages) for moment in shown] == [2, 1, 1]
    # Of a writer that was killed: without the end of the file its index is not found.
    (torn := tmp_path / "torn.mcap").write_bytes(path.read_bytes()[:-40])
    for one in (path, torn):
        assert BagSource(ReplaySettings(one), print).duration() == pytest.approx(3.0)

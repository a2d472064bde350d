from pathlib import Path

import pytest
from mcap.reader import make_reader
from rclpy.qos import QoSProfile

from simspark_recording.settings import RecordSettings
from simspark_recording.topics.definitions import message_definition
from simspark_recording.topics.recording import TopicRecording, WrittenTopic
from simspark_ros.configuration.schema import ConfigurationError
from test.rigs.machine.full_disk import files_end_at
from test.rigs.recordings import stream

STRING = "std_msgs/msg/String"
HELLO = b"\0\1\0\0\6\0\0\0hello\0"


def topic(name: str = "/chat", latched: bool = False) -> WrittenTopic:
    return WrittenTopic(name, STRING, message_definition(STRING), [QoSProfile(depth=1)], "", latched)


def test_each_part_can_be_read_by_itself_and_the_last_one_ends_the_recording(tmp_path: Path) -> None:
    told: list[str] = []
    settings = RecordSettings(tmp_path / "a.mcap", compression="none", max_size=1.0, max_files=2)
    recording = TopicRecording(settings, told.append)
    description, data = topic("/robot_description", latched=True), topic("/data")
    recording.add(description)
    recording.write(description, 1, HELLO, b"a")
    recording.write(description, 1, HELLO, b"b")
    count = 0
    while not recording.ended:
        count += 1
        recording.write(data, count, HELLO + bytes(100_000))
        assert count < 100
    recording.close()
    parts = [tmp_path / "a.mcap", tmp_path / "a_1.mcap"]
    assert told == [f"the file is full: goes on in {parts[1]}"] and "max_files" in recording.ended
    for part in parts:
        assert [name for name, _ in stream(part)][:2] == ["/robot_description"] * 2
        assert 1_000_000 <= part.stat().st_size < 2_000_000
        with part.open("rb") as file:
            summary = make_reader(file).get_summary()
        assert summary is not None and summary.statistics is not None
        assert {channel.topic for channel in summary.channels.values()} == {"/robot_description", "/data"}
    assert sum(name == "/data" for part in parts for name, _ in stream(part)) == count


def test_on_a_full_disk_it_ends_with_a_line_and_what_was_written_can_be_read(tmp_path: Path) -> None:
    told: list[str] = []
    recording = TopicRecording(RecordSettings(tmp_path / "a.mcap", compression="none"), told.append)
    with files_end_at(20_000):
        for number in range(30):
            recording.write(topic(), number, HELLO + bytes(1000))
            recording.flush()
        recording.close()
    assert "cannot be written any more" in told[0] and not recording.complete and "a.mcap" in recording.ended
    assert 10 <= len(list(stream(tmp_path / "a.mcap"))) < 20


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.mcap").write_text("mine")
    with pytest.raises(ConfigurationError, match=r"a\.mcap: this file already exists; choose another"):
        TopicRecording(RecordSettings(tmp_path / "a.mcap"), print)
    with pytest.raises(ConfigurationError, match=r"must end in \.mcap"):
        TopicRecording(RecordSettings(tmp_path / "a.bag"), print)
    (tmp_path / "b_1.mcap").write_text("mine")
    recording = TopicRecording(RecordSettings(tmp_path / "b.mcap"), print)
    recording.begin_part(1, "time was set back")
    assert "b_1.mcap: this file already exists" in recording.ended
    recording.close()
    assert (tmp_path / "b_1.mcap").read_text() == "mine"

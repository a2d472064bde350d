import gzip
from pathlib import Path

import pytest

from simspark_ros.protocol.monitor.inspection import InspectedKind, InspectedRobot, Roster
from simspark_ros.protocol.monitor.log import LogError, read_frames
from simspark_ros.protocol.monitor.rosters import RosterWriter, read_rosters, roster_path, without_handles


def test_a_frame_that_was_cut_off_is_left_out(tmp_path, recorded):
    data = b"".join(frame + b"\n" for frame in recorded)
    path, packed = tmp_path / "match.log", tmp_path / "match.log.gz"
    path.write_bytes(data[:-20])
    assert list(read_frames(path)) == recorded[:-1]
    packed.write_bytes(gzip.compress(data)[:-20])
    frames = list(read_frames(packed))
    assert frames == recorded[: len(frames)]


@pytest.mark.parametrize(
    ("name", "data", "complaint"),
    [
        ("a.log", b"", "it is empty"),
        ("a.log", b"hello\n", "its first line is not a full frame"),
        ("a.log", b"((time 1))(RDS 0 1)()\n", "its first line is not a full frame"),
        ("a.log.gz", b"((time 1))(RSG 0 1)()\n", "cannot be read"),
        ("a.log", None, "No such file"),
    ],
)
def test_what_is_no_log_is_named(tmp_path, name, data, complaint):
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(LogError, match=complaint) as caught:
        list(read_frames(tmp_path / name))
    assert name in str(caught.value)


ONE, TWO = InspectedKind("body of one"), InspectedKind("body of two")


def test_rosters_are_read_as_they_were_written_and_bodies_are_told_once(tmp_path: Path) -> None:
    more = Roster((InspectedRobot(2, 0), InspectedRobot(1, 1, "t1")), (TWO, ONE))
    rosters = [Roster(), Roster((InspectedRobot(1, 0, "t1"),), (ONE,)), more]
    text = b"".join(map(RosterWriter().line, rosters))
    assert text.count(b"body of one") == 1 and read_rosters(tmp_path / "match.log") == [], "nothing is beside it yet"
    roster_path(tmp_path / "match.log").write_bytes(text)
    assert read_rosters(tmp_path / "match.log") == list(map(without_handles, rosters))


@pytest.mark.parametrize(
    "text", ["no JSON", '{"kinds": [3]}', '{"robots": 1}', '{"robots": [{"handle": 1, "kind": 0}]}']
)
def test_what_is_no_such_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "match.log.robots").write_text(text + "\n", encoding="utf-8")
    with pytest.raises(LogError, match=r"match\.log\.robots: this file is not a list of the robots of match\.log"):
        read_rosters(tmp_path / "match.log")

"""The file beside a log tells the robots of each full frame."""

from pathlib import Path

import pytest

from simspark_ros.protocol.monitor.inspection import InspectedKind, InspectedRobot, Roster
from simspark_ros.protocol.monitor.log import LogError
from simspark_ros.protocol.monitor.rosters import RosterWriter, read_rosters, roster_path, without_handles

ONE, TWO = InspectedKind("body of one"), InspectedKind("body of two")


def test_rosters_are_read_as_they_were_written_and_bodies_are_told_once(tmp_path: Path) -> None:
    rosters = [
        Roster(),
        Roster((InspectedRobot(1, 0, "t1"),), (ONE,)),
        Roster((InspectedRobot(2, 0), InspectedRobot(1, 1, "t1")), (TWO, ONE)),
    ]
    writer = RosterWriter()
    text = b"".join(map(writer.line, rosters))
    assert text.count(b"body of one") == 1
    roster_path(tmp_path / "match.log").write_bytes(text)
    assert read_rosters(tmp_path / "match.log") == list(map(without_handles, rosters))


def test_a_log_without_the_file_has_no_rosters(tmp_path: Path) -> None:
    assert read_rosters(tmp_path / "match.log") == []


@pytest.mark.parametrize(
    "text", ["no JSON", '{"kinds": [3]}', '{"robots": 1}', '{"robots": [{"handle": 1, "kind": 0}]}']
)
def test_what_is_no_such_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "match.log.robots").write_text(text + "\n", encoding="utf-8")
    with pytest.raises(LogError, match=r"match\.log\.robots: this file is not a list of the robots of match\.log"):
        read_rosters(tmp_path / "match.log")

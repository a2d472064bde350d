"""What an import tells of each part of a file."""

from __future__ import annotations

import json

from simspark_ros.configuration.schema import build, plain
from simspark_ros.robots.files.report import MAX_NOTES, ImportReport, Verdict


def test_each_note_is_a_line_with_its_place() -> None:
    report = ImportReport()
    report.understood("joint 'knee'", file="r.urdf", line=7)
    report.approximated("link 'foot'", "a hull of 64 vertices", "r.urdf", 9)
    report.dropped("plugin", "nothing runs it")
    assert report.lines() == [
        "r.urdf:7: understood joint 'knee'",
        "r.urdf:9: approximated link 'foot': a hull of 64 vertices",
        "dropped plugin: nothing runs it",
    ]
    assert report.counts() == {"understood": 1, "approximated": 1, "dropped": 1}


def test_a_report_comes_back_from_its_text() -> None:
    report = ImportReport()
    report.dropped("sensor 'gps'", "no such sensor here", "r.urdf", 3)
    again = build(ImportReport, json.loads(json.dumps(plain(report))), "report")
    assert again == report and again.notes[0].verdict is Verdict.DROPPED


def test_notes_beyond_the_bound_are_counted_only() -> None:
    report = ImportReport()
    for _ in range(MAX_NOTES + 5):
        report.dropped("plugin")
    assert len(report.notes) == MAX_NOTES
    assert report.counts()["dropped"] == MAX_NOTES + 5
    assert report.lines()[-1] == "and 5 more"

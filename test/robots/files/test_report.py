"""What an import tells of each part of a file."""

import json

from simspark_ros.configuration.schema import build, plain
from simspark_ros.robots.files.report import MAX_NOTES, ImportReport, Verdict


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

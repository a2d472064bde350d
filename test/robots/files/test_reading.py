"""The steps from a robot's file to its description."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from simspark_ros.robots.files.reading import read_robot
from simspark_ros.robots.formats.urdf import document
from test.robots.formats.adaptation.makers import LIMIT, joint, link, robot, write


def test_a_makers_urdf_is_parsed_twice_as_written_and_made_plain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []

    class Parser(document._Parser):
        def root(self, text: str) -> ElementTree.Element:
            parsed.append(text)
            return super().root(text)

    monkeypatch.setattr(document, "_Parser", Parser)
    path = write(tmp_path, robot(link("base"), link("arm"), joint("a", "base", "arm", LIMIT)))
    made = read_robot(path, 0)
    assert parsed == [path.read_text(), made.urdf]

import json
from pathlib import Path

import pytest
import yaml

from simspark_recording.files import recording_world
from simspark_ros.soccer.settings import load_soccer_settings, read_world, text_of_world
from test.rigs.recordings import record_texts


@pytest.mark.parametrize("world", ["obstacles", "msl", "empty"])
def test_a_recording_is_shown_in_its_own_world(tmp_path: Path, world: str) -> None:
    path = record_texts(tmp_path / "a.mcap", (1, text_of_world(read_world(world))), name="/left/scene_world")
    with recording_world(path, pytest.fail) as file:
        shown, real = load_soccer_settings(file), load_soccer_settings(world)
    assert (shown.field, shown.scene, shown.plays_soccer) == (real.field, real.scene, real.plays_soccer)
    assert not Path(file).exists()


def test_a_recording_without_a_world_names_none_and_robots_and_rule_books_are_not_read(tmp_path: Path) -> None:
    with recording_world(record_texts(tmp_path / "a.mcap", (1, "hello")), pytest.fail) as world:
        assert world == ""
    document = json.loads(text_of_world(read_world("obstacles")))
    document["robots"] = {"spy": {"robot": "/etc/passwd", "position": [0.0, 0.0, 0.0]}}
    document["rules"] = {"book": "spl"}
    path = record_texts(tmp_path / "b.mcap", (1, json.dumps(document)), name="/scene_world")
    with recording_world(path, pytest.fail) as world:
        written = yaml.safe_load(Path(world).read_text())
    assert "obstacles" in written and "robots" not in written and written["rules"] != document["rules"]


@pytest.mark.parametrize("text", ["no JSON", "[]", '{"obstacles": 3}'])
def test_a_world_that_cannot_be_used_is_left_out_with_a_line(tmp_path: Path, text: str) -> None:
    lines: list[str] = []
    with recording_world(record_texts(tmp_path / "a.mcap", (1, text), name="/scene_world"), lines.append) as world:
        assert world == ""
    assert len(lines) == 1 and "cannot be used" in lines[0]

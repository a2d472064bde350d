"""Profiles whose scenes are robots in files of other formats: read at the start, created by an agent's command."""

from pathlib import Path

import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.exchange import Action

ROBOTS = Path(__file__).parents[1] / "data" / "robots"


def profile(folder: Path, robot: Path, types: int = 1) -> str:
    path = folder / "own.yaml"
    scene = f"scenes: {{mine.rsg: {{robot: {robot}, variants: {types}}}}}"
    path.write_text(f"based_on: measured\n{scene}\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", ["rover.sdf", "rsg/crawler/crawler.rsg"])
def test_a_scene_creates_the_robot_of_a_foreign_file(play, tmp_path: Path, name: str) -> None:
    played = play(profile=profile(tmp_path, ROBOTS / name))
    played.act(Action("a", "create", (str(ROBOTS / name), 0)))
    robot = played.world.robot_of("a")
    assert robot is not None
    assert robot.description.name in ("rover", "crawler")


def test_a_file_that_no_profile_names_is_not_read(play) -> None:
    (refusal,) = play().refusals(Action("a", "create", (str(ROBOTS / "wheel.sdf"), 0)))
    assert "no robot was loaded from" in refusal


def test_a_scene_with_a_file_that_cannot_be_used_is_refused_at_the_start(play, tmp_path: Path) -> None:
    broken = tmp_path / "robot.sdf"
    broken.write_text("<sdf version='1.9'><model name='m'><static>1</static></model></sdf>", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"own\.yaml: scenes: mine\.rsg: .*robot\.sdf: the file has no body"):
        play(profile=profile(tmp_path, broken))

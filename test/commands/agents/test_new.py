"""What `simspark new` writes works as it is."""

import runpy
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from simspark_ros import cli
from simspark_ros.commands.agents.new import SKELETONS
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.files.foreign import load_foreign
from simspark_ros.soccer.world import SoccerWorld
from test.clients.team_rig import stadium
from test.commands.conftest import Refused


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    yield tmp_path


def written(kind: str, name: str) -> list[Path]:
    assert cli.main(["new", kind, name]) == 0
    return [path for path in Path(name).rglob("*") if path.is_file()]


@pytest.mark.parametrize("kind", SKELETONS)
def test_the_name_stands_everywhere_and_the_next_commands_exist(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    paths, skeleton = written(kind, "wolves"), SKELETONS[kind]
    old = skeleton.stands_for_name
    texts = [str(path) + path.read_text() for path in paths]
    assert any("wolves" in text for text in texts)
    assert not any(old in text or old.replace("_", "-") in text for text in texts)
    assert all(str(path) in capsys.readouterr().out for path in paths[:1])
    for words in (shlex.split(line.format(name="wolves")) for line in skeleton.next):
        assert words[0] != "simspark" or cli.build_parser().parse_args(words[1:]).run


def joins(world: SoccerWorld) -> bool:
    return world.cycle > 60


@pytest.mark.parametrize(("kind", "players"), [("agent", 1), ("team", 4)])
def test_players_join_under_the_given_name_and_play(kind: str, players: int, monkeypatch: pytest.MonkeyPatch) -> None:
    (program,) = written(kind, "wolves")
    with stadium(players, joins) as place:
        monkeypatch.setattr(sys, "argv", [str(program), str(place.port), "--team", "Reds"])
        runpy.run_path(str(program), run_name="__main__")
    assert place.met
    robots = place.world.robots.values()
    assert {robot.team for robot in robots} == {"Reds"}
    assert {robot.unum for robot in robots} == set(range(1, players + 1))


@pytest.mark.parametrize("name", ["wolves", "ada_rover"])
def test_the_robot_has_what_its_text_promises_also_with_the_old_name_in_its_own(name: str) -> None:
    written("robot", name)
    robot = load_foreign(Path(name, f"{name}.yaml"), 0, LimitSettings())
    assert {"laser", "camera", "hinge_joint"} <= {spec.kind for spec in robot.perceptors}
    assert {spec.kind for spec in robot.effectors} == {"hinge", "wheels"}


def test_what_is_there_is_not_overwritten_and_names_that_are_no_names_of_modules_are_refused(refused: Refused) -> None:
    (program,) = written("agent", "wolves")
    program.write_text("mine")
    assert "already exists" in refused("new", "agent", "wolves")
    assert program.read_text() == "mine"
    for name in ("Wolves", "../wolves", "2wolves", "a b", "x" * 40):
        assert refused("new", "agent", name)

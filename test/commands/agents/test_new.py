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


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    yield tmp_path


def written(kind: str, name: str) -> list[Path]:
    assert cli.main(["new", kind, name]) == 0
    return [path for path in Path(name).rglob("*") if path.is_file()]


@pytest.mark.parametrize("kind", SKELETONS)
def test_the_name_stands_everywhere(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    paths = written(kind, "wolves")
    old = SKELETONS[kind].stands_for_name
    texts = [str(path) + path.read_text() for path in paths]
    assert any("wolves" in text for text in texts)
    assert not any(old in text or old.replace("_", "-") in text for text in texts)
    assert all(str(path) in capsys.readouterr().out for path in paths[:1])


@pytest.mark.parametrize("kind", SKELETONS)
def test_the_commands_to_go_on_with_exist(kind: str) -> None:
    written(kind, "wolves")
    parser = cli.build_parser()
    for line in SKELETONS[kind].next:
        words = shlex.split(line.format(name="wolves"))
        if words[0] == "simspark":
            assert parser.parse_args(words[1:]).run


def joins(world: SoccerWorld) -> bool:
    return world.cycle > 60


@pytest.mark.parametrize(("kind", "players"), [("agent", 1), ("team", 4)])
def test_players_join_under_the_given_name_and_are_let_play(
    kind: str, players: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (program,) = written(kind, "wolves")
    with stadium(players, joins) as place:
        monkeypatch.setattr(sys, "argv", [str(program), str(place.port), "--team", "Reds"])
        runpy.run_path(str(program), run_name="__main__")
    assert place.met
    robots = place.world.robots.values()
    assert {robot.team for robot in robots} == {"Reds"}
    assert {robot.unum for robot in robots} == set(range(1, players + 1))


def test_the_robot_has_what_its_text_promises() -> None:
    written("robot", "wolves")
    robot = load_foreign(Path("wolves/wolves.yaml"), 0, LimitSettings())
    assert {"laser", "camera", "hinge_joint"} <= {spec.kind for spec in robot.perceptors}
    assert {spec.kind for spec in robot.effectors} == {"hinge", "wheels"}


def test_what_is_there_is_not_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = written("agent", "wolves")
    program.write_text("mine")
    assert cli.main(["new", "agent", "wolves"]) == cli.BAD_INPUT
    assert "already exists" in capsys.readouterr().err
    assert program.read_text() == "mine"


@pytest.mark.parametrize("name", ["Wolves", "../wolves", "2wolves", "a b", "x" * 40])
def test_names_that_are_no_names_of_modules_are_refused(name: str) -> None:
    assert cli.main(["new", "agent", name]) == cli.BAD_INPUT

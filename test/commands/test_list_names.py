"""`simspark list` names what can be chosen."""

import pytest

from simspark_ros import cli
from simspark_ros.commands.list_names import KINDS
from simspark_ros.configuration.league_models import league_files
from simspark_ros.physics.registry import engine_names
from simspark_ros.robots.catalogue import robot_names
from simspark_ros.soccer.settings import WORLDS


def listed(kind: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert cli.main(["list", kind]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    return [line.split()[0] for line in lines if not line.startswith("   ")]


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("engines", engine_names()),
        ("robots", (*robot_names(), *league_files())),
        ("worlds", tuple(WORLDS.names)),
        ("plug-ins", ("none",)),
    ],
)
def test_all_of_a_kind_are_listed(
    kind: str, names: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIMSPARK_WITHOUT_PLUG_INS", "1")
    assert sorted(listed(kind, capsys)) == sorted(names)


def test_descriptions_fit_the_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [f"{kind} ({KINDS[kind]})" for kind in KINDS]
    assert all(len(line) <= 80 for line in lines)
    described = [line for line in lines if line.startswith("  ") and line[2] != " " and line != "  none"]
    assert described and all(len(line.split()) > 1 for line in described)

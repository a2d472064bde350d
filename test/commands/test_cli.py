"""The command line itself: what it loads, and commands of plug-ins."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint, EntryPoints

import pytest

from simspark_ros import cli
from simspark_ros.configuration import entry_points
from simspark_ros.configuration.errors import UserError


def register(commands):
    parser = commands.add_parser("greet", help="says hello")
    parser.add_argument("name")
    parser.set_defaults(run=lambda options: print(f"hello {options.name}") or 0)


def refuse(commands):
    def run(options):
        raise UserError("this cannot be done; do that")

    commands.add_parser("refuse").set_defaults(run=run)


@pytest.fixture
def installed(monkeypatch):
    points = [EntryPoint(name, f"{__name__}:{name}", "simspark_ros.commands") for name in ("register", "refuse")]
    functions = {"register": register, "refuse": refuse}
    monkeypatch.setattr(EntryPoint, "load", lambda point: functions[point.name])
    monkeypatch.setattr(entry_points, "entry_points", lambda group: points if group == "simspark_ros.commands" else [])


def test_a_distribution_adds_a_command(installed, capsys):
    assert cli.main(["greet", "robot"]) == 0
    assert capsys.readouterr().out == "hello robot\n"


def test_an_error_for_the_user_is_printed_without_a_traceback(installed, capsys):
    assert cli.main(["refuse"]) == cli.BAD_INPUT
    assert capsys.readouterr().err == "simspark: this cannot be done; do that\n"


def test_the_command_line_is_read_without_what_commands_need_to_run():
    code = "import sys; from simspark_ros.cli import build_parser; build_parser(); print(*sys.modules)"
    loaded = set(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    )
    assert not {"numpy", "rclpy", "simspark_ros.soccer.world"} & loaded


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("serv", "serve"),
        ("serve --enigne ode", "--engine"),
        ("serve --engine=mujoko", "mujoco"),
        ("serve --pacing lockstp", "lockstep"),
        ("serve --world socer", "soccer"),
        ("match --rules spll", "spl"),
        ("serve --robot keeper=nao_v66/1", "nao_v6"),
        ("robot inspct nao", "inspect"),
    ],
)
def test_what_is_misspelt_is_refused_with_what_was_probably_meant(words, meant, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(words.split())
    assert ended.value.code == cli.BAD_INPUT
    assert f"did you mean '{meant}'?" in capsys.readouterr().err


def test_what_resembles_nothing_is_refused_without_a_guess(capsys):
    with pytest.raises(SystemExit):
        cli.main(["serve", "--zzz"])
    assert "did you mean" not in capsys.readouterr().err


def test_plug_ins_can_be_left_out(monkeypatch, capsys):
    point = EntryPoint("greet", f"{__name__}:register", "simspark_ros.commands")
    monkeypatch.setattr(entry_points, "announced", lambda group: EntryPoints([point]))
    monkeypatch.setenv(entry_points.WITHOUT, "")
    monkeypatch.setattr(entry_points, "entry_points", entry_points.entry_points.__wrapped__)
    assert cli.main(["greet", "robot"]) == 0
    with pytest.raises(SystemExit):
        cli.main(["greet", "robot", "--no-plug-ins"])
    assert "invalid choice: 'greet'" in capsys.readouterr().err

"""The command line itself: what it loads, and commands of plug-ins."""

import argparse
import os
import re
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


def test_a_distribution_adds_commands_whose_errors_for_the_user_come_without_a_traceback(installed, capsys, refused):
    assert cli.main(["greet", "robot"]) == 0
    assert capsys.readouterr().out == "hello robot\n"
    assert refused("refuse") == "simspark: this cannot be done; do that\n"


def test_a_command_whose_output_nothing_reads_ends_without_a_word():
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "simspark_ros.cli", "list", "profiles"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (cli.UNREAD, "")


@pytest.mark.parametrize(
    ("words", "meant"),
    [(["--help"], ""), (["serve", "--robot", "noa"], "nao"), (["serve", "--set", "bal.mass=1"], "ball")],
)
def test_help_and_refusals_of_a_misspelt_robot_or_key_of_the_world_load_nothing_heavy(words, meant):
    code = "import sys; from simspark_ros.cli import main\ntry: main(sys.argv[1:])\nfinally: print(*sys.modules)"
    made = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True)
    heavy = {"numpy", "rclpy", "PIL", "simspark_ros.commands.serving.serve", "simspark_ros.soccer.world"}
    assert not (heavy if not meant else heavy - {"simspark_ros.commands.serving.serve"}) & set(made.stdout.split())
    assert f"did you mean '{meant}'?" in made.stderr if meant else "yaml" not in made.stdout.split()


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
        ("stress --monitor-prot 1", "--monitor-port"),
    ],
)
def test_what_is_misspelt_is_refused_with_what_was_probably_meant(words, meant, refused):
    error, hint = refused(*words.split()).splitlines()
    assert f"did you mean '{meant}'?" in error
    assert re.fullmatch(r"'simspark( \w+)? --help( all)?' shows all that can be given\.", hint)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("serve --engine ode --preset referenc", "reference"),
        ("match --left demo --right dmo", "demo"),
        ("match --left demo --right demo --preset lgacy", "legacy"),
        ("match --left demo --right demo --set rules.game.half_tim=60", "half_time"),
        ("serve --set rules.gam.half_time=60", "game"),
        ("learn wlak", "walk"),
        ("robot inspect noa", "nao"),
    ],
)
def test_names_that_only_a_command_knows_are_refused_in_the_same_way(words, meant, refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert f"did you mean '{meant}'?" in refused(*words.split())
    assert not list(tmp_path.iterdir())


def helped(words: str, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as ended:
        cli.main(words.split())
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_help_has_what_people_use_and_the_rest_on_demand(capsys):
    short, whole = helped("serve --help", capsys), helped("serve --help all", capsys)
    assert "--engine" in short and "--max-clients" not in short and "--max-clients" in whole
    options = [len(re.findall(r"^  (?:-h|--)", text, re.MULTILINE)) for text in (short, whole)]
    # Fifteen, and --help itself; the last line counts the others.
    assert options[0] == 16 and f"shows {options[1] - options[0]} more options" in short
    # It begins with what has to be given.
    assert helped("robot inspect --help", capsys).startswith("usage: simspark robot inspect ROBOT [OPTION ...]\n")
    assert helped("proxy --help", capsys).startswith("usage: simspark proxy --server HOST:PORT [OPTION ...]\n")


def test_help_groups_commands_and_leaves_none_out(capsys):
    text = helped("--help", capsys)
    assert re.findall(r"^  ([a-z-]+)", text[: text.index("others:")], re.MULTILINE) == [
        name for names in cli.FOLDERS.values() for name in names
    ]
    assert re.search(r"^  list ", text[text.index("others:") :], re.MULTILINE)


@pytest.mark.parametrize("words", ["serve --agent-por 0", "match --half-tim 60", "--vers", "robot inspect --typ 1 nao"])
def test_options_cannot_be_abbreviated(words, refused):
    assert refused(*words.split())


def test_what_resembles_nothing_is_refused_without_a_guess_and_a_rule_leads_to_the_option_that_changes_rules(refused):
    for words in (("serve", "--zzz"), ("match", "--pacing", "fast")):
        error, *_ = refused(*words).splitlines()
        assert "did you mean" not in error and "--set" not in error
    for option in ("--half-time", "--rules.game.goal-pause", "--radius=0.1"):
        error, *_ = refused("serve", option, "60").splitlines()
        assert "; --set: change of one key of the world file or rule book" in error


def test_plug_ins_can_be_left_out_and_this_project_s_other_distributions_are_none(monkeypatch, refused, capsys):
    point = EntryPoint("greet", f"{__name__}:register", "simspark_ros.commands")
    monkeypatch.setattr(entry_points, "announced", lambda: {point.group: EntryPoints([point])})
    monkeypatch.setenv(entry_points.WITHOUT, "")
    assert cli.main(["greet", "robot"]) == 0
    assert "invalid choice: 'greet'" in refused("greet", "robot", "--no-plug-ins")
    monkeypatch.undo()
    monkeypatch.setenv(entry_points.WITHOUT, "")
    assert cli.main(["stress", "--list", "--no-plug-ins"]) == 0
    assert "coalescing" in capsys.readouterr().out


def test_a_command_of_another_distribution_of_this_repository_says_how_to_install_it(refused, monkeypatch):
    monkeypatch.setattr(entry_points, "announced", dict)
    for words, folders in (
        ("stress 127.0.0.1 3100", "./stress"),
        ("stress --help", "./stress"),
        ("learn drive", "./learning"),
        ("tournament cup.yaml", "./matches"),
        ("record cup.mcap", "./recording"),
        ("replay cup.log", "./recording"),
        ("view cup.log", "./recording ./watching"),
        ("robot check nao", "./conformance"),
        ("robot export nao -o nao.urdf", "./conformance"),
    ):
        assert f"'pip install {folders}'" in refused(*words.split())


def parsers(parser=None):
    parser = parser or cli.build_parser()
    yield getattr(parser, "filled", lambda: parser)()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from parsers(each)


def test_every_command_and_option_says_what_it_means_and_its_default():
    silent = []
    for parser in parsers():
        for action in parser._actions:
            has_default = action.nargs != 0 and action.default not in (None, "", argparse.SUPPRESS)
            says = action.choices if isinstance(action, argparse._SubParsersAction) else action.help
            if not says or (has_default and "[" not in says):
                silent.append(f"{parser.prog}: {action.option_strings or action.dest}")
    assert not silent


def test_ctrl_c_while_a_command_is_loaded_ends_it_in_one_line_and_before_nearly_nothing_is_loaded(monkeypatch, capsys):
    def interrupted(name, parser):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_fill", interrupted)
    assert cli.main(["wave"]) == cli.BROKEN_OFF
    assert capsys.readouterr().err == "simspark: interrupted\n"
    script = "import __future__, signal, sys, simspark_ros; had = {*sys.modules}; import simspark_ros.cli; "
    script += "print({*sys.modules} - had)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "{'simspark_ros.cli'}\n"

"""Commands of teams and their placeholders."""

import sys
from pathlib import Path

import pytest

from simspark_matches.settings import TeamCommand
from simspark_matches.team_commands import SHORT_NAMES, fill_in, has_placeholder, parse_command
from simspark_ros.configuration.schema import ConfigurationError

VALUES: dict[str, str | int] = {"host": "127.0.0.1", "port": 3100, "monitor_port": 3200, "unum": 7, "team": "A b"}


def test_placeholders_are_replaced_within_their_words_and_variables_of_a_shell_are_left_alone(tmp_path):
    words = parse_command("sh -c 'run' --port={port} --watch {host}:{monitor_port} {team}", tmp_path, "left")
    assert fill_in(words, VALUES)[3:] == ["--port=3100", "--watch", "127.0.0.1:3200", "A b"]
    words = parse_command("sh -c 'echo ${unum}'", tmp_path, "left")
    assert not has_placeholder(words, "unum")
    assert fill_in(words, VALUES)[2] == "echo ${unum}"


@pytest.mark.parametrize(("text", "unums"), [("sh start.sh {unum}", (1, 2)), ("sh start.sh {port}", (0,))])
def test_a_command_with_a_number_is_for_one_player(text, unums, tmp_path):
    assert TeamCommand(parse_command(text, tmp_path, "left"), "", 2, tmp_path).unums == unums


@pytest.mark.parametrize("name", SHORT_NAMES)
def test_short_names_are_commands(name, tmp_path):
    words = parse_command(name, tmp_path, "left")
    assert (has_placeholder(words, "port") or has_placeholder(words, "classic_port")) and has_placeholder(words, "team")


def test_a_program_is_looked_for_where_it_will_run(tmp_path):
    script = tmp_path / "start.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    assert parse_command("./start.sh", tmp_path, "left") == ("./start.sh",)
    with pytest.raises(ConfigurationError, match=r"start\.sh"):
        parse_command("./start.sh", Path(sys.prefix), "left")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "empty"),
        ("sh 'open", "cannot be split"),
        ("sh {prot}", "unknown placeholder {prot}"),
        ("no-such-program-anywhere", "no program 'no-such-program-anywhere'"),
    ],
)
def test_a_wrong_command_is_named(text, named, tmp_path):
    with pytest.raises(ConfigurationError, match=f"left: .*{named}"):
        parse_command(text, tmp_path, "left")

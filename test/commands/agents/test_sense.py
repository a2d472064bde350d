"""`simspark sense` shows what an agent perceives."""

from pathlib import Path

import pytest

from simspark_ros import cli
from simspark_ros.configuration.league_models import MODELS_VARIABLE
from test.clients.team_rig import stadium
from test.commands.serving.test_serve import running


def test_it_prints_the_percepts_of_a_player_one_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with stadium(1, lambda world: False) as place:
        words = ["sense", "--port", str(place.port), "--team", "Eyes", "--every", "10", "--messages", "3"]
        assert cli.main(words) == 0
        messages = capsys.readouterr().out.strip().split("\n\n")
        assert cli.main([*words, "--unum", "7", "--only", "HJ"]) == 0
        joints = capsys.readouterr().out.split("\n\n")[0].splitlines()
        assert cli.main([*words, "--unum", "8", "--every", "1", "--only", "See"]) == 0
    assert len(messages) == 3
    assert all(message.splitlines()[0].startswith("(time (now ") for message in messages)
    assert "(unum 1) (team left)" in messages[0]
    assert joints[0].startswith("(HJ (n hj1) (ax ") and len(joints) == 22
    # Two of three messages have no look.
    assert [look[:6] for look in capsys.readouterr().out.strip().split("\n\n")] == ["(See ("] * 3


def test_without_a_server_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["sense", "--port", "1"]) == 1
    assert "no server at 127.0.0.1:1" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["sense", "wave"])
def test_a_player_that_is_not_accepted_hears_whom_the_server_refuses(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"simspark_ros.clients.{command}.PATIENCE", 20)
    with stadium(1, lambda world: False) as place:
        for team in ("Lions", "Dragons"):
            words = ["sense", "--port", str(place.port), "--team", team, "--messages", "1"]
            assert cli.main(words) == 0
        assert cli.main([command, "--port", str(place.port), "--team", "Third"]) == 1
    assert "no place in Third; the server's log says why. A server refuses a third team, " in capsys.readouterr().err


def test_it_joins_the_league_since_2026_with_a_robot_of_that_league(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MODELS_VARIABLE, str(Path("test/data/league_models").resolve()))
    with running("--league", "2026", "--pacing", "lockstep") as server:
        words = ["sense", "--port", str(server.agent_port), "--robot", "toy", "--unum", "3", "--messages", "2"]
        assert cli.main([*words, "--every", "1"]) == 0
    first, _ = capsys.readouterr().out.strip().split("\n\n")
    assert first.startswith("(time (now ") and "(pos (n torso_pos) (p " in first

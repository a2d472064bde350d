"""A search finds planted faults of a server, shrinks them to what causes them, and is content with a sound one."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from simspark_ros.cli import main
from simspark_stress.fuzz import server
from simspark_stress.fuzz.campaign import Campaign
from simspark_stress.fuzz.case import Finding, read_finding
from simspark_stress.fuzz.doors.classic import AGENTS
from simspark_stress.settings import FuzzSettings

FAKE = Path(__file__).parents[1] / "fake_server.py"
FAST = ("--recovery", "0.6", "--max-gap", "0.5")
"""A planted fault shows soon, and what shows it may be a busy machine, too."""

PATIENT = ("--recovery", "20", "--max-gap", "20")
"""A sound server stays one on a busy machine."""


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "SERVE", (sys.executable, str(FAKE)))


def search(tmp_path: Path, fault: str, **settings: float) -> list[Finding]:
    """Search for some seconds at the agents' door; returns what is kept."""
    kept = tmp_path / "found"
    given: dict[str, Any] = {"recovery": 0.6, "max_gap": 0.5, "shrinking": 60.0, **settings}
    chosen = FuzzSettings(server=("--fault", fault), **given)
    (tmp_path / "work").mkdir()
    campaign = Campaign(chosen, [AGENTS], tmp_path / "work", kept, print)
    campaign.run()
    findings = [read_finding(path) for path in kept.iterdir()]
    assert findings == campaign.report.findings
    return findings


def test_nothing_is_found_in_a_sound_server(tmp_path, capsys):
    kept, path = tmp_path / "found", tmp_path / "report.json"
    arguments = ["--doors", "agents,monitors", "--findings", str(kept), "--json", str(path)]
    assert main(["stress", "--minutes", "0.1", *arguments, *PATIENT]) == 0
    report = json.loads(path.read_text())
    assert report["clean"] and report["cases"] > 100 and report["compared_cycles"] > 20
    assert not kept.exists()
    table = capsys.readouterr().out
    assert "agents" in table and "monitors" in table and "0 findings" in table


@pytest.mark.slow
def test_a_message_that_ends_the_server_is_found_shrunk_and_does_it_again(tmp_path, capsys):
    (finding,) = search(tmp_path, "dies on unknown joint", minutes=0.05, quiet=0.0, lockstep=0.0)
    assert finding.reproduced and "ended" in finding.fault
    (case,) = finding.cases
    (step,) = case.steps
    # How short it becomes depends on how many servers start within the time for shrinking.
    assert step[0] in ("message", "raw") and "(he3 " in step[2]
    path = str(next((tmp_path / "found").iterdir()))
    assert main(["stress", "--replay", path, *FAST]) == 1
    assert "has ended" in capsys.readouterr().out
    assert main(["stress", "--replay", path, "--server=--fault ''", *PATIENT]) == 0


@pytest.mark.slow
def test_players_are_drawn_in_lock_step_too_and_the_finding_keeps_it(tmp_path):
    (finding,) = search(tmp_path, "dies on unknown joint", minutes=0.03, quiet=0.0, lockstep=1.0, shrinking=3.0)
    assert "--pacing=lockstep" in finding.server and not finding.quiet
    path = str(next((tmp_path / "found").iterdir()))
    assert main(["stress", "--replay", path, *FAST]) == 1


@pytest.mark.slow
def test_an_unread_message_that_changes_the_world_shows_in_the_state_hash(tmp_path):
    (finding,) = search(tmp_path, "lets strangers change the world", minutes=0.05, quiet=1.0, lockstep=0.0)
    assert finding.quiet and "state hash" in finding.fault
    assert len(finding.cases) == 1 and "nan" in json.dumps(finding.cases[0].steps).lower()
    path = str(next((tmp_path / "found").iterdir()))
    assert main(["stress", "--replay", path, *FAST]) == 1
    assert main(["stress", "--replay", path, "--server=--fault ''", *PATIENT]) == 0


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--minutes", "1", "127.0.0.1", "3100"], "HOST and PORT"),
        (["--minutes", "1", "--doors", "agents,cellar"], "cellar"),
        (["--minutes", "0"], "--minutes"),
        (["--replay", "no-such-file.json"], "no-such-file.json"),
        (["--minutes", "1", "--server=--fault 'x"], "--server"),
    ],
)
def test_wrong_arguments_are_named(arguments, named, capsys):
    try:
        status: object = main(["stress", *arguments])
    except SystemExit as end:
        status = end.code
    assert status == 2 and named in capsys.readouterr().err

"""A search finds planted faults of a server and shrinks them to what causes them; what it draws, reads and tells."""

import json
import math
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from simspark_ros.cli import main
from simspark_ros.configuration.schema import ConfigurationError
from simspark_stress.fuzz import server
from simspark_stress.fuzz.campaign import Campaign
from simspark_stress.fuzz.case import Case, Finding, read_finding, write_finding
from simspark_stress.fuzz.doors.agents import draw_agents
from simspark_stress.fuzz.doors.classic import AGENTS
from simspark_stress.fuzz.report import FuzzReport
from simspark_stress.fuzz.server import Use
from simspark_stress.fuzz.session import last_words, printed_errors
from simspark_stress.fuzz.shrink import shrunk
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


def has_step(cases, wanted):
    return any(wanted(case.door, step) for case in cases for step in case.steps)


def test_one_fatal_message_among_many_is_all_that_is_left():
    cases = [Case("agents", tuple(draw_agents(random.Random(number), False))) for number in range(40)]
    cases[17] = Case("agents", (*cases[17].steps, ["message", 3, "(init)((zz9 1))(syn)", [2, 9], 0.02], ["wait", 0.05]))
    tried = []

    def fails(some):
        tried.append(some)
        return has_step(some, lambda door, step: step[0] == "message" and "(zz9" in step[2])

    (case,) = shrunk(cases, fails)
    assert [step[:3] for step in case.steps] == [["message", 0, "(zz9"]]
    assert len(tried) < 200


def test_faults_of_two_cases_keep_both_findings_are_read_as_written_and_values_become_simple(tmp_path: Path):
    case = Case("agents", (["message", 0, "\xff\0(\n\u0131", [1, 2], 0.5], ["reset", 0]))
    finding = Finding("good client: lost", ("--engine", "ode"), (case, case), quiet=True)
    write_finding(finding, tmp_path / "one.json")
    assert read_finding(tmp_path / "one.json") == finding
    cases = [Case("agents", (["raw", number, str(number)],)) for number in range(20)]

    def needs_two(some):
        return {"4", "13"} <= {step[2] for case in some for step in case.steps}

    assert [case.steps[0][2] for case in shrunk(cases, needs_two)] == ["4", "13"]
    steps = (["call", "spawn_entity", {"name": "a" * 500, "allow_renaming": True, "pose": {"x": 3.5, "y": -7}}],)

    def fails(some):
        return has_step(some, lambda door, step: "spawn" in step[1] and len(step[2].get("name", "")) > 240)

    (case,) = shrunk([Case("ros", steps)], fails)
    assert case.steps == (["call", "spawn", {"name": "a" * 241}],)


@pytest.mark.parametrize("text", ["", "{}", '{"cases": [1]}', '{"cases": [], "server": []}', "[]"])
def test_a_file_that_is_no_finding_is_named(text, tmp_path: Path):
    (tmp_path / "wrong.json").write_text(text)
    with pytest.raises(ConfigurationError, match=r"wrong\.json"):
        read_finding(tmp_path / "wrong.json")


@pytest.mark.parametrize("number", [math.nan, math.inf, -1e308])
def test_numbers_that_are_not_finite_become_simple(number):
    def fails(some):
        return has_step(some, lambda door, step: step[1:] and isinstance(step[1], float | int))

    (case,) = shrunk([Case("lola", (["packed", number],))], fails)
    assert case.steps == (["packed", 0],)


def test_exceptions_that_servers_survive_are_errors_and_lost_clients_are_told_with_last_words():
    survived = "driver 1: is disconnected, as its message was not understood: TypeError in read, line 7: x; please"
    printed = f"usual\nTraceback (most recent call last):\n  File x\nValueError: y\nKeyError: of nothing\n{survived}\n"
    assert printed_errors(printed) == {"ValueError": "ValueError: y", "TypeError": survived}
    printed = "bridge 'x' joins\nproxy 1 leaves\nbridge 'x' has sent nothing for 3 s\nbridge 'x' joins\n"
    printed += "bridge 'x' ends\n"
    assert last_words("bridge", printed)[0] == "bridge 'x' has sent nothing for 3 s"
    assert last_words("server", printed) == []
    assert last_words("proxy", f"proxy {'x' * 1000}")[0].startswith("proxy xxx")
    assert len(last_words("proxy", printed)) == 1


ROUNDS = 100


@pytest.mark.parametrize(
    ("held", "growth"),
    [
        pytest.param(lambda number: 100 + number, 180 / 140 - 1, id="a leak in each round"),
        pytest.param(lambda number: 100 + 50 * (number % 3 != 0), 0.0, id="robots that come and go"),
        pytest.param(lambda number: 100 + 50 * (number == ROUNDS - 1), 0.0, id="robots at the end"),
        pytest.param(lambda number: 60 + 40 * (number > 30), 0.0, id="warm-up"),
        pytest.param(lambda number: 100 + 10 * (number > 60), 0.1, id="a step that stays"),
        pytest.param(lambda number: 100 - 10 * (number > 60), -0.1, id="a step down"),
    ],
)
def test_the_lowest_memory_of_many_rounds_shows_what_is_lost(held, growth):
    found = FuzzReport([])
    # The server holds so many MB in a round, beside a process that ends.
    for number in range(ROUNDS):
        found.uses.append({"serve": Use(int(held(number) * 1e6))} | ({"child": Use(1)} if number < 50 else {}))
    assert found.memory().keys() == {"serve"}
    assert found.memory()["serve"].growth == pytest.approx(growth)
    assert "memory of serve" in found.table()

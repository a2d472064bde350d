"""The hostile-client suite finds faults of servers, names the attack that causes them and sets the exit status."""

import json
import random
import sys
from contextlib import closing
from pathlib import Path

import pytest

from simspark_ros.cli import main
from simspark_stress.attacks import ATTACKS, ATTACKS_2026
from simspark_stress.attacks.expressions import malformed_messages
from simspark_stress.hostile_client import Attack
from simspark_stress.own_domain import OwnDomain
from simspark_stress.probe import NoServerError
from simspark_stress.report import AttackResult, Verdict
from simspark_stress.runner import CONTROL, StressRun
from simspark_stress.settings import StressSettings
from stress.test.fake_server import FakeServer

BY_NAME = {attack.name: attack for attack in ATTACKS}


def attacked(server: FakeServer, *names: str, restart=None) -> list[AttackResult]:
    settings = StressSettings(("127.0.0.1", server.port), control=0.2, recovery=0.6, max_gap=0.5)
    with closing(StressRun(settings, restart)) as run:
        results = run.run([BY_NAME[name] for name in names])
    assert not run.lockstep
    assert [result.attack for result in results] == [CONTROL, *names]
    assert results[0].verdict is Verdict.CLEAN
    return results[1:]


def test_a_sound_server_is_clean_and_an_attack_that_cannot_connect_is_no_harm_by_itself():
    with FakeServer() as server:
        results = attacked(server, "truncated", "unknown-joints", "announced-sizes")
    assert [result.verdict for result in results] == [Verdict.CLEAN] * 3
    assert all(result.messages > 10 and result.seen == "" for result in results)

    def refused(context: object) -> None:
        raise ConnectionRefusedError(111, "Connection refused")

    with FakeServer() as server, closing(StressRun(StressSettings(("127.0.0.1", server.port), control=0.1))) as run:
        result = run.run([Attack("refused", "", refused)])[1]
    assert result.verdict is Verdict.CLEAN and "could not connect" in result.seen


def test_a_server_that_dies_of_an_unknown_joint_is_found_and_the_rest_is_not_run():
    with FakeServer("dies on unknown joint") as server:
        innocent, guilty, left_out = attacked(server, "truncated", "unknown-joints", "noise")
    assert innocent.verdict is Verdict.CLEAN
    assert guilty.verdict is Verdict.DEAD and "no server at 127.0.0.1" in guilty.seen
    assert left_out.verdict is Verdict.NOT_RUN and "--restart" in left_out.seen


def test_with_a_restart_the_run_goes_on_after_a_death():
    started = []
    with FakeServer("dies on unknown joint") as server:

        def restart() -> None:
            started.append(FakeServer(port=server.port))

        guilty, next_one = attacked(server, "unknown-joints", "truncated", restart=restart)
    started[0].__exit__()
    assert guilty.verdict is Verdict.DEAD and next_one.verdict is Verdict.CLEAN


@pytest.mark.parametrize(
    ("fault", "attacks", "verdict", "seen"),
    [
        ("stalls on announced size", ("unknown-joints", "announced-sizes"), Verdict.STUCK, "no message for"),
        ("sends nan", ("unknown-joints", "absurd-numbers"), Verdict.STUCK, "non-finite number"),
        ("obeys the latest", ("unknown-joints",), Verdict.HARMED, "joint not obeyed"),
        ("loses messages", ("truncated",), Verdict.HARMED, "x lost message"),
    ],
)
def test_the_attack_that_harms_a_server_is_found(fault, attacks, verdict, seen):
    with FakeServer(fault) as server:
        *innocent, guilty = attacked(server, *attacks)
    assert all(result.verdict is Verdict.CLEAN for result in innocent)
    assert guilty.verdict is verdict and seen in guilty.seen


def test_without_a_server_the_command_says_so(capsys):
    with FakeServer() as server:
        port = server.port
    assert main(["stress", "127.0.0.1", str(port)]) == 2
    assert f"127.0.0.1:{port}" in capsys.readouterr().err
    with pytest.raises(NoServerError):
        StressRun(StressSettings(("127.0.0.1", port)))


def test_the_command_reports_for_people_and_programs(capsys, tmp_path: Path):
    report = tmp_path / "report.json"
    with FakeServer() as server:
        status = main(["stress", "localhost", str(server.port), "--only", "trunc*", "--json", str(report)])
    assert status == 0
    table = capsys.readouterr().out
    assert "truncated" in table and "clean" in table and "2 run, 0 did harm" in table
    written = json.loads(report.read_text())
    assert written["clean"] and written["pacing"] == "real time" and written["attacks"][1]["attack"] == "truncated"


def test_the_command_restarts_a_dead_server_and_ends_what_it_started(tmp_path: Path):
    # The new server says its process, so that its end can be seen.
    program = (
        "import os, sys, time; sys.path[:0] = sys.argv[1:3]; from fake_server import FakeServer; "
        "server = FakeServer(port=int(sys.argv[3])); open(sys.argv[4], 'w').write(str(os.getpid())); time.sleep(60)"
    )
    here, started = Path(__file__).parent, tmp_path / "pid"
    with FakeServer("dies on unknown joint") as server:
        restart = f'exec {sys.executable} -c "{program}" {here} {here} {server.port} {started}'
        options = ["--only", "unknown-joints", "--only", "truncated", "--recovery", "0.5", "--restart", restart]
        status = main(["stress", "127.0.0.1", str(server.port), *options])
    assert status == 1
    assert not Path(f"/proc/{started.read_text()}").exists()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([], "HOST and PORT"),
        (["127.0.0.1"], "HOST and PORT"),
        (["127.0.0.1", "70000"], "70000"),
        (["127.0.0.1", "3100", "--only", "nothing"], "nothing"),
        (["127.0.0.1", "3100", "--only", "monitor-crowd"], "--monitor-port"),
        (["127.0.0.1", "3100", "--cycle", "0"], "--cycle"),
        (["no.such.host.invalid", "3100"], "no.such.host.invalid"),
        (["192.0.2.1", "3100"], "--allow-remote"),
        (["::ffff:192.0.2.1", "3100"], "--allow-remote"),
    ],
)
def test_a_wrong_argument_is_named_and_nothing_is_attacked(arguments, named, capsys):
    try:
        status: object = main(["stress", *arguments])
    except SystemExit as end:
        # What argparse refuses ends the program there.
        status = end.code
    assert status == 2
    assert named in capsys.readouterr().err


@pytest.mark.parametrize(("words", "attacks"), [([], ATTACKS), (["--league", "2026"], ATTACKS_2026)])
def test_all_attacks_are_listed_once(words, attacks, capsys):
    assert main(["stress", *words, "--list"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert names == [attack.name for attack in attacks] and len(set(names)) == len(names)


def test_the_generator_is_seeded_and_hardly_ever_repeats_itself():
    first = list(malformed_messages("1", 500))
    assert first == list(malformed_messages("1", 500))
    assert first != list(malformed_messages("2", 500))
    assert len(set(first)) > 450
    state = random.getstate()
    list(malformed_messages("3", 10))
    assert random.getstate() == state


def test_a_domain_has_one_holder_at_a_time():
    with closing(OwnDomain()) as first:
        with closing(OwnDomain()) as second:
            assert second.number != first.number
        with closing(OwnDomain()) as third:
            assert third.number == second.number

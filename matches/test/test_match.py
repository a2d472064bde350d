"""Whole matches with real processes: played, forfeited, broken off, repeated."""

import json
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

from simspark_matches.record import MatchRecord
from simspark_matches.result import RESERVED, MatchOutcome, MatchResult
from simspark_matches.runner import play_match
from simspark_matches.settings import GameSettings, MatchSettings, TeamSettings
from test.rigs.machine.full_disk import files_end_at
from test.rigs.waiting import DEADLINE, until

pytestmark = pytest.mark.slow

MATCH = [sys.executable, "-m", "simspark_ros.cli", "match"]


def python(script: str, *words: str) -> str:
    return shlex.join([sys.executable, "-c", script, *words])


CRASHES = python("raise SystemExit(7)", "{unum}")
NEVER_JOINS = python("import time; time.sleep(1000)", "{unum}")
JOINS = """
import sys
from simspark_ros.clients.classic_client import ClassicClient
from simspark_ros.clients.wave import wave
port, team, unum, cycles = sys.argv[1:]
wave(ClassicClient("127.0.0.1", int(port), 60.0), team, int(unum), 0, int(cycles) or None)
"""
PLAYS = python(JOINS, "{port}", "{team}", "{unum}", "0")
LEAVES = python(JOINS, "{port}", "{team}", "{unum}", "30")
MUTE = """
import sys
from simspark_ros.clients.classic_client import ClassicClient
port, team, unum = sys.argv[1:]
client = ClassicClient("127.0.0.1", int(port), 60.0)
for message in ("(scene rsg/agent/nao/nao.rsg)", f"(init (unum {unum})(teamname {team}))"):
    client.send(message)
    client.receive()
while True:
    client.send("(he1 0)")
    client.receive()
"""
STARTS_TWO = """
import subprocess, sys
for unum in "12":
    subprocess.Popen([sys.executable, "-c", *sys.argv[1:], unum, "0"], start_new_session=True)
"""
WHOLE_TEAM = python(STARTS_TWO, JOINS, "{port}", "{team}")


class Silent(list[str]):
    """An observer that is what is reported to it."""

    report = list.append

    def show(self, record: MatchRecord) -> None:
        pass


def play(
    directory: Path,
    left: str = PLAYS,
    right: str = PLAYS,
    players: int | tuple[int, int] = 1,
    interrupted: Callable[[], str] = lambda: "",
    observer: Silent | None = None,
    **settings: Any,
) -> MatchResult:
    numbers = players if isinstance(players, tuple) else (players, players)
    teams = TeamSettings(left, players=numbers[0]), TeamSettings(right, players=numbers[1])
    values = {"half_time": 1.0, "kick_off_wait": 0.2, "forfeit_after": 0.5, "join_limit": 20.0, **settings}
    game = GameSettings(**values)
    return play_match(MatchSettings(*teams, game), directory, Silent() if observer is None else observer, interrupted)


def forfeits(result: MatchResult) -> tuple[bool, bool]:
    return result.sides["left"]["forfeit"], result.sides["right"]["forfeit"]


def test_a_match_is_played_to_its_end_and_written_down(tmp_path):
    result = play(tmp_path, players=2)
    assert result.outcome is MatchOutcome.PLAYED
    assert result.score == (0, 0)
    for side, name in (("left", "Left"), ("right", "Right")):
        assert result.sides[side]["name"] == name
        assert result.sides[side]["players_joined"] == [1, 2]
        assert result.sides[side]["crashes"] == []
        assert (tmp_path / side / "2.log").exists()
    assert result.record.game_time == pytest.approx(2.0)
    decisions = [event for event in map(json.loads, lines(tmp_path)) if event["event"] == "decision"]
    assert [decision["kind"] for decision in decisions] == ["kick_off", "half_time", "kick_off", "game_over"]
    assert (tmp_path / "match.log.gz").stat().st_size > 0
    assert not list(tmp_path.glob("*.part"))


def lines(directory: Path) -> list[str]:
    return (directory / "events.jsonl").read_text().splitlines()


def test_a_team_that_crashes_at_once_forfeits(tmp_path):
    observer = Silent()
    result = play(tmp_path, left=CRASHES, observer=observer)
    assert result.outcome is MatchOutcome.FORFEIT
    assert forfeits(result) == (True, False)
    assert result.score == (0, 3)
    assert [(crash["unum"], crash["status"]) for crash in result.sides["left"]["crashes"]] == [(1, 7)]
    (line,) = (line for line in observer if "status 7" in line)
    assert line == f"left: '{CRASHES}' of player 1 ended with status 7; see {tmp_path / 'left' / '1.log'}"


def test_a_team_whose_players_leave_forfeits(tmp_path):
    result = play(tmp_path, right=LEAVES, half_time=60.0)
    assert forfeits(result) == (False, True)
    assert result.sides["right"]["players_lost"][0]["unum"] == 1
    assert result.record.game_time < 10.0


def test_a_team_that_never_sends_syn_is_told_of_real_time(tmp_path):
    result = play(tmp_path, left=python(MUTE, "{port}", "{team}", "{unum}"), half_time=60.0)
    assert forfeits(result) == (True, False)
    assert "lock-step waits for (syn)" in result.reason and "--real-time" in result.reason


def test_a_team_that_never_joins_forfeits(tmp_path):
    result = play(tmp_path, right=NEVER_JOINS, join_limit=1.0, half_time=60.0)
    assert forfeits(result) == (False, True)
    assert result.sides["right"]["crashes"] == []


def test_a_team_of_another_name_than_expected_is_told_so(tmp_path):
    observer = Silent()
    stranger = python(JOINS, "{port}", "tigers", "{unum}", "0")
    teams = TeamSettings(stranger, "Reds", players=2), TeamSettings(PLAYS, "Blues", players=1)
    game = GameSettings(half_time=60.0, forfeit_after=0.5)
    result = play_match(MatchSettings(*teams, game), tmp_path, observer)
    assert forfeits(result) == (True, False)
    assert result.reason.startswith("no player of the left team was left: joined as 'tigers', expected 'Reds'; ")
    told = [line.partition(": ")[0] for line in observer if "joined as" in line]
    assert told == ["joined as 'tigers', expected 'Reds' or 'Blues'"]
    # Their robots have come, but no player has joined.
    told = [line for line in observer if "have come" in line or "have joined" in line]
    joined = "left: 0 of 2 players have joined; server.log and left/*.log say more"
    assert told == ["left: 2 of 2 robots have come", "right: 1 of 1 robots have come", joined]


def test_one_script_may_start_a_team_and_end(tmp_path):
    result = play(tmp_path, right=WHOLE_TEAM, players=(1, 2))
    assert result.outcome is MatchOutcome.PLAYED
    assert result.sides["right"]["players_joined"] == [1, 2]


def recorded(directory: Path, *options: str, environment: dict[str, str] | None = None) -> tuple[str, str]:
    teams = ["--left", "demo", "--right", "demo", "--players", "1"]
    game = ["--half-time", "1", "--kick-off-wait", "0.2", "--hash-log", "--seed", "7", "--log", str(directory)]
    words = [*MATCH, *teams, *game, *options]
    done = subprocess.run(words, capture_output=True, text=True, timeout=DEADLINE, env=environment)
    assert done.returncode == 0, done.stderr
    return (directory / "events.jsonl").read_text(), (directory / "hashes.txt").read_text()


def test_the_same_seed_gives_the_same_match_with_ros_as_without(tmp_path):
    first = recorded(tmp_path / "first")
    if find_spec("rclpy"):
        from test.rigs.ros_processes import Domain

        with closing(Domain()) as domain:
            assert first == recorded(tmp_path / "second", "--ros", environment=domain.environment)
        # A camera may start later than such a short match ends.
        log = (tmp_path / "second" / "server.log").read_text()
        assert "simspark_camera" in log or "[simulator]" in log
    else:
        assert first == recorded(tmp_path / "second")
    assert '"event": "decision"' in first[0]
    assert len(first[1].splitlines()) > 100


def test_an_agent_that_is_killed_is_noted_and_the_match_goes_on(tmp_path):
    killed: list[int] = []

    def kill_agent() -> str:
        if not killed and sum('"join"' in line for line in lines(tmp_path)) == 3:
            agents = [child for child in psutil.Process().children() if "Right" in child.cmdline()]
            assert agents[0].rlimit(psutil.RLIMIT_DATA) == (1_234_000_000,) * 2
            agents[0].kill()
            killed.append(agents[0].pid)
        return ""

    (tmp_path / "events.jsonl").touch()
    result = play(tmp_path, players=(1, 2), interrupted=kill_agent, child_memory=1234)
    assert result.outcome is MatchOutcome.PLAYED
    assert [(crash["unum"], crash["status"]) for crash in result.sides["right"]["crashes"]] == [(1, -signal.SIGKILL)]
    assert [lost["unum"] for lost in result.sides["right"]["players_lost"]] == [1]


def test_a_server_that_is_stopped_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr("simspark_matches.runner.END_PATIENCE", 0.5)
    stopped: list[int] = []

    def stop_server() -> str:
        if not stopped and any("kick_off" in line for line in lines(tmp_path)):
            (server,) = (child for child in psutil.Process().children() if "serve" in child.cmdline())
            server.suspend()
            stopped.append(server.pid)
        return ""

    (tmp_path / "events.jsonl").touch()
    result = play(tmp_path, half_time=60.0, stall_limit=2.0, interrupted=stop_server)
    assert result.outcome is MatchOutcome.ABORTED
    assert result.reason == "nothing has moved for 2 s"
    assert not psutil.pid_exists(stopped[0])


IMPATIENT = """
import sys
from pathlib import Path
from simspark_matches.result import room_for_result
from simspark_matches.runner import play_match
from simspark_matches.settings import GameSettings, MatchSettings, TeamSettings
class Silent:
    report = show = staticmethod(lambda news: None)
directory, player = Path(sys.argv[1]), TeamSettings(sys.argv[2], players=1)
with room_for_result(directory):
    game = GameSettings(half_time=2.0, kick_off_wait=0.2, stall_limit=1.0)
    print(play_match(MatchSettings(player, player, game), directory, Silent()).outcome.value)
"""


def test_a_match_that_was_stopped_with_all_its_processes_goes_on(tmp_path):
    words = [sys.executable, "-c", IMPATIENT, str(tmp_path), PLAYS]
    (tmp_path / "events.jsonl").touch()
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        until(lambda: any("kick_off" in line for line in lines(tmp_path)))
        match = psutil.Process(process.pid)
        family = [match, *match.children(recursive=True)]
        for one in family:
            one.suspend()
        stopped = time.monotonic()
        until(lambda: time.monotonic() - stopped > 1.5)
        # The server stays stopped until the match has looked at it: it has been still for longer than a server may be.
        (will,) = tmp_path.glob("*.part")
        written = will.stat().st_mtime_ns
        match.resume()
        until(lambda: will.stat().st_mtime_ns > written)
        for other in family[1:]:
            other.resume()
        output, _ = process.communicate(timeout=DEADLINE)
    assert output.splitlines()[-1] == "played"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_match_that_is_broken_off_leaves_no_process(number, tmp_path):
    options = ["--left", "wave", "--right", "wave", "--players", "1", "--log", str(tmp_path)]
    with subprocess.Popen([*MATCH, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        events = tmp_path / "events.jsonl"
        until(lambda: events.exists() and events.read_text().count("join") == 2)
        others = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(number)
        _, errors = process.communicate(timeout=DEADLINE)
    # Guard, server and two players.
    assert len(others) == 4
    assert process.returncode == 128 + number
    assert "Traceback" not in errors
    assert not any(other.is_running() for other in others)
    result = json.loads((tmp_path / "result.json").read_text())
    assert (result["outcome"], result["reason"]) == ("aborted", f"interrupted by {number.name}")
    assert (result["score"], result["left"]["players_joined"]) == ([0, 0], [1])
    assert json.loads(events.read_text().splitlines()[-1])["event"] == "end"


def willed(directory: Path, side: str) -> list[int]:
    """Players of a team that have joined as the will of a match says, which is written once a second."""
    with suppress(ValueError):
        for will in directory.glob("*.part"):
            joined: list[int] = json.loads(will.read_text())[side]["players_joined"]
            return joined
    return []


@pytest.mark.parametrize("killed", ["serve", "match"])
def test_a_match_that_was_killed_or_whose_server_was_goes_on(tmp_path: Path, killed: str) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    options = ["--left", "wave", "--right", "wave", "--players", "1", "--record", "--hash-log", "--log", str(first)]
    game = ["--half-time", "2", "--kick-off-wait", "0.2", "--engine", "ode"]
    with subprocess.Popen([*MATCH, *options, *game], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        hashes = first / "hashes.txt"
        until(lambda: hashes.exists() and hashes.read_text().count("\n") > 40)
        until(lambda: willed(first, "left") == willed(first, "right") == [1])
        match = psutil.Process(process.pid)
        others = match.children(recursive=True)
        next(one for one in (match, *match.children()) if killed in one.cmdline()).kill()
        output, _ = process.communicate(timeout=DEADLINE)
    if killed == "serve":
        assert process.returncode == 4
        assert f"to go on from there: simspark match --continue {first}\n" in output.decode()
    else:
        # The guard ends them.
        until(lambda: not any(other.is_running() for other in others))
        until((first / "result.json").exists)
        result = json.loads((first / "result.json").read_text())
        assert (result["outcome"], result["score"]) == ("aborted", [0, 0]) and "was killed" in result["reason"]
        assert result["left"]["players_joined"] == [1] and not list(first.glob("*.part"))
        assert sum(json.loads(line)["event"] == "join" for line in lines(first)) == 2
    words = [*MATCH, "--continue", str(first), "--log", str(second)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=DEADLINE)
    assert done.returncode == 0, done.stderr
    result = json.loads((second / "result.json").read_text())
    assert result["outcome"] == "played"
    assert result["left"]["players_joined"] == result["right"]["players_joined"] == [1]
    assert result["duration"]["game"] == pytest.approx(4.0)
    before = (first / "hashes.txt").read_text().splitlines()
    # The last cycle may not be in the record.
    assert (second / "hashes.txt").read_text().splitlines()[: len(before) - 1] == before[:-1]
    assert (second / "commands.gz").exists()


@pytest.mark.parametrize("deleted", [False, True], ids=["before the first cycle", "record deleted"])
def test_a_match_without_a_record_is_not_said_to_go_on(tmp_path, deleted):
    options = ["--left", NEVER_JOINS, "--right", "wave", "--players", "1", "--record", "--log", str(tmp_path)]
    with subprocess.Popen([*MATCH, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        until(lambda: (tmp_path / "left" / "1.log").exists())
        if deleted:
            (tmp_path / "commands.gz").unlink()
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=DEADLINE)
    assert "aborted" in output
    assert "--continue" not in output


PRINTS_MUCH = "import sys; sys.stdout.write('first' + 'x' * 3_000_000 + 'last'); sys.stdout.flush()\n"


def test_a_full_disk_does_not_end_a_match_and_its_result_has_room(tmp_path):
    """No file may grow beyond the room that is kept for the result: all others end early."""
    arguments = ["--left", "wave", "--right", python(PRINTS_MUCH + JOINS, "{port}", "{team}", "{unum}", "0")]
    game = ["--players", "1", "--half-time", "1", "--kick-off-wait", "0.2", "--hash-log", "--log", str(tmp_path)]
    with files_end_at(RESERVED):
        done = subprocess.run([*MATCH, *arguments, *game], capture_output=True, text=True, timeout=DEADLINE)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "result.json").read_text())["outcome"] == "played"
    assert f"output {tmp_path}/right/1.log: cannot be written any more: File too large" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_directory_that_is_deleted_meanwhile_gets_the_result(tmp_path):
    log = tmp_path / "log"
    log.mkdir()

    def delete() -> str:
        if log.exists() and "join" in (log / "events.jsonl").read_text():
            shutil.rmtree(log)
        return ""

    result = play(log, interrupted=delete)
    assert result.outcome is MatchOutcome.PLAYED
    result.write(log)
    assert json.loads((log / "result.json").read_text())["outcome"] == "played"

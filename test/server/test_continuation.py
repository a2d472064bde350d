"""Runs that are recorded, killed, repeated to the same hashes, and continued by the players that come back."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from simspark_ros.clients.classic_client import ClassicClient
from simspark_ros.simulation.logs.log_file import read_lines
from test.commands.serving.test_serve import SERVE, Server, running
from test.rigs.processes import Finished, finished
from test.rigs.waiting import DEADLINE

JOINTS = ("lle2", "lle3", "rle3", "rle4", "lae1", "he1")
RED, BLUE = ("Reds", 1, 0), ("Blues", 2, 4)
LOCKSTEP = ("--pacing", "lockstep", "--play-mode", "PlayOn")


def players(server: Server, *wanted: tuple[str, int, int]) -> list[ClassicClient]:
    """Clients that have sent their init: team, number and type of each."""
    clients = []
    for _, _, variant in wanted:
        clients.append(ClassicClient("127.0.0.1", server.agent_port, DEADLINE))
        clients[-1].send(f"(scene rsg/agent/nao/nao_hetero.rsg {variant})(syn)")
    for client, (team, unum, _) in zip(clients, wanted, strict=True):
        client.receive()
        client.send(f"(init (unum {unum})(teamname {team}))(syn)")
    return clients


def stagger(clients: list[ClassicClient], cycles: int) -> None:
    draw = Random(cycles)
    for _ in range(cycles):
        for client in clients:
            client.receive()
            client.send("".join(f"({joint} {draw.uniform(-4.0, 4.0):.3f})" for joint in JOINTS) + "(syn)")


def hashes(path: Path) -> list[str]:
    return path.read_text().splitlines()


def verified(path: Path, *arguments: str) -> Finished:
    return finished(*SERVE[3:], "--agent-port=0", "--monitor-port=0", f"--verify={path}", *arguments)


def test_a_run_whose_server_was_killed_is_repeated_to_the_same_hashes(tmp_path):
    record, first, second = tmp_path / "run.gz", tmp_path / "first", tmp_path / "second"
    with running(*LOCKSTEP, f"--record={record}", f"--hash-log={first}", "--seed=5") as server:
        clients = players(server, RED, BLUE)
        clients[0].send("(beam -2 0.5 30)")
        stagger(clients, 60)
        clients.pop().close()
        stagger(clients, 60)
        server.end(signal.SIGKILL)
    done = verified(record, f"--hash-log={second}")
    assert done.status == 0, done.errors
    assert "all as recorded" in done.errors
    before, after = hashes(first), hashes(second)
    assert len(after) > 100
    # The last cycle may have been cut off in either file.
    assert abs(len(before) - len(after)) <= 1
    assert after[: len(before)] == before[: len(after)]


@pytest.fixture(scope="module")
def empty_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A second of an empty field."""
    path: Path = tmp_path_factory.mktemp("runs") / "empty.gz"
    assert finished(*SERVE[3:], "--agent-port=0", "--monitor-port=0", "--duration=1", f"--record={path}").status == 0
    return path


def test_a_repetition_needs_no_ros(empty_run: Path) -> None:
    """It has neither topics nor a camera process, whatever the recorded run had."""
    script = f"""if True:
        import sys
        from simspark_ros.cli import main
        ports = ["--agent-port=0", "--monitor-port=0", "--verify={empty_run}"]
        status = [main(["serve", *ports, f"--pacing={{pacing}}"]) for pacing in ("realtime", "external")]
        sys.exit(any(status) or "rclpy" in sys.modules)
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("all as recorded") == 2


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two players that was killed."""
    path: Path = tmp_path_factory.mktemp("runs") / "run.gz"
    with running("--engine=ode", *LOCKSTEP, "--wait-for-robots=2", f"--record={path}") as server:
        # Clients that nobody refers to would leave before the end.
        clients = players(server, RED, BLUE)
        stagger(clients, 70)
        server.end(signal.SIGKILL)
    return path


def test_players_that_come_back_take_their_robots_over_where_they_stand(recorded, tmp_path):
    again, events, log = tmp_path / "again.gz", tmp_path / "events", tmp_path / "hashes"
    outputs = (f"--record={again}", f"--events={events}", f"--hash-log={log}")
    with running(f"--continue={recorded}", "--pacing=lockstep", *outputs) as server:
        clients = players(server, RED, BLUE)
        seen: list[list[bytes]] = [[], []]
        for _ in range(4):
            for mine, client in zip(seen, clients, strict=True):
                mine.append(client.receive())
                client.send("(syn)")
        stagger(clients, 60)
        status, errors = server.end()
    assert status == 0, errors
    assert "time goes on once 2 players are back" in errors
    assert any(b"(unum 1) (team left)" in message for message in seen[0])
    assert any(b"(unum 2) (team right)" in message for message in seen[1])
    happened = [json.loads(line) for line in events.read_text().splitlines()]
    moved = [(one["event"], one["side"], one["unum"]) for one in happened if one["event"] in ("join", "leave")]
    assert moved == [(what, *who) for what in ("join", "leave", "join") for who in (("left", 1), ("right", 2))]
    # Those that were made for the new clients are gone.
    assert sum(event["event"] == "robot_gone" for event in happened) == 2
    # The game goes on: its record holds both parts, and can be repeated as a whole.
    repeated = tmp_path / "repeated"
    done = verified(again, f"--hash-log={repeated}")
    assert done.status == 0, done.errors
    assert hashes(repeated) == hashes(log)
    assert len(hashes(log)) > 130


def test_a_demonstration_team_takes_over_from_a_demonstration_team(tmp_path):
    path = tmp_path / "run.gz"
    with running(
        "--engine=ode", "--demo=2", *LOCKSTEP, "--wait-for-robots=4", f"--record={path}", "--duration=1"
    ) as server:
        server.wait()
    events = tmp_path / "events"
    options = ("--demo=2", "--pacing=lockstep", "--duration=2", f"--events={events}")
    with running(f"--continue={path}", *options) as server:
        status, errors = server.wait()
    assert status == 0, errors
    joined = [json.loads(line) for line in events.read_text().splitlines() if '"join"' in line]
    assert [event["team"] for event in joined].count("Lions") == 4
    assert max(event["time"] for event in joined) > 1.0


def test_a_player_of_another_type_is_refused_and_told_which(recorded):
    with running(f"--continue={recorded}", "--pacing=lockstep") as server:
        stagger(players(server, ("Reds", 1, 3), ("Blues", 2, 4)), 4)
        _, errors = server.end()
    assert "init refused: number 1 of 'Reds' must be nao type 0; create that robot first" in errors


@pytest.mark.parametrize("content", [None, b"", b"no log\n", b'{"format": 99}\n', b"[1]\n"])
def test_a_recording_that_does_not_fit_and_a_file_that_is_none_are_named(recorded, tmp_path, content):
    other = tmp_path / "other"
    lines = b"\n".join(read_lines(recorded)) + b"\n"
    other.write_bytes(lines.replace(b'"init"', b'"beam"') if content is None else content)
    done = verified(other)
    assert done.status == 2 and "Traceback" not in done.errors
    problem = f"{other}: is not a command log" if content is not None else "is not as it was recorded"
    assert problem in done.errors


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--seed=3"], "'seed' comes from the recording"),
        (["--left-team=Reds"], "'left_team' comes from the recording"),
        (["--play-mode=GameOver"], "'play_mode' comes from the recording"),
        (["--continue={record}"], "--continue and --verify"),
        (["--record={record}"], "choose another one"),
    ],
)
def test_what_was_recorded_cannot_be_changed(recorded, arguments, named):
    done = verified(recorded, *(word.format(record=recorded) for word in arguments))
    assert done.status == 2
    assert named in done.errors

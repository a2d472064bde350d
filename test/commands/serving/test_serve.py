"""`simspark serve` as a user starts it: a process, real ports, signals."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from simspark_ros.clients.classic_client import ClassicClient, game_state, joint_angles
from simspark_ros.clients.wave import wave
from simspark_ros.commands.arguments import chosen
from simspark_ros.configuration.resources import resource
from simspark_ros.protocol.framing import frame
from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.remote.codec import Hello, encode
from simspark_ros.server.settings import ServeSettings
from simspark_ros.simulation.settings import SimulationSettings
from test.commands.conftest import Refused
from test.rigs.processes import Process, finished
from test.rigs.waiting import until

DEADLINE = 60.0
SERVE = [sys.executable, "-m", "simspark_ros.cli", "serve", "--no-ros", "--headless"]


class Server:
    def __init__(self, *arguments: str) -> None:
        self.process = Process([*SERVE, "--agent-port", "0", "--monitor-port", "0", *arguments], apart=True)
        self.agent_port = int(self.process.found(r"agents +127\.0\.0\.1:(\d+)"))
        self.monitor_port = int(self.process.found(r"monitors +127\.0\.0\.1:(\d+)"))

    def end(self, number: int = signal.SIGINT) -> tuple[int, str]:
        return self.process.end(number), self.process.errors

    def wait(self) -> tuple[int, str]:
        return self.process.wait(), self.process.errors


@contextmanager
def running(*arguments: str) -> Iterator[Server]:
    server = Server(*arguments)
    try:
        yield server
    finally:
        server.process.end(signal.SIGKILL)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("ros", ["", "ros"])
def test_no_file_and_no_output_on_a_full_disk_ends_it(ros):
    if ros:
        pytest.importorskip("rclpy")
    files = [f"--{name}=/dev/full" for name in ("hash-log", "log", "events")]
    words = [word for word in SERVE if word != "--no-ros" or not ros]
    words += ["--agent-port=0", "--monitor-port=0", "--pacing=fast", "--duration=1", *files]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=DEADLINE)
    errors = done.stderr
    assert done.returncode == 0, errors
    for kind in ("hash log", "monitor log", "event log"):
        assert errors.count(f"{kind} /dev/full: cannot be written any more") == 1
        assert errors.count(f"{kind} /dev/full: its last part was not written") == 1
    assert errors.count("standard output cannot be written any more: No space left on device") == 1
    assert "Traceback" not in errors


def test_time_in_which_the_server_was_stopped_is_no_silence_of_an_agent():
    with running("--pacing", "lockstep", "--silent-timeout", "1.5") as server:
        client = ClassicClient(port=server.agent_port)
        client.send("(scene rsg/agent/nao/nao.rsg 0)(syn)")
        client.receive()
        client.send("(init (unum 1)(teamname A))(syn)")
        for _ in range(AgentServerSettings.grace + 1):
            client.receive()
            client.send("(syn)")
        client.receive()
        server.process.send(signal.SIGSTOP)
        # Longer than it waits for an answer; then several of its checks.
        time.sleep(2.5)
        server.process.send(signal.SIGCONT)
        time.sleep(0.5)
        client.send("(syn)")
        assert b"(time (now" in client.receive()


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_it_ends_though_nothing_reads_its_output_and_its_log(form):
    # It warns at the end that this log is incomplete.
    words = [*SERVE, "--agent-port", "0", "--monitor-port", "0", "--duration", "1", "--hash-log", "/dev/full", *form]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline()
            for number in (1, 2):
                # Full from now on.
                with open(f"/proc/{process.pid}/fd/{number}", "wb", buffering=0) as pipe:
                    os.set_blocking(pipe.fileno(), False)
                    for size in (4096, 1):
                        while pipe.write(bytes(size)):
                            pass
            assert process.wait(DEADLINE) == 0
        finally:
            process.kill()


def test_another_years_profile_is_spoken_and_played():
    with (
        running("--pacing", "lockstep", "--profile", "sphere2006") as server,
        ClassicClient("127.0.0.1", server.agent_port) as sphere,
    ):
        sphere.send("(scene rsg/agent/sphere.rsg)(syn)")
        times = []
        for _ in range(5):
            message = sphere.receive().decode()
            times.append(float(message[len("(time (now ") : message.index(")")]))
            sphere.send("(init (unum 1)(teamname Old))(syn)")
        assert "(GS (t 0.00) (pm BeforeKickOff))(AgentState (temp 25) (battery 100))" in message
        assert times[-1] - times[0] == pytest.approx(0.04)


def test_it_ends_by_itself_after_the_duration_and_its_files_at_their_largest_size(tmp_path):
    files = {kind: tmp_path / kind for kind in ("hash-log", "log", "events", "record")}
    given = [f"--{kind}={path}" for kind, path in files.items()]
    robots = ("--robot", "nao", "--robot", "nao/4")
    with running("--pacing", "fast", "--duration", "0.7", *robots, "--max-log", "0.001", *given) as server:
        status, errors = server.wait()
        assert status == 0
    assert all(path.stat().st_size <= 1000 for path in files.values())
    assert '"event": "robot"' in files["events"].read_text()
    for kind in ("hash log", "monitor log", "command log"):
        assert re.search(f"{kind} .* has reached its largest size, max_log = 0.001 MB", errors)


def test_the_league_since_2026_has_its_monitor_port_and_the_half_of_an_option():
    options = ("--pacing", "lockstep", "--world", "fifa7vs7", "--phase", "1", "--rsmp-port", "0")
    with running(*options) as server, ClassicClient("127.0.0.1", server.agent_port) as client:
        assert wave(client, "Wavers", 3, 0, 2, lambda line: None) == "left 3"
        assert game_state(client.receive())["t"] == "300.00"
        port = int(server.process.found(r"monitors +127\.0\.0\.1:(\d+)   of the league since 2026"))
        with ClassicClient("127.0.0.1", port) as monitor:
            # It is accepted beside the next cycles.
            for _ in range(10):
                client.send("(syn)")
                client.receive()
            client.send("(syn)")
            assert monitor.receive().startswith(b"((RSMP 1 0)")


def test_limits_on_clients_are_options():
    proxies = ("--proxy-port", "0", "--max-proxies", "1", "--max-proxy-message", "65536")
    with running("--max-message", "1024", "--max-clients", "1", *proxies) as server:
        port = int(server.process.found(r"proxies +127\.0\.0\.1:(\d+)"))
        with socket.create_connection(("127.0.0.1", port), DEADLINE) as proxy:
            proxy.sendall(frame(encode(Hello("east", 0.02))))
            assert proxy.recv(1000)
            with socket.create_connection(("127.0.0.1", port), DEADLINE) as second:
                assert second.recv(1) == b""
            proxy.sendall((65537).to_bytes(4, "big"))
            # What was sent before comes first; the end comes before the deadline.
            while proxy.recv(1000):
                pass
        with socket.create_connection(("127.0.0.1", server.agent_port), DEADLINE) as agent:
            agent.sendall((1025).to_bytes(4, "big"))
            assert agent.recv(1) == b""
        status, errors = server.end()
    assert status == 0
    assert "1025" in errors and "65537" in errors
    assert "which is the limit (max_proxies)" in errors


def test_demonstration_teams_come_and_leave_with_the_server():
    with running("--demo=1", "--pacing=lockstep", "--wait-for-robots=2", "--child-memory=1234") as server:
        until(lambda: {"Lions: left 1 plays", "Dragons: right 1 plays"} <= {*server.process.errors.splitlines()})
        teams = psutil.Process(server.process.pid).children()
        assert [team.rlimit(psutil.RLIMIT_DATA) for team in teams] == [(1_234_000_000,) * 2] * 2
        status, errors = server.end()
    assert status == 0
    # Each team prints a last line, and the server waits for that.
    assert errors.count("of CPU each") == 2


def test_programs_get_ports_and_events_and_may_start_time(tmp_path):
    events = tmp_path / "events.jsonl"
    options = ["--agent-port", "0", "--monitor-port", "0", "--json", "--events", str(events), "--pacing", "lockstep"]
    teams = ["--left-team", "First", "--right-team", "Second", "--wait-for-robots", "2"]
    with subprocess.Popen([*SERVE, *options, *teams], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            ready = json.loads(process.stdout.readline())["ready"]
            assert ready["monitor_port"] > 0
            process.send_signal(signal.SIGUSR1)
            with ClassicClient("127.0.0.1", ready["agent_port"]) as client:
                told: list[str] = []
                assert wave(client, "Second", 1, 0, 60, told.append) == "right 1" == "".join(told)
                assert joint_angles(client.receive())["laj1"] > 30
            process.send_signal(signal.SIGTERM)
            assert process.wait(DEADLINE) == 0
        finally:
            process.kill()
    events_seen = [json.loads(line)["event"] for line in events.read_text().splitlines()]
    assert events_seen[:3] == ["start", "robot", "join"] and events_seen[-1] == "end"


def test_a_port_in_use_is_named_with_the_remedy(refused: Refused):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        text = refused("serve", "--no-ros", "--agent-port", str(port), "--monitor-port", "0")
    remedy = f"port {port} is in use; choose another with --agent-port, or 0 for any free one"
    assert f"cannot listen on 127.0.0.1: {remedy}" in text


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--engine", "unreal"], "unreal"),
        (["--preset", "J9"], "J9"),
        (["--config", "none.yaml"], "none.yaml"),
        (["--world", "none.yaml"], "none.yaml"),
        (["--profile", "1999"], "1999"),
        (["--seed", "-3"], "seed"),
        (["--left-team", "Same", "--right-team", "Same"], "Same"),
        (["--right-team", "B)(x"], "the name of a team must have"),
        (["--robot", "nao/9"], "9"),
        (["--robot", "nao/x"], "nao/x"),
        (["--robot", "pepper"], "pepper"),
        (["--play-mode", "Playon"], "Playon"),
        (["--agent-port", "70000"], "70000"),
        (["--viewer", "0", "--viewer-follow", "left"], "cannot follow 'left'"),
        (["--bind", "not.a.host.invalid"], "not.a.host.invalid"),
        (["--log", "none/x.log"], "none/x.log"),
        (["--trainer", "fly"], "'fly' is unknown"),
        (["--script", "x.py"], "--script x.py: cannot be read"),
        (["--world", "spl", "--demo", "8"], "--demo 8: a team has 7 players in the world 'spl'; give 7 or fewer"),
        (["--world", "spl_12ms", "--demo", "2"], "--demo: classic agents are refused"),
        (["--world", "spl_12ms", "--proxy-port", "0"], "--proxy-port: classic agents are refused"),
        (["--world", "empty", "--demo", "2"], "--demo: there is no soccer in this world"),
    ],
)
def test_a_wrong_argument_is_named(refused: Refused, arguments, named):
    assert named in refused("serve", "--no-ros", "--agent-port", "0", "--monitor-port", "0", *arguments)


def test_silent_agents_may_be_waited_for_longer_and_make_run_shows_a_match_at_the_players_pace():
    from simspark_ros.cli import build_parser

    options = [build_parser().parse_args(["serve", *words]) for words in ([], ["--silent-timeout", "0"])]
    assert [ServeSettings(**chosen(given, ServeSettings)).silent_timeout for given in options] == [10.0, 0.0]
    allowed = [AgentServerSettings.of(ServeSettings(silent_timeout=s)).silent_timeout for s in (60.0, 0.0)]
    assert allowed == [60.0, 0.0]

    recipe = resource("Makefile").read_text(encoding="utf-8").partition("\nrun: ")[2].partition("\n\n")[0]
    words = recipe.replace("\\\n", " ").partition("$(BIN)/simspark ")[2].partition("$(ARGS)")[0].split()
    given = build_parser().parse_args(words)
    assert chosen(given, SimulationSettings, ["engine", "pacing", "speed"]) == {"pacing": "lockstep", "speed": 1.0}
    shown = ServeSettings(**chosen(given, ServeSettings))
    assert (shown.demo, shown.viewer, shown.viewer_follow) == (3, 8080, "ball")
    again = build_parser().parse_args([*words, "--engine", "ode", "--speed", "2", "--viewer-follow", "free"])
    assert (again.engine, again.speed, again.viewer_follow) == ("ode", 2.0, "free")


def test_a_world_with_other_cycles_is_served_without_classic_agents():
    done = finished(*SERVE[3:], "--agent-port", "0", "--monitor-port", "0", "--world", "spl_12ms", "--duration", "0.24")
    assert done.status == 0
    assert "agents    classic agents are refused: they count on cycles of 0.02 s" in done.output
    assert "ended after 0.24 s simulated" in done.output


def test_a_driver_of_the_real_nao_connects_where_it_expects_lola(tmp_path: Path) -> None:
    path = tmp_path / "robocup"
    with running("--lola", str(tmp_path), "--robot", "robocup=nao_lola") as server:
        server.process.found(f"drivers +({path})")
        with socket.socket(socket.AF_UNIX) as driver:
            driver.settimeout(DEADLINE)
            driver.connect(str(path))
            for _ in range(3):
                assert len(driver.recv(896, socket.MSG_WAITALL)) == 896
                driver.sendall(b"\x80")
        assert server.end()[0] == 0
    assert not path.exists()


def test_scripts_and_console_of_a_running_server(tmp_path):
    script, console = tmp_path / "mine.py", tmp_path / "console"
    script.write_text("def on_start(game):\n    game.spawn('guard=nao')\n")
    with running("--engine", "mujoco", "--script", str(script), "--console", str(console)):
        statements = "[robot.name for robot in game.world.robots.values()]\ngame.trainer('(killsim)')\n"
        # A copy has no input.
        command = [sys.executable, "-m", "simspark_ros.cli", "console", str(console)]
        asked = subprocess.run(command, input=statements, capture_output=True, text=True, timeout=DEADLINE)
    assert asked.stdout.startswith("['guard']")

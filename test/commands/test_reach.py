"""No command opens anything beyond this machine by default, by the sockets that the kernel shows."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from simspark_ros import cli
from test.rigs.network.open_sockets import beyond_this_machine, receiving_addresses
from test.rigs.processes import Process, simspark
from test.rigs.waiting import until

pytestmark = pytest.mark.slow

ELSEWHERE = {
    *("serve", "proxy", "replay", "view", "match", "tournament", "stress", "record", "policy", "team", "wave", "sense")
}
"""Commands that a test below starts."""

OF_FILES = {
    "list": ["worlds"],
    "robot": ["inspect", "sphere"],
    "new": ["agent", "wolf"],
    "referee-check": ["--only", "nothing has such a name"],
    "fit-motor": ["missing.csv"],
    "motor-plot": ["-o", "motor.png", "--robot", "sphere"],
    "motion-model": ["train", "missing.csv", "--robot", "pioneer", "-o", "cart.yaml"],
    "map": ["mapper?step=5&headings=1&features=goal_angle", "-o", "field.npz"],
    "learn": ["drive", "--steps", "1", "--robots", "1"],
    "video": ["match.log", "-o", "match.gif", "--size", "64x48", "--end", "0.1"],
    "console": ["missing.sock"],
}
"""Commands without a network, and words that have them do little; some lack packages or files then."""

ANY = ("--agent-port", "0", "--monitor-port", "0")


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, Process]]:
    """A server with all its ports, page and teams, and the port of its proxies."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    page = ["--viewer"] if find_spec("viser") else []
    with simspark("serve", "--no-ros", *ANY, "--proxy-port", port, "--demo", "1", *page) as process:
        process.wait_for_line("Ctrl-C")
        process.wait_for_line("Dragons")
        yield port, process


@pytest.fixture
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a shell where nobody has thought of networks."""
    for name in ("ROS_AUTOMATIC_DISCOVERY_RANGE", "FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def other_machine() -> Iterator[Any]:
    pytest.importorskip("rclpy", reason="rclpy is not installed")
    from test.rigs.network.two_machines import SecondMachine

    with SecondMachine(os.getpid() % 256) as machine:
        yield machine


def connects(machine: Any, port: str) -> bool:
    """Whether a port of this machine takes a connection of another one."""
    script = "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 10).close()"
    words = [*machine.prefix, sys.executable, "-c", script, machine.here, port]
    return subprocess.run(words, stderr=subprocess.DEVNULL, check=False).returncode == 0


def listens(port: str) -> bool:
    """Whether a port takes a connection of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", int(port))) == 0


def reach(process: Process) -> set[str]:
    """Where a process that listens is reached from other machines."""
    until(lambda: "127.0.0.1" in receiving_addresses(process.pid))
    return beyond_this_machine(receiving_addresses(process.pid))


def test_serve_with_its_page_and_teams(server):
    assert reach(server[1]) == set()


def test_no_port_of_a_server_takes_connections_of_another_machine(server, other_machine):
    port, process = server
    ports = [port, *(process.found(rf"{kind} +127\.0\.0\.1:(\d+)") for kind in ("agents", "monitors"))]
    if find_spec("viser"):
        ports.append(process.found(r"viewer +http://[^:]+:(\d+)"))
    for one in ports:
        until(partial(listens, one))
    assert [one for one in ports if connects(other_machine, one)] == []


def test_an_option_opens_the_ports_to_another_machine(other_machine):
    with simspark("serve", "--no-ros", *ANY, "--bind", "0.0.0.0") as process:
        port = process.found(r"agents +0\.0\.0\.0:(\d+)")
        assert connects(other_machine, port)


def test_proxy(server):
    with simspark("proxy", "--server", f"127.0.0.1:{server[0]}", "--agent-port", "0") as process:
        process.found(r"agents +127")
        assert reach(process) == set()


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A second of a match without players."""
    path = tmp_path_factory.mktemp("log") / "match.log"
    with simspark("serve", "--no-ros", *ANY, "--pacing", "fast", "--duration", "1", "--log", str(path)) as made:
        made.wait()
    return path


def test_replay_and_view(log):
    with simspark("replay", str(log), "--monitor-port", "0", "--loop") as process:
        process.found(r"127\.0\.0\.1:\d+")
        assert reach(process) == set()
    pytest.importorskip("viser", reason="viser is not installed")
    with simspark("view", str(log), "--port", "0") as process:
        process.found(r"viewer +http")
        assert reach(process) == set()


def test_match(tmp_path):
    words = ["--left", "demo", "--right", "demo", "--half-time", "5", "--speed", "1", "--log", str(tmp_path)]
    with simspark("match", *words) as process:
        process.child("serve")
        process.found(r"(?i)kick|plays|0:0")
        assert reach(process) == set()


CUP = """
teams:
  - {name: One, command: demo}
  - {name: Two, command: demo}
game: {half_time: 5, speed: 1}
"""


def test_tournament(tmp_path):
    cup = tmp_path / "cup.yaml"
    cup.write_text(CUP, encoding="utf-8")
    with simspark("tournament", str(cup)) as process:
        process.child("serve")
        assert reach(process) == set()


@pytest.mark.usefixtures("clean_environment")
def test_a_search_by_stress_with_all_that_it_starts():
    pytest.importorskip("rclpy", reason="rclpy is not installed")
    # These doors have no quiet cases, with which a search would begin, on servers of fewer doors.
    with simspark("stress", "--minutes", "5", "--doors", "bridge,proxy") as process:
        for one in ("serve", "bridge.node", "proxy"):
            process.child(one)
        assert reach(process) == set()


@pytest.mark.usefixtures("clean_environment")
def test_record(tmp_path):
    pytest.importorskip("rclpy", reason="rclpy is not installed")
    pytest.importorskip("mcap", reason="mcap is not installed")
    with simspark("record", str(tmp_path / "topics.mcap")) as process:
        process.wait_for_line("recording to")
        assert reach(process) == set()


@pytest.mark.usefixtures("clean_environment")
def test_replay_of_topics(tmp_path):
    pytest.importorskip("rclpy", reason="rclpy is not installed")
    pytest.importorskip("mcap", reason="mcap is not installed")
    from test.rigs.ros_processes import Domain

    domain, path = Domain(shared_memory=True), tmp_path / "topics.mcap"
    del domain.environment["ROS_AUTOMATIC_DISCOVERY_RANGE"]
    cli = [sys.executable, "-m", "simspark_ros.cli"]
    with Process([sys.executable, "-m", "simspark_ros.ros.simulator_node"], domain.environment) as simulator:
        simulator.wait_for_line("ready")
        with Process([*cli, "record", str(path)], domain.environment) as recorder:
            recorder.wait_for_line("recording to")
            until(lambda: path.exists() and path.stat().st_size > 10_000)
            recorder.end(signal.SIGINT)
    with Process([*cli, "replay", str(path), "--monitor-port", "0", "--loop"], domain.environment) as process:
        process.found(r"--monitor-port \d+")
        assert reach(process) == set()
    domain.close()


@pytest.mark.parametrize(
    "words",
    [("team", "--players", "1", "Solo"), ("wave", "--team", "Waving"), ("sense", "--team", "Sensing")],
    ids=lambda words: words[0],
)
def test_clients_do_not_listen(server, words):
    port = server[1].found(r"agents +127\.0\.0\.1:(\d+)")
    with simspark(*words, "--port", port) as process:
        server[1].wait_for_line(words[-1])
        assert receiving_addresses(process.pid) == set()


@pytest.mark.usefixtures("clean_environment")
def test_policy(tmp_path):
    pytest.importorskip("rclpy", reason="rclpy is not installed")
    from test.rigs.robots.policies import random_policy
    from test.rigs.ros_processes import Domain

    domain = Domain(shared_memory=True)
    del domain.environment["ROS_AUTOMATIC_DISCOVERY_RANGE"]
    random_policy().save(tmp_path / "policy.npz")
    words = [sys.executable, "-m", "simspark_ros.cli", "policy", str(tmp_path / "policy.npz")]
    with Process(words, domain.environment) as process:
        process.wait_for_line("moves 'nao'")
        assert reach(process) == set()
    domain.close()


def test_what_works_on_files_alone_opens_no_socket(log, tmp_path, monkeypatch, capsys):
    opened = []

    def note(used: socket.socket, address: Any) -> None:
        if used.family != socket.AF_UNIX:
            opened.append(address)
        raise OSError

    for name in ("bind", "connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, note)
    monkeypatch.chdir(tmp_path)
    shutil.copy(log, "match.log")
    for name, words in OF_FILES.items():
        assert cli.main([name, *words]) in (0, 1, cli.BAD_INPUT), capsys.readouterr().err
        assert (name, opened) == (name, [])


def test_every_command_is_looked_at_here():
    commands = next(action for action in cli.build_parser()._actions if action.dest == "command" or action.choices)
    assert commands.choices is not None and set(commands.choices) == set(OF_FILES) | ELSEWHERE


@pytest.mark.parametrize(
    ("module", "ready"),
    [("bridge.node", "agent port"), ("simulator_node", "ready"), ("camera.node", "ready"), ("player.node", "")],
)
@pytest.mark.usefixtures("clean_environment")
def test_executables_of_ros(module, ready):
    pytest.importorskip("rclpy", reason="rclpy is not installed")
    from test.rigs.ros_processes import Domain

    domain = Domain(shared_memory=True)
    ports = [word for name in ("agent_port", "monitor_port") for word in ("-p", f"{name}:=0")]
    ros = ["--ros-args", *ports] if module == "bridge.node" else []
    del domain.environment["ROS_AUTOMATIC_DISCOVERY_RANGE"]
    with Process([sys.executable, "-m", f"simspark_ros.ros.{module}", *ros], domain.environment) as process:
        process.wait_for_line(ready)
        assert reach(process) == set()
    domain.close()

"""No command opens anything beyond this machine by default, by the sockets that the kernel shows."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
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

LISTENING = {
    "proxy": ("proxy --server 127.0.0.1:{port} --agent-port 0", r"agents +127"),
    "replay": ("replay {folder}/match.log --monitor-port 0 --loop", r"127\.0\.0\.1:\d+"),
    "view": ("view {folder}/match.log --port 0", r"viewer +http"),
    "match": ("match --left demo --right demo --half-time 5 --speed 1 --log {folder}", r"(?i)kick|plays|0:0"),
    "tournament": ("tournament {folder}/cup.yaml", ""),
    # These doors have no quiet cases, with which a search would begin, on servers of fewer doors.
    "stress": ("stress --minutes 5 --doors bridge,proxy", ""),
    "record": ("record {folder}/topics.mcap", "recording to"),
}
"""Commands that may listen, with what they print when they do."""
CHILDREN = {"match": ("serve",), "tournament": ("serve",), "stress": ("serve", "bridge.node", "proxy")}
PACKAGES = {"view": ("viser",), "stress": ("rclpy",), "record": ("rclpy", "mcap")}

ELSEWHERE = {*LISTENING, "serve", "policy", "team", "wave", "sense"}
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
def start(clean_environment: None) -> Iterator[Callable[..., Process]]:
    """Starts modules in a ROS domain of their own."""
    pytest.importorskip("rclpy", reason="rclpy is not installed")
    from test.rigs.ros_processes import Domain

    domain = Domain(shared_memory=True)
    del domain.environment["ROS_AUTOMATIC_DISCOVERY_RANGE"]
    yield lambda *words: Process([sys.executable, "-m", *words], domain.environment)
    domain.close()


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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a second of a match without players, and a cup."""
    path = tmp_path_factory.mktemp("files")
    log = str(path / "match.log")
    with simspark("serve", "--no-ros", *ANY, "--pacing", "fast", "--duration", "1", "--log", log) as made:
        made.wait()
    teams = "[{name: One, command: demo}, {name: Two, command: demo}]"
    (path / "cup.yaml").write_text(f"teams: {teams}\ngame: {{half_time: 5, speed: 1}}\n", encoding="utf-8")
    return path


@pytest.mark.usefixtures("clean_environment")
@pytest.mark.parametrize("name", LISTENING)
def test_a_command_is_reached_from_this_machine_only(server, folder, name):
    for package in PACKAGES.get(name, ()):
        pytest.importorskip(package, reason=f"{package} is not installed")
    words, ready = LISTENING[name]
    with simspark(*words.format(port=server[0], folder=folder).split()) as process:
        for child in CHILDREN.get(name, ()):
            process.child(child)
        process.found(ready)
        assert reach(process) == set()


def test_replay_of_topics(start, tmp_path):
    pytest.importorskip("mcap", reason="mcap is not installed")
    path = tmp_path / "topics.mcap"
    with start("simspark_ros.ros.simulator_node") as simulator:
        simulator.wait_for_line("ready")
        with start("simspark_ros.cli", "record", str(path)) as recorder:
            recorder.wait_for_line("recording to")
            until(lambda: path.exists() and path.stat().st_size > 10_000)
            recorder.end(signal.SIGINT)
    with start("simspark_ros.cli", "replay", str(path), "--monitor-port", "0", "--loop") as process:
        process.found(r"--monitor-port \d+")
        assert reach(process) == set()


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


def test_policy(start, tmp_path):
    from test.rigs.robots.policies import random_policy

    random_policy().save(tmp_path / "policy.npz")
    with start("simspark_ros.cli", "policy", str(tmp_path / "policy.npz")) as process:
        process.wait_for_line("moves 'nao'")
        assert reach(process) == set()


def test_what_works_on_files_alone_opens_no_socket(folder, tmp_path, monkeypatch, capsys):
    opened = []

    def note(used: socket.socket, address: Any) -> None:
        if used.family != socket.AF_UNIX:
            opened.append(address)
        raise OSError

    for name in ("bind", "connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, note)
    monkeypatch.chdir(tmp_path)
    shutil.copy(folder / "match.log", ".")
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
def test_executables_of_ros(start, module, ready):
    ports = ("--ros-args", "-p", "agent_port:=0", "-p", "monitor_port:=0") if module == "bridge.node" else ()
    with start(f"simspark_ros.ros.{module}", *ports) as process:
        process.wait_for_line(ready)
        assert reach(process) == set()

"""Which networks ROS is open to, by the sockets that the kernel shows."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from simspark_ros.configuration.resources import resource
from simspark_ros.ros.network import choose_network, profiles_variable
from test.rigs.open_sockets import beyond_this_machine, receiving_addresses
from test.rigs.ros_processes import Domain, Process
from test.rigs.waiting import DEADLINE

PROFILE = str(resource("config", "ros", "loopback.xml"))
CONFINED = {profiles_variable(): PROFILE}
RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"
SIMSPARK = [sys.executable, "-m", "simspark_ros.cli"]
SERVE = [*SIMSPARK, "serve", "--agent-port", "0", "--monitor-port", "0", "--robot", "nao"]


@pytest.fixture
def unset(domain: Domain) -> Domain:
    """The domain, with an environment that says nothing about networks."""
    domain.environment = {name: value for name, value in domain.environment.items() if name not in (RANGE, *CONFINED)}
    return domain


@pytest.fixture
def serve(unset: Domain) -> Iterator[Callable[..., Process]]:
    processes = []

    def start(*arguments: str) -> Process:
        processes.append(Process(unset, command=[*SERVE, *arguments]))
        processes[-1].wait_for_line("Ctrl-C")
        return processes[-1]

    yield start
    for process in processes:
        process.end(signal.SIGKILL)


@pytest.mark.parametrize(
    ("network", "environment", "expected"),
    [
        ("auto", {}, CONFINED),
        ("auto", {RANGE: "LOCALHOST"}, {**CONFINED, RANGE: "SUBNET"}),
        ("auto", {"ROS_LOCALHOST_ONLY": "1"}, {**CONFINED, RANGE: "SUBNET"}),
        ("auto", {"ROS_LOCALHOST_ONLY": "1", RANGE: "LOCALHOST"}, {**CONFINED, RANGE: "SUBNET"}),
        ("auto", {RANGE: "SUBNET"}, None),
        ("auto", {"ROS_STATIC_PEERS": "192.0.2.1"}, None),
        ("auto", {"FASTDDS_DEFAULT_PROFILES_FILE": "mine.xml"}, None),
        ("auto", {**CONFINED, RANGE: "SUBNET"}, {**CONFINED, RANGE: "SUBNET"}),
        ("loopback", {RANGE: "SUBNET"}, {**CONFINED, RANGE: "SUBNET"}),
        ("all", {**CONFINED, RANGE: "LOCALHOST"}, {RANGE: "SUBNET"}),
    ],
)
def test_the_environment_opens_ros_or_the_loopback_it_is(network, environment, expected):
    chosen = dict(environment)
    assert choose_network(network, chosen) == (network != "all" and expected is not None)
    assert chosen == (environment if expected is None else expected)


@pytest.mark.parametrize(("rclpy", "variable"), [("7.1.6", "FASTRTPS"), ("9.1.2", "FASTDDS"), ("10.0.0", "FASTDDS")])
def test_fast_dds_finds_its_profile_by_the_name_of_its_version(monkeypatch, rclpy, variable):
    monkeypatch.setattr("simspark_ros.ros.network.version", {"rclpy": rclpy}.__getitem__)
    assert profiles_variable() == f"{variable}_DEFAULT_PROFILES_FILE"


def test_the_simulator_with_its_camera_is_reached_from_this_machine_only(serve):
    process = serve()
    assert "this machine only" in process.output
    process.wait_for_line("camera")
    addresses = receiving_addresses(process.pid)
    assert "127.0.0.1" in addresses
    assert beyond_this_machine(addresses) == set()


def test_an_option_opens_it(serve):
    process = serve("--ros-network", "all", "--headless")
    assert "all networks" in process.output
    assert "0.0.0.0" in beyond_this_machine(receiving_addresses(process.pid))


PEER = """
import sys, time, rclpy
rclpy.init()
node = rclpy.create_node("peer")
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end and "simulator" not in node.get_node_names():
    rclpy.spin_once(node, timeout_sec=0.1)
print(node.get_node_names())
"""


def seen_by(environment: dict[str, str], patience: float, *network: str) -> bool:
    """Whether another node finds the simulator within some seconds."""
    peer = [*network, sys.executable, "-c", PEER, str(patience)]
    return "'simulator'" in subprocess.run(peer, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("discovery_range", ["LOCALHOST", "SUBNET"])
def test_nodes_of_this_machine_find_it_whatever_they_are_open_to(serve, unset, discovery_range):
    serve("--headless")
    assert seen_by({**unset.environment, RANGE: discovery_range}, DEADLINE)


@pytest.fixture
def other_network() -> Iterator[list[str]]:
    """What a command begins with to run on another machine of a network, made of a namespace and a cable."""
    name = f"simspark{os.getpid() % 10**6}"
    commands = [
        f"ip netns add {name}",
        f"ip link add {name}a type veth peer name {name}b netns {name}",
        f"ip address add 198.51.100.1/30 dev {name}a",
        f"ip link set {name}a up",
        f"ip -n {name} address add 198.51.100.2/30 dev {name}b",
        f"ip -n {name} link set {name}b up",
        f"ip -n {name} link set lo up",
        # Nothing else says where multicast goes.
        f"ip -n {name} route add default via 198.51.100.1",
    ]
    try:
        for command in commands:
            try:
                subprocess.run(command.split(), check=True, capture_output=True)
            except (OSError, subprocess.CalledProcessError):
                pytest.skip("the kernel gives no right to make a network")
        yield ["ip", "netns", "exec", name]
    finally:
        subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)


@pytest.mark.parametrize(("options", "found"), [((), False), (("--ros-network", "all"), True)])
def test_another_machine_finds_it_only_when_opened(serve, unset, other_network, options, found):
    serve("--headless", *options)
    # Without it, long enough for two announcements, which come every three seconds.
    patience = DEADLINE if found else 7.0
    assert seen_by({**unset.environment, RANGE: "SUBNET"}, patience, *other_network) is found

"""Which networks ROS is open to, by the sockets that the kernel shows."""

import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.ros.network import check_domain, choose_network, profiles, profiles_variable
from test.rigs.network.open_sockets import beyond_this_machine, receiving_addresses
from test.rigs.network.two_machines import SecondMachine
from test.rigs.ros_processes import Domain, Process
from test.rigs.waiting import DEADLINE

CONFINED = {profiles_variable(): profiles("loopback.xml")}
OPEN = {profiles_variable(): profiles("network.xml")}
RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"
LARGE = {"FASTDDS_BUILTIN_TRANSPORTS": "LARGE_DATA"}
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
        ("auto", {**CONFINED, RANGE: "SUBNET"}, {**CONFINED, RANGE: "SUBNET"}),
        ("loopback", {RANGE: "SUBNET"}, {**CONFINED, RANGE: "SUBNET"}),
        ("loopback", {**OPEN, RANGE: "SUBNET"}, {**CONFINED, RANGE: "SUBNET"}),
        # On open networks messages go in pieces of one packet.
        ("auto", {RANGE: "SUBNET"}, {**OPEN, RANGE: "SUBNET"}),
        ("auto", {**OPEN, RANGE: "SUBNET"}, {**OPEN, RANGE: "SUBNET"}),
        ("all", {**CONFINED, RANGE: "LOCALHOST"}, {**OPEN, RANGE: "SUBNET"}),
        # An environment that says how to send stays as it is.
        ("auto", {"ROS_STATIC_PEERS": "192.0.2.1"}, {"ROS_STATIC_PEERS": "192.0.2.1"}),
        ("auto", {"FASTDDS_DEFAULT_PROFILES_FILE": "mine.xml"}, {"FASTDDS_DEFAULT_PROFILES_FILE": "mine.xml"}),
        ("auto", {**LARGE, RANGE: "SUBNET"}, {**LARGE, RANGE: "SUBNET"}),
    ],
)
def test_unless_the_environment_opens_it_ros_stays_on_the_loopback(network, environment, expected):
    chosen = dict(environment)
    assert choose_network(network, chosen) is (CONFINED.items() <= expected.items())
    assert chosen == expected


@pytest.mark.parametrize("domain", ["233", "-1", "five", "1.5"])
def test_a_domain_that_dds_has_not_is_refused_with_those_it_has(domain):
    check_domain({"ROS_DOMAIN_ID": "232"})
    check_domain({"ROS_DOMAIN_ID": ""})
    with pytest.raises(ConfigurationError, match=rf"ROS_DOMAIN_ID={domain}: .* from 0 to 232"):
        check_domain({"ROS_DOMAIN_ID": domain})


@pytest.mark.parametrize(("rclpy", "variable"), [("7.1.6", "FASTRTPS"), ("9.1.2", "FASTDDS"), ("10.0.0", "FASTDDS")])
def test_fast_dds_finds_its_profile_by_the_name_of_its_version(monkeypatch, rclpy, variable):
    monkeypatch.setattr("simspark_ros.ros.network.version", {"rclpy": rclpy}.__getitem__)
    assert profiles_variable() == f"{variable}_DEFAULT_PROFILES_FILE"
    assert ("fast_dds_2" in profiles("loopback.xml")) == (variable == "FASTRTPS")


@pytest.mark.parametrize("name", ["loopback.xml", "network.xml"])
def test_both_versions_of_fast_dds_get_the_same_settings(monkeypatch, name):
    texts = []
    for rclpy in ("7.1.6", "9.1.2"):
        monkeypatch.setattr("simspark_ros.ros.network.version", {"rclpy": rclpy}.__getitem__)
        text = Path(profiles(name)).read_text(encoding="utf-8")
        texts.append(re.sub("<!--.*?-->", "", text, flags=re.DOTALL))
    assert texts[0].replace("heartbeatPeriod", "heartbeat_period") == texts[1] != texts[0]
    # No process asks others what their types are made of: one that ends while it asks is ended by SIGSEGV at times.
    properties = ElementTree.parse(profiles(name)).iter("{http://www.eprosima.com}property")
    assert [[part.text for part in each] for each in properties] == [["fastdds.type_propagation", "disabled"]]


def test_the_simulator_with_its_camera_is_reached_from_this_machine_only(serve, unset):
    process = serve()
    assert "this machine only" in process.output
    assert max(len(line) for line in process.output.splitlines() if line.startswith("  ")) <= 80
    process.wait_for_line("camera")
    addresses = receiving_addresses(process.pid)
    assert "127.0.0.1" in addresses
    assert beyond_this_machine(addresses) == set()
    # Nodes of this machine find it whatever they are open to.
    for discovery_range in ("LOCALHOST", "SUBNET"):
        assert seen_by({**unset.environment, RANGE: discovery_range}, DEADLINE)


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


@pytest.mark.parametrize(("options", "found"), [((), False), (("--ros-network", "all", "--world", "obstacles"), True)])
def test_another_machine_finds_it_only_when_opened(serve, unset, options, found):
    with SecondMachine(unset.number) as other_machine:
        process = serve("--headless", *options)
        # The world's objects have no topics.
        assert ("all networks   /nao/joint_states" in process.output) is found
        assert ("0.0.0.0" in beyond_this_machine(receiving_addresses(process.pid))) is found
        # Without it, long enough for two announcements, which come every three seconds.
        patience = DEADLINE if found else 7.0
        assert seen_by({**unset.environment, RANGE: "SUBNET"}, patience, *other_machine.prefix) is found

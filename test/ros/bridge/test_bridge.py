"""The bridge as a process of its own, with the real simulation at the other end, and its parameters."""

import re
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter

from simspark_ros.clients.classic_client import ClassicClient, ConnectionLostError, joint_angles
from simspark_ros.ros.bridge import node as bridge
from simspark_ros.ros.bridge.link import DdsAgentLink
from simspark_ros.ros.bridge.node import BridgeNode
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.settings import load_simulation_settings
from test.rigs.ros_nodes import RosNodes
from test.rigs.ros_processes import BridgeProcess
from test.rigs.waiting import until


@pytest.fixture
def simulation(room: RosNodes) -> Iterator[Simulation]:
    link = DdsAgentLink(room.node("simulator"), bridge_timeout=1.0)
    link.lockstep = True
    settings = replace(load_simulation_settings(), pacing="lockstep")
    one, _ = build_simulation(settings, [link], time.monotonic, time.sleep)
    thread = threading.Thread(target=one.run)
    thread.start()
    yield one
    one.stop()
    thread.join()
    one.world.engine.close()


def test_a_client_of_the_bridge_moves_a_robot_in_another_process(room: RosNodes, simulation: Simulation) -> None:
    process = BridgeProcess(room.domain, room.namespace)
    with ClassicClient("127.0.0.1", process.agent_port) as client:
        client.send("(scene rsg/agent/nao/nao.rsg)")
        client.receive()
        client.send("(init (unum 3)(teamname Paper))(syn)")
        while b"(unum 3) (team left)" not in client.receive():
            client.send("(syn)")
        client.send("(he1 1.0)(syn)")
        messages = []
        for _ in range(52):
            messages.append(client.receive())
            client.send("(syn)")
        angles = [joint_angles(message)["hj1"] for message in messages]
        # 1 rad/s for 51 cycles: the command that answers message k shows first in message k + 2, as everywhere.
        assert angles[0] == pytest.approx(0.0, abs=0.01)
        assert angles[1] == pytest.approx(1.15, abs=0.1)
        assert angles[-1] == pytest.approx(58.4, abs=1.0)
        times = [float(re.search(rb"now (\d+\.\d+)", message)[1]) for message in messages]  # type: ignore[index]
        assert times == pytest.approx([times[0] + 0.02 * n for n in range(52)], abs=0.006)
        assert [robot.name for robot in simulation.world.robots.values()] == ["left_3"]
        assert process.end(signal.SIGTERM) == 0
        assert "Traceback" not in process.output
        with pytest.raises(ConnectionLostError):
            while True:
                client.receive()
    until(lambda: not simulation.world.robots)


@pytest.fixture
def run_main(room: RosNodes, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., int]]:
    monkeypatch.setenv("ROS_DOMAIN_ID", str(room.domain.number))
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def run(*arguments: str) -> int:
        return bridge.main(["bridge", "--ros-args", "-r", f"__ns:={room.namespace}", *arguments])

    yield run
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("name", ["agent_port", "monitor_port"])
def test_a_taken_port_is_named(run_main: Callable[..., int], capsys: pytest.CaptureFixture[str], name: str) -> None:
    ports = {"agent_port": "0", "monitor_port": "0"}
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        ports[name] = str(number)
        assert run_main(*(word for key, value in ports.items() for word in ("-p", f"{key}:={value}"))) == 2
    errors = capsys.readouterr().err
    assert f"port {number} is in use; choose another with the parameter {name}" in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    "parameter, complaint",
    [
        ("agent_port:=65536", "agent_port"),
        ("agent_port:=abc", "agent_port"),
        ("trainer:=some", "trainer commands: 'some' is unknown; use full"),
        ("profile:=nosuch", "unknown protocol profile 'nosuch'"),
        ("bind:=256.1.1.1", "the parameter bind"),
        ("bridge_name:=a/b", "without a slash"),
        ("silent_timeout:=-1.0", "silent_timeout"),
    ],
)
def test_bad_values_are_named(
    run_main: Callable[..., int], capsys: pytest.CaptureFixture[str], parameter: str, complaint: str
) -> None:
    assert run_main("-p", parameter) == 2
    errors = capsys.readouterr().err
    assert complaint in errors
    assert "Traceback" not in errors


def test_diagnostics_name_each_client_and_what_is_wrong_with_it(room: RosNodes, connect_to: Any) -> None:
    values = [Parameter("agent_port", value=0), Parameter("monitor_port", value=0)]
    heard: list[DiagnosticArray] = []
    observer = room.node("observer")
    observer.create_subscription(DiagnosticArray, "/diagnostics", heard.append, 10)
    executor = SingleThreadedExecutor(context=observer.context)
    executor.add_node(observer)
    with closing(BridgeNode(context=room.context(), namespace=room.namespace, parameter_overrides=values)) as node:

        def serve() -> None:
            node.step(0.01)
            executor.spin_once(timeout_sec=0.01)

        connect_to(node.client.core.agents.port, serve).send("(nonsense 1)(scene no/such.rsg)")

        def statuses() -> dict[str, Any]:
            return {status.name: status for status in heard[-1].status} if heard else {}

        def wrong() -> list[Any]:
            return [s for s in statuses().values() if "agent 1 (" in s.name and s.level == DiagnosticStatus.WARN]

        until(wrong, serve)
        (status,) = wrong()
        assert status.name.startswith("bridge: agent 1 (127.0.0.1:")
        assert "unknown scene 'no/such.rsg'" in status.message
        values_of = {value.key: value.value for value in status.values}
        assert values_of["received"] == "1"
        assert any(key.startswith("rejected: ") for key in values_of)
        assert "no simulator" in statuses()["bridge: simulator"].message
    executor.shutdown()

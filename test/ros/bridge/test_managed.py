"""The bridge as a managed node: its ports are open while it is active."""

import contextlib
import signal
import socket
from collections.abc import Callable

import pytest
from lifecycle_msgs.msg import TransitionEvent

from simspark_ros.clients.classic_client import ClassicClient, ConnectionLostError
from test.rigs.ros_processes import Domain, Observer, Process
from test.ros.entities import change, state

PARAMETERS = ("bridge:=true", "pacing:=realtime")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


def test_an_active_bridge_serves_agents(simulator: Process, observer: Observer, start: Callable[..., Process]) -> None:
    before, port = observer.entities(), free_port()
    bridge = start("bridge.node", parameters=(f"agent_port:={port}", "monitor_port:=-1"))
    bridge.found("agent port")
    events = observer.hear(TransitionEvent, "/bridge/transition_event")
    assert state(observer, "bridge") == "active"
    with ClassicClient("127.0.0.1", port) as client:
        client.send("(scene rsg/agent/nao/nao.rsg)")
        client.receive()
        client.send("(init (unum 3)(teamname Paper))")
        observer.until(lambda: observer.entities() != before, "a robot")
        assert change(observer, "bridge", "deactivate")
        with pytest.raises(ConnectionLostError):
            while True:
                client.receive()
    observer.until(lambda: observer.entities() == before, "the end of the robot")
    assert state(observer, "bridge") == "inactive"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port)).close()
    with socket.create_server(("127.0.0.1", port)):
        assert not change(observer, "bridge", "activate")
        bridge.found(f"transition activate is refused: .*port {port} is in use")
    assert change(observer, "bridge", "cleanup") and state(observer, "bridge") == "unconfigured"
    assert not change(observer, "bridge", "activate")
    assert change(observer, "bridge", "configure") and change(observer, "bridge", "activate")
    with ClassicClient("127.0.0.1", port) as client:
        client.send("(scene rsg/agent/nao/nao.rsg)")
        assert b"(time (now" in client.receive()
    assert [event.goal_state.label for event in events.messages][:1] == ["inactive"]
    assert change(observer, "bridge", "shutdown")
    assert bridge.wait() == 0


def test_an_inactive_bridge_ends_by_a_signal(domain: Domain, start: Callable[..., Process]) -> None:
    bridge = start("bridge.node", parameters=("agent_port:=0", "monitor_port:=0"))
    bridge.found("agent port")
    with contextlib.closing(Observer(domain)) as observer:
        assert change(observer, "bridge", "deactivate")
    assert bridge.end(signal.SIGTERM) == 0
    assert "Traceback" not in bridge.output

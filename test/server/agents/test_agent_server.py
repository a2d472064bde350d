"""The agent port with real sockets: a session, lock-step, and opening the port."""

import struct
from dataclasses import replace

import pytest

from simspark_ros.exchange import Action
from simspark_ros.protocol.agent.profile import GameStateFormat
from simspark_ros.robots.types.random_types import RobotType
from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.agents.server import AgentServer
from simspark_ros.server.tcp.ports import PortError

SCENE = "(scene rsg/agent/nao/nao_hetero.rsg 0)"


def test_a_session_from_connecting_to_leaving(serve_agents):
    here = serve_agents()
    client = here.connect()
    assert here.cycle().actions == ()
    assert client.arrived() == []

    client.send(SCENE)
    here.heard(1)
    (create,) = here.cycle().actions
    assert (create.kind, create.arguments) == ("create", ("nao", 0))
    assert client.receive().startswith(b"(time (now 0.04))(GS (sl 0)")
    (status,) = here.server.clients()
    assert status.name == f"agent 1 (127.0.0.1:{client.socket.getsockname()[1]})"
    assert (status.team, status.unum) == ("", 0)

    client.send("(init (unum 7)(teamname A))")
    here.ready_cycle()
    assert b"(unum 7) (team left)" in client.receive()
    (status,) = here.server.clients()
    assert (status.team, status.unum, status.received, status.sent) == ("A", 7, 2, 2)

    client.send("(he1 1.5)(lae1 -2)(syn)")
    commands = here.ready_cycle()
    assert commands.handles.tolist() == [1, 1]
    assert commands.joints.tolist() == [0, 2]
    assert commands.velocities.tolist() == [1.5, -2.0]
    assert (commands.participants, commands.answers) == (1, 3)

    client.receive()
    client.socket.close()
    here.until(lambda: here.server.clients() == [])
    assert here.cycle().actions == (Action(create.client, "leave"),)
    assert here.cycle().actions == ()
    assert here.server.participants == 0 and here.server.ready
    assert here.log.having("plays as A 7") and here.log.having("disconnected")
    here.connect()
    assert here.server.clients()[0].key != status.key, "keys are never used again"


def test_drawn_types_are_told_once_before_a_client_has_a_robot(serve_agents, profile, monkeypatch):
    types = tuple(RobotType("nao", number, 0, (("hip_y", 0.055),)) for number in range(7))
    here = serve_agents(profile=replace(profile, game_state=GameStateFormat(report_robot_types=True)))
    percepts = here.world.percepts
    monkeypatch.setattr(
        here.world, "percepts", lambda: replace(p := percepts(), layout=p.layout._replace(robot_types=types))
    )
    client = here.connect()
    here.cycle()
    assert client.receive().startswith(b"(RT (robot nao)(type 0 (hip_y 0.05500))(type 1 ")
    client.send("(scene rsg/agent/nao/nao_hetero.rsg 6)")
    here.heard(1)
    (create,) = here.cycle().actions
    assert create.arguments == ("nao", 6)
    assert client.receive().startswith(b"(time ")


def test_a_perceptor_without_a_format_is_reported_once(serve_agents, profile):
    here = serve_agents(profile=replace(profile, perceptors={}))
    here.join(1)
    here.join(2)
    here.cycle()
    (line,) = here.log.having("no format")
    assert "'hinge_joint'" in line


def test_commands_come_in_order_of_connection_not_of_arrival(serve_agents):
    here = serve_agents()
    clients = [here.join(number) for number in (1, 2, 3)]
    for client in reversed(clients):
        client.send("(he1 1)(say one)")
        client.send("(he1 2)(say two)(syn)")
        here.heard(sum(status.received for status in here.server.clients()) + 1)
    here.heard(12)
    commands = here.cycle()
    assert commands.handles.tolist() == [1, 1, 2, 2, 3, 3]
    assert commands.velocities.tolist() == [1, 2, 1, 2, 1, 2]
    assert [action.arguments[0] for action in commands.actions] == ["one", "two"] * 3
    assert [action.client for action in commands.actions[::2]] == [s.key for s in here.server.clients()]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
def test_messages_may_be_split_and_coalesced_anyhow(serve_agents, size):
    here = serve_agents()
    client = here.connect()
    data = b"".join(struct.pack(">I", len(m)) + m for m in [SCENE.encode(), b"", b"(init (unum 1)(teamname A))"])
    for start in range(0, len(data), size):
        client.send_raw(data[start : start + size])
        here.poll()
    here.heard(3)
    assert [action.kind for action in here.cycle().actions] == ["create", "init"]


def test_lock_step_waits_for_every_participant_and_lets_a_client_without_syn_through(serve_agents):
    here = serve_agents()
    first, second = here.join(1), here.join(2)
    here.connect()
    first.arrived()
    assert here.server.participants == 2
    first.send("(syn)")
    here.heard(5)
    assert not here.server.ready
    # It is a flag.
    here.tell(first, "(he1 1)(syn)")
    assert not here.server.ready
    second.send("(he1 1)(syn)")
    here.until(lambda: here.server.ready)
    before = here.server.take().answers
    here.server.deliver(here.world.percepts())
    assert not here.server.ready
    assert here.server.take().answers == before
    here = serve_agents()
    good = here.join(1)
    for _ in range(20):
        good.send("(syn)")
        here.ready_cycle()
        good.receive()
    client = here.connect()
    client.send(SCENE)
    here.heard(23)
    good.send("(syn)")
    here.ready_cycle()
    client.receive()
    good.send("(syn)")
    # Not so fast: the others would run through the newcomer's grace before it could answer.
    here.heard(24)
    assert not here.server.ready
    client.send("(init (unum 2)(teamname A))")
    here.ready_cycle()
    assert b"(unum 2)" in client.receive()


def test_an_idle_newcomer_is_waited_for_only_a_while(serve_agents):
    here = serve_agents(grace=2, grace_timeout=1.0, silent_timeout=None)
    client = here.connect()
    client.send(SCENE)
    here.heard(1)
    here.cycle()
    for _ in range(2):
        here.poll()
        assert not here.server.ready
        here.passes(1.1)
        assert here.server.ready
        here.cycle()
    here.passes(1000.0)
    assert not here.server.ready


@pytest.mark.parametrize(
    ("host", "port", "remedy"), [("192.0.2.1", 0, "--bind"), ("no such host", 0, "--bind"), ("", 70000, "70000")]
)
def test_other_impossible_ports(profile, host, port, remedy):
    with pytest.raises(PortError, match=remedy):
        AgentServer(AgentServerSettings(host=host or AgentServerSettings.host, port=port), profile)


def test_closing_frees_the_port_at_once(profile, serve_agents):
    here = serve_agents()
    client = here.join(1)
    port = here.server.port
    here.server.close()
    assert client.is_closed
    AgentServer(AgentServerSettings(port=port), profile).close()
    # Agents that cannot play are disconnected with the reason.
    here = serve_agents()
    here.server.refusal = "cycles are too short"
    client = here.knock()
    here.until(lambda: client.is_closed)
    assert here.log.having("cycles are too short")
    assert here.server.clients() == []

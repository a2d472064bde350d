"""The simulator's port of proxies: waits for all of them up to a limit, and none of them can do harm."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
import pytest

from simspark_ros.effectors import EFFECTORS, effector
from simspark_ros.exchange import Action, Commands
from simspark_ros.server.remote import codec, link
from test.rigs.network.proxies import ProxyLinkRig
from test.rigs.stub_world import Client
from test.rigs.waiting import until

M = TypeVar("M", codec.Welcome, codec.Refusal, codec.PerceptsMessage)

CREATE = Commands(actions=(Action("agent-1", "create", ("nao", 0)),))


def commands_message(commands: Commands) -> bytes:
    return codec.encode(codec.CommandsMessage(commands))


def moving(handle: int, velocity: float, answers: int) -> bytes:
    """A proxy's answer with the command of one joint of its only client."""
    one = np.ones(1, np.int64)
    return commands_message(Commands(answers, 1, one * handle, one * 0, np.array([velocity])))


@pytest.fixture
def link_rig(close_later) -> Callable[..., ProxyLinkRig]:
    return lambda **settings: close_later(ProxyLinkRig(**settings))


def cycle(here: ProxyLinkRig) -> Commands:
    commands = here.link.take()
    here.world.apply(commands)
    here.link.deliver(here.world.percepts())
    return commands


def joined(here: ProxyLinkRig, name: str = "east") -> Client:
    """A proxy with one agent, which has a robot and owes the answer to the last percepts."""
    client = here.greet(name)
    here.tell(client, commands_message(CREATE))
    cycle(here)
    until(lambda: client.arrived(), here.poll)
    return client


def arrived(client: Client, kind: type[M]) -> M:
    payloads: list[bytes] = []
    until(lambda: payloads, lambda: payloads.extend(client.arrived()))
    return codec.decode(payloads[-1], kind)


def test_a_proxy_is_welcomed_and_sees_its_agents_robots(link_rig):
    here = link_rig(limit=0.125)
    client = here.greet()
    assert arrived(client, codec.Welcome) == codec.Welcome(0.125)
    cycle(here)
    first = arrived(client, codec.PerceptsMessage)
    cycle(here)
    second = arrived(client, codec.PerceptsMessage)
    assert first.layout and not second.layout, "the layout only when it changes"
    assert here.link.participants == 0 and here.link.ready
    here.tell(client, commands_message(CREATE))
    commands = cycle(here)
    assert commands.actions == (Action("proxy-1:agent-1", "create", ("nao", 0)),)
    message = arrived(client, codec.PerceptsMessage)
    percepts = codec.PerceptsReader().read(message)
    assert [robot.client for robot in percepts.layout.robots] == ["agent-1"]
    assert message.waits and here.link.participants == 1 and not here.link.ready
    assert here.log.having("proxy 'east' (127.0.0.1:")


def test_the_cycle_waits_for_every_proxy(link_rig):
    here = link_rig()
    first, second = joined(here, "east"), joined(here, "west")
    here.tell(first, moving(1, 1.0, here.world.cycle))
    assert not here.link.ready
    here.tell(second, moving(2, 2.0, here.world.cycle))
    assert here.link.ready
    commands = cycle(here)
    assert (commands.participants, commands.answers) == (2, here.world.cycle - 1)
    assert (commands.handles.tolist(), commands.velocities.tolist()) == ([1, 2], [1.0, 2.0])
    assert commands.rejected == {}
    assert not here.link.ready


def test_the_cycle_waits_no_longer_than_the_limit_and_late_agents_are_counted(link_rig):
    here = link_rig(limit=0.25)
    first, second = joined(here, "east"), joined(here, "west")
    here.tell(first, moving(1, 1.0, here.world.cycle))
    here.clock.now += 0.24
    assert not here.link.ready
    here.clock.now += 0.02
    assert here.link.ready
    assert cycle(here).rejected == {"late for its cycle: proxy 'west' agent-1": 1}
    assert here.log.having("proxy 'west'")[-1].count("within 0.25 s") == 1
    (_, west) = here.link.clients()
    assert west.rejected == {"late for its cycle": 1}
    here.tell(second, moving(2, 2.0, here.world.cycle - 1), moving(2, 3.0, here.world.cycle))
    here.tell(first, moving(1, 1.0, here.world.cycle))
    commands = cycle(here)
    assert commands.velocities.tolist() == [1.0, 2.0, 3.0], "what was late counts for the next cycle"
    assert commands.rejected == {}
    # In real time nobody is late.
    here.link.lockstep = False
    assert cycle(here).rejected == {}
    here.greet("slow", cycle=0.3)
    assert here.log.having("raise --proxy-limit")
    # Closing twice is well.
    here.link.close()


@pytest.mark.parametrize("rude", [False, True])
def test_the_agents_of_a_proxy_that_dies_leave(link_rig, rude):
    here = link_rig()
    client = joined(here)
    here.tell(client, commands_message(Commands(actions=(Action("agent-2", "create", ("nao", 0)),))))
    if rude:
        client.reset()
    else:
        client.socket.close()
    until(lambda: not here.link.clients(), here.poll)
    assert here.link.ready and here.link.participants == 0
    assert cycle(here).actions == (Action("proxy-1:agent-1", "leave"), Action("proxy-1:agent-2", "leave"))
    assert here.world.robots == []
    assert cycle(here).actions == ()
    assert here.log.having("its 2 clients leave")


BAD = {
    "same release": b"(scene rsg/agent/nao/nao.rsg)",
    "ends in the middle of": commands_message(CREATE)[:-1],
    "at the wrong time": codec.encode(codec.Hello("again", 0.02)),
    "none of the sender's clients": moving(99, 1.0, 1),
    "which was never sent": moving(2, 1.0, 99),
}


@pytest.mark.parametrize("why", BAD)
def test_malformed_messages_of_a_proxy_are_refused_with_a_reason_and_its_agents_leave(link_rig, why):
    here = link_rig()
    good, bad = joined(here, "good"), joined(here, "bad")
    good.arrived()
    bad.send(BAD[why])
    until(lambda: len(here.link.clients()) == 1, here.poll)
    assert why in arrived(bad, codec.Refusal).reason
    assert here.log.having(why)
    assert cycle(here).actions == (Action("proxy-2:agent-1", "leave"),)
    here.tell(good, moving(1, 1.0, here.world.cycle))
    assert here.link.ready


@pytest.mark.parametrize("first", [commands_message(CREATE), b"(init)", codec.encode(codec.Hello("", 1.0))])
def test_a_connection_that_does_not_begin_with_hello_is_refused(link_rig, first):
    here = link_rig()
    client = here.connect()
    client.send(first)
    until(lambda: not here.link.clients(), here.poll)
    assert here.link.take().actions == ()


def test_agents_of_a_proxy_command_effectors_also_of_plug_ins_and_are_no_trainers(link_rig, monkeypatch):
    hop = effector("hop")(lambda world, robot: None)
    monkeypatch.setattr(link, "known_effectors", lambda: {**EFFECTORS, "hop": hop})
    here = link_rig()
    client = joined(here)
    actions = (Action("agent-1", "hop"), Action("agent-1", "play_mode", ("PlayOn",)))
    here.tell(client, commands_message(Commands(actions=actions)))
    commands = cycle(here)
    assert commands.actions == (Action("proxy-1:agent-1", "hop"),)
    assert commands.rejected["proxy 'east': no action of agents"] == 1


def test_silent_connections_are_closed_but_a_pause_makes_no_proxy_silent_and_strangers_make_room(link_rig):
    here = link_rig()
    client = joined(here)
    here.tell(client, moving(1, 1.0, here.world.cycle))
    here.clock.now += 1000.0
    here.poll()
    assert len(here.link.clients()) == 1
    here = link_rig(hello_timeout=5.0, silent_timeout=10.0)
    here.connect()
    here.clock.now += 5.1
    until(lambda: not here.link.clients(), here.poll)
    assert here.log.having("did not say within 5 s that it is a proxy")
    joined(here)
    for _ in range(12):
        here.clock.now += 1.0
        here.poll()
        cycle(here)
    until(lambda: not here.link.clients(), here.poll)
    assert here.log.having("has sent nothing for 10 s")
    here = link_rig(max_clients=2)
    here.greet("one")
    here.connect()
    client = here.knock()
    here.tell(client, codec.encode(codec.Hello("two", 0.02)))
    assert [status.name.partition(" (")[0] for status in here.link.clients()] == ["proxy 'one'", "proxy 'two'"]

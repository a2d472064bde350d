"""The link between simulator and bridge, over DDS between two ROS contexts."""

import contextlib
import threading
import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from simspark_ros.exchange import Action, Commands
from simspark_ros.msg import BridgeMessage
from simspark_ros.ros.bridge import link as link_module
from simspark_ros.ros.bridge.fast_subscriber import COMMANDS_TOPIC, PERCEPTS_TOPIC, QOS, FastSubscriber
from simspark_ros.ros.bridge.link import DdsAgentLink
from simspark_ros.server.agents.server import AgentServer
from simspark_ros.server.remote.codec import CommandsMessage, Hello, PerceptsMessage, decode, encode, identity_of
from simspark_ros.simulation.pacing.awake_clock import awake_time
from test.rigs.agent_links import SCENE, BridgeThread, Rig
from test.rigs.ros_nodes import RosNodes
from test.rigs.waiting import DEADLINE, until


@pytest.fixture
def dds(room: RosNodes, stub_world: Any, connect_to: Any, lines: Any) -> Iterator[Callable[..., Rig]]:
    with contextlib.ExitStack() as stack:

        def make(**settings: Any) -> Rig:
            link = DdsAgentLink(room.node("simulator"), **settings)
            stack.callback(link.close)
            bridge = BridgeThread(room, log=lines)
            stack.callback(bridge.close)
            rig = Rig(link, bridge.core, stub_world, connect_to)
            rig.bridge = bridge  # type: ignore[attr-defined]
            until(lambda: link.bridges and bridge.client._session, rig.wait)
            return rig

        yield make


@pytest.fixture
def rig(dds: Callable[..., Rig]) -> Rig:
    return dds()


class TestClients:
    def test_time_waits_for_each_answer(self, rig: Rig) -> None:
        client = rig.connect()
        rig.join(client, 1)
        assert b"(time (now " in rig.latest(client)
        assert [action.kind for c in rig.world.taken for action in c.actions] == ["create", "init"]
        assert rig.world.robots[0].client.endswith("agent-1")
        rig.answer(client)
        assert not rig.link.ready
        for _ in range(3):
            rig.wait()
        assert not rig.link.ready
        client.send("(he1 1.5)(syn)")
        until(lambda: rig.link.ready, rig.wait)
        commands = rig.link.take()
        assert (commands.answers, commands.participants) == (rig.world.cycle, 1)
        assert commands.handles.tolist() == [1]
        assert commands.joints.tolist() == [0]
        assert commands.velocities.tolist() == [1.5]

    def test_actions_come_in_the_order_of_clients_however_fast_they_are(self, rig: Rig) -> None:
        clients = [rig.connect() for _ in range(3)]
        for number, client in enumerate(clients):
            rig.join(client, number + 1, *clients[:number])
            for one in clients[: number + 1]:
                rig.latest(one)
        for number in (2, 0):
            clients[number].send(f"(say from{number})(syn)")
            # A pause in which a part of the commands may be sent ahead.
            for _ in range(10):
                rig.wait()
        clients[1].send("(say from1)(syn)")
        commands = rig.lockstep()
        assert [action.arguments for action in commands.actions] == [("from0",), ("from1",), ("from2",)]

    def test_who_disconnects_leaves_and_is_not_waited_for(self, rig: Rig) -> None:
        clients = [rig.connect() for _ in range(2)]
        rig.join(clients[0], 1)
        rig.latest(clients[0])
        rig.join(clients[1], 2, clients[0])
        assert len(rig.world.robots) == 2
        clients[0].send("(syn)")
        clients[1].reset()
        until(lambda: rig.link.participants == 1 and rig.link.ready, rig.wait)
        gone = rig.world.robots[1].client
        assert Action(gone, "leave") in rig.cycle().actions
        assert len(rig.world.robots) == 1
        rig.latest(clients[0])

    def test_monitors_see_and_trainers_command(self, rig: Rig) -> None:
        assert rig.core.monitors is not None
        monitor = rig._connect_to(rig.core.monitors.port, rig.wait)
        rig.cycles_until(lambda: rig.world.taken[-1].wants_poses if rig.world.taken else False)
        rig.cycle()
        assert b"RSG" in rig.latest(monitor)
        monitor.send("(playMode PlayOn)")
        rig.cycles_until(lambda: rig.world.mode == "PlayOn")

    def test_in_real_time_commands_do_not_wait_for_each_other_or_for_percepts(self, rig: Rig) -> None:
        rig.link.lockstep = False
        clients = [rig.connect() for _ in range(2)]
        for number, client in enumerate(clients):
            client.send(SCENE, f"(init (unum {number + 1})(teamname A))")
        until(lambda: rig.received == 4, rig.wait)

        def run_on() -> None:
            rig.wait()
            rig.cycle()

        until(lambda: len(rig.world.robots) == 2 and rig.link.participants == 2, run_on)
        rig.latest(clients[0])
        clients[0].send("(he1 0.5)")
        handles: list[int] = []

        def take() -> None:
            rig.wait()
            handles.extend(rig.link.take().handles.tolist())

        until(lambda: handles, take)
        assert handles == [1]


class TestBridges:
    def test_bridges_do_not_mix_their_clients(self, dds: Callable[..., Rig], room: RosNodes) -> None:
        rig = dds()
        other = BridgeThread(room, "b2")
        try:
            until(lambda: len(rig.link.bridges) == 2, rig.wait)  # type: ignore[attr-defined]
            one = rig.connect()
            rig.join(one, 1)
            rig.latest(one)
            two = rig._connect_to(other.core.agents.port, rig.wait)
            two.send(SCENE, "(init (unum 2)(teamname A))(syn)")
            until(lambda: sum(client.received for client in other.core.agents.clients()) == 2, rig.wait)
            one.send("(syn)")
            rig.cycles_until(lambda: len(rig.world.robots) == 2)
            until(lambda: rig.link.participants == 2, rig.wait)
            assert [robot.client for robot in rig.world.robots] == ["b1/agent-1", "b2/agent-1"]
            rig.latest(two)
            rig.latest(one)
            one.send("(syn)")
            two.send("(he1 1)(syn)")
            assert rig.lockstep().handles.tolist() == [2]
        finally:
            other.close()
        until(lambda: rig.link.participants == 1, rig.wait)
        rig.latest(one)
        one.send("(syn)")
        assert Action("b2/agent-1", "leave") in rig.lockstep().actions

    def test_a_mute_bridge_is_not_waited_for(self, dds: Callable[..., Rig], monkeypatch: pytest.MonkeyPatch) -> None:
        rig = dds(answer_timeout=0.5)
        client = rig.connect()
        rig.join(client, 1)
        rig.latest(client)
        # Heartbeats go on, as its clients were silent and it were to wait for them for ever.
        monkeypatch.setattr(AgentServer, "ready", False)
        client.send("(syn)")
        until(lambda: rig.link.ready, rig.wait)
        leaving = [action.kind for action in rig.link.take().actions]
        assert leaving == ["leave"]

    def test_a_bridge_that_always_answers_just_before_the_limit_is_dropped_for_all_that_it_has_held_up(
        self, dds: Callable[..., Rig], room: RosNodes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rig = dds(answer_timeout=30.0, bridge_timeout=1000.0)
        other, slow = BridgeThread(room, "b2"), rig.connect()
        try:
            until(lambda: len(rig.link.bridges) == 2, rig.wait)  # type: ignore[attr-defined]
            rig.join(slow, 1)
            rig.latest(slow)
            assert _cycles_of_29_seconds(rig, slow, monkeypatch) == 10, "nobody else waits"
            good = rig._connect_to(other.core.agents.port, rig.wait)
            good.send(SCENE, "(init (unum 2)(teamname A))(syn)")
            # What it asks for has to be there before the next cycle: the one after that waits for the slow client.
            until(lambda: rig.link._ledger.remotes["b2/"].pending, rig.wait)  # type: ignore[attr-defined]
            slow.send("(syn)")
            rig.cycles_until(lambda: len(rig.world.robots) == 2)
            until(lambda: rig.link.participants == 2, rig.wait)
            rig.latest(good)
            rig.latest(slow)
            # 180 s may be owed. Each time 29 s less 0.5 s are: 6 * 28.5 + 29 s are more.
            assert _cycles_of_29_seconds(rig, slow, monkeypatch, good) == 6
            assert rig.link.bridges == ("b2",)  # type: ignore[attr-defined]
        finally:
            other.close()

    def test_what_clients_ask_for_is_kept_until_it_is_heard(self, room: RosNodes, connect_to: Any, lines: Any) -> None:
        heard: list[CommandsMessage] = []

        def actions() -> list[str]:
            return [action.kind for message in heard for action in message.commands.actions]

        def show(welcomes: dict[str, int]) -> None:
            simulator.send(encode(PerceptsMessage(0, False, b"", b"", 5, welcomes)))
            time.sleep(0.01)

        node = room.node("simulator")
        simulator = FastSubscriber(
            node, "link", PERCEPTS_TOPIC, COMMANDS_TOPIC, lambda data: heard.append(decode(data, CommandsMessage))
        )
        bridge = BridgeThread(room, log=lines)
        try:
            until(lambda: heard and heard[-1].session == 5, lambda: show({}))
            connect_to(bridge.core.agents.port, lambda: None).send(SCENE)
            until(lambda: any(client.received for client in bridge.core.agents.clients()))
            count = len(heard)
            # Heartbeats go on.
            until(lambda: len(heard) >= count + 2, lambda: show({}))
            assert actions() == []
            until(actions, lambda: show({heard[-1].name: 1}))
            assert actions() == ["create"]
        finally:
            bridge.close()
            simulator.close()

    def test_nothing_is_lost_while_a_receiver_is_busy_and_strangers_publish(self, room: RosNodes) -> None:
        taken: list[bytes] = []
        busy, free = threading.Event(), threading.Event()

        def take(data: bytes) -> None:
            busy.set()
            free.wait(DEADLINE)
            taken.append(data)

        node = room.node("stranger")
        receiver = FastSubscriber(room.node("receiver"), "link", PERCEPTS_TOPIC, COMMANDS_TOPIC, take)
        sender = FastSubscriber(room.node("sender"), "link", COMMANDS_TOPIC, PERCEPTS_TOPIC, lambda data: None)
        stranger = node.create_publisher(BridgeMessage, COMMANDS_TOPIC, QOS)
        try:
            until(lambda: sender.matched and stranger.get_subscription_count())
            sender.send(b"first")
            assert busy.wait(DEADLINE)
            for number in range(15):
                sender.send(bytes([number]))
                stranger.publish(BridgeMessage(data=array("B", b"junk" * 2)))
            sender.wait_for_all_acked(DEADLINE)
            free.set()
            until(lambda: len(taken) == 31)
            assert [data[0] for data in taken if len(data) == 1] == list(range(15))
        finally:
            free.set()
            receiver.close()
            sender.close()

    def test_messages_that_no_bridge_sends_are_counted(self, dds: Callable[..., Rig], room: RosNodes) -> None:
        rig = dds(max_bridges=1, max_message=100_000)
        client = rig.connect()
        rig.join(client, 1)
        rig.latest(client)
        session = rig.bridge.client._session  # type: ignore[attr-defined]
        # All who listen know it.
        identity = identity_of(rig.bridge.client._secret)  # type: ignore[attr-defined]
        one = np.ones(1, np.int64)
        foreign = Commands(handles=99 * one, joints=0 * one, velocities=np.ones(1))
        wordy = (Action("agent-1", "say", ("x" * 15_000,)),) * 7
        hostile = [
            b"",
            b"junk",
            # Too long.
            encode(CommandsMessage(Commands(actions=wordy), name="b1", session=session, identity=identity)),
            encode(Hello("b1", 0.02)),
            encode(CommandsMessage(Commands(), name="b/1", session=session)),
            encode(CommandsMessage(foreign, name="b1", session=session, identity=identity)),
            # Of another process.
            encode(CommandsMessage(Commands(), name="b1", session=session)),
            encode(CommandsMessage(Commands(), name="b1", session=session, identity=identity, farewell="forged")),
            encode(CommandsMessage(Commands(), name="b1", session=session, identity=identity_of("me"), farewell="me")),
            # One bridge too many.
            encode(CommandsMessage(Commands(), name="b2", session=session)),
        ]
        late = CommandsMessage(foreign, name="b1", session=session + 1, identity=identity)
        harmless = [encode(late), encode(CommandsMessage(Commands(), name="b3", farewell="unknown"))]
        node = room.node("attacker")
        publisher = node.create_publisher(BridgeMessage, COMMANDS_TOPIC, QOS)
        until(publisher.get_subscription_count)
        rejected: Counter[str] = Counter()

        def take() -> None:
            rig.wait()
            rejected.update(rig.link.take().rejected)

        for data in (*harmless, *hostile):
            publisher.publish(BridgeMessage(data=array("B", data)))
        until(lambda: rejected.total() == len(hostile), take)
        assert rejected == {"message of a bridge": len(hostile)}
        assert rig.link.bridges == ("b1",)  # type: ignore[attr-defined]
        assert b"(now " in rig.answer(client, "(he1 0.5)")

    def test_late_bridges_get_the_layout_and_missed_cycles_count(self, dds: Callable[..., Rig], room: RosNodes) -> None:
        rig = dds()
        rig.join(rig.connect(), 1)
        late = BridgeThread(room, "late")
        try:
            until(lambda: late.client._received == rig.world.cycle, rig.wait)
            assert late.client._reader.layout is not None
        finally:
            late.close()
        client = rig.bridge.client  # type: ignore[attr-defined]
        until(lambda: client._received == rig.world.cycle, rig.wait)
        assert client.missed == 0
        rig.world.cycle += 3
        rig.cycle()
        until(lambda: client._received == rig.world.cycle, rig.wait)
        assert client.missed == 3


def _cycles_of_29_seconds(rig: Rig, slow: Any, monkeypatch: pytest.MonkeyPatch, *others: Any) -> int:
    """Cycles until a bridge is dropped whose client answers after 29 s and the others at once; 10 at most."""
    link, now = rig.link, [awake_time()]
    assert isinstance(link, DdsAgentLink)
    monkeypatch.setattr(link_module, "awake_time", lambda: now[0])
    # The cycle that runs begins by this clock.
    link._delivered_at = now[0]
    bridges = len(link.bridges)
    for cycles in range(10):
        for client in others:
            client.send("(syn)")
        until(lambda: all(bridge.is_ready or bridge.name == "b1" for bridge in link._bridges.values()), rig.wait)
        now[0] += 29.0
        rig.wait()
        if len(link.bridges) < bridges:
            return cycles
        slow.send("(syn)")
        rig.lockstep()
        for client in (slow, *others):
            rig.latest(client)
    return 10

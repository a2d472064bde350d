"""Faults of agents, with real sockets, concern these agents alone (legacy clients reference)."""

import contextlib
import os
import re
import resource
import socket
import struct

import pytest

from simspark_ros.exchange import Notice
from test.rigs.waiting import until

SCENE = "(scene rsg/agent/nao/nao_hetero.rsg 0)"


def test_a_message_that_finds_a_fault_of_the_server_ends_that_connection_only(serve_agents, monkeypatch):
    here = serve_agents()
    good, bad = here.join(1), here.join(2)
    decode = here.server._decoder.decode

    def faulty(key, payload):
        if b"fault" in payload:
            raise ValueError("array is too big")
        return decode(key, payload)

    monkeypatch.setattr(here.server._decoder, "decode", faulty)
    bad.send("(fault)")
    good.send("(syn)")
    until(lambda: bad.is_closed, here.poll)
    until(lambda: here.server.ready, here.poll)
    assert not good.is_closed
    (line,) = here.log.having("please report")
    assert "agent 2" in line and "ValueError in faulty" in line and "array is too big" in line


def test_a_client_that_never_reads_loses_whole_messages_and_delays_no_other(serve_agents):
    here = serve_agents(send_buffer=4096)
    here.server.lockstep = False
    good = here.join(1)
    here.clients.append(bad := here.connect(receive_buffer=2048))
    bad.send(SCENE)
    here.heard(3)
    status = here.server.clients
    for _ in range(20000):
        here.cycle()
        good.receive()
        if status()[1].dropped > 100:
            break
    assert status()[1].dropped > 100 and status()[0].dropped == 0
    assert len(here.log.having("does not read")) == 1
    # It reads again: what comes is cut nowhere, and messages are missing in between.
    times: list[float] = []
    while len(times) < 3 or times[-1] - times[-2] < 1.0:
        here.poll()
        times += [time_of(message) for message in bad.arrived()]
        here.cycle()
        good.receive()
    assert times == sorted(times)


def time_of(message: bytes) -> float:
    match = re.fullmatch(rb"\(time \(now ([0-9.]+)\)\)\(GS .*\)", message)
    assert match, message
    return float(match[1])


@pytest.mark.parametrize("announced", [64 * 1024 + 1, 3_000_000_000, 2**32 - 4, 2**32 - 1])
def test_an_absurd_length_ends_only_that_connection(serve_agents, announced):
    here = serve_agents()
    good, bad = here.join(1), here.join(2)
    bad.send_raw(struct.pack(">I", announced) + b"(syn)")
    here.until(lambda: len(here.server.clients()) == 1)
    assert bad.is_closed
    (line,) = here.log.having("at most 65536 are accepted")
    assert line.startswith("agent 2 ") and str(announced) in line
    good.send("(syn)")
    assert here.ready_cycle().actions[-1].kind == "leave"


def test_resets_at_every_stage_in_a_loop(serve_agents):
    here = serve_agents()
    good = here.join(1)
    joins = [SCENE.encode(), b"(init (unum 2)(teamname A))"]
    scene, init = (struct.pack(">I", len(message)) + message for message in joins)
    stages = [b"", b"\0\0", struct.pack(">I", 40) + b"(sce", scene, scene + init]
    for round_number in range(60):
        bad = here.connect()
        bad.send_raw(stages[round_number % len(stages)])
        if round_number % 3:
            here.poll()
        if round_number % 2:
            good.send("(syn)")
            here.ready_cycle()
            good.receive()
        bad.reset()
        here.until(lambda: len(here.server.clients()) == 1)
    good.send("(syn)")
    here.ready_cycle()
    assert here.server.participants == 1
    assert [robot.client for robot in here.world.robots] == [here.server.clients()[0].key]


def test_two_hundred_connections_do_not_keep_a_player_out_but_when_all_play_a_newcomer_is_refused(serve_agents):
    here = serve_agents(max_clients=20)
    good = here.join(1)
    crowd = []
    for _ in range(200):
        crowd.append(socket.create_connection(("127.0.0.1", here.server.port)))
        here.poll()
    newcomer = here.knock()
    newcomer.send(SCENE)
    here.heard(3)
    here.cycle()
    newcomer.receive()
    assert here.server.participants == 2 and len(here.server.clients()) == 20
    assert not good.is_closed and not newcomer.is_closed
    for one in crowd:
        one.close()
    here = serve_agents(max_clients=2)
    players = [here.join(1), here.join(2)]
    late = here.knock()
    here.until(lambda: late.is_closed)
    (line,) = here.log.having("was refused")
    assert "2 clients are connected" in line
    assert not any(player.is_closed for player in players)


def test_an_agent_that_was_stalled_may_answer_many_cycles_at_once(serve_agents):
    here = serve_agents(max_input=4096)
    agent = here.join(1)
    heard = here.server.clients()[0].received
    for _ in range(20):
        agent.send("(he1 1)" * 50 + "(syn)")
    until(lambda: here.server.clients()[0].received == heard + 20, lambda: (here.poll(), here.cycle()))
    assert not here.server.clients()[0].rejected
    assert not here.log.having("the rest has to wait")


def test_a_flood_waits_while_others_play(serve_agents):
    here = serve_agents(max_input=4096)
    good, bad = here.join(1), here.join(2)
    good.receive()
    flood = struct.pack(">I", 14) + b"(he1 1)(he2 2)"
    largest = 0
    for _ in range(50):
        with contextlib.suppress(BlockingIOError):
            bad.socket.send(flood * 4000)
        good.send("(lae1 1)(syn)")
        here.until(lambda: here.server.ready)
        here.poll()
        commands = here.cycle()
        good.receive()
        assert 1 in commands.handles
        largest = max(largest, len(commands.joints))
    # 4096 bytes at 14 + 128 per message, the last one begun within them.
    assert 1 < largest <= 1 + 2 * (4096 // 142 + 1)
    assert len(here.log.having("the rest has to wait")) == 1
    bad_status = here.server.clients()[1]
    assert bad_status.rejected["sends more than bytes per cycle for over cycles"] > 10
    # It is only late: in the end all its messages are executed.
    enough = bad_status.received + 10
    while not bad.is_closed and bad_status.received < enough:
        good.send("(syn)")
        here.ready_cycle()


def test_actions_beyond_the_allowance_of_a_cycle_are_refused_and_inits_change_the_teams_now_and_then_only(serve_agents):
    here = serve_agents(max_actions=3)
    client = here.join(1)
    client.send("(say a)(say b)", "(say c)(say d)(say e)")
    here.heard(3)
    assert [action.arguments for action in here.cycle().actions] == [("a",), ("b",), ("c",)]
    assert here.log.having("more than 3 actions in one cycle")
    client.send("(say f)")
    here.heard(5)
    assert [action.arguments for action in here.cycle().actions] == [("f",)]
    here = serve_agents(max_inits=2, init_interval=4, max_actions=100)
    client = here.join(1)
    inits = 0
    for cycle in range(16):
        client.arrived()
        client.send("(init (unum 1)(teamname A))(init (unum 2)(teamname A))(syn)")
        inits += sum(action.kind == "init" for action in here.ready_cycle().actions)
        assert cycle or inits == 1
    # One beside that of joining, then one for every four cycles since.
    assert inits == 1 + 16 // 4
    assert here.log.having("more than 2 within a short time")


def test_robots_come_a_few_in_a_cycle_and_older_clients_come_first(serve_agents):
    here = serve_agents(max_creations=1)
    clients = [here.connect() for _ in range(3)]
    for client in reversed(clients):
        client.send(SCENE)
        here.poll()
    here.heard(3)
    created = [[action.client for action in here.cycle().actions] for _ in range(4)]
    keys = [status.key for status in here.server.clients()]
    assert created == [[keys[0]], [keys[1]], [keys[2]], []]
    # Who is gone before its turn costs nothing.
    gone = here.connect()
    late = here.connect()
    late.send(SCENE)
    gone.send(SCENE)
    here.heard(5)
    gone.reset()
    here.until(lambda: len(here.server.clients()) == 4)
    assert [action.kind for action in here.cycle().actions] == ["create"]
    here = serve_agents(max_creations=3)
    for client in [here.connect() for _ in range(7)]:
        client.send(SCENE)
    here.heard(7)
    # The next batch waits for as many cycles as it has robots.
    assert [len(here.cycle().actions) for _ in range(7)] == [3, 0, 0, 3, 0, 0, 1]


def test_what_is_rejected_is_counted_by_kind_and_logged_once(serve_agents):
    here = serve_agents(max_input=16 * 1024)
    client = here.join(1)
    client.send(*[f"(bogus{number} 1)" for number in range(30)], "(he1 abc)", "(scene ../../etc/passwd)", ")", "(syn)")
    here.heard(36)
    rejected = here.cycle().rejected
    assert rejected == {"unknown effector": 30, "he": 1, "scene": 1, "rest of the message": 1}
    assert here.server.clients()[0].rejected == rejected
    assert len(here.log.having("unknown effector")) == 1
    assert here.log.having("'../../etc/passwd'")
    assert here.cycle().rejected == {}


def test_notices_name_the_client_and_do_not_fill_the_log(serve_agents):
    here = serve_agents()
    client = here.join(1)
    key = here.server.clients()[0].key
    for number in range(100):
        here.world.notices = [Notice(key, f"init refused: number {number} is taken"), Notice("somebody else", "no")]
        here.cycle()
        client.arrived()
        here.clock.now += 1.0
    refused = here.log.having("init refused")
    assert refused[0].startswith("agent 1 (127.0.0.1:") and len(refused) == 50
    assert not here.log.having("no")


def test_a_client_that_is_gone_when_percepts_are_sent(serve_agents):
    here = serve_agents()
    good, bad = here.join(1), here.join(2)
    bad.reset()
    # Without a poll the end is noticed by sending, at the latest by the second message.
    here.cycle()
    here.cycle()
    assert [status.name.split(" (")[0] for status in here.server.clients()] == ["agent 1"]
    here.cycle()
    leaves = [action for commands in here.world.taken for action in commands.actions if action.kind == "leave"]
    assert len(leaves) == 1 and here.server.participants == 1
    # One from the other's joining and three since.
    assert len(good.arrived()) == 4


def test_without_file_descriptors_those_connected_play_on(serve_agents):
    here = serve_agents()
    good = here.join(1)
    late = here.knock()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    spare: list[int] = []
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (late.socket.fileno() + 40, hard))
        with contextlib.suppress(OSError):
            while True:
                spare.append(os.dup(0))
        for _ in range(3):
            here.server.poll(0.0)
        assert len(here.log.having("no connection can be accepted")) == 1
        good.send("(syn)")
        here.ready_cycle()
    finally:
        for descriptor in spare:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    here.clock.now += 1.0
    here.until(lambda: len(here.server.clients()) == 2)

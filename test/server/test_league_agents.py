"""Agents of the 3D league since 2026 with real sockets, in a simulation: joining, messages, and bad agents."""

import contextlib
import re
import socket
import struct
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mujoco", reason="install the extra 'mujoco'")

from simspark_ros.arena import Arena
from simspark_ros.configuration.league_models import MODELS_VARIABLE
from simspark_ros.protocol.agent.dialect import load_dialect
from simspark_ros.protocol.framing import FrameDecoder
from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.agents.server import AgentServer
from simspark_ros.server.tcp.framed_server import ServerContext
from simspark_ros.simulation.assembly import Assembly
from simspark_ros.simulation.settings import CLASSIC_PROFILE, SimulationSettings

MODELS = Path(__file__, "../../data/league_models").resolve()
NUMBER = r"-?\d+\.\d{1,2}"
FINE = r"-?\d\d?\.\d{1,3}"
POLAR = rf"\(pol {NUMBER} {NUMBER} {NUMBER}\)"
MESSAGE = re.compile(
    rf"\(time \(now \d+\.\d\d?\)\)\(GS \(t \d+\.\d\d?\)\(pm (\w+)\)(\(tl \w+\))?(\(tr \w+\))?\(sl \d+\)\(sr \d+\)\)"
    rf"\(quat \(n torso_quat\) \(q( {FINE}){{4}}\)\)\(pos \(n torso_pos\) \(p( {FINE}){{3}}\)\)"
    rf"\(GYR \(n torso_gyro\) \(rt( {NUMBER}){{3}}\)\)\(ACC \(n torso_acc\) \(a( {NUMBER}){{3}}\)\)"
    rf"(\(HJ \(n q_(rlj1|hj1|llj1)\)\(ax {NUMBER}\)\(vx {NUMBER}\)\)){{3}}"
    rf"(\(MIC hear (\(-?\d+ [A-Za-z0-9+/=]+\))+\))?"
    rf"(?P<see>\(See (\(\w+ {POLAR}\)|\(P \(team \w+\)\(id \d+\)(\(\w+ {POLAR}\))+\))*\))?"
)

NECK = re.compile(r"q_hj1\)\(ax ([-0-9.]+)")
TOY = MODELS / "toy" / "robot.xml"


class Match:
    def __init__(self, assembly, sequential=False):
        self.lines: list[str] = []
        log = type("Log", (), {name: lambda _, text: self.lines.append(text) for name in ("info", "warning", "error")})
        port = AgentServerSettings(port=0, silent_timeout=0.0)
        context = ServerContext(None, log(), time.monotonic)
        self.server = AgentServer(port, load_dialect("rcssservermj"), context)
        self.classic = AgentServer(
            replace(port, option="--classic-port", kind="classic agent"), load_dialect(CLASSIC_PROFILE), context
        )
        self.simulation, self.control = assembly.build([self.server, self.classic], time.monotonic, time.sleep)
        self.simulation.sequential = sequential
        self.simulation.begin()
        self.sockets = []

    def connect(self, server=None):
        client = socket.create_connection(("127.0.0.1", (server or self.server).port))
        client.setblocking(False)
        self.sockets.append(client)
        return client

    def cycle(self, count=1):
        for _ in range(count):
            for _ in range(3):
                self.server.poll(0.002)
                self.classic.poll(0.0)
            self.simulation.run_cycle()
            self.server.poll(0.0)
            self.classic.poll(0.0)

    def join(self, number=1, team="A", robot="toy"):
        """An agent whose robot is in and whose next message comes in the next cycle; some messages have come."""
        client = self.connect()
        say(client, f"(init {robot} {team} {number})")
        deadline = time.monotonic() + 10.0
        while not any(robot.unum == number for robot in self.simulation.world.robots.values() if robot.team == team):
            assert time.monotonic() < deadline, self.lines
            self.cycle()
        self.cycle(2)
        return client

    def heard_to_the_end(self, client):
        """All that the server says until it closes the connection."""
        messages, deadline = heard(client), time.monotonic() + 10.0
        while None not in messages:
            assert time.monotonic() < deadline, messages
            self.cycle()
            messages += heard(client)
        return messages

    def close(self):
        for client in self.sockets:
            client.close()
        self.simulation.end()


def say(client, text):
    payload = text if isinstance(text, bytes) else text.encode("latin-1")
    client.sendall(struct.pack(">I", len(payload)) + payload)


def heard(client):
    """All messages that have come; None behind them if the connection is closed."""
    data, closed = b"", []
    with contextlib.suppress(BlockingIOError):
        try:
            while part := client.recv(65536):
                data += part
        except ConnectionResetError:
            pass
        closed = [None]
    return [message.decode() for message in FrameDecoder(65536).feed(data)] + closed


@pytest.fixture(scope="module")
def assembly():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MODELS_VARIABLE, str(MODELS))
        yield Assembly(SimulationSettings(profile="rcssservermj", world="fifa7vs7"))


@pytest.fixture
def match(assembly, monkeypatch):
    monkeypatch.setenv(MODELS_VARIABLE, str(MODELS))
    match = Match(assembly)
    yield match
    match.close()


def test_messages_have_the_form_of_rcssservermj(match):
    client = match.join()
    say(client, "(beam -5 0 0)")
    match.cycle(10)
    messages = heard(client)
    assert len(messages) >= 10
    for message in messages:
        assert MESSAGE.fullmatch(message), message
    # Vision comes in every second message.
    seen = ["See" in message for message in messages]
    assert all(one != other for one, other in pairwise(seen))
    last = next(message for message in reversed(messages) if "See" in message)
    assert re.search(r"\(pos \(n torso_pos\) \(p -(5\.0|4\.9)\d* -?0\.0\d* 0\.\d+\)\)", last)
    names = re.findall(r"\((\w+) \(pol", last)
    assert "l_ruf" in names and "g_rup" in names and names[-1] == "B" and "F1L" not in names
    # Any message is an answer in lock-step.
    assert not match.server.ready
    say(client, "")
    match.server.poll(0.05)
    assert match.server.ready


def test_other_players_are_seen_with_their_marked_parts_and_heard_with_their_direction(match):
    one, other = match.join(1), match.join(7, "B")
    say(one, "(beam -2 0 0)")
    say(other, "(beam -2 0.5 0)")
    match.cycle(6)
    message = next(m for m in reversed(heard(one)) if "See" in m)
    assert re.search(rf"\(P \(team B\)\(id 7\)\(head {POLAR}\)\)", message)
    assert "(tl A)(tr B)" in message
    say(one, "(SPK say 100 aGVsbG8=)")
    # The right team beams to its own half, with the world's y.
    say(other, "(beam 3 1 0)")
    match.cycle(3)
    robot = next(r for r in match.simulation.world.robots.values() if r.team == "B")
    state = match.simulation.world.engine.state
    assert state.position[state.row(robot.handle)][:2] == pytest.approx((3.0, 1.0), abs=0.05)
    assert any(re.search(r"\(MIC hear \(-?\d+ aGVsbG8=\)\)", message) for message in heard(other))
    assert not any("MIC" in message for message in heard(one))


def test_agents_of_both_servers_see_each_other_each_in_its_own_language(match):
    league, classic = match.join(1), match.connect(match.classic)
    say(classic, "(scene rsg/agent/nao/nao.rsg)")
    match.cycle(4)
    say(classic, "(init (unum 7)(teamname B))")
    deadline = time.monotonic() + 10.0
    while not any(robot.team == "B" for robot in match.simulation.world.robots.values()):
        assert time.monotonic() < deadline, match.lines
        match.cycle()
    say(league, "(beam -2 0 0)")
    # The right team beams in its own frame: half a metre ahead of the other one in the world's.
    say(classic, "(beam -0.5 0 0)")
    match.cycle(10)
    seen = next(message for message in reversed(heard(league)) if "See" in message)
    assert re.search(rf"\(P \(team B\)\(id 7\)(\(\w+ {POLAR}\))+\)", seen), seen
    seen = next(message for message in reversed(heard(classic)) if "See" in message)
    assert re.search(rf"\(P \(team A\) \(id 1\)( \(\w+ {POLAR}\))+\)", seen), seen


def test_motors_take_degrees_and_gains(match):
    client = match.join()
    for _ in range(30):
        say(client, "(he1 30 0 5 0.3 0)(lle1 0 0 50 2 0)(rle1 0 0 50 2 0)")
        match.cycle()
    # Dry friction of 0.05 N m keeps it up to 0.6 degrees away.
    angle = float(re.findall(r"q_hj1\)\(ax ([-0-9.]+)", heard(client)[-1])[0])
    assert angle == pytest.approx(30.0, abs=1.0)


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        ("(syn)", "first message must be"),
        ("(init T9 A 1)", "unknown robot 'T9'; use one of: toy"),
        ("(init toy A)", "2 arguments; write robot, team and number"),
        ("(init toy A x)", "number 'x' is not a whole number"),
        ("(init toy (A) 1)", "team a list is not"),
        ("\xff\xfe", "first message must be"),
        ("", "first message must be"),
    ],
)
def test_who_joins_wrongly_is_disconnected_with_the_reason_in_the_log(match, first, reason):
    good, bad = match.join(1), match.connect()
    heard(good)
    say(bad, first)
    match.cycle(4)
    assert match.heard_to_the_end(bad)[-1] is None
    assert any(reason in line for line in match.lines)
    assert len(heard(good)) >= 4


def test_a_taken_number_and_a_third_team_are_refused(match):
    match.join(1, "A"), match.join(1, "B")
    for robot in ("(init toy A 1)", "(init toy C 2)"):
        bad = match.connect()
        say(bad, robot)
        match.cycle(4)
        assert match.heard_to_the_end(bad)[-1] is None
    assert len(match.simulation.world.robots) == 2


HOSTILE = [
    *("(xx9 1 2 3 4 5)", "(he1 nan 0 5 1 0)", "(he1 1e400 0 5 1 0)", "(he1 1 2 3)", "(he1 1 2 3 4 5 6)"),
    *("(he1 (1) 2 3 4 5)", "(he1 1 2 -3 -4 5)", "(he1 1e300 1e300 1e300 1e300 1e300)", "((((he1 1 2 3 4 5))))"),
    *("(lle1 0 0 1e9 1e9 1e9)(rle1 0 0 -1e9 1e9 -1e9)", "(he1 1 2 3 4 5", "he1 1 2 3 4 5", "(init toy A 2)"),
    *("(beam nan nan nan)", "(beam 1e9 1e9 1e9)", "(beam)", "(SPK say 100 ****)", "(SPK say nan aGk=)"),
    *("(SPK say 100 " + "aGk=" * 100 + ")", "(" * 500, ")" * 500, "\x00\x01\x02", ""),
]


def test_a_good_agent_does_not_notice_bad_messages(match):
    good, bad = match.join(1), match.join(2, "B")
    heard(good)
    for text in HOSTILE:
        for _ in range(5):
            say(good, "(he1 10 0 5 0.3 0)")
            say(bad, text)
            match.cycle()
        messages = heard(good)
        assert len(messages) == 5 and all(MESSAGE.fullmatch(message) for message in messages), text
        assert None not in heard(bad), text
    assert match.simulation.world.quarantined == {}
    # Its motor holds 10 degrees, as it was told: dry friction of 0.05 N m keeps it up to 0.6 degrees away.
    assert float(NECK.findall(messages[-1])[0]) == pytest.approx(10.0, abs=1.0)


def test_lock_step_takes_an_empty_message_as_an_answer(match):
    client = match.join()
    assert not match.server.ready
    say(client, "")
    deadline = time.monotonic() + 10.0
    while not match.server.ready:
        assert time.monotonic() < deadline
        match.server.poll(0.002)


@pytest.mark.parametrize("engine", ["ode", "bullet", "mujoco"])
@pytest.mark.parametrize("command", [(1e308, -1e308, 1e5, 1e5, 0.0), (1e13, 0.0, 1.0, 0.0, 0.0), (0, 0, 0, 0, 1e308)])
def test_absurd_commands_of_motors_stop_no_engine(engine, command):
    with Arena(str(TOY), engine=engine, world="empty") as arena:
        (robot,) = arena.robots
        for _ in range(10):
            robot.act("motor", "he1", *command)
            arena.step()
        assert np.isfinite(robot.joint_positions).all()


def test_resets_headers_without_messages_and_deaf_agents_harm_nobody_else(match):
    good = match.join(1)
    half = match.join(2)
    half.sendall(struct.pack(">I", 100))
    endless = match.connect()
    endless.sendall(struct.pack(">I", 2**32 - 1))
    reset = match.join(3)
    reset.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    reset.close()
    early = match.connect()
    early.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    say(early, "(init toy A 4)")
    early.close()
    match.join(5)  # Never reads.
    heard(good)
    for _ in range(30):
        say(good, "(he1 10 0 5 0.3 0)")
        match.cycle()
    messages = heard(good)
    assert len(messages) == 30 and all(MESSAGE.fullmatch(message) for message in messages)
    numbers = {robot.unum for robot in match.simulation.world.robots.values()}
    assert numbers == {1, 2, 5}


def test_commands_act_a_cycle_earlier_in_sequence(assembly, monkeypatch):
    monkeypatch.setenv(MODELS_VARIABLE, str(MODELS))
    delays = []
    for sequential in (False, True):
        match = Match(assembly, sequential)
        client = match.join()
        match.cycle(60)
        heard(client)
        before = len(heard(client))
        say(client, "(he1 60 0 5 0.1 0)")
        match.cycle(6)
        speeds = [float(re.findall(r"q_hj1\)\(ax [-0-9.]+\)\(vx ([-0-9.]+)", message)[0]) for message in heard(client)]
        delays.append(next(i for i, speed in enumerate(speeds) if abs(speed) > 5.0) - before)
        match.close()
    assert delays[0] - delays[1] == 1

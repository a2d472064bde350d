"""The good client of the hostile-client suite: its strict reader, its checks of a server's messages, real sockets."""

import re
import socket
import threading
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspark_ros.protocol.framing import FrameDecoder, frame
from simspark_stress import probe
from simspark_stress.dialects import CLASSIC, dialect_of
from simspark_stress.probe import Probe
from simspark_stress.probe_checks import MessageChecks
from simspark_stress.reader import NonFiniteError, WrongMessageError, read_newer_percept, read_percept
from stress.test.fake_server import CYCLE, FakeServer
from test.rigs.messages.sessions import messages_to_agents
from test.rigs.waiting import DEADLINE, until

STOP_DEG = CLASSIC.stop
"""Angle of the neck's stops, degrees."""


class Server:
    """Obeys the good client with the protocol's delay of two cycles."""

    def __init__(self, lockstep: bool = True) -> None:
        self.checks = MessageChecks(0.02, 0.0)
        self.checks.lockstep = lockstep
        self.wall = self.now = self.angle = 0.0
        self.speeds, self.factor = [0.0, 0.0], 1.0

    def run(self, messages: int, gap: float = 0.02, game: str = "", stale: bool = False) -> None:
        for _ in range(messages):
            self.now += 0.02
            self.wall += gap
            step = self.factor * self.speeds.pop(0) * 0.02 * 57.2958
            # No motor leads beyond a stop.
            if abs(self.angle + step) <= max(STOP_DEG, abs(self.angle)):
                self.angle += step
            joint = f"(HJ (n hj1) (ax {self.angle:.2f}))"
            self.hear(f"(time (now {self.now:.2f}))(GS {game}(t 0.00) (pm PlayOn)){joint}", stale)

    def hear(self, text: str, stale: bool = False) -> None:
        answer = self.checks.see(text.encode(), self.wall, stale)
        match = re.fullmatch(r"\(he1 (-?[\d.]+)\)\(syn\)", answer)
        assert match
        self.speeds = [*self.speeds, float(match[1])][-2:]

    @property
    def problems(self) -> dict[str, int]:
        return dict(self.checks.observation(self.wall).problems)


def running(lockstep: bool = True) -> Server:
    server = Server(lockstep)
    server.run(10)
    return server


def test_a_good_server_has_no_problems_and_the_longest_gap_counts_even_while_it_lasts():
    server = Server()
    server.run(1000)
    seen = server.checks.observation(server.wall)
    assert seen.problems == {} and seen.lost == 0 and seen.messages == 1000
    # One step less than messages, over the time of all.
    assert seen.rate == pytest.approx(0.999, abs=1e-3)
    assert server.checks.good_in_row == 1000
    server = running()
    server.run(1, gap=0.7)
    assert server.checks.observation(server.wall).longest_gap == pytest.approx(0.7)
    assert server.checks.observation(server.wall + 3.0).longest_gap == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("jump", "kind", "count"), [(0.06, "lost message", 3), (-5.0, "time went back", 1), (-0.02, "wrong time step", 1)]
)
def test_time_has_to_advance_by_one_cycle(jump, kind, count):
    server = running()
    server.now += jump
    server.run(20)
    assert server.problems == {kind: count}
    assert server.checks.good_in_row == 19


@pytest.mark.parametrize(("lockstep", "messages"), [(True, 20), (False, 60)])
@pytest.mark.parametrize("factor", [0.0, -1.0, 3.0])
def test_a_joint_that_another_client_moves_is_found(factor, lockstep, messages):
    server = running(lockstep)
    server.factor = factor
    server.run(messages)
    assert set(server.problems) == {"joint not obeyed"}


@pytest.mark.parametrize("how", [{"gap": 0.001}, {"stale": True}], ids=["held up on the way", "sent before an answer"])
def test_a_burst_of_messages_that_know_of_no_answer_is_no_disobedience_but_those_after_it_are(how):
    server = running(lockstep=False)
    server.factor = -1.0
    server.run(200, **how)
    assert server.problems == {}
    server.run(20)
    assert server.problems == {"joint not obeyed": 1}
    # Once each time.
    server.run(100)
    assert server.problems == {"joint not obeyed": 1}


def test_joints_at_stops_late_answers_and_times_cut_off_after_two_digits_are_no_fault():
    server = running()
    server.angle, server.factor = STOP_DEG, 0.0
    server.run(100)
    assert server.problems == {}
    server = running(lockstep=False)
    server.factor = -1.0
    server.run(10)
    server.factor = 1.0
    server.run(100)
    assert server.problems == {}
    checks = MessageChecks(0.02, 0.0, dialect=dialect_of("2026", "toy"))
    for number, now in enumerate(("0.28", "0.3", "0.31", "0.34", "0.36", "0.4")):
        text = f"(time (now {now}))(GS (t 0.0)(pm PlayOn)(sl 0)(sr 0))(HJ (n q_hj1)(ax 0.0)(vx 0.0))"
        checks.see(text.encode(), number)
    # The last step is two cycles long.
    assert checks.observation(0.0).problems == {"lost message": 1}


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_joint_that_is_pushed_back_from_beyond_its_stop_obeys(side):
    server = running()
    server.angle, server.factor = 150.0 * side, 0.2
    server.run(100)
    assert abs(server.angle) > STOP_DEG and server.problems == {}
    server.angle = 110.0 * side
    server.run(20)
    assert server.problems == {"joint not obeyed": 1}


def test_another_number_is_found_and_wrong_messages_are_counted_by_kind_with_examples():
    server = Server()
    server.run(3, game="(unum 4) (team left) ")
    server.run(1, game="(unum 5) (team left) ")
    assert server.problems == {"renumbered": 1}
    server = Server()
    server.run(3)
    server.hear("(time (now 0.08))(GS (t nan) (pm PlayOn))")
    for _ in range(10):
        server.hear("hello")
    seen = server.checks.observation(server.wall)
    assert seen.problems == {"non-finite number": 1, "malformed message": 10}
    assert len(seen.examples) == 3 and "nan" in seen.examples[0]
    server.checks.begin(server.wall)
    assert server.problems == {}


ANSWERS = 40
"""Number of answers after which the lock-step server ends."""


def test_a_neck_that_turns_on_while_the_good_client_was_not_heard_obeys():
    with FakeServer() as server, closing(Probe(("127.0.0.1", server.port), "Watcher", CYCLE, DEADLINE)) as good:
        good.begin()
        # Far beyond the angle where the good client turns back.
        server.hurry(400)
        until(lambda: good.observation().messages > 500)
        assert good.observation().problems == {}


def serve_in_lockstep(listener: socket.socket, answers: list[bytes]) -> None:
    """Send a message for each answer, until there are enough."""
    client, _ = listener.accept()
    frames = FrameDecoder(1 << 16)
    with client:
        for cycle in range(ANSWERS):
            while len(answers) <= cycle:
                answers += frames.feed(client.recv(1 << 16))
            text = f"(time (now {CYCLE * cycle:.2f}))(GS (unum 1) (t 0.00) (pm BeforeKickOff))(HJ (n hj1) (ax 0.00))"
            client.sendall(frame(text.encode()))


def test_the_good_client_answers_each_message_once_and_none_before_it_has_come(monkeypatch: pytest.MonkeyPatch):
    """However long a cycle of a busy server takes, it hears the same commands in the same cycles."""
    monkeypatch.setattr(probe, "_WITHHELD", 0.0)
    answers: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve_in_lockstep, args=(listener, answers))
        thread.start()
        with closing(Probe(listener.getsockname(), "Watcher", CYCLE, DEADLINE)):
            until(lambda: len(answers) == ANSWERS)
        thread.join(DEADLINE)
    scene, init, *others = answers
    assert scene.startswith(b"(scene") and init.startswith(b"(init")
    assert set(others) == {b"(he1 1.00)(syn)"}


HEAD = "(time (now 1.28))(GS (sl 0) (sr 0) (t 0.00) (pm BeforeKickOff))"


def test_every_recorded_message_of_the_reference_is_accepted_and_the_new_league_s_are_read():
    messages = [read_percept(text.encode()) for text in messages_to_agents()]
    assert len(messages) > 200
    assert all(len(message.joints) >= 22 for message in messages)
    assert messages[0].game["pm"] == "BeforeKickOff"
    percept = read_newer_percept(NEWER.encode())
    assert (percept.time, percept.joints) == (0.34, {"q_hj1": 0.5, "q_hj2": 0.0})
    assert percept.game["pm"] == "BeforeKickOff"
    nothing = NEWER.partition("(See")[0] + "(See )"
    assert read_newer_percept(nothing.encode()).joints == percept.joints


@pytest.mark.parametrize(
    "rest",
    [
        "(hear Left 0.02 self nan)",
        "(hear nan 0.02 -35.00 inf)",
        "(hear 12.30 self helloworld)",
        "(See (P (team nan) (id 1) (head (pol 1.00 2.00 -3.00))))",
        "(See (P (team x) (id 1) (pol 1.00 2.00 -3.00)))",
        "(See)",
        "(See (mypos 1.00 2.00 3.00) (L (pol 1.00 2.00 3.00) (pol 1.00 2.00 3.00)))",
        "(TCH n bumper val 1)",
        "(AgentState (temp 48) (battery 75))",
        "(UJ (n laj1_2) (ax1 -1.32) (ax2 2.00))",
        "(somethingNew (x 1.0) 2)",
    ],
)
def test_lists_of_other_years_and_words_that_look_like_numbers_are_accepted(rest):
    read_percept((HEAD + rest).encode())


NOT_FINITE = (
    *("(HJ (n hj1) (ax nan))", "(HJ (n hj1) (ax -inf))", "(See (L (pol nan nan nan) (pol 1.00 2.00 3.00)))"),
    *("(GYR (n torso) (rt 0.00 inf 0.00))", "(somethingNew NaN)"),
)


@pytest.mark.parametrize(
    "text",
    [
        *(HEAD + rest for rest in NOT_FINITE),
        "",
        "(GS (t 0.00) (pm PlayOn))",
        "(time (now 1.28))",
        "(time (now 1e-05))(GS (t 0.00) (pm PlayOn))",
        "(time (now 1.28))(GS (t 0.00))",
        HEAD + " ",
        HEAD + "(HJ (n hj1) (ax 0.00)",
        HEAD + "(HJ (n hj1)  (ax 0.00))",
        HEAD + "(HJ (n hj1) (ax 1e-05))",
        HEAD + "(HJ (n hj1) (ax 1))",
        HEAD + "(See (B (pol 1.00 2.00)))",
        HEAD + "(FRP (n rf) (c 0.00 -0.01 -0.01))",
        HEAD + "(new (x)",
        HEAD + "(new\t1)",
        HEAD + "(hj\xe4 1)",
        HEAD.replace(")(", ") ("),
    ],
)
def test_anything_outside_of_the_grammar_is_refused_and_numbers_that_are_not_finite_otherwise(text):
    with pytest.raises(NonFiniteError if text.removeprefix(HEAD) in NOT_FINITE else WrongMessageError):
        read_percept(text.encode("latin-1"))


@given(st.text(alphabet="()HJnax tGSime0123456789.-", max_size=60) | st.binary(max_size=60))
def test_no_message_breaks_the_reader(tail):
    data = tail if isinstance(tail, bytes) else tail.encode()
    try:
        read_percept(HEAD.encode() + data)
    except WrongMessageError as error:
        assert str(error)


NEWER = (
    "(time (now 0.34))(GS (t 0.0)(pm BeforeKickOff)(tl A)(sl 0)(sr 0))(quat (n torso_quat) (q 1.0 0.0 0.0 -0.003))"
    "(pos (n torso_pos) (p -2.0 1.0 0.672))(GYR (n torso_gyro) (rt 0.0 -0.1 0.0))(ACC (n torso_acc) (a 0.0 0.0 9.8))"
    "(HJ (n q_hj1)(ax 0.5)(vx -1.25))(HJ (n q_hj2)(ax 0.0)(vx 0.0))(MIC hear (12 aGVsbG8=)(-3 eA==))"
    "(See (l_ruf (pol 33.96 30.04 -1.85))(P (team B)(id 3)(head (pol 2.0 1.0 0.5))(l_foot (pol 2.0 1.0 -9.5)))"
    "(B (pol 2.35 -27.91 -24.8)))"
)


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("(ax 0.5)", "(ax nan)", NonFiniteError),
        ("(ax 0.5)", "(ax 5e-1)", WrongMessageError),
        ("(n q_hj1)(ax", "(n q_hj1) (ax", WrongMessageError),
        ("(time (now 0.34))", "", WrongMessageError),
        ("(sl 0)", "(sl )", WrongMessageError),
        ("(GYR", "(XYZ", WrongMessageError),
        (" -24.8)))", " -24.8))", WrongMessageError),
        ("hj1", "h\xe41", WrongMessageError),
    ],
)
def test_wrong_messages_of_the_league_since_2026_are_found(old: str, new: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        read_newer_percept(NEWER.replace(old, new, 1).encode("latin-1"))

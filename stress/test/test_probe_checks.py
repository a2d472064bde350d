"""Checks of the good client of the hostile-client suite on a server's messages."""

import re

import pytest

from simspark_stress.dialects import CLASSIC, dialect_of
from simspark_stress.probe_checks import MessageChecks

STOP_DEG = CLASSIC.stop
"""Angle of the neck's stops, degrees."""


class Server:
    """Obeys the good client with the protocol's delay of two cycles."""

    def __init__(self, lockstep: bool = True) -> None:
        self.checks = MessageChecks(0.02, 0.0)
        self.checks.lockstep = lockstep
        self.wall = self.now = 0.0
        self.angle = 0.0
        self.speeds = [0.0, 0.0]
        self.factor = 1.0

    def run(self, messages: int, gap: float = 0.02, game: str = "", stale: bool = False) -> None:
        for _ in range(messages):
            self.now += 0.02
            self.wall += gap
            step = self.factor * self.speeds.pop(0) * 0.02 * 57.2958
            # No motor leads beyond a stop.
            if abs(self.angle + step) <= max(STOP_DEG, abs(self.angle)):
                self.angle += step
            self.hear(
                f"(time (now {self.now:.2f}))(GS {game}(t 0.00) (pm PlayOn))(HJ (n hj1) (ax {self.angle:.2f}))", stale
            )

    def hear(self, text: str, stale: bool = False) -> None:
        answer = self.checks.see(text.encode(), self.wall, stale)
        match = re.fullmatch(r"\(he1 (-?[\d.]+)\)\(syn\)", answer)
        assert match
        self.speeds = [*self.speeds, float(match[1])][-2:]

    @property
    def problems(self) -> dict[str, int]:
        return dict(self.checks.observation(self.wall).problems)


def test_a_good_server_has_no_problems_while_the_neck_swings():
    server = Server()
    server.run(1000)
    seen = server.checks.observation(server.wall)
    assert seen.problems == {} and seen.lost == 0 and seen.messages == 1000
    # One step less than messages, over the time of all.
    assert seen.rate == pytest.approx(0.999, abs=1e-3)
    assert server.checks.good_in_row == 1000


def test_the_longest_gap_counts_even_while_it_lasts():
    server = Server()
    server.run(10)
    server.run(1, gap=0.7)
    assert server.checks.observation(server.wall).longest_gap == pytest.approx(0.7)
    assert server.checks.observation(server.wall + 3.0).longest_gap == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("jump", "kind", "count"), [(0.06, "lost message", 3), (-5.0, "time went back", 1), (-0.02, "wrong time step", 1)]
)
def test_time_has_to_advance_by_one_cycle(jump, kind, count):
    server = Server()
    server.run(10)
    server.now += jump
    server.run(20)
    assert server.problems == {kind: count}
    assert server.checks.good_in_row == 19


@pytest.mark.parametrize(("lockstep", "messages"), [(True, 20), (False, 60)])
@pytest.mark.parametrize("factor", [0.0, -1.0, 3.0])
def test_a_joint_that_another_client_moves_is_found(factor, lockstep, messages):
    server = Server(lockstep)
    server.run(10)
    server.factor = factor
    server.run(messages)
    assert set(server.problems) == {"joint not obeyed"}


def test_in_real_time_a_late_answer_is_no_disobedience():
    server = Server(lockstep=False)
    server.run(10)
    server.factor = -1.0
    server.run(10)
    server.factor = 1.0
    server.run(100)
    assert server.problems == {}


@pytest.mark.parametrize("how", [{"gap": 0.001}, {"stale": True}], ids=["held up on the way", "sent before an answer"])
def test_a_burst_of_messages_that_know_of_no_answer_is_no_disobedience_but_those_after_it_are(how):
    server = Server(lockstep=False)
    server.run(10)
    server.factor = -1.0
    server.run(200, **how)
    assert server.problems == {}
    server.run(20)
    assert server.problems == {"joint not obeyed": 1}
    # Once each time.
    server.run(100)
    assert server.problems == {"joint not obeyed": 1}


def test_a_joint_that_others_have_turned_to_its_stop_may_rest_there():
    server = Server()
    server.run(10)
    server.angle, server.factor = STOP_DEG, 0.0
    server.run(100)
    assert server.problems == {}


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_joint_that_is_pushed_back_from_beyond_its_stop_obeys(side):
    server = Server()
    server.run(10)
    server.angle, server.factor = 150.0 * side, 0.2
    server.run(100)
    assert abs(server.angle) > STOP_DEG and server.problems == {}
    server.angle = 110.0 * side
    server.run(20)
    assert server.problems == {"joint not obeyed": 1}


def test_another_number_is_found():
    server = Server()
    server.run(3, game="(unum 4) (team left) ")
    server.run(1, game="(unum 5) (team left) ")
    assert server.problems == {"renumbered": 1}


def test_wrong_messages_are_counted_by_kind_with_examples():
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


def test_times_that_are_cut_off_after_two_digits_are_no_fault():
    checks = MessageChecks(0.02, 0.0, dialect=dialect_of("2026", "toy"))
    for number, now in enumerate(("0.28", "0.3", "0.31", "0.34", "0.36", "0.4")):
        checks.see(
            f"(time (now {now}))(GS (t 0.0)(pm PlayOn)(sl 0)(sr 0))(HJ (n q_hj1)(ax 0.0)(vx 0.0))".encode(), number
        )
    # The last step is two cycles long.
    assert checks.observation(0.0).problems == {"lost message": 1}

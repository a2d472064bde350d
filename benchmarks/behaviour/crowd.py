"""Scripted agents of one server in lock-step: they join, fall, and move all their joints all the time."""

import math
import re
import select
import time
from dataclasses import dataclass

from behaviour.observed import Observed
from behaviour.stage import BODY, NAO
from behaviour.wire import HOST, Link, StalledError, framed

KINDS = 4
"""Types of robots that take turns in either team."""

_SCRIPT = 64
"""Cycles after which the motions of a robot repeat."""

_UNANSWERED = 6
"""First messages of an agent, the last of which has to be answered in lock-step on any server."""

_QUIET = 0.5
"""A server that sends nothing for so long waits for its agents, s."""


_LYING = 5.0
"""Mean acceleration along the torso, m/s2, below which a robot lies; 9.81 where it stands."""


@dataclass(frozen=True)
class Burst:
    """Times of a burst of cycles.

    Attributes:
        wall: s from the first answer until the server had nothing left to do.
        processor: s that the server's threads used, nan if they cannot be seen.
    """

    wall: float
    processor: float


class Crowd:
    """Agents of one server; `fallen` of their robots lie.

    Args:
        port: the server's port for agents.
        server: the server's process; None if it runs elsewhere.
        count: number of agents.
        patience: longest silence of the server, s.
        together: whether time stands still until all agents have joined; else they join one by one.

    Raises:
        StalledError: in any method, if the server loses an agent or does not work in lock-step.
    """

    def __init__(
        self,
        port: int,
        server: Observed | None,
        count: int,
        patience: float,
        *,
        host: str = HOST,
        together: bool = True,
    ) -> None:
        self._server = server
        self._patience = patience
        self._links: list[Link] = []
        self._poll = select.epoll()
        self._by_file: dict[int, int] = {}
        self.fallen = 0
        self._cycle = 0
        try:
            for number in range(count):
                # rcssserver3d waits in vain for an agent without a robot, unless its robot is asked for at once.
                scene = f"(scene {NAO} {number // 2 % KINDS})(syn)"
                self._links.append(Link(port, host, scene))
                self._by_file[self._links[-1].socket.fileno()] = number
                self._poll.register(self._links[-1].socket, select.EPOLLIN)
                self._links[-1].settle()
                if not together:
                    self._let_in(number)
            self._begin(together)
        except BaseException:
            self.close()
            raise
        self._answers = [[framed(_flail(number, cycle)) for cycle in range(_SCRIPT)] for number in range(count)]

    def run(self, cycles: int) -> Burst:
        """Answer this many messages of each agent, and wait until the server rests."""
        used, began = self._processor_time(), time.perf_counter()
        for _ in range(cycles):
            self._cycle += 1
            self._exchange([answers[self._cycle % _SCRIPT] for answers in self._answers])
        # Its last message was sent before it simulated the cycle.
        rests, end = 0, time.monotonic() + self._patience
        while self._server and rests < 2:
            rests = rests + 1 if self._server.sleeping else 0
            if time.monotonic() > end:
                raise StalledError("the server never rests: does it wait for the (syn) of all agents?")
        return Burst(time.perf_counter() - began, self._processor_time() - used)

    def fall(self, cycles: int) -> None:
        """Work on for some cycles, and find out who lies: in the second half its torso is not upright on average."""
        upward = [0.0] * len(self._links)
        for cycle in range(cycles):
            self.run(1)
            for number, link in enumerate(self._links):
                found = re.search(rb"\(a [^ ()]+ [^ ()]+ ([^ ()]+)\)", link.latest)
                upward[number] += float(found[1]) if found and cycle >= cycles // 2 else 0.0
        self.fallen = sum(total < _LYING * (cycles - cycles // 2) for total in upward)

    def close(self) -> None:
        """Disconnect all."""
        for link in self._links:
            link.close()
        self._poll.close()

    def _processor_time(self) -> float:
        return self._server.processor_time if self._server else math.nan

    def _let_in(self, newest: int) -> None:
        """Register a robot, send it to its place, and end with a message that the server waits to have answered.

        So no cycle begins before the server has read the next agent's first message: rcssserver3d would wait for ever
        for an agent that has no robot after five cycles. And robots do not pile up where new ones appear.
        """
        if newest > 0:
            self._links[newest - 1].send("(syn)")
        end = time.monotonic() + self._patience
        while self._links[newest].count < _UNANSWERED:
            self._answer_all_but(newest, 1.0)
            if time.monotonic() > end:
                raise StalledError(f"agent {newest + 1} gets no messages after (scene ...)")

    def _answer_all_but(self, held: int, timeout: float) -> bool:
        """Answer what comes within a time (s), but not what the server waits to have answered by that agent."""
        events = self._poll.poll(timeout)
        for file, _ in events:
            number = self._pull(file)
            count = self._links[number].count
            if number != held or count < _UNANSWERED:
                self._links[number].send({1: _init(number), 2: _beam(number)}.get(count, "(syn)"))
        return bool(events)

    def _begin(self, together: bool) -> None:
        """Have a message to answer for every agent, their robots registered and in their places."""
        if together:
            self._collect()
            self._exchange([framed(_init(number)) for number in range(len(self._links))])
            self._exchange([framed(_beam(number)) for number in range(len(self._links))])
            return
        while self._answer_all_but(len(self._links) - 1, _QUIET):
            pass
        for link in self._links:
            link.forget()
        self._links[-1].send("(syn)")
        self._collect()

    def _exchange(self, answers: list[bytes]) -> None:
        """Answer all agents, and wait for the next message of each."""
        for link, answer in zip(self._links, answers, strict=True):
            link.forget()
            link.socket.send(answer)
        self._collect()

    def _collect(self) -> None:
        missing = {number for number, link in enumerate(self._links) if not link.count}
        end = time.monotonic() + self._patience
        while missing:
            for file, _ in self._poll.poll(1.0):
                number = self._pull(file)
                if self._links[number].count:
                    missing.discard(number)
            if time.monotonic() > end:
                raise StalledError(f"no message for {len(missing)} agents within {self._patience:g} s")

    def _pull(self, file: int) -> int:
        number = self._by_file[file]
        self._links[number].pull()
        if not self._links[number].open:
            raise StalledError(f"agent {number + 1} was disconnected")
        return number


def _flail(number: int, cycle: int) -> str:
    """All joints to and fro, in another rhythm for each robot, so that none stands for long or falls asleep."""
    speeds = (
        3.0 * math.sin(2.0 * math.pi * (cycle / _SCRIPT * (1 + joint % 3)) + joint + number) for joint in range(99)
    )
    return "".join(f"({joint} {speed:.2f})" for joint, speed in zip(BODY, speeds, strict=False)) + "(syn)"


def _init(number: int) -> str:
    return f"(init (unum {number // 2 + 1})(teamname {'AB'[number % 2]}))(syn)"


def _beam(number: int) -> str:
    row = number // 2
    return f"(beam {-1.5 - 1.2 * (row % 4):.2f} {-6 + 1.1 * row:.2f} 0)(syn)"

"""Scripted agents of one server in lock-step: they join, fall, and move all their joints all the time."""

from __future__ import annotations

import math
import re
import select
import time
from dataclasses import dataclass

from behaviour.observed import Observed
from behaviour.stage import BODY, NAO
from behaviour.wire import HOST, Link, StalledError, framed

KINDS = 4
"""Types of robots that take turns in either team, as in `agents.py`."""

_SCRIPT = 64
"""Cycles after which the motions of a robot repeat."""

_QUIET = 1.5
"""A server that sends nothing for so long waits for its agents, s; rcssserver3d polls its sockets once a second."""


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
    """Agents of one server.

    Args:
        port: of agents.
        server: its process; None if it runs elsewhere.
        count: of agents.
        patience: the server may be silent for so long, s.

    Raises:
        StalledError: in any method, if the server loses an agent or does not work in lock-step.
    """

    def __init__(self, port: int, server: Observed | None, count: int, patience: float, host: str = HOST) -> None:
        self._server = server
        self._patience = patience
        self._links: list[Link] = []
        self._poll = select.epoll()
        self._by_file: dict[int, int] = {}
        self._down: set[int] = set()
        self._cycle = 0
        try:
            for number in range(count):
                # rcssserver3d waits in vain for an agent without a robot, unless its robot is asked for at once.
                scene = f"(scene {NAO} {number // 2 % KINDS})(syn)"
                self._links.append(Link(port, host, scene))
                self._by_file[self._links[-1].socket.fileno()] = number
                self._poll.register(self._links[-1].socket, select.EPOLLIN)
                self._links[-1].settle()
            self._begin()
        except BaseException:
            self.close()
            raise
        self._answers = [[framed(_flail(number, cycle)) for cycle in range(_SCRIPT)] for number in range(count)]

    @property
    def fallen(self) -> int:
        """Number of robots whose acceleration has shown that they lie."""
        return len(self._down)

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
        """Work on for some cycles, and note which robots lie."""
        for _ in range(cycles):
            self.run(1)
            for number, link in enumerate(self._links):
                found = re.search(rb"\(a ([^ ()]+) ([^ ()]+) ([^ ()]+)\)", link.latest)
                if found and abs(float(found[3])) < 5.0:
                    self._down.add(number)

    def close(self) -> None:
        """Disconnect all."""
        for link in self._links:
            link.close()
        self._poll.close()

    def _processor_time(self) -> float:
        return self._server.processor_time if self._server else math.nan

    def _begin(self) -> None:
        """Register all robots and send them to their places, once every agent is sent messages.

        Servers may run a few cycles without answers while agents join; what they sent until they wait is passed over.
        """
        count = len(self._links)
        served: set[int] = set()
        end = time.monotonic() + self._patience + count
        while len(served) < count:
            if time.monotonic() > end:
                raise StalledError(f"{count - len(served)} of {count} agents get no message after (scene ...)")
            for number in self._drain(end):
                served.add(number)
                if len(served) < count:
                    self._links[number].send("(syn)")
        self._exchange([framed(f"(init (unum {n // 2 + 1})(teamname {'AB'[n % 2]}))(syn)") for n in range(count)])
        self._exchange([framed(f"(beam {_place(n)})(syn)") for n in range(count)])

    def _drain(self, end: float) -> set[int]:
        """Read until nothing comes any more; returns who was sent a message."""
        heard: set[int] = set()
        while events := self._poll.poll(_QUIET):
            heard.update(self._pull(file) for file, _ in events)
            if time.monotonic() > end:
                raise StalledError("the server does not wait for its agents: is it in lock-step?")
        return heard

    def _exchange(self, answers: list[bytes]) -> None:
        """Answer all agents, and wait for the next message of each."""
        for link, answer in zip(self._links, answers, strict=True):
            link.forget()
            link.socket.send(answer)
        missing = set(range(len(self._links)))
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


def _place(number: int) -> str:
    row = number // 2
    return f"{-1.5 - 1.2 * (row % 4):.2f} {-6 + 1.1 * row:.2f} 0"

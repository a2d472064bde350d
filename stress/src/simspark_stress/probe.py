"""The good client: it plays by the rules in a thread of its own and notes everything that is not as it should be."""

from __future__ import annotations

import select
import threading
import time

from simspark_ros.clients.classic_client import ClassicClient, ConnectionLostError
from simspark_ros.configuration.errors import UserError
from simspark_stress.probe_checks import LATE, MessageChecks, Observation

_POLL = 0.1
_WITHHELD = 0.5
"""How long the good client withholds its answer to see whether the server waits for it, s."""

_WARM_UP = 20
"""Messages before that: many more than those that no server waits for."""


class NoServerError(UserError):
    """No good client can join; the message says why.

    Attributes:
        listening: whether at least the connection was accepted.
    """

    def __init__(self, text: str, listening: bool) -> None:
        super().__init__(text)
        self.listening = listening


class Probe:
    """One good client from joining to leaving.

    Attributes:
        lost: why its connection ended, empty while it has not.
        lockstep: whether the server waits for its answers.

    `cycle` is the simulated time between two messages, `patience` the longest wait for each message while joining, and
    `late` how late answers may reach the simulator in real time, all s.

    Raises:
        NoServerError: the server does not let it play.
    """

    def __init__(self, address: tuple[str, int], team: str, cycle: float, patience: float, late: float = LATE) -> None:
        self.lost = ""
        self.lockstep = False
        self._messages: list[bytes] = []
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._patience = patience
        try:
            self._client = ClassicClient(*address, patience)
        except ConnectionLostError as error:
            raise NoServerError(str(error), False) from None
        self._checks = MessageChecks(cycle, time.monotonic(), late)
        try:
            self._join(team)
        except BaseException:
            self._client.close()
            raise
        self._thread = threading.Thread(target=self._run, name="good client", daemon=True)
        self._thread.start()

    def begin(self) -> None:
        """Begin a new observation."""
        with self._lock:
            self._checks.begin(time.monotonic())

    def observation(self) -> Observation:
        """Return what was observed since `begin`."""
        with self._lock:
            return self._checks.observation(time.monotonic())

    def settle(self, messages: int, patience: float) -> bool:
        """Wait at most `patience` s for this many messages in a row without fault; whether they came."""
        end = time.monotonic() + patience
        with self._lock:
            self._checks.good_in_row = 0
        while not self.lost and time.monotonic() < end:
            with self._lock:
                if self._checks.good_in_row >= messages:
                    return True
            self._end.wait(_POLL / 10)
        return False

    def close(self) -> None:
        """Leave; once is enough."""
        self._end.set()
        self._thread.join()
        self._client.close()

    def _join(self, team: str) -> None:
        self._send("(scene rsg/agent/nao/nao_hetero.rsg 0)(syn)")
        first = self._next(self._patience)
        if first is None:
            raise NoServerError("the server accepts connections but sends no perception", True)
        self._see(first)
        # This is the answer: with a second one, lock-step would be a cycle ahead or not, as the two arrive.
        self._send(f"(init (unum 0)(teamname {team}))(syn)")
        for _ in range(_WARM_UP):
            self._send(self._see_next())
        if not self._checks.unum:
            raise NoServerError(f"the server did not take a player into team '{team}'; name one with --team", True)
        self._find_pacing()
        self._checks.lockstep = self.lockstep

    def _find_pacing(self) -> None:
        """A server that sends on although it gets no answer does not wait for one.

        Each message is read before it is answered, however late a busy server sends it: an answer ahead of its message
        would count for that message, and all later commands would come a cycle earlier.
        """
        answer = self._see_next()
        self.lockstep = True
        end = time.monotonic() + _WITHHELD
        while (left := end - time.monotonic()) > 0:
            message = self._next(left)
            if message is not None:
                answer = self._checks.see(message, time.monotonic(), stale=True)
                self.lockstep = False
        self._send(answer)

    def _see_next(self) -> str:
        """Check the next message; returns the answer."""
        message = self._next(self._patience)
        if message is None:
            raise NoServerError("the server stopped sending while the good client joined", True)
        return self._see(message)

    def _run(self) -> None:
        while not self._end.is_set() and not self.lost:
            message = self._next(_POLL)
            if message is not None:
                with self._lock:
                    answer = self._see(message)
                self._send(answer)

    def _see(self, message: bytes) -> str:
        """Check the message read last; returns the answer."""
        # A busy machine, or time that a trainer speeds up, may have let many arrive since the last answer.
        stale = bool(self._messages or select.select([self._client], [], [], 0.0)[0])
        return self._checks.see(message, time.monotonic(), stale)

    def _next(self, patience: float) -> bytes | None:
        """The next message, or None if there is none in time or the connection is lost."""
        end = time.monotonic() + patience
        try:
            while not self._messages:
                self._messages += self._client.receive_some(end - time.monotonic())
                if not self._messages and time.monotonic() >= end:
                    return None
        except ConnectionLostError as error:
            self.lost = str(error)
            return None
        return self._messages.pop(0)

    def _send(self, text: str) -> None:
        try:
            self._client.send(text)
        except ConnectionLostError as error:
            self.lost = self.lost or str(error)

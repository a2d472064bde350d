"""The good client plays by the rules in its own thread and records every fault of the server."""

from __future__ import annotations

import select
import threading
import time

from simspark_ros.clients.classic_client import ClassicClient, ConnectionLostError
from simspark_ros.configuration.errors import UserError
from simspark_stress.dialects import CLASSIC, Dialect
from simspark_stress.probe_checks import LATE, MessageChecks, Observation

_POLL = 0.1
_WITHHELD = 0.5
"""Time for which the good client withholds its answer to see whether the server waits for it, s."""

_WARM_UP = 20
"""Messages before the answer is withheld: many more than the first messages, for which no server waits."""


class NoServerError(UserError):
    """The good client cannot join; the message says why.

    Attributes:
        listening: whether the server at least accepted the connection.
    """

    def __init__(self, text: str, listening: bool) -> None:
        super().__init__(text)
        self.listening = listening


class Probe:
    """One good client from joining to leaving.

    Attributes:
        lost: reason why the connection ended; empty while it is open.
        lockstep: whether the server waits for its answers.

    `cycle` is the simulated time between two messages, `patience` the longest wait for each message while joining, and
    `late` the largest delay of answers in real time, all in s.

    Raises:
        NoServerError: the server does not let the client play.
    """

    def __init__(
        self,
        address: tuple[str, int],
        team: str,
        cycle: float,
        patience: float,
        late: float = LATE,
        dialect: Dialect = CLASSIC,
    ) -> None:
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
        self._checks = MessageChecks(cycle, time.monotonic(), late, dialect)
        try:
            self._join(team, dialect)
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
        """Wait at most `patience` s for so many faultless messages in a row; returns whether they came."""
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
        """Leave the server; closing twice does no harm."""
        self._end.set()
        self._thread.join()
        self._client.close()

    def _join(self, team: str, dialect: Dialect) -> None:
        self._send(dialect.opened(0, team))
        first = self._next(self._patience)
        if first is None:
            raise NoServerError("the server accepts connections but sends no perception", True)
        self._see(first)
        # This is the only answer to the first message: a second one might put lock-step a cycle ahead.
        self._send(dialect.registered(team))
        deadline, heard = time.monotonic() + self._patience, 0
        # A busy server may take a player later.
        while heard < _WARM_UP or not self._checks.unum:
            if heard >= _WARM_UP and time.monotonic() > deadline:
                raise NoServerError(f"the server did not take a player into team '{team}'; name one with --team", True)
            self._send(self._see_next())
            heard += 1
        self._find_pacing()
        self._checks.lockstep = self.lockstep

    def _find_pacing(self) -> None:
        """Find out whether the server waits for answers: in real time it goes on sending without them.

        The good client reads each message before it answers, even if a busy server sends the message late. An answer
        ahead of its message would count for that message, and all later commands would act one cycle earlier.
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
        """Wait for the next message and check it; returns the answer."""
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
        """Check the latest message; returns the answer."""
        # On a busy machine, or when a trainer speeds up time, many messages may have arrived since the last answer.
        stale = bool(self._messages or select.select([self._client], [], [], 0.0)[0])
        return self._checks.see(message, time.monotonic(), stale)

    def _next(self, patience: float) -> bytes | None:
        """Return the next message; None if none arrives in time or the connection is lost."""
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

"""Plays cases again on fresh servers to see whether they do the same harm, and shrinks them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from simspark_stress.fuzz.case import Case
from simspark_stress.fuzz.server import NotStartedError
from simspark_stress.fuzz.session import Fault, Session
from simspark_stress.fuzz.shrink import shrunk
from simspark_stress.probe import NoServerError

_FEW = 8
"""Up to so many cases are played one after another; more are played at the same time, as in the search."""

_LAST = (8, 64)
"""Numbers of the last cases that are tried before all cases."""

Start = Callable[[], Session]


class Trials:
    """Tries whether cases cause one kind of fault, until a time limit. The next try reuses a session without faults.

    `extra` finds further faults of a session. `patience` is the time limit, s.
    """

    def __init__(
        self, start: Start, fault: Fault, patience: float, workers: int, extra: Callable[[Session], list[Fault]]
    ) -> None:
        self._start, self._wanted, self._workers, self._extra = start, fault.kind, workers, extra
        self._end = time.monotonic() + patience
        self._session: Session | None = None

    def smallest(self, cases: Sequence[Case]) -> list[Case]:
        """Return the smallest cases found that do the same harm; empty if the harm does not appear again."""
        # The cases that end a server are among the last. Faults that depend on chance get a second try.
        for count in (*_LAST, len(cases), len(cases)):
            if self.fails(cases[-count:]):
                return shrunk(cases[-count:], self.fails)
        return []

    def fails(self, cases: Sequence[Case]) -> bool:
        """Return whether the cases do the same harm; False after the time limit."""
        if time.monotonic() > self._end:
            return False
        faults = self.faults(cases)
        return any(fault.kind == self._wanted for fault in faults)

    def faults(self, cases: Sequence[Case]) -> list[Fault]:
        """Play the cases; returns their faults."""
        with contextlib.suppress(NotStartedError, NoServerError):
            session = self._session = self._session or self._start()
            session.begin()
            play_all(session, cases, self._workers)
            faults = [*session.faults(), *self._extra(session)]
            # A session with a traceback as its only fault can be used again.
            if any(not fault.kind.startswith("traceback") for fault in faults):
                self.close()
            return faults
        return []

    def close(self) -> None:
        """End the session."""
        if self._session:
            self._session.close()
            self._session = None


def play_all(session: Session, cases: Sequence[Case], workers: int) -> None:
    """Play few cases one after another, many cases at the same time."""
    with ThreadPoolExecutor(1 if len(cases) <= _FEW else workers) as pool:
        list(pool.map(session.play, cases))

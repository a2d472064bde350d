"""Plays cases again on fresh servers, to see whether they do the same harm, and makes them smaller."""

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
"""As many cases are played one after the other; more are played at a time, as they were at first."""

_LAST = (8, 64)
"""As many of the last cases are tried before all of them."""

Start = Callable[[], Session]


class Trials:
    """Tries cases for one kind of fault until a time limit; a session without faults serves for the next try.

    `extra` may find further faults of a session. `patience` is the time limit, s.
    """

    def __init__(
        self, start: Start, fault: Fault, patience: float, workers: int, extra: Callable[[Session], list[Fault]]
    ) -> None:
        self._start, self._wanted, self._workers, self._extra = start, fault.kind, workers, extra
        self._end = time.monotonic() + patience
        self._session: Session | None = None

    def smallest(self, cases: Sequence[Case]) -> list[Case]:
        """The smallest of the cases found that do the same harm; none if they do it no more."""
        # What ends a server is among the last cases. What depends on chance gets a second one.
        for count in (*_LAST, len(cases), len(cases)):
            if self.fails(cases[-count:]):
                return shrunk(cases[-count:], self.fails)
        return []

    def fails(self, cases: Sequence[Case]) -> bool:
        """Whether the cases do the same harm; not after the time limit."""
        if time.monotonic() > self._end:
            return False
        faults = self.faults(cases)
        return any(fault.kind == self._wanted for fault in faults)

    def faults(self, cases: Sequence[Case]) -> list[Fault]:
        """What the cases do."""
        with contextlib.suppress(NotStartedError, NoServerError):
            session = self._session = self._session or self._start()
            session.begin()
            play_all(session, cases, self._workers)
            faults = [*session.faults(), *self._extra(session)]
            # Only what was printed does not last.
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
    """Play cases, many of them at a time."""
    with ThreadPoolExecutor(1 if len(cases) <= _FEW else workers) as pool:
        list(pool.map(session.play, cases))

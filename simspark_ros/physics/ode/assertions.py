"""Survives assertions inside ODE, which ends the process when one fails: the thread that ran into it is given up.

So robots are built, and steps are made where `native.c` could not be compiled. ODE calls a handler before it ends the
process, and ends it when the handler returns. So calls that may fail run in a thread of their own, where the handler
reports the failure and never returns. Only that world and thread are lost.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")

_MESSAGE = 200
_ANSWERS = threading.local()
"""Queue of answers of a thread that may be given up."""

_Answer = tuple[bool, object]


class OdeFailedError(Exception):
    """An assertion failed inside ODE; ODE's objects of that call must not be touched any more."""


def on_failure(number: int, text: bytes, values: int) -> None:
    """The handler of ODE's errors: gets the number, the format and the va_list of a message.

    It returns, and so lets the process end, in threads that are not of an `ExpendableThread`.
    """
    message = ctypes.create_string_buffer(_MESSAGE)
    ctypes.CDLL(None).vsnprintf(message, ctypes.c_size_t(_MESSAGE), ctypes.c_char_p(text), ctypes.c_void_p(values))
    error = OdeFailedError(f"ODE: {message.value.decode(errors='replace')} ({number})")
    answers: SimpleQueue[_Answer] | None = getattr(_ANSWERS, "queue", None)
    if answers is None:
        print(error, file=sys.stderr, flush=True)
        return
    answers.put((False, error))
    threading.Event().wait()


class ExpendableThread:
    """Runs functions in a thread of its own, one at a time, and goes on with another one when ODE has failed in it."""

    def __init__(self) -> None:
        self._work: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._answers: SimpleQueue[_Answer] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def run(self, work: Callable[[], T]) -> T:
        """The result of a function, or its exception.

        Raises:
            OdeFailedError: an assertion failed inside ODE.
        """
        # A forked process does not inherit the thread.
        if self._thread is None or not self._thread.is_alive():
            self._work, self._answers = SimpleQueue(), SimpleQueue()
            self._thread = threading.Thread(target=_serve, args=(self._work, self._answers), name="ode", daemon=True)
            self._thread.start()
        self._work.put(work)
        fine, answer = self._answers.get()
        if not fine:
            assert isinstance(answer, BaseException)
            if isinstance(answer, OdeFailedError):
                self._thread = None
            raise answer
        return answer  # type: ignore[return-value]  # of this work

    def close(self) -> None:
        """End the thread."""
        self._work.put(None)


def _serve(work: SimpleQueue[Callable[[], object] | None], answers: SimpleQueue[_Answer]) -> None:
    _ANSWERS.queue = answers
    while (function := work.get()) is not None:
        try:
            answers.put((True, function()))
        except BaseException as error:
            answers.put((False, error))
        # Nothing of the work stays until the next.
        del function

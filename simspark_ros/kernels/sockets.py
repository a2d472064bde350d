# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sockets of many clients: one call waits for all and receives, one sends to all; neither holds the interpreter.

What is usual is done here: some bytes come in, whole messages go out. All else, and everything where there is no
compiler, is left to the servers, which try again what was not done or has failed.
"""

import math
import select
from collections.abc import Callable

import cython

if cython.compiled:
    from cython.cimports.libc.errno import EINTR, errno
    from cython.cimports.simspark_ros.kernels import socket_calls as system

CHUNK = 16 * 1024
"""Most bytes received from a client at a time, so that a flood of one leaves time for the others."""

READ, WRITE = select.EPOLLIN, select.EPOLLOUT

_CHUNK = cython.declare(cython.Py_ssize_t, CHUNK)


class Selector:
    """Waits for events of files, each named by its number, and serves them.

    Attributes:
        calls: number of system calls so far without the interpreter, which no profiler sees.
    """

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._watched = {}
        self.calls = 0

    def register(self, file: int, mask: int, act: Callable, is_stream: bool = False) -> None:
        """Serve a file from now on, or otherwise than before; `mask` names the events that concern it.

        `act` gets those that have come, all after an error, and None; from a stream it may get what was received
        instead of None: bytes, none if the other side has closed.
        """
        (self._epoll.modify if file in self._watched else self._epoll.register)(file, mask)
        self._watched[file] = act, mask
        if cython.compiled and file < system.FILES:
            self._is_stream[file] = is_stream

    def unregister(self, file: int) -> None:
        """Serve a file no longer; do this before it is closed, as its number may come again."""
        if self._watched.pop(file, None):
            if cython.compiled and file < system.FILES:
                self._is_stream[file] = False
            self._epoll.unregister(file)

    def close(self) -> None:
        """Serve no files any more."""
        self._epoll.close()

    def serve(self, timeout: float) -> bool:
        """Wait for events for `timeout` s at most, or until a signal comes, and serve them; returns whether one came.

        All is received before anything is served: a function may close files whose events have come, and open others.
        An exception of a function ends the round, and what was received for others is lost.
        """
        # Rounded up: a caller would repeat a shorter wait.
        milliseconds = math.ceil(timeout * 1e3) if timeout > 0.0 else 0
        if cython.compiled:
            found = self._received(self._epoll.fileno(), milliseconds)
        else:
            polled = self._epoll.poll(milliseconds * 1e-3)
            found = [_call(self._watched[file], events) for file, events in polled if file in self._watched]
        for act, mask, chunk in found:
            act(mask, chunk)
        return bool(found)

    def send(self, files: list, messages: list) -> list:
        """Send each socket its message as far as it takes it at once, if its number is not negative.

        Returns:
            Count of bytes that each has taken, 0 after an error.
        """
        taken: list = [0] * len(files)
        if not cython.compiled:
            return taken
        n: cython.int
        count: cython.int = min(len(files), len(messages), system.MOST)
        for n in range(count):
            text: bytes = messages[n]
            self._files[n] = files[n]
            self._texts[n] = text
            self._counts[n] = len(text)
        self.calls += count
        flags: cython.int = system.MSG_DONTWAIT | system.MSG_NOSIGNAL
        with cython.nogil:
            for n in range(count):
                self._counts[n] = system.send(self._files[n], self._texts[n], self._counts[n], flags)
        for n in range(count):
            taken[n] = max(self._counts[n], 0)
        return taken

    def _received(self, epoll: cython.int, milliseconds: cython.int) -> list:
        """Receive what has come from streams; returns the functions to be called, and what with."""
        n: cython.int
        found: cython.int
        file: cython.int
        failed: cython.int
        at: cython.Py_ssize_t = 0
        calls: list = []
        with cython.nogil:
            found = system.epoll_wait(epoll, self._events, system.MOST, milliseconds)
            failed = errno if found < 0 else 0
            for n in range(found):
                self._counts[n] = -1
                file = self._events[n].data.fd
                fits: cython.bint = file < system.FILES and at + _CHUNK <= system.ROOM
                if self._events[n].events == system.EPOLLIN and fits and self._is_stream[file]:
                    self._counts[n] = system.recv(file, self._room + at, _CHUNK, system.MSG_DONTWAIT)
                    at += max(self._counts[n], 0)
        if failed and failed != EINTR:
            raise OSError(failed, "epoll_wait")
        self.calls += 1
        at = 0
        for n in range(found):
            self.calls += self._counts[n] >= 0
            watched: tuple = self._watched.get(self._events[n].data.fd)
            if watched is not None and self._counts[n] >= 0:
                calls.append((watched[0], READ, self._room[at : at + self._counts[n]]))
            elif watched is not None:
                calls.append(_call(watched, self._events[n].events))
            at += max(self._counts[n], 0)
        return calls


def _call(watched: tuple, events: cython.int) -> tuple:
    """The function to be called for events, and what with."""
    act, mask = watched
    return act, mask & (READ | WRITE if events & ~(READ | WRITE) else events), None

"""A line on the terminal that is written over, and lines of the log, which wait for no reader."""

from __future__ import annotations

import logging
import os
import select
import sys
import textwrap
import threading
import time
from typing import TextIO

CLEAR = "\r\x1b[K"

_PIECE = 1000
"""Most characters written at a time: at most 4,000 bytes."""

_LOCK = threading.Lock()
"""Lock of standard output, so that threads write whole lines."""


def say(text: str, output: TextIO | None = None) -> None:
    """Write to standard output, or another; if that fails, e.g. on a full disk, nothing more is written there."""
    output = output or sys.stdout
    try:
        with _LOCK:
            output.write(text)
            output.flush()
    except OSError as error:
        give_up(output)
        logging.getLogger("simspark").warning(f"standard output cannot be written any more: {error.strerror}")


def give_up(output: TextIO) -> None:
    """Leave an output that cannot be written: what is in its buffer would fail again when the process ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, output.fileno())
    os.close(nowhere)


def is_unread(output: TextIO) -> bool:
    """Whether the output is a pipe whose reader has gone."""
    poll = select.poll()
    poll.register(output.fileno(), 0)
    return any(events & select.POLLERR for _, events in poll.poll(0))


def say_if_read(text: str, output: TextIO | None = None) -> None:
    """As `say`, but drop a line that would wait for a stopped terminal, or for a full pipe that nobody reads.

    A pipe or terminal that can be written to takes 4,096 bytes at once.
    """
    output = output or sys.stdout
    try:
        _, takes, _ = select.select([], [output.fileno()], [], 0.0)
    except (OSError, ValueError):
        # The output is no file, or closed.
        takes = [output]
    if takes:
        say(text, output)


def fitted(text: str, output: TextIO, taken: int = 0) -> str:
    """A text in lines that fit a terminal with `taken` columns in use; for files and pipes as it is."""
    if not output.isatty():
        return text
    width = max((os.get_terminal_size(output.fileno()).columns or 80) - 1 - taken, 20)
    wrap = textwrap.TextWrapper(
        width, subsequent_indent="  ", replace_whitespace=False, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(wrap.fill(line) for line in text.split("\n"))


def log_lines(clear: str = "", level: int = logging.INFO) -> None:
    """Print the log on standard error, each line behind `clear`; lines that would wait are left out."""
    logging.basicConfig(format=f"{clear}%(levelname)s: %(message)s", level=level, handlers=[_LogLines()])


class _LogLines(logging.Handler):
    """Writes in pieces that a pipe takes at once: a cycle must not wait for whoever reads the log."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = f"{fitted(self.format(record), sys.stderr)}\n"
        except Exception:
            self.handleError(record)
            return
        for start in range(0, len(text), _PIECE):
            say_if_read(text[start : start + _PIECE], sys.stderr)


_LIVE, _PLAIN, _PATIENCE = 0.5, 10.0, 2.0
"""Times between two lines of progress on a terminal and elsewhere, and time before the first one, s."""


class LiveLine:
    """Shows a state in one live line on a terminal, and in a line now and then elsewhere; no state waits for a reader.

    Attributes:
        is_live: whether the output is a terminal.
        period: time between two updates, s; `live_period` on a terminal, else `plain_period`.

    `output` is standard output by default.
    """

    def __init__(self, live_period: float, plain_period: float, output: TextIO | None = None) -> None:
        self._output = output or sys.stdout
        self.is_live = self._output.isatty()
        self.period = live_period if self.is_live else plain_period
        self._clear, self._end = (CLEAR, "") if self.is_live else ("", "\n")

    def update(self, text: str) -> None:
        """Show the state, cut to the terminal's width: the next one could not be written over a wrapped line."""
        if self.is_live:
            text = text[: os.get_terminal_size(self._output.fileno()).columns - 1]
        say_if_read(self._clear + text + self._end, self._output)

    def report(self, text: str) -> None:
        """Print a line of its own."""
        say(f"{self._clear}{text}\n", self._output)

    def finish(self) -> None:
        """Clear the live line."""
        say_if_read(self._clear, self._output)


class ShareLine:
    """Shows on standard error the share of work done and the time left, from two seconds on."""

    def __init__(self) -> None:
        self._line = LiveLine(_LIVE, _PLAIN, sys.stderr)
        self._begin = time.monotonic()
        self._due = self._begin + _PATIENCE

    def show(self, share: float, text: str = "") -> None:
        """Take the share done, 0 to 1, and a further text."""
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + self._line.period
        left = f", {(now - self._begin) * (1.0 - share) / share:.0f} s left" if share > 0.0 else ""
        self._line.update(f"{min(max(share, 0.0), 1.0):4.0%}{text}{left}")

    def report(self, text: str) -> None:
        """Print a line of its own."""
        self._line.report(text)

    def finish(self) -> None:
        """Clear the line."""
        self._line.finish()

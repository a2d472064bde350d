"""Processes of a checkout: its interpreter, its package first on the path, ports of their own."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from behaviour.observed import Observed
from behaviour.wire import DEADLINE, StalledError

_END = 30.0
"""Longest time for a server to end, s."""


class Process(Observed):
    """A running `simspark` command; its output goes to files.

    Attributes:
        output, errors: files of standard output and standard error.
    """

    def __init__(self, checkout: Path, arguments: Sequence[str], folder: Path, name: str, ros_domain: int = 0) -> None:
        """Start it.

        Args:
            checkout: the checkout whose code runs.
            arguments: arguments of `simspark`.
            folder: working directory, which also gets the output.
            name: name of the output's files.
            ros_domain: the ROS_DOMAIN_ID.
        """
        self.output, self.errors = folder / f"{name}.out", folder / f"{name}.err"
        with self.output.open("wb") as output, self.errors.open("wb") as errors:
            self._process = subprocess.Popen(
                command(checkout, arguments),
                cwd=folder,
                env=environment(checkout, ros_domain),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
            )
        super().__init__(self._process.pid)

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def told(self, pattern: str) -> re.Match[str]:
        """Wait until its output has something.

        Raises:
            StalledError: it never will.
        """
        end = time.monotonic() + DEADLINE
        while True:
            running = self.running
            if found := re.search(pattern, self.output.read_text("utf-8", "replace")):
                return found
            if not running or time.monotonic() > end:
                raise StalledError(f"no '{pattern}' was printed; errors: {self.errors.read_text()[-2000:]}")
            time.sleep(0.01)

    def interrupt(self) -> None:
        """Ask it to end."""
        if self.running:
            self._process.send_signal(signal.SIGINT)

    def wait(self, patience: float = _END) -> int:
        """Its exit status; it is killed, and the status -9, if it does not end."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(patience)
        self._process.kill()
        return self._process.wait()


@contextlib.contextmanager
def running(
    checkout: Path, arguments: Sequence[str], folder: Path, name: str, ros_domain: int = 0
) -> Iterator[Process]:
    """A process that does not outlive the block."""
    process = Process(checkout, arguments, folder, name, ros_domain)
    try:
        yield process
    finally:
        process.interrupt()
        process.wait()


def command(checkout: Path, arguments: Sequence[str]) -> list[str]:
    """The command line of a checkout's `simspark`, with the interpreter of its virtual environment if it has one."""
    own = checkout / ".venv" / "bin" / "python"
    return [str(own) if own.exists() else sys.executable, "-m", "simspark_ros.cli", *arguments]


def environment(checkout: Path, ros_domain: int = 0) -> Mapping[str, str]:
    """The environment in which that is run; everything else is passed through."""
    return os.environ | {
        # The package, and the other distributions beside it.
        "PYTHONPATH": os.pathsep.join(map(str, (checkout, *sorted(checkout.glob("*/src"))))),
        "PYTHONUNBUFFERED": "1",
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        "ROS_DOMAIN_ID": str(ros_domain),
    }

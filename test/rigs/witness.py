"""A good client that plays on while something goes wrong, and the processes that have to survive it."""

import contextlib

import numpy as np

from simspark_stress.probe import Probe
from simspark_stress.probe_checks import Observation
from test.rigs.processes import Process, simspark
from test.rigs.waiting import DEADLINE, until

CYCLE = 0.02
WELL = 25
"""Messages in a row without fault, half a second of simulated time."""


class Witness(contextlib.AbstractContextManager["Witness"]):
    """A good client at a port of agents; it notes the survivors' resources when it plays, and again by `begin`.

    Attributes:
        seen: observations, one by each call of `assert_unharmed`.
    """

    def __init__(self, port: int, *survivors: Process) -> None:
        self._good = Probe(("127.0.0.1", port), "Good", CYCLE, DEADLINE)
        self._survivors = survivors
        self.seen: list[Observation] = []
        assert self._good.settle(WELL, DEADLINE), self._good.lost
        self.begin()

    def begin(self) -> None:
        """Observe from now on."""
        self._held = [process.held() for process in self._survivors]
        self._good.begin()

    def assert_unharmed(self) -> Observation:
        """No cycle was missed, the client plays on, survivors hold no more than they held; returns what was seen."""
        settled = self._good.settle(WELL, DEADLINE)
        seen = self._good.observation()
        self.seen.append(seen)
        assert settled, self._good.lost or seen.examples
        assert not seen.problems, seen.examples
        for process, held in zip(self._survivors, self._held, strict=True):
            assert process.running, process.output
            assert "Traceback" not in process.output
            with contextlib.suppress(AssertionError):
                until(lambda p=process, h=held: max(np.subtract(p.held(), h)) <= 0)  # type: ignore[misc]
            assert max(np.subtract(process.held(), held)) <= 0, f"files and threads {process.held()}, before {held}"
        return seen

    def __exit__(self, *error: object) -> None:
        self._good.close()


def serve(*options: str) -> Process:
    """`simspark serve` in lock-step and without ROS, unless the options say otherwise."""
    return simspark(
        "serve", "--no-ros", "--headless", "--agent-port=0", "--monitor-port=0", "--pacing=lockstep", *options
    )


def port(process: Process, name: str) -> int:
    """The port that it announces behind a name."""
    return int(process.found(name + r" +127\.0\.0\.1:(\d+)"))

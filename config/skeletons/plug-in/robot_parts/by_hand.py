"""A source of time: `--pacing by_hand` starts a cycle for each line on standard input."""

import select
import sys

from simspark_ros.plugins import TimeSource


class ByHand(TimeSource):
    """The return key is the clock."""

    def quanta_due(self) -> int | None:
        """One, or None if no cycle may start yet; clients are served meanwhile."""
        ready, _, _ = select.select([sys.stdin], [], [], 0.0)
        if ready and sys.stdin.readline():
            return self.at_once()
        self.scheduler.participants.wait(0.02)
        return None

"""The way from any posture of the robot to the wanted one."""

from __future__ import annotations

import math
from collections.abc import Sequence


class Settling:
    """Leads all joints to their targets within a time, without a jump of position or speed."""

    def __init__(self, duration: float) -> None:
        self._duration = duration
        self._passed = 0.0
        self._start: list[float] | None = None

    @property
    def done(self) -> bool:
        """Whether the joints have reached their targets."""
        return self._passed >= self._duration

    def targets(self, angles: Sequence[float], wanted: Sequence[float], seconds: float) -> list[float]:
        """Targets (rad) after a cycle (s), on the way from the first angles to the wanted ones, which may change."""
        if self.done:
            return list(wanted)
        if self._start is None:
            self._start = list(angles)
        self._passed += seconds
        share = (1.0 - math.cos(math.pi * min(1.0, self._passed / self._duration))) / 2.0
        return [start + share * (end - start) for start, end in zip(self._start, wanted, strict=True)]

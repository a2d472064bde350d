"""Recordings as steps, which are played."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from simspark_recording.playing.monitor_state import MonitorState
from simspark_ros.protocol.monitor.inspection import Roster

UNKNOWN = Roster()
"""The robots of a recording that does not tell what they look like."""


@dataclass(frozen=True)
class ReplayStep:
    """One step of a recording.

    Attributes:
        pause: recorded time since the step before, s.
        frame: message for monitors; empty if nothing has changed for them.
        act: function that shows the step elsewhere.
        roster: the robots of the last full frame; empty if nothing tells what they look like.
    """

    pause: float
    frame: bytes
    act: Callable[[], object] = lambda: None
    roster: Roster = UNKNOWN


class StepSource(Protocol):
    """A recording; its methods raise UserError if it cannot be read, or no further."""

    def __call__(self, state: MonitorState) -> Iterator[ReplayStep]:
        """Steps from its beginning, each after its frame was shown to the state."""

    def duration(self) -> float:
        """Recorded time of all steps, s."""

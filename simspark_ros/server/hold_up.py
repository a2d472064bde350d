"""Account of the time for which others wait for one participant of lock-step."""

from __future__ import annotations

from dataclasses import dataclass

_FREE = 0.5
"""Time by which a participant may hold up the others in every cycle, s; faster answers repay slower ones."""

_TIMES = 6
"""Largest debt of a participant, in longest allowed silences."""


@dataclass
class HoldUp:
    """The debt of one participant; without it, one that always answers just before the limit could hold up all others.

    Attributes:
        debt: time for which others have waited, s, less the free and the repaid time.
    """

    debt: float = 0.0

    def answered(self, waited: float) -> None:
        """Charge the participant with the time for which others have waited for its answer, s."""
        self.debt = max(0.0, self.debt + waited - _FREE)

    def refusal(self, waiting: float, limit: float) -> str:
        """The reason to wait no longer for the participant, if others have waited for `waiting` s now; empty = none.

        `limit` is the longest allowed silence, s.
        """
        if self.debt + waiting <= _TIMES * limit:
            return ""
        return f"has delayed the others by {_TIMES * limit:g} s in all (beyond {_FREE:g} s a cycle)"

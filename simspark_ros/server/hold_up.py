"""Account of the time for which others wait for one participant of lock-step."""

from __future__ import annotations

from dataclasses import dataclass

_FREE = 0.5
"""What it may hold up the others in a cycle on end, s: answers that are faster repay slower ones."""

_TIMES = 6
"""How many silences of the longest length it has before it has to repay."""


@dataclass
class HoldUp:
    """What one participant owes: without it, one that always answers just before the limit would hold all for ever.

    Attributes:
        debt: time for which others have waited, s, less what is free and what it has repaid.
    """

    debt: float = 0.0

    def answered(self, waited: float) -> None:
        """Charge it with the time for which others have waited for its answer, s."""
        self.debt = max(0.0, self.debt + waited - _FREE)

    def refusal(self, waiting: float, limit: float) -> str:
        """Why it is not waited for any longer, where others wait for `waiting` s now; nothing if they may.

        `limit` is the longest silence, s.
        """
        if self.debt + waiting <= _TIMES * limit:
            return ""
        return f"has held up the others by {_TIMES * limit:g} s beyond {_FREE:g} s a cycle"

"""What came of reading somebody's robot file: every part understood, approximated or dropped, with file and line."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

MAX_NOTES = 1000
"""Notes kept in full; a file of a million oddities shall not fill the server's memory. The others are counted only."""


class Verdict(Enum):
    """How far a part of a file came through."""

    UNDERSTOOD = "understood"
    APPROXIMATED = "approximated"
    DROPPED = "dropped"


@dataclass(frozen=True)
class Note:
    """What happened to one part of a file."""

    verdict: Verdict
    what: str
    """The part, as "joint 'knee'"."""
    how: str
    """What was done, or why it was dropped."""
    file: str = ""
    line: int = 0
    """From 1 on; 0 where no line is known."""

    def __str__(self) -> str:
        place = ":".join(part for part in (self.file, str(self.line or "")) if part)
        told = f"{self.verdict.value} {self.what}" + (f": {self.how}" if self.how else "")
        return f"{place}: {told}" if place else told


@dataclass
class ImportReport:
    """The notes of one import, in the order of reading.

    Attributes:
        notes: the first `MAX_NOTES`.
        told: the number of all of them by their verdict.
    """

    notes: list[Note] = field(default_factory=list)
    told: dict[str, int] = field(default_factory=dict)

    def understood(self, what: str, how: str = "", file: str = "", line: int = 0) -> None:
        """`what` was taken as the file says it."""
        self._add(Note(Verdict.UNDERSTOOD, what, how, file, line))

    def approximated(self, what: str, how: str = "", file: str = "", line: int = 0) -> None:
        """`what` was taken, but not exactly; `how` says what was done."""
        self._add(Note(Verdict.APPROXIMATED, what, how, file, line))

    def dropped(self, what: str, how: str = "", file: str = "", line: int = 0) -> None:
        """`what` was left out; `how` says why."""
        self._add(Note(Verdict.DROPPED, what, how, file, line))

    def counts(self) -> dict[str, int]:
        """How many parts met each verdict, by its name; those beyond `MAX_NOTES` count too."""
        return {verdict.value: self.told.get(verdict.value, 0) for verdict in Verdict}

    def lines(self) -> list[str]:
        """One line a note, 'file:line: verdict what: how'; the last one tells how many more there were, if any."""
        more = sum(self.told.values()) - len(self.notes)
        return [str(note) for note in self.notes] + ([f"and {more} more"] if more else [])

    def _add(self, note: Note) -> None:
        self.told[note.verdict.value] = self.told.get(note.verdict.value, 0) + 1
        if len(self.notes) < MAX_NOTES:
            self.notes.append(note)

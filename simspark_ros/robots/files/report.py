"""The report on reading a robot file: every part understood, approximated or dropped, with file and line."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

MAX_NOTES = 1000
"""Most notes kept in full, as a file of a million oddities must not fill the memory; other notes are only counted."""


class Verdict(Enum):
    """Whether a part of a file was used."""

    UNDERSTOOD = "understood"
    APPROXIMATED = "approximated"
    DROPPED = "dropped"


@dataclass(frozen=True)
class Note:
    """The outcome for one part of a file."""

    verdict: Verdict
    what: str
    """Name of the part, as "joint 'knee'"."""
    how: str
    """Action taken, or reason for dropping the part."""
    file: str = ""
    line: int = 0
    """Line in the file, from 1 on; 0 if unknown."""
    is_expanded: bool = False
    """Whether the line counts in what xacro makes of the file, which has other lines."""

    def __str__(self) -> str:
        place = place_of(self.file, self.line, self.is_expanded)
        told = f"{self.verdict.value} {self.what}" + (f": {self.how}" if self.how else "")
        return f"{place}: {told}" if place else told


def place_of(file: str, line: int, is_expanded: bool) -> str:
    """File and line for a message; arguments as the attributes of `Note`, empty or 0 if unknown."""
    if line and is_expanded:
        return f"{file}, line {line} of what xacro makes of it"
    return ":".join(part for part in (file, str(line or "")) if part)


@dataclass
class ImportReport:
    """The notes of one import, in the order of reading.

    Attributes:
        notes: the first `MAX_NOTES` notes.
        told: number of all notes, kept or not, by verdict.
        warnings: few texts that whoever adds the robot to a world should see; a text tells of all parts alike.
        is_expanded: whether lines count in what xacro makes of the file.
    """

    notes: list[Note] = field(default_factory=list)
    told: dict[str, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    is_expanded: bool = False

    def understood(self, what: str, how: str = "", file: str = "", line: int = 0) -> None:
        """Note that `what` was taken as the file says."""
        self._add(Note(Verdict.UNDERSTOOD, what, how, file, line, self.is_expanded))

    def approximated(self, what: str, how: str = "", file: str = "", line: int = 0) -> None:
        """Note that `what` was taken, but not exactly; `how` names the approximation."""
        self._add(Note(Verdict.APPROXIMATED, what, how, file, line, self.is_expanded))

    def dropped(self, what: str, how: str = "", file: str = "", line: int = 0) -> None:
        """Note that `what` was left out; `how` gives the reason."""
        self._add(Note(Verdict.DROPPED, what, how, file, line, self.is_expanded))

    def counts(self) -> dict[str, int]:
        """Number of parts by name of the verdict, parts beyond `MAX_NOTES` included."""
        return {verdict.value: self.told.get(verdict.value, 0) for verdict in Verdict}

    def lines(self) -> list[str]:
        """One line a note, 'file:line: verdict what: how'; a last line gives the number of further notes, if any."""
        more = sum(self.told.values()) - len(self.notes)
        return [str(note) for note in self.notes] + ([f"and {more} more"] if more else [])

    def _add(self, note: Note) -> None:
        self.told[note.verdict.value] = self.told.get(note.verdict.value, 0) + 1
        if len(self.notes) < MAX_NOTES:
            self.notes.append(note)

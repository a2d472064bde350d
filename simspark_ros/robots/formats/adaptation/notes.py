"""Tools shared by the steps that adapt a document: its name, its report, and ways to change elements."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import dataclass, field

from simspark_ros.configuration.errors import shown
from simspark_ros.configuration.schema import Range
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.report import ImportReport, place_of
from simspark_ros.robots.formats.urdf.document import line_of


@dataclass(frozen=True)
class Notes:
    """Notes and errors about the elements of one document.

    Attributes:
        file: name of the document in messages.
        report: report that the notes are written to.
    """

    file: str
    report: ImportReport = field(default_factory=ImportReport)

    def understood(self, element: ET.Element, what: str, how: str = "") -> None:
        """See `ImportReport.understood`; the note has the line of the element, here and below."""
        self.report.understood(what, how, self.file, line_of(element))

    def approximated(self, element: ET.Element, what: str, how: str) -> None:
        """See `ImportReport.approximated`."""
        self.report.approximated(what, how, self.file, line_of(element))

    def dropped(self, element: ET.Element, what: str, how: str) -> None:
        """See `ImportReport.dropped`."""
        self.report.dropped(what, how, self.file, line_of(element))

    def fail(self, element: ET.Element, what: str, problem: str) -> RobotError:
        """The error to raise."""
        place = place_of(self.file, line_of(element), self.report.is_expanded)
        return RobotError(f"{place}: {what}: {problem}")

    def numbers(self, element: ET.Element, attribute: str, default: str, what: str) -> list[float]:
        """The numbers of an attribute, finite and as many as the default has.

        Raises:
            RobotError: the attribute has other numbers.
        """
        text = element.get(attribute, "").strip() or default
        try:
            values = [float(word) for word in text.split()]
        except ValueError:
            values = []
        count = len(default.split())
        if len(values) != count or not all(map(math.isfinite, values)):
            wanted = "one finite number" if count == 1 else f"{count} finite numbers separated by blanks"
            raise self.fail(element, what, f"{attribute}={shown(text)} must be {wanted}")
        return values


def text_of(values: Iterable[float]) -> str:
    """Numbers as the text of an attribute."""
    return " ".join(repr(float(value)) for value in values)


def clamped(value: float, bounds: Range) -> float:
    """The value, cut to its bounds."""
    low = -math.inf if bounds.low is None else bounds.low
    return min(max(value, low), math.inf if bounds.high is None else bounds.high)

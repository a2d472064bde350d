"""What a check has found out about one part of a robot on one engine."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """Whether a part is right."""

    RIGHT = "right"
    WRONG = "wrong"
    NOTE = "note"
    """The part is as its file says, but a user may not expect that; or it cannot be checked."""


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    Attributes:
        check: name of the check, e.g. `stops`.
        part: joint, link or sensor; empty for the whole robot.
        verdict: whether it is right.
        figure: the measured number with its unit, short.
        why: reason for the verdict, with the right value; empty if it is right.
    """

    check: str
    part: str
    verdict: Verdict
    figure: str
    why: str = ""


def judged(check: str, part: str, is_right: bool, figure: str, why: str) -> Finding:
    """A finding that is right or wrong; `why` is kept for a wrong one."""
    if is_right:
        return Finding(check, part, Verdict.RIGHT, figure)
    return Finding(check, part, Verdict.WRONG, figure, why)


def note(check: str, part: str, figure: str, why: str) -> Finding:
    """A finding that is neither right nor wrong."""
    return Finding(check, part, Verdict.NOTE, figure, why)

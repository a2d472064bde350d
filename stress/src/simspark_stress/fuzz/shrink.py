"""Shrinks cases that do harm: fewer cases, fewer steps and simpler values that still do the same harm."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

from simspark_stress.fuzz.case import Case, Step

S = TypeVar("S", bound="str | list[Any]")

Fails = Callable[[Sequence[Case]], bool]
"""Function that says whether cases do harm. To end a search, e.g. after a time limit, it always returns False."""


def shrunk(cases: Sequence[Case], fails: Fails) -> list[Case]:
    """Return the smallest cases found for which `fails` is still True; it must be True for `cases`."""
    left = without_parts(list(cases), fails)
    for number in range(len(left)):
        left[number] = _shrunk_case(left[number], lambda case, at=number: fails([*left[:at], case, *left[at + 1 :]]))  # type: ignore[misc]
    return left


def without_parts(items: S, fails: Callable[[S], bool]) -> S:
    """Remove parts of a sequence, large ones first, if `fails` is still True for the rest (delta debugging)."""
    size = (len(items) + 1) // 2
    while size:
        start = 0
        while start < len(items):
            rest: Any = items[:start] + items[start + size :]  # type: ignore[operator]
            if fails(rest):
                items = rest
            else:
                start += size
        size //= 2
    return items


def simpler(value: Any) -> Iterator[Any]:
    """Yield values simpler than a JSON value, the simplest first."""
    if isinstance(value, str):
        sizes = [len(value) >> power for power in range(len(value).bit_length())]
        yield from (part for size in sizes for part in (value[size:], value[:-size]))
    elif isinstance(value, bool):
        yield from (False,) if value else ()
    elif isinstance(value, (int, float)):
        whole = (int(value),) if math.isfinite(value) else ()
        yield from (number for number in (0, 1, *whole) if not abs(number) >= abs(value))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from ([*value[:at], other, *value[at + 1 :]] for other in simpler(item))
    elif isinstance(value, dict):
        yield from ({key: value[key] for key in value if key != left_out} for left_out in value)
        for key, item in value.items():
            yield from ({**value, key: other} for other in simpler(item))


def _shrunk_case(case: Case, fails: Callable[[Case], bool]) -> Case:
    def fail(steps: Sequence[Step]) -> bool:
        return fails(Case(case.door, tuple(steps)))

    steps = without_parts(list(case.steps), fail)
    for number, at in [(number, at) for number, step in enumerate(steps) for at in range(1, len(step))]:
        changed = partial(_with, steps, number, at)
        steps = changed(_simplest(steps[number][at], lambda value, changed=changed: fail(changed(value))))  # type: ignore[misc]
    return Case(case.door, tuple(steps))


def _with(steps: list[Step], number: int, at: int, argument: Any) -> list[Step]:
    """Return steps with one argument replaced."""
    step = [*steps[number][:at], argument, *steps[number][at + 1 :]]
    return [*steps[:number], step, *steps[number + 1 :]]


def _simplest(value: Any, fails: Callable[[Any], bool]) -> Any:
    if isinstance(value, str | list):
        value = without_parts(value, fails)
    while (found := next((other for other in simpler(value) if fails(other)), None)) is not None:
        value = found
    return value

"""All checks, in the order in which a new engine is best written."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import isfunction
from types import ModuleType

from simspark_ros.physics.conformance import bodies, contacts, guards, joints, links, placing, rays, repeat, rows, touch
from simspark_ros.physics.conformance.harness import Check


def _checks(part: ModuleType) -> Iterator[Check]:
    """The public functions of a module are its promises."""
    for name, function in vars(part).items():
        if isfunction(function) and function.__module__ == part.__name__ and not name.startswith("_"):
            yield Check(function)


CHECKS: tuple[Check, ...] = tuple(
    check
    for part in (rows, placing, links, rays, bodies, joints, touch, contacts, repeat, guards)
    for check in _checks(part)
)
"""Every promise, once."""

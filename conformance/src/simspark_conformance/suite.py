"""All checks, in an order that suits the writing of a new engine."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import isfunction
from types import ModuleType

from simspark_conformance import (
    bodies,
    contacts,
    extremes,
    guards,
    joints,
    links,
    placing,
    plane,
    rays,
    repeat,
    rows,
    touch,
)
from simspark_conformance.harness import Check

SPATIAL = {
    "bodies_fall_freely": "nothing falls",
    "robots_stand": "heights stay as they were placed",
    "hulls_collide": "nothing lies on something else",
    "feet_share_the_weight": "robots keep their footings while joints move",
    "motors_keep_the_momentum": "joints have their speeds at once, without a reaction of the body",
    "effort_limits_bound_motors": "joints have their speeds at once, but for wheels on the ground",
    "effort_drives_free_joints": "joints without a motor stay as they are",
    "motors_report_their_effort": "joints need no effort, but for wheels on the ground",
    "joints_stop_inside_their_range": "joints without a motor stay as they are",
    "weights_and_sizes_fall_alike": "nothing falls",
}
"""Reasons why planar engines need not keep some promises, by the name of the promise."""


def _checks(part: ModuleType) -> Iterator[Check]:
    """Yield a check for each public function of a module."""
    for name, function in vars(part).items():
        if isfunction(function) and function.__module__ == part.__name__ and not name.startswith("_"):
            yield Check(function, SPATIAL.get(name, ""), part is plane)


CHECKS: tuple[Check, ...] = tuple(
    check
    for part in (rows, placing, links, rays, bodies, joints, touch, contacts, extremes, plane, repeat, guards)
    for check in _checks(part)
)
"""All checks of the suite, each once."""

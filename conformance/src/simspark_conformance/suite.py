"""All checks, in the order in which a new engine is best written."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import isfunction
from types import ModuleType

from simspark_conformance import (
    bodies,
    contacts,
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
}
"""Promises that need heights or the dynamics of joints, and the reason why planar engines are excused."""


def _checks(part: ModuleType) -> Iterator[Check]:
    """The public functions of a module are its promises."""
    for name, function in vars(part).items():
        if isfunction(function) and function.__module__ == part.__name__ and not name.startswith("_"):
            yield Check(function, SPATIAL.get(name, ""), part is plane)


CHECKS: tuple[Check, ...] = tuple(
    check
    for part in (rows, placing, links, rays, bodies, joints, touch, contacts, plane, repeat, guards)
    for check in _checks(part)
)
"""Every promise, once."""

"""All checks, in the order in which a new engine is best written."""

from __future__ import annotations

from simspark_ros.physics.conformance import bodies, contacts, guards, joints, links, placing, rays, repeat, rows, touch
from simspark_ros.physics.conformance.workbench import Check

CHECKS: tuple[Check, ...] = tuple(
    Check(body)
    for part in (rows, placing, links, rays, bodies, joints, touch, contacts, repeat, guards)
    for body in part.PROMISES
)
"""Every promise, once."""

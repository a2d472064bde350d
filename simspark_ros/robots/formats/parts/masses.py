"""Masses of solids of a given density."""

from __future__ import annotations

import math

import numpy as np

from simspark_ros.robots.formats.parts.bodies import Array, Body, Solid


def add_mass(body: Body, solid: Solid, density: float) -> bool:
    """Add the mass of a homogeneous solid to a body, density in kg/m3; False for a mesh, whose mass is not known.

    The centre and inertia of the body become those of both together, by the parallel axis theorem.
    """
    known = _mass_and_moments(solid, density)
    if known is None:
        return False
    mass, moments = known
    turn, place = solid.pose.rotation, solid.pose.position
    whole = body.mass + mass
    centre = (body.mass * body.centre + mass * place) / whole
    body.inertia = (
        body.inertia
        + turn @ np.diag(moments) @ turn.T
        + _moved(body.mass, body.centre - centre)
        + _moved(mass, place - centre)
    )
    body.mass, body.centre = whole, centre
    return True


def _moved(mass: float, offset: Array) -> Array:
    """Difference between the inertia about a point and the inertia about the centre of mass, at an offset from it."""
    result: Array = mass * (offset @ offset * np.eye(3) - np.outer(offset, offset))
    return result


def _mass_and_moments(solid: Solid, density: float) -> tuple[float, tuple[float, float, float]] | None:
    if solid.kind == "box":
        x, y, z = solid.size
        mass = density * x * y * z
        return mass, (mass * (y * y + z * z) / 12.0, mass * (x * x + z * z) / 12.0, mass * (x * x + y * y) / 12.0)
    if solid.kind == "sphere":
        mass = density * 4.0 / 3.0 * math.pi * solid.size[0] ** 3
        return mass, (0.4 * mass * solid.size[0] ** 2,) * 3
    if solid.kind == "mesh":
        return None
    radius, length = solid.size
    tube = density * math.pi * radius**2 * length
    along, across = tube * radius**2 / 2.0, tube * (3.0 * radius**2 + length**2) / 12.0
    if solid.kind == "cylinder":
        return tube, (across, across, along)
    # Two half-spheres, each with its centre of mass 3/8 of the radius beyond the end of the tube.
    caps = density * 4.0 / 3.0 * math.pi * radius**3
    along += 0.4 * caps * radius**2
    across += caps * (0.4 * radius**2 + length**2 / 4.0 + 3.0 / 8.0 * length * radius)
    return tube + caps, (across, across, along)

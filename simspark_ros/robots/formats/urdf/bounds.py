"""Bounds on the numbers of robot files; docs/reference/settings.md has them as a table.

Engines can compute with all numbers within the bounds. Far beyond, squares and quotients leave the range of floats and
ODE ends the process. The bounds are wide: no robot comes near them.
"""

from __future__ import annotations

from simspark_ros.configuration.schema import Range

SIZE = Range(1e-4, 100.0, "m")
"""Edges, radii and lengths of solids."""

OFFSET = Range(-100.0, 100.0, "m")
"""Coordinates of anything in the frame that carries it."""

ANGLE = Range(-100.0, 100.0, "rad")
"""Roll, pitch and yaw."""

MASS = Range(1e-6, 1e4, "kg")

MOMENT = Range(1e-9, 1e6, "kg m2")
"""Principal moments of inertia."""

COMPONENT = Range(-MOMENT.high, MOMENT.high, MOMENT.unit)
"""Elements of a tensor of inertia."""

STOP = Range(-1000.0, 1000.0, "rad or m")
"""Stops of a joint."""

VELOCITY = Range(0.0, 1e4, "rad/s or m/s")

EFFORT = Range(0.0, 1e6, "N m or N")

DAMPING = Range(0.0, 1e6, "N m s/rad or N s/m")

MULTIPLIER = Range(-1e4, 1e4)
"""Multiplier of a joint that follows another joint."""

DRAG = Range(0.0, 1000.0, "N s/m or N m s/rad")

COLOUR = Range(0.0, 1.0)

BOUNDS = {
    "edge, radius or length of a solid": SIZE,
    "coordinate of an origin or axis": OFFSET,
    "roll, pitch, yaw": ANGLE,
    "mass of a link that has one": MASS,
    "principal moment of inertia": MOMENT,
    "stop of a joint": STOP,
    "greatest velocity of a joint": VELOCITY,
    "greatest effort of a joint, its friction": EFFORT,
    "damping of a joint": DAMPING,
    "multiplier of `<mimic>`; its offset is bounded as stops are": MULTIPLIER,
    "`linear_drag`, `angular_drag`": DRAG,
    "red, green, blue, alpha": COLOUR,
}
"""Bounds by the name of the bounded number, for the documentation."""

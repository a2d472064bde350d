"""A part of ODE's likeness that an engine calls around its steps."""

from __future__ import annotations

from typing import NamedTuple

from simspark_ros.physics.engine import Array


class Motion(NamedTuple):
    """The motion of N robots with J joints.

    Attributes:
        bases: (N, 13) position, quaternion x y z w, linear and angular velocity of each base.
        rates: (J,) velocities of the joints, rad/s or m/s.
    """

    bases: Array
    rates: Array


class Pushes(NamedTuple):
    """The forces of the coming step, to which corrections add.

    Attributes:
        wrenches: (N, 6) forces and torques on the bases' centres of mass, world frame, N and N m.
        efforts: (J,) efforts of joints besides the motors', N m or N.
    """

    wrenches: Array
    efforts: Array


class Correction:
    """Bound to a fixed list of robots (rows): a new one is made when the list changes. Engines call what they need.

    Attributes:
        is_needed: whether these robots and the preset need the correction; it is not called otherwise.
    """

    is_needed: bool = True

    def before_step(self, motion: Motion, pushes: Pushes) -> None:
        """Prepare a step; motion: the robots' motion before the step."""

    def after_step(self, before: Motion, after: Motion) -> None:
        """Look at the motion of bases and joints after a step; links are still as before it."""

    def land(self) -> None:
        """Look at the links after a step."""

    def forget(self, row: int) -> None:
        """Forget the motion of a robot that was put somewhere."""

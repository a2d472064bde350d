"""Robots that have been checked, so that the next simulation of this process need not check them again.

A simulation checks every robot of the package when it starts. That takes more than half of its start.
"""

from __future__ import annotations

from collections.abc import Callable

from simspark_ros.robots.description import RobotDescription


class CheckedRobots:
    """Remembers which robots have passed the last kind of check."""

    def __init__(self) -> None:
        self._checked_by: object = None
        self._robots: dict[int, RobotDescription] = {}

    def check(self, description: RobotDescription, check: Callable[[RobotDescription], None], by: object) -> None:
        """Check a robot, unless this very description has passed the same check.

        Args:
            description: the robot to be checked.
            check: function that raises an error if the robot cannot be used.
            by: everything that the result of the check depends on; equal objects stand for equal checks.
        """
        if by != self._checked_by:
            self._checked_by, self._robots = by, {}
        if not self.knows(description, by):
            check(description)
            # The description is kept, so that no other one gets its id.
            self._robots[id(description)] = description

    def knows(self, description: RobotDescription, by: object) -> bool:
        """Whether this very description has passed the check."""
        return id(description) in self._robots and by == self._checked_by

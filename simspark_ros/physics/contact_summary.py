"""Contacts of robots with the ball and with each other in a step, as `EngineState` lists them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simspark_ros.physics.engine import EngineState, IntArray

# A state without contacts: its arrays are empty, so other states can share them.
_APART = EngineState()


class ContactSummary:
    """Contacts of one step among the things that move: robots, by row, and the ball."""

    def __init__(self) -> None:
        self._ball: set[int] = set()
        # Sum of the contact points and their number.
        self._pairs: dict[tuple[int, int], list[float]] = {}

    def clear(self) -> None:
        """Start a new step."""
        self._ball.clear()
        self._pairs.clear()

    def add_ball(self, row: int) -> None:
        """Add a contact of a robot with the ball."""
        self._ball.add(row)

    def add_robots(self, one: int, other: int, point: Sequence[float]) -> None:
        """Add a contact of two robots. point: world frame, m."""
        pair = (one, other) if one < other else (other, one)
        total = self._pairs.setdefault(pair, [0.0, 0.0, 0.0, 0.0])
        total[0] += point[0]
        total[1] += point[1]
        total[2] += point[2]
        total[3] += 1.0

    def publish(self, state: EngineState) -> None:
        """Replace the state's arrays of contacts."""
        state.ball_contacts = np.array(sorted(self._ball), np.int64) if self._ball else _APART.ball_contacts
        if not self._pairs:
            state.robot_contacts, state.robot_contact_points = _APART.robot_contacts, _APART.robot_contact_points
            return
        pairs = sorted(self._pairs.items())
        state.robot_contacts = np.array([pair for pair, _ in pairs], np.int64)
        totals = np.array([total for _, total in pairs])
        state.robot_contact_points = totals[:, :3] / totals[:, 3:]


NO_CONTACTS = ContactSummary()
"""Summary of a step without contacts; read-only."""


def follow_rows(new: EngineState, old: EngineState) -> None:
    """Give a state with other rows the contacts of the old one, without contacts of robots that left."""
    rows: IntArray = np.array([new.handles.index(one) if one in new.handles else -1 for one in old.handles], np.int64)
    ball, pairs = rows.take(old.ball_contacts), rows.take(old.robot_contacts)
    new.ball_contacts = ball[ball >= 0]
    stay = (pairs >= 0).all(axis=1)
    new.robot_contacts, new.robot_contact_points = pairs[stay], old.robot_contact_points[stay]

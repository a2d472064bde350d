"""Contacts of all touch links of all robots, from one call."""

from __future__ import annotations

import numpy as np
import pybullet

from simspark_ros.kernels.bullet.listed_contacts import ListedContacts
from simspark_ros.kernels.touches import TouchSums
from simspark_ros.physics.bullet.link_states import LinkStates
from simspark_ros.physics.bullet.ode_likeness.ground_grip import GroundGrip
from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.contact_summary import ContactSummary
from simspark_ros.physics.engine import IntArray
from simspark_ros.physics.rows import TouchArrays, touch_arrays

# Row number that stands for the ball.
_BALL = -1

# Bodies A and B, link of A, link of B.
_LinkPair = tuple[int, int, int, int]
# Meaning of a contact of two links: the rows, or the ball, that meet; the touch links of A and B, -1 for none.
_Meaning = tuple[tuple[int, int] | None, int, int]


class TouchReader:
    """Reads contact points and forces for a fixed list of robots; make a new one when the list changes.

    Attributes:
        summary: contacts of robots with the ball and with each other since the summary was cleared.
    """

    def __init__(
        self, client: int, robots: list[BulletRobot], links: LinkStates, grip: GroundGrip, ball: int | None
    ) -> None:
        self._client = client
        self._links = links
        self._grip = grip
        self.summary = ContactSummary()
        self._rows = {robot.body: row for row, robot in enumerate(robots)}
        if robots and ball is not None:
            self._rows[ball] = _BALL
        self._index = {
            touch: number
            for number, touch in enumerate((robot.body, link) for robot in robots for link in robot.touch_links)
        }
        self._sums = TouchSums(np.zeros((len(self._index), 7)))
        self._places: IntArray = np.array([links.place(*touch) for touch in self._index], np.int64)
        shapes: dict[tuple[int, int], list[int]] = {touch: [] for touch in self._index}
        for shape, (row, link) in enumerate(grip.owners):
            shapes.get((robots[row].body, link), []).append(shape)
        # Learned as links meet.
        self._meanings: dict[_LinkPair, _Meaning] = {}
        self._contacts = ListedContacts(
            sums=self._sums,
            meanings=self._meanings,
            learn=self._learn,
            shapes=np.array([(own[0], own[-1] + 1) if own else (0, 0) for own in shapes.values()], np.int64).reshape(
                -1, 2
            ),
            firsts=grip.firsts,
            felt=grip.felt,
            contact=np.zeros(6),
        )

    def read(self) -> TouchArrays:
        """`touching`, `touch_point` and `touch_force` of the last step, see EngineState.

        Bullet's contact points are from before the step. So are the links, but for `ground_grip`: ODE tells such points
        as links see them after the step.
        """
        links, grip = self._links, self._grip
        centres = links.centres + links.shifts - grip.shifts if grip.is_needed else links.centres
        self._look()
        return touch_arrays(self._sums, self._places, centres, links.rotations)

    def look(self) -> None:
        """Record the contacts of a Bullet step that is not the last one of `step`."""
        if len(self._rows) > 1:
            self._look()

    def _look(self) -> None:
        """Sum contacts up; contacts at corners in the ground are added to the corners' forces."""
        found = pybullet.getContactPoints(physicsClientId=self._client) if self._rows else ()
        for (one, other), point in self._contacts.add(found):
            if one == _BALL or other == _BALL:
                self.summary.add_ball(max(one, other))
            elif one != other:
                self.summary.add_robots(one, other, point)

    def _learn(self, pair: _LinkPair) -> _Meaning:
        """Find the meaning of a contact of these links."""
        body_a, body_b, link_a, link_b = pair
        one, other = self._rows.get(body_a), self._rows.get(body_b)
        met = None if one is None or other is None else (one, other)
        meaning = met, self._index.get((body_a, link_a), -1), self._index.get((body_b, link_b), -1)
        self._meanings[pair] = meaning
        return meaning

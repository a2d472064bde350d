"""Lets the links of robots enter a step with the momenta of the step before, as bodies do in ODE.

ODE finds velocities with which hinges hold where bodies are at the beginning of a step. Bodies keep these velocities
while they move, and are turned with their joints in the next step. Bullet turns the momenta along at once: in steps of
20 ms a robot that kicks or gets up then yaws and leans up to 10 degrees differently. Here forces on links replace the
centrifugal and gyroscopic forces that Bullet adds by itself.

With J the matrix from the rates r of base and joints to the velocities of links, M masses and inertias, and a step h
from place p to q, the forces in the next step are M (J(p) r - J(q) r) / h + M dJ(q)/dt r + gyroscopic torques.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from simspark_ros.physics.bullet.link_states import LinkStates
from simspark_ros.physics.bullet.ode_likeness.hinge_compliance import BulletHingeDrift
from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.bullet.table import ANGULAR, LINEAR
from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.geometry.vector_rows import XYZXY, cross_rows
from simspark_ros.physics.model import JointKind

_HINGES = (JointKind.REVOLUTE, JointKind.CONTINUOUS)


class _Place(NamedTuple):
    """Places of L links and H hinges, from the centre of mass of their robot's base, along the world's axes.

    Attributes:
        centres: (5, L) centres of mass, m; rows x, y, z, x, y as `cross_rows` wants them.
        anchors: (5, H) anchors of the hinges, m; the same rows.
        axes: (3, H) unit vectors along the hinges.
        inertia: (L, 3, 3) inertias of the links, kg m2.
        carriers: (T, 3, 3) rotations to the world of the links that carry the slides of the hinge drift.
    """

    centres: Array
    anchors: Array
    axes: Array
    inertia: Array
    carriers: Array


class _Motion(NamedTuple):
    """Velocities (3, L) of centres of mass, (5, T) of slides; angular velocities (5, L) of links, (5, H) of hinges."""

    velocity: Array
    spin: Array
    turn: Array
    slide: Array


class CarriedMomentum:
    """The momenta of a fixed list of robots (rows); make a new one when the list changes, which takes over from `old`.

    Robots with sliding joints do not take part.
    """

    def __init__(
        self,
        settings: BulletSettings,
        robots: list[BulletRobot],
        links: LinkStates,
        drift: BulletHingeDrift,
        old: CarriedMomentum | None,
    ) -> None:
        self._links = links
        self._drift = drift
        self._rate = 1.0 / settings.step_time
        taking = [
            settings.carried_momentum and all(joint.kind in _HINGES for joint in robot.model.joints) for robot in robots
        ]
        self._robots = [robot for robot, takes in zip(robots, taking, strict=True) if takes]
        self._rows = np.flatnonzero(taking)
        self._count = len(robots)
        joints = np.cumsum([0, *(len(robot.joints) for robot in robots)])
        self._joint_count = int(joints[-1])
        self._index(joints)
        self._index_slides()
        # Linear and angular velocities and angular momenta of the last step, and the links for which they are known;
        # the velocities also of the step before the last.
        self._velocity: Array = np.zeros((3, len(self._mass)))
        self._spin: Array = np.zeros((5, len(self._mass)))
        self._momentum: Array = np.zeros((3, len(self._mass)))
        self._before = self._velocity, self._spin
        self._known = np.zeros(len(self._mass), np.bool_)
        self._knew = self._known
        self._place: _Place | None = None
        if old is not None:
            self._inherit(old)

    def _index(self, first_joints: IntArray) -> None:
        links = [link for robot in self._robots for link in robot.model.links]
        sizes = [len(robot.model.links) for robot in self._robots]
        self._first = np.cumsum([0, *sizes])[:-1]
        self._owner = np.repeat(np.arange(len(sizes)), sizes)
        self._mass = np.array([link.mass for link in links])
        self._inertia = np.array([link.inertia_matrix for link in links]).reshape(-1, 3, 3)
        places: list[int] = []
        joints: list[int] = []
        parents: list[int] = []
        children: list[int] = []
        # Two ragged lists, each as one flat array for `reduceat`: the hinges that carry link l begin in `_above` at
        # `_above_first[l]`, the links that hinge h moves begin in `_below` at `_below_first[h]`.
        carrying: list[list[int]] = []
        for robot, row, first in zip(self._robots, self._rows.tolist(), self._first.tolist(), strict=True):
            model = robot.model
            places += [self._links.place(robot.body, robot.links[link.name]) for link in model.links]
            number = {link.name: first + index for index, link in enumerate(model.links)}
            carried_by = {joint.child: joint for joint in (*model.joints, *model.fixed_joints)}
            hinge = {joint.name: len(joints) + index for index, joint in enumerate(model.joints)}
            for link in model.links:
                joint = carried_by.get(link.name)
                above = [] if joint is None else carrying[number[joint.parent]]
                carrying.append(above + ([hinge[joint.name]] if joint is not None and joint.name in hinge else []))
            joints += range(int(first_joints[row]), int(first_joints[row + 1]))
            parents += [number[joint.parent] for joint in model.joints]
            children += [number[joint.child] for joint in model.joints]
        self._places, self._joints = np.array(places, np.int64), np.array(joints, np.int64)
        self._parents, self._children = np.array(parents, np.int64), np.array(children, np.int64)
        directions = np.array([joint.axis for robot in self._robots for joint in robot.model.joints]).reshape(-1, 3)
        centres = np.array([links[child].centre for child in children]).reshape(-1, 3)
        # (H, 3, 2) axis and centre of mass, as columns, in the axes of the link below each hinge.
        self._axis_and_centre = np.stack((directions, centres), 2)
        # A dummy hinge of zeros ends every list, as `reduceat` cannot sum over an empty range.
        self._above = np.array([one for hinges in carrying for one in (*hinges, len(joints))], np.int64)
        self._above_first = np.cumsum([0, *(len(hinges) + 1 for hinges in carrying)])[:-1]
        pairs = sorted((one, link) for link, hinges in enumerate(carrying) for one in hinges)
        self._below = np.array([link for _, link in pairs], np.int64)
        self._below_first = np.searchsorted([one for one, _ in pairs], np.arange(len(joints)))

    def _index_slides(self) -> None:
        """Index the links that carry the triples of slides, and the links that each triple moves."""
        drift, own = self._drift, self._places
        taking = np.isin(drift.carriers, own)
        number = np.cumsum(taking) - 1
        self._triples = np.flatnonzero(taking)
        self._carriers = np.searchsorted(own, drift.carriers[taking])
        moved = taking.take(drift.below_triple)
        self._slid = np.searchsorted(own, drift.below[moved])
        self._sliding = number.take(drift.below_triple[moved])

    def _inherit(self, old: CarriedMomentum) -> None:
        before = {id(robot): first for robot, first in zip(old._robots, old._first.tolist(), strict=True)}
        for robot, first in zip(self._robots, self._first.tolist(), strict=True):
            if (was := before.get(id(robot))) is not None:
                size = len(robot.model.links)
                own, others = slice(first, first + size), slice(was, was + size)
                self._velocity[:, own], self._momentum[:, own] = old._velocity[:, others], old._momentum[:, others]
                self._spin[:, own] = old._spin[:, others]
                self._known[own] = old._known[others]

    def forget(self, rows: Iterable[int]) -> None:
        """Forget the momenta of robots that were put somewhere or got other velocities."""
        self._known[np.isin(self._rows, list(rows))[self._owner]] = False

    def forces(self, bases: Array, rates: Array) -> tuple[Array, Array] | None:
        """Forces and efforts that act on robots in the coming step; None if none do.

        Args:
            bases: (N, 13) table of bases as `RobotTable` reads it; the links have to be read, too.
            rates: (J,) velocities of the joints.

        Returns:
            (N, 6) forces and torques on the bases' centres of mass, world frame, N and N m; (J,) efforts of joints.
        """
        if not len(self._places):
            return None
        place = self._place = self._look()
        motion = self._motion(place, bases, rates, self._drift.speed_before)
        own = _times(place.inertia, motion.spin)
        acceleration, spinning_up = self._turning(place, motion)
        load = np.empty((6, len(self._mass)))
        load[:3] = self._mass * ((self._velocity - motion.velocity) * self._rate + acceleration)
        load[3:] = (self._momentum - own) * self._rate + _times(place.inertia, spinning_up)
        load[3:] += cross_rows(motion.spin, own[XYZXY])
        # Torques about the base's centre, the same point for all links: sums over links need no shift. Only a hinge's
        # sum is shifted, to its anchor.
        load[3:] += cross_rows(place.centres, load[XYZXY])
        if not self._known.all():
            # A robot that was put into motion goes on along its joints.
            load[:, ~self._known] = 0.0
        below = np.add.reduceat(load.take(self._below, 1), self._below_first, 1)
        moments = below[3:] - cross_rows(place.anchors, below[XYZXY])
        efforts, wrenches = np.zeros(self._joint_count), np.zeros((self._count, 6))
        efforts[self._joints] = np.einsum("ih,ih->h", place.axes, moments)
        wrenches[self._rows] = np.add.reduceat(load, self._first, 1).T
        return wrenches, efforts

    def keep(self, bases: Array, rates: Array) -> None:
        """Remember the momenta after a step for which `forces` was called; arguments as of `forces`, after the step."""
        if self._place is None:
            return
        # Robots with numbers that are not finite will be put back and forgotten.
        with np.errstate(invalid="ignore", over="ignore"):
            motion = self._motion(self._place, bases, rates, self._drift.speed)
            self._before = self._velocity, self._spin
            self._velocity, self._spin = motion.velocity, motion.spin
            self._momentum = _times(self._place.inertia, motion.spin)
        self._knew, self._known = self._known, np.ones_like(self._known)

    def velocities_at(self, place: int, arm: Array) -> tuple[Array, Array] | None:
        """Velocities (3,) of a point of a link before and after the last step, m/s, where the link was before it.

        place: index of the link in `LinkStates`; arm: (3,) from the link's centre of mass to the point, m, world frame.
        None if the robot does not take part; both are the velocity after if the robot has just been put there.
        """
        at = int(np.searchsorted(self._places, place))
        if at == len(self._places) or self._places[at] != place:
            return None
        before, after = self._before, (self._velocity, self._spin)
        if not self._knew[at]:
            before = after
        first, second = (velocity[:, at] + np.cross(spin[:3, at], arm) for velocity, spin in (before, after))
        return first, second

    def _look(self) -> _Place:
        rotations = self._links.rotations.take(self._places, 0)
        centres = self._links.centres.take(self._places, 0)
        centres -= centres.take(self._first, 0).take(self._owner, 0)
        below = rotations.take(self._children, 0) @ self._axis_and_centre
        anchors = centres.take(self._children, 0) - below[..., 1]
        inertia = rotations @ self._inertia @ rotations.transpose(0, 2, 1)
        axes, carriers = np.ascontiguousarray(below[..., 0].T), rotations.take(self._carriers, 0)
        return _Place(centres.T[XYZXY], anchors.T[XYZXY], axes, inertia, carriers)

    def _motion(self, place: _Place, bases: Array, rates: Array, slides: Array) -> _Motion:
        turn = (place.axes * rates.take(self._joints))[XYZXY]
        # Velocity at the centre of the base that hinges add to the links they carry.
        sums = self._sum_above(np.concatenate((turn[:3], cross_rows(place.anchors, turn))))
        owners = self._rows.take(self._owner)
        spin = (sums[:3] + bases[:, ANGULAR].T.take(owners, 1))[XYZXY]
        velocity = sums[3:] + cross_rows(spin, place.centres)
        velocity += bases[:, LINEAR].T.take(owners, 1)
        slide = _times(place.carriers, slides.reshape(-1, 3).take(self._triples, 0).T)
        # Not `+=`: links below two triples move with both.
        np.add.at(velocity.T, self._slid, slide.T.take(self._sliding, 0))
        return _Motion(velocity, spin, turn, slide[XYZXY])

    def _turning(self, place: _Place, motion: _Motion) -> tuple[Array, Array]:
        """Accelerations (3, L) and angular ones (3, L) of links while base and joints keep their velocities."""
        spin, turn, anchors = motion.spin, motion.turn, place.anchors
        above = spin.take(self._parents, 1)
        # The axis of a hinge turns with the link above. So the spin changes by (spin above) x turn although the rate
        # stays.
        change = cross_rows(above, turn)
        by_turn = cross_rows(turn, anchors)[XYZXY]
        by_all = by_turn + cross_rows(above, anchors)[XYZXY]
        # Difference of the accelerations that the links above and below a hinge give the hinge's anchor.
        step = cross_rows(change[XYZXY], anchors) + cross_rows(above, by_turn) + cross_rows(turn, by_all)
        sums = self._sum_above(np.concatenate((change, step)))
        around = cross_rows(spin, place.centres)[XYZXY]
        acceleration = cross_rows(sums[XYZXY], place.centres) + cross_rows(spin, around) - sums[3:]
        # Coriolis: the axes of the slides turn with their carrier.
        turned = 2.0 * cross_rows(spin.take(self._carriers, 1), motion.slide)
        np.add.at(acceleration.T, self._slid, turned.T.take(self._sliding, 0))
        return acceleration, sums[:3]

    def _sum_above(self, values: Array) -> Array:
        """(6, L) the sum of (6, H) values of all hinges that carry a link."""
        padded = np.zeros((6, values.shape[1] + 1))
        padded[:, :-1] = values
        total: Array = np.add.reduceat(padded.take(self._above, 1), self._above_first, 1)
        return total


def _times(matrices: Array, vectors: Array) -> Array:
    """(3, n) products of matrices (n, 3, 3) and vectors (3 or more, n)."""
    product: Array = np.einsum("nij,jn->in", matrices, vectors[:3])
    return product

"""Hinge drift: lets the limbs of PyBullet's robots come apart a little, as they do on the classic server.

ODE integrates each body by itself. In one step of a fast hinge its two anchors come apart by the second-order term of
the rotation, and the joint's error reduction takes back only a fifth of that per step: a kicking foot is some 14 mm
lower than its joint angles say, and that is where teams of the league hit the ball. Bullet's reduced coordinates know
no such error. Here three helper slides before the first joint of a chain move by the sum of the drifts of the chain's
hinges, computed from the turns of the bodies in the step. Only positions change, velocities do not.

In ODE a gap closes at -ERP / h of its size, child against parent, however the parent turns. The slides turn with the
parent, so this turning is taken back. Otherwise feet are pushed backwards and walks are 2 % too fast.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pybullet

from simspark_ros.physics.bullet.link_states import LinkStates
from simspark_ros.physics.bullet.ode_likeness.compliance_chains import DRIFT_AXES, DriftChains, drift_link
from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.engine import Array, BoolArray, IntArray

# Bodies that turn by nearly half a turn in a step have no first-order velocity.
_HALF_TURN = 0.1


class _Member:
    """One robot that drifts, and its places in the arrays of all."""

    def __init__(
        self, row: int, robot: BulletRobot, chains: DriftChains, joints: int, bodies: int, hinges: int, slides: int
    ) -> None:
        self.row = row
        self.first_joint = joints
        self.robot = robot
        self.slides = [robot.links[drift_link(joint, axis)] for joint in chains.joints for axis in DRIFT_AXES]
        self.bodies = slice(bodies, bodies + len(chains.bodies))
        self.hinges = slice(hinges, hinges + len(chains.child))
        self.own = slice(slides, slides + len(self.slides))


class BulletHingeDrift:
    """The drift of a fixed list of robots (rows); make a new one when the list changes, which takes over from `old`.

    Attributes:
        carriers: (T,) index in `LinkStates` of the link that carries each triple of slides.
        below, below_triple: (B,) index in `LinkStates` of each link that a triple moves, and index of the triple.
        speed, speed_before: (3 T,) velocities of the slides in this step and in the one before, m/s.
    """

    def __init__(
        self,
        client: int,
        settings: BulletSettings,
        robots: list[BulletRobot],
        links: LinkStates,
        old: BulletHingeDrift | None,
    ) -> None:
        self._client = client
        self._settings = settings
        self._links = links
        self._members: list[_Member] = []
        chains: list[DriftChains] = []
        joints, bodies, hinges, slides = 0, 0, 0, 0
        for row, robot in enumerate(robots):
            if robot.drift is not None:
                member = _Member(row, robot, robot.drift, joints, bodies, hinges, slides)
                self._members.append(member)
                chains.append(robot.drift)
                bodies, hinges, slides = member.bodies.stop, member.hinges.stop, member.own.stop
            joints += len(robot.joints)
        self._index(chains)
        # Numpy works several times faster on these small matrices with the bodies in the last axis.
        self._gap: Array = np.zeros((3, hinges))
        self._rotation: Array = np.zeros((3, 3, bodies))
        # Whether the rotations before the step are known.
        self._known: BoolArray = np.zeros(hinges, np.bool_)
        self._all_known = False
        self._position: Array = np.zeros(slides)
        self._closing: Array = np.zeros(slides)
        self._force: Array = np.zeros(slides)
        self.speed: Array = np.zeros(slides)
        self.speed_before: Array = np.zeros(slides)
        if old is not None:
            self._inherit(old)

    def _index(self, chains: list[DriftChains]) -> None:
        first_triple = np.cumsum([0, *(len(one.joints) for one in chains)])
        first_body = [member.bodies.start for member in self._members]
        nowhere, no_arms = [np.zeros(0, np.int64)], [np.zeros((0, 3))]
        # Index in `LinkStates` of each body of the chains.
        self._places: IntArray = np.array(
            [
                self._links.place(member.robot.body, member.robot.links[name])
                for member, one in zip(self._members, chains, strict=True)
                for name in one.bodies
            ],
            np.int64,
        )
        below = [
            (self._links.place(member.robot.body, member.robot.links[name]), number + first)
            for member, one, first in zip(self._members, chains, first_triple[:-1].tolist(), strict=True)
            for number, names in enumerate(one.below)
            for name in names
        ]
        # Pairs of a moved link, by its index in `LinkStates`, and the triple that moves it.
        self.below, self.below_triple = np.array(below, np.int64).reshape(-1, 2).T
        carrier = [one.carrier + first for one, first in zip(chains, first_body, strict=True)]
        self._carrier = np.concatenate([*nowhere, *carrier])
        self.carriers = self._places.take(self._carrier)
        child = [one.child + first for one, first in zip(chains, first_body, strict=True)]
        parent = [one.parent + first for one, first in zip(chains, first_body, strict=True)]
        # (2 H,) bodies at the ends of the arms: the children of all hinges, then their parents.
        self._ends = np.concatenate([*nowhere, *child, *parent])
        arms = [*(one.child_arm for one in chains), *(one.parent_arm for one in chains)]
        self._arms = np.ascontiguousarray(np.concatenate([*no_arms, *arms]).T)
        triple = [one.triple + first for one, first in zip(chains, first_triple[:-1].tolist(), strict=True)]
        # Joints that turn a carrier: triple of the carrier, child of the joint, index of the joint, axis in the child.
        first_joint = [member.first_joint for member in self._members]
        parts = list(zip(chains, first_triple[:-1].tolist(), first_body, first_joint, strict=True))
        self._turned = np.concatenate([*nowhere, *(one.turned + first for one, first, _, _ in parts)])
        self._turning = np.concatenate([*nowhere, *(one.turning + first for one, _, first, _ in parts)])
        self._turning_joint = np.concatenate([*nowhere, *(one.turning_joint + first for one, _, _, first in parts)])
        self._turning_axis = np.concatenate([*no_arms, *(one.turning_axis for one in chains)])
        # (3 H,) slide to which each component of a hinge's drift is added: x of all hinges, then y, then z.
        self._entry = (3 * np.concatenate([*nowhere, *triple]) + np.arange(3)[:, None]).ravel()

    def _inherit(self, old: BulletHingeDrift) -> None:
        before = {id(member.robot): member for member in old._members}
        for member in self._members:
            was = before.get(id(member.robot))
            if was is None:
                continue
            self._gap[:, member.hinges] = old._gap[:, was.hinges]
            self._known[member.hinges] = old._known[was.hinges]
            self._rotation[..., member.bodies] = old._rotation[..., was.bodies]
            self._position[member.own] = old._position[was.own]
            self._closing[member.own] = old._closing[was.own]
            self._force[member.own] = old._force[was.own]
            self.speed[member.own] = old.speed[was.own]

    def forget(self, rows: Iterable[int]) -> None:
        """Forget robots that were put somewhere, with their slides at zero: their turns meanwhile are no drift."""
        gone = set(rows)
        for member in self._members:
            if member.row in gone:
                self._gap[:, member.hinges], self._known[member.hinges], self._all_known = 0.0, False, False
                for values in (self._position, self._closing, self._force, self.speed):
                    values[member.own] = 0.0

    def before_step(self, target: Array, velocity: Array) -> None:
        """Let the slides return by the part of the drift that the joints' error reduction takes back.

        target, velocity: (J,) velocities of the joints, commanded for the coming step and present, rad/s or m/s.
        """
        if not self._members:
            return
        settings = self._settings
        self.speed_before = self.speed
        self.speed = self._closing.copy()
        if len(self._turned):
            self.speed -= self._faster_swing(target - velocity)
        # As for motors: aim ahead by the part that the constraint's softness takes.
        speeds = (self.speed + settings.cfm * self._force).tolist()
        for member in self._members:
            count = len(member.slides)
            pybullet.setJointMotorControlArray(
                member.robot.body,
                member.slides,
                pybullet.VELOCITY_CONTROL,
                targetVelocities=speeds[member.own],
                forces=[settings.drift_force] * count,
                velocityGains=[1.0] * count,
                physicsClientId=self._client,
            )

    def _faster_swing(self, change: Array) -> Array:
        """Growth, since the last step, of the speed at which carriers turn gaps, m/s, along the slides.

        In a kick this growth is larger than the speed at which gaps close.
        """
        children = self._rotation.take(self._turning, 2)
        carriers = self._rotation.take(self._carrier.take(self._turned), 2)
        # From the child's axes to the world's, and on to those of the carrier, along which the slides move.
        axes: Array = np.einsum("jit,jkt,tk->ti", carriers, children, self._turning_axis)
        turns = np.zeros((len(self._carrier), 3))
        np.add.at(turns, self._turned, axes * change.take(self._turning_joint)[:, None])
        swing = np.cross(turns, self._position.reshape(-1, 3))
        return np.asarray(swing.ravel(), np.float64)

    def after_step(self) -> None:
        """Compute the drift of the step, after the links were read, and move the slides there."""
        if not self._members:
            return
        before = self._rotation
        rotations = self._links.rotations.take(self._places, 0)
        now = self._rotation = np.ascontiguousarray(rotations.transpose(1, 2, 0))
        turn = _turns_of_step(before, now)
        self._gap *= 1.0 - self._settings.drift_erp
        self._gap += self._drift_of_step(before, now, turn)
        limit = self._settings.drift_limit
        np.minimum(np.maximum(self._gap, -limit, out=self._gap), limit, out=self._gap)
        shifts = np.bincount(self._entry, self._gap.ravel(), 3 * len(self._carrier)).reshape(-1, 3)
        carriers = now.take(self._carrier, 2)
        self._position = np.einsum("jit,tj->ti", carriers, shifts).ravel()
        # A gap is measured along the carrier's axes, but does not turn with the carrier.
        closing = self._settings.drift_erp * shifts + np.einsum("ijt,tj->ti", turn.take(self._carrier, 2), shifts)
        self._closing = np.einsum("jit,tj->ti", carriers, closing / -self._settings.cycle_time).ravel()
        moved = self._move_slides().reshape(-1, 3)
        shifts = np.einsum("ijt,tj->ti", carriers, moved)
        # Not `+=`: links below two triples move with both.
        np.add.at(self._links.centres, self.below, shifts.take(self.below_triple, 0))

    def _drift_of_step(self, before: Array, now: Array, turn: Array) -> Array:
        """(3, H) drift of each hinge's anchors apart in the step, child's less parent's, world axes, m."""
        # Displacement of the arms' ends by the turn, less that by a straight move.
        left_behind = now - before - np.einsum("ijb,jkb->ikb", turn, before)
        ends = np.einsum("ijh,jh->ih", left_behind.take(self._ends, 2), self._arms)
        hinges = len(self._known)
        drift: Array = ends[:, :hinges] - ends[:, hinges:]
        if not self._all_known:
            drift[:, ~self._known] = 0.0
            self._known[:] = self._all_known = True
        return drift

    def _move_slides(self) -> Array:
        """Put the slides where they belong; returns the displacement of each, m."""
        client, positions = self._client, self._position[:, None].tolist()
        before: list[float] = []
        forces: list[float] = []
        for member in self._members:
            body, slides = member.robot.body, member.slides
            states = pybullet.getJointStates(body, slides, physicsClientId=client)
            before += [state[0] for state in states]
            forces += [state[3] for state in states]
            velocities = [[state[1]] for state in states]
            pybullet.resetJointStatesMultiDof(body, slides, positions[member.own], velocities, physicsClientId=client)
        self._force = np.array(forces)
        moved: Array = self._position - before
        return moved


def _turns_of_step(before: Array, now: Array) -> Array:
    """(3, 3, B) angular velocity of each body times the step, as the matrix of the vector product with it."""
    turned = np.einsum("ijb,kjb->ikb", now, before)
    # ODE's first-order update of quaternions turns by 2 atan(h w / 2).
    turn: Array = turned - turned.transpose(1, 0, 2)
    # The difference has 2 sin(a) along the axis, and the trace is 1 + 2 cos(a). So this is 2 tan(a / 2).
    turn *= 2.0 / np.maximum(1.0 + np.einsum("iib->b", turned), _HALF_TURN)
    return turn

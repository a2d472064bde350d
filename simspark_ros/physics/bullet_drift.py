"""Hinge drift: lets the legs of PyBullet's robots come apart a little, as they do on the classic server.

ODE integrates each body by itself. In one step of a fast hinge its two anchors come apart by the second-order term of
the rotation, and the joint's error reduction takes back only a fifth of that per step: a kicking foot is some 14 mm
lower than its joint angles say, and that is where teams of the league hit the ball. Bullet's reduced coordinates know
no such error. Here three helper slides before the first joint of a chain are moved by the sum of the drifts of the
chain's hinges, computed from how the bodies turned in the step. Positions move, velocities do not.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pybullet

from simspark_ros.physics.bullet_drift_chains import DRIFT_AXES, DriftChains, drift_link
from simspark_ros.physics.bullet_robot import BASE, BulletRobot
from simspark_ros.physics.bullet_settings import BulletSettings
from simspark_ros.physics.engine import Array, BoolArray, IntArray
from simspark_ros.physics.rotations import rotations_from_quaternions


class _Member:
    """One robot that drifts, and its places in the arrays of all."""

    def __init__(
        self, row: int, robot: BulletRobot, chains: DriftChains, bodies: int, hinges: int, slides: int
    ) -> None:
        self.row = row
        self.robot = robot
        self.links = [robot.links[name] for name in chains.bodies if robot.links[name] != BASE]
        self.slides = [robot.links[drift_link(joint, axis)] for joint in chains.joints for axis in DRIFT_AXES]
        self.bodies = slice(bodies, bodies + len(chains.bodies))
        self.hinges = slice(hinges, hinges + len(chains.child))
        self.own = slice(slides, slides + len(self.slides))


class Drift:
    """The drift of a fixed list of robots (rows); make a new one when the list changes."""

    def __init__(self, client: int, settings: BulletSettings, robots: list[BulletRobot], old: Drift | None) -> None:
        """Prepare the arrays; robots that `old` knew keep their drift."""
        self._client = client
        self._settings = settings
        self._members: list[_Member] = []
        chains: list[DriftChains] = []
        bodies = hinges = slides = 0
        for row, robot in enumerate(robots):
            if robot.drift is not None:
                member = _Member(row, robot, robot.drift, bodies, hinges, slides)
                self._members.append(member)
                chains.append(robot.drift)
                bodies, hinges, slides = member.bodies.stop, member.hinges.stop, member.own.stop
        self._base_rows = [member.row for member in self._members]
        self._index(chains)
        self._gap: Array = np.zeros((hinges, 3))
        self._rotation: Array = np.zeros((bodies, 3, 3))
        # Whether the rotations before the step are known.
        self._known: BoolArray = np.zeros(hinges, np.bool_)
        self._position: Array = np.zeros(slides)
        self._force: Array = np.zeros(slides)
        if old is not None:
            self._inherit(old)

    def _index(self, chains: list[DriftChains]) -> None:
        first_body = np.cumsum([0, *(len(one.bodies) for one in chains)])
        first_triple = np.cumsum([0, *(len(one.joints) for one in chains)])
        self._base_bodies = first_body[:-1]
        self._link_bodies = np.setdiff1d(np.arange(first_body[-1]), self._base_bodies)
        self._child = _shifted([one.child for one in chains], first_body)
        self._parent = _shifted([one.parent for one in chains], first_body)
        self._carrier = _shifted([one.carrier for one in chains], first_body)
        self._triple = _shifted([one.triple for one in chains], first_triple)
        no_arms = [np.zeros((0, 3))]
        self._child_arm = np.concatenate([*no_arms, *(one.child_arm for one in chains)])
        self._parent_arm = np.concatenate([*no_arms, *(one.parent_arm for one in chains)])

    def _inherit(self, old: Drift) -> None:
        before = {id(member.robot): member for member in old._members}
        for member in self._members:
            was = before.get(id(member.robot))
            if was is None:
                continue
            self._gap[member.hinges] = old._gap[was.hinges]
            self._known[member.hinges] = old._known[was.hinges]
            self._rotation[member.bodies] = old._rotation[was.bodies]
            self._position[member.own] = old._position[was.own]
            self._force[member.own] = old._force[was.own]

    def forget(self, rows: Iterable[int]) -> None:
        """Robots were put somewhere, with their slides at zero: how they turned meanwhile is no drift."""
        gone = set(rows)
        for member in self._members:
            if member.row in gone:
                self._gap[member.hinges], self._known[member.hinges] = 0.0, False
                self._position[member.own] = self._force[member.own] = 0.0

    def before_step(self) -> None:
        """Let the slides return by the part of the drift that the joints' error reduction takes back."""
        if not self._members:
            return
        settings = self._settings
        # As for motors: aim ahead by what the constraint's softness takes.
        speed = self._position * (-settings.drift_erp / settings.cycle_time) + settings.cfm * self._force
        speeds = speed.tolist()
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

    def after_step(self, bases: Array) -> None:
        """Compute the drift of the step and move the slides there.

        Args:
            bases: (N, 3, 3) rotations of the robots' base links after the step.
        """
        if not self._members:
            return
        before = self._rotation
        now = self._rotation = self._read_rotations(bases)
        self._gap *= 1.0 - self._settings.drift_erp
        self._gap += self._drift_of_step(before, now)
        limit = self._settings.drift_limit
        np.minimum(np.maximum(self._gap, -limit, out=self._gap), limit, out=self._gap)
        shifts = np.zeros((len(self._carrier), 3))
        np.add.at(shifts, self._triple, self._gap)
        self._position = np.einsum("tji,tj->ti", now[self._carrier], shifts).ravel() / self._settings.drift_axis
        self._move_slides()

    def _read_rotations(self, bases: Array) -> Array:
        """(B, 3, 3) of all bodies, link to world."""
        quaternions: list[tuple[float, ...]] = []
        for member in self._members:
            # Without forward kinematics Bullet gives the rotations before the step.
            states = pybullet.getLinkStates(
                member.robot.body, member.links, computeForwardKinematics=1, physicsClientId=self._client
            )
            quaternions.extend(state[5] for state in states)
        rotations = np.empty((len(self._rotation), 3, 3))
        rotations[self._link_bodies] = rotations_from_quaternions(np.array(quaternions).reshape(-1, 4))
        rotations[self._base_bodies] = bases[self._base_rows]
        return rotations

    def _drift_of_step(self, before: Array, now: Array) -> Array:
        """(H, 3) by how much each hinge's anchors came apart in the step, child's less parent's, world axes, m."""
        turned = np.einsum("bij,bkj->bik", now, before)
        # ODE's first-order update of quaternions turns by 2 atan(h w / 2): this is h times its angular velocity.
        axis = np.stack(
            (turned[:, 2, 1] - turned[:, 1, 2], turned[:, 0, 2] - turned[:, 2, 0], turned[:, 1, 0] - turned[:, 0, 1]), 1
        )
        cosine_sum = 1.0 + np.einsum("bii->b", turned)
        turn = axis * (2.0 / np.maximum(cosine_sum, _HALF_TURN))[:, None]
        drift = _left_behind(before, now, turn, self._child, self._child_arm)
        drift -= _left_behind(before, now, turn, self._parent, self._parent_arm)
        drift[~self._known] = 0.0
        self._known[:] = True
        return drift

    def _move_slides(self) -> None:
        client, positions, forces = self._client, self._position[:, None].tolist(), []
        for member in self._members:
            body, slides = member.robot.body, member.slides
            states = pybullet.getJointStates(body, slides, physicsClientId=client)
            forces += [state[3] for state in states]
            velocities = [[state[1]] for state in states]
            pybullet.resetJointStatesMultiDof(body, slides, positions[member.own], velocities, physicsClientId=client)
        self._force = np.array(forces)


def _shifted(indices: list[IntArray], first: IntArray) -> IntArray:
    """Indices into each robot's own arrays as indices into those of all."""
    parts = [own + start for own, start in zip(indices, first[:-1].tolist(), strict=True)]
    return np.concatenate([np.zeros(0, np.int64), *parts])


# Bodies that turn by nearly half a turn in a step have no first-order velocity.
_HALF_TURN = 0.1


def _left_behind(before: Array, now: Array, turn: Array, body: IntArray, arm: Array) -> Array:
    """Where turning took the ends of arms, less where a straight move would have."""
    start = np.einsum("hij,hj->hi", before[body], arm)
    end: Array = np.einsum("hij,hj->hi", now[body], arm)
    (tx, ty, tz), (x, y, z) = turn[body].T, start.T
    end -= start
    # np.cross is slow on small arrays.
    end[:, 0] -= ty * z - tz * y
    end[:, 1] -= tz * x - tx * z
    end[:, 2] -= tx * y - ty * x
    return end

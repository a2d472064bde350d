"""Positions, velocities and efforts of all joints at once, from the table of bodies."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from simspark_ros.kernels.hinge_angles import HingeAngles
from simspark_ros.physics.engine import Array, BoolArray, EngineState, IntArray
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations
from simspark_ros.physics.geometry.transforms import product, rotation_from_rpy
from simspark_ros.physics.model import ArticulatedModel, JointKind
from simspark_ros.physics.model_cache import kept_with_model
from simspark_ros.physics.ode.bodies import ANGULAR, LINEAR, POSITION, QUATERNION, rotations_of
from simspark_ros.physics.rows import offsets

_TURN = 2.0 * math.pi
_HALF_TURN_SQUARED = math.pi**2


class _JointPlaces(NamedTuple):
    """The places of one model's joints.

    Attributes:
        ends: (2, J) indices of each joint's child and parent among the model's links.
        places: (2, J, 3) joint seen from its parent's centre of mass, and centre of mass of its child, m.
        frames: (J, 3, 3) rotation of the joint's frame in the parent.
    """

    ends: IntArray
    places: Array
    frames: Array


@kept_with_model
def _places(model: ArticulatedModel) -> _JointPlaces:
    index = {link.name: number for number, link in enumerate(model.links)}
    centre = {link.name: link.centre for link in model.links}
    joints = model.joints
    ends = [[index[joint.child] for joint in joints], [index[joint.parent] for joint in joints]]
    seen = [np.subtract(joint.position, centre[joint.parent]) for joint in joints]
    places = [*seen, *(centre[joint.child] for joint in joints)]
    frames = np.array([rotation_from_rpy(joint.rpy) for joint in joints]).reshape(-1, 3, 3)
    return _JointPlaces(np.array(ends, np.int64), np.array(places).reshape(2, -1, 3), frames)


class JointTable:
    """A fixed list of robots' joints, whose bodies are in the table of bodies in the same order.

    Attributes:
        any_endless: whether the range of any joint is a whole turn or more.
    """

    def __init__(self, models: list[ArticulatedModel]) -> None:
        joints = [joint for model in models for joint in model.joints]
        firsts = offsets(len(model.links) for model in models)
        parts = [_places(model) for model in models]
        ends = [part.ends + first for part, first in zip(parts, firsts.tolist(), strict=False)]
        self._child, self._parent = np.concatenate([np.zeros((2, 0), np.int64), *ends], axis=1)
        places = np.concatenate([np.zeros((2, 0, 3)), *(part.places for part in parts)], axis=1)
        # ODE knows a hinge's angle within a turn only, which is enough for ranges of less than a turn.
        lower, upper = np.array([(joint.lower, joint.upper) for joint in joints]).reshape(-1, 2).T
        self._endless: BoolArray = ~(upper - lower < _TURN)
        self._middle: Array = np.zeros(len(joints))
        np.add(lower / 2.0, upper / 2.0, out=self._middle, where=~self._endless)
        self.any_endless = bool(self._endless.any())
        slides = np.array([joint.kind is JointKind.PRISMATIC for joint in joints], np.bool_)
        self._slides = np.flatnonzero(slides)
        self._offset, self._centre = places[:, slides]
        axis = np.array([joint.axis for joint in joints]).reshape(-1, 3)
        # (J, 3, 2) columns to project the joint's torque and force on the child onto the motor's effort: a slider needs
        # the force along its axis; a hinge the torque about its axis, less the moment of the force at the anchor.
        lever = np.cross(axis, places[1])
        self._in_child = np.stack((axis, np.where(slides[:, None], axis, lever)), axis=2)
        self._turns = (~slides).astype(float)
        frames = np.concatenate([np.zeros((0, 3, 3)), *(part.frames for part in parts)])
        zeros = np.ascontiguousarray(quaternions_from_rotations(frames)[:, [3, 0, 1, 2]])
        tilts = np.array([model.is_classic for model in models for _ in model.joints], np.uint8)
        self._hinges = HingeAngles(self._child, self._parent, QUATERNION.start, zeros, axis, tilts)

    def positions(self, table: Array, expected: Array) -> Array:
        """Positions (J,) of all joints, rad or m.

        Angles are known up to whole turns. The result is the angle nearest to `expected`; if the range is less than a
        turn and no angle is near, the angle nearest to the middle of the range.
        """
        position: Array = np.empty(len(expected))
        self._hinges.read(table, position)
        apart = expected - position
        # Mostly no joint is a turn away; the sum of squares is the fastest proof.
        if not np.add.reduce(apart * apart) < _HALF_TURN_SQUARED:
            nearest_to = np.where(self._endless, expected, self._middle)
            position += _TURN * np.rint((nearest_to - position) / _TURN)
        if len(self._slides):
            axis = self._in_world(table)[self._slides, :, 0]
            position[self._slides] = (axis * self._slid(table)).sum(axis=1)
        return position

    def velocities(self, table: Array) -> Array:
        """Velocities (J,) of all joints, rad/s or m/s."""
        child, parent = table[self._child], table[self._parent]
        axis = self._in_world(table)[:, :, 0]
        velocity: Array = (axis.T * (child[:, ANGULAR] - parent[:, ANGULAR]).T).sum(axis=0)
        if len(self._slides):
            # A parent that turns carries its slider's child round, which is no motion of the joint.
            child, parent, axis = child[self._slides], parent[self._slides], axis[self._slides]
            turning = np.cross(parent[:, ANGULAR], child[:, POSITION] - parent[:, POSITION])
            velocity[self._slides] = (axis * (child[:, LINEAR] - parent[:, LINEAR] - turning)).sum(axis=1)
        return velocity

    def _in_world(self, table: Array) -> Array:
        """(J, 3, 2) axes and levers, see `_in_child`, in the world frame."""
        turned: Array = product(rotations_of(table.take(self._child, axis=0)), self._in_child)
        return turned

    def _slid(self, table: Array) -> Array:
        """Displacements of the children of sliders from their places at zero, world frame, m."""
        child, parent = table[self._child[self._slides]], table[self._parent[self._slides]]
        zero = np.einsum("jik,jk->ji", rotations_of(parent), self._offset)
        own = np.einsum("jik,jk->ji", rotations_of(child), self._centre)
        apart: Array = child[:, POSITION] - parent[:, POSITION] - zero - own
        return apart

    def efforts(self, feedback: Array, before: Array, besides: Array) -> Array:
        """(J,) efforts of motors and stops in a step plus efforts applied `besides`, N m or N.

        feedback: (J, 16) numbers of `library.Feedback` after the step; before: table of the bodies before it.
        """
        # (J, 3, 2) torque and force on the child, in the order of axis and lever.
        loads = feedback[:, :8].reshape(-1, 2, 4)[:, ::-1, :3].transpose(0, 2, 1)
        along = (self._in_world(before) * loads).sum(axis=1)
        effort: Array = along[:, 0] * self._turns + along[:, 1] + besides
        return effort


class JointRates:
    """Velocities and efforts of joints from one table of the bodies, computed on first use, which is rare."""

    def __init__(self, joints: JointTable, table: Array, effort: Callable[[], Array]) -> None:
        self._joints, self._table, self._effort = joints, table, effort

    @cached_property
    def velocity(self) -> Array:
        """(J,) velocities, rad/s or m/s."""
        return self._joints.velocities(self._table)

    @cached_property
    def effort(self) -> Array:
        """(J,) efforts, N m or N."""
        return self._effort()


class OdeState(EngineState):
    """An EngineState whose joint velocities and efforts are computed on first use."""

    _rates: JointRates
    _velocity: Array | None
    _effort: Array | None

    def set_rates(self, rates: JointRates) -> None:
        """Replace joint velocities and efforts."""
        self._rates = rates
        self._velocity = self._effort = None

    @property
    def joint_velocity(self) -> Array:
        """(J,) velocities, rad/s or m/s."""
        if self._velocity is None:
            self._velocity = self._rates.velocity.copy()
        return self._velocity

    @joint_velocity.setter
    def joint_velocity(self, velocity: Array) -> None:
        self._velocity = velocity

    @property
    def joint_effort(self) -> Array:
        """(J,) efforts of the motors in the last step, N m or N."""
        if self._effort is None:
            self._effort = self._rates.effort.copy()
        return self._effort

    @joint_effort.setter
    def joint_effort(self, effort: Array) -> None:
        self._effort = effort

"""The state of all bodies and joints at once, through numpy views of ODE's own memory."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable

import numpy as np

from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.model import ArticulatedModel, JointKind
from simspark_ros.physics.ode_kinematics import rotation_from_rpy
from simspark_ros.physics.ode_library import OdeLibrary
from simspark_ros.physics.rotations import quaternions_from_rotations

# Columns of the table of bodies. A rotation has ODE's 3 x 4 numbers, a quaternion is w, x, y, z.
POSITION, ROTATION, QUATERNION, LINEAR, ANGULAR = (
    slice(0, 3),
    slice(3, 15),
    slice(15, 19),
    slice(19, 22),
    slice(22, 25),
)
_COLUMNS = ANGULAR.stop
_REAL = ctypes.sizeof(ctypes.c_double)
_TURN = 2.0 * math.pi
# The matrix of the product with a conjugate from the left, made of that quaternion's numbers.
_TAKE = np.array([[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]])
_SIGN = np.array([[1.0, 1.0, 1.0, 1.0], [-1.0, 1.0, 1.0, -1.0], [-1.0, -1.0, 1.0, 1.0], [-1.0, 1.0, -1.0, 1.0]])


class BodyTable:
    """A fixed list of bodies, a row each; make a new one when the list changes.

    ODE's getters return pointers that are good as long as the body lives.
    """

    def __init__(self, library: OdeLibrary, bodies: list[int], drag: list[tuple[float, float]]) -> None:
        """Find the bodies' memory.

        Args:
            library: ODE.
            bodies: to list.
            drag: linear and angular, of each body, N s/m and N m s/rad.
        """
        state = (
            (library.dBodyGetPosition, 3),
            (library.dBodyGetRotation, 12),
            (library.dBodyGetQuaternion, 4),
            (library.dBodyGetLinearVel, 3),
            (library.dBodyGetAngularVel, 3),
        )
        loads = ((library.dBodyGetForce, 3), (library.dBodyGetTorque, 3))
        addresses = _addresses(bodies, state), _addresses(bodies, loads)
        low = min((int(part.min()) for part in addresses if part.size), default=0)
        high = max((int(part.max()) for part in addresses if part.size), default=low - _REAL) + _REAL
        size = (high - low) // _REAL
        self._memory: Array = np.zeros(0)
        if bodies:
            self._memory = np.ctypeslib.as_array(ctypes.cast(low, ctypes.POINTER(ctypes.c_double)), shape=(size,))
        self._state, self._loads = ((part - low) // _REAL for part in addresses)
        self._velocities, self._loads = self._state[:, LINEAR.start :].flatten(), self._loads.flatten()
        self._drag = np.array([[linear] * 3 + [angular] * 3 for linear, angular in drag]).reshape(-1)

    def read(self) -> Array:
        """(B, 25) position of the centre of mass, rotation, quaternion and velocities of all bodies."""
        table: Array = self._memory.take(self._state)
        return table

    def apply_drag(self) -> bool:
        """Add drag to the forces of the next step; False, and nothing added, if a velocity has no finite square."""
        memory = self._memory
        velocities = memory.take(self._velocities)
        if not math.isfinite(velocities.dot(velocities)):
            return False
        memory[self._loads] = memory.take(self._loads) - self._drag * velocities
        return True


def _addresses(bodies: list[int], parts: tuple[tuple[Callable[[int], int], int], ...]) -> IntArray:
    """(B, n) address of each number of the parts of each body."""
    counts = [count for _, count in parts]
    starts = np.array([[get(body) for get, _ in parts] for body in bodies], np.int64).reshape(len(bodies), len(parts))
    steps = np.concatenate([np.arange(count) for count in counts])
    addresses: IntArray = starts.repeat(counts, axis=1) + _REAL * steps
    return addresses


def rotations_of(table: Array) -> Array:
    """(B, 3, 3) body to world."""
    rotations: Array = table[:, ROTATION].reshape(-1, 3, 4)[:, :, :3]
    return rotations


class JointTable:
    """A fixed list of robots' joints; make a new one when the list changes."""

    def __init__(self, models: list[ArticulatedModel]) -> None:
        """Prepare the tables; the robots' bodies stand in the table of bodies in the same order."""
        children, parents, joints, offsets, centres = [], [], [], [], []
        first = 0
        for model in models:
            index = {link.name: first + number for number, link in enumerate(model.links)}
            for joint in model.joints:
                joints.append(joint)
                children.append(index[joint.child])
                parents.append(index[joint.parent])
                offsets.append(np.subtract(joint.position, model.link(joint.parent).centre))
                centres.append(model.link(joint.child).centre)
            first += len(model.links)
        self._child, self._parent = np.array(children, np.int64), np.array(parents, np.int64)
        # Where in the table that which every joint needs stands, a row each with the joints side by side: the matrix of
        # the parent's conjugate, the child's quaternion, and how both spin.
        turn, spin = QUATERNION.start, ANGULAR.start
        self._places = np.concatenate(
            (
                turn + _TAKE.reshape(16, 1) + _COLUMNS * self._parent,
                turn + np.arange(4)[:, None] + _COLUMNS * self._child,
                spin + np.arange(3)[:, None] + _COLUMNS * self._child,
                spin + np.arange(3)[:, None] + _COLUMNS * self._parent,
            )
        )
        slides = np.array([joint.kind is JointKind.PRISMATIC for joint in joints], np.bool_)
        self._slides = np.flatnonzero(slides)
        self._offset = np.array(offsets).reshape(-1, 3)[slides]
        self._centre = np.array(centres).reshape(-1, 3)[slides]
        axis = np.array([joint.axis for joint in joints]).reshape(-1, 3)
        self._axis = np.ascontiguousarray(axis.T)
        # A motor's effort from what its joint does to the child: the force along the axis of a slider; the torque about
        # that of a hinge, less what the forces that hold the anchor have by their lever to the centre of mass.
        lever = np.cross(axis, np.array(centres).reshape(-1, 3))
        self._in_child = np.stack((axis, np.where(slides[:, None], axis, lever)), axis=2)
        self._turns = (~slides).astype(float)
        # The same in the world, as of the last reading.
        self._in_world = self._in_child
        # Orientation of the joint's frame in the parent's, ODE's order w, x, y, z; None if all are the identity.
        frames = np.array([rotation_from_rpy(joint.rpy) for joint in joints]).reshape(-1, 3, 3)
        zero = quaternions_from_rotations(frames)[:, [3, 0, 1, 2]]
        self._zero: Array | None = _conjugates(zero) if zero[:, 1:].any() else None

    def read(self, table: Array, expected: Array) -> tuple[Array, Array]:
        """Positions and velocities (J,) of all joints.

        ODE knows a hinge's angle within half a turn only; whole turns are those nearest to what is expected.

        Args:
            table: of the bodies.
            expected: (J,) about where the joints are.
        """
        child = table.take(self._child, axis=0)
        self._in_world = rotations_of(child) @ self._in_child
        values = table.reshape(-1).take(self._places)
        product = values[:16].reshape(4, 4, -1)
        product *= _SIGN[:, :, None]
        product *= values[16:20]
        relative = product.sum(axis=1)
        if self._zero is not None:
            relative = (self._zero * relative).sum(axis=1)
        vector = relative[1:]
        sine = np.copysign(np.sqrt((vector * vector).sum(axis=0)), (vector * self._axis).sum(axis=0))
        position = 2.0 * np.arctan2(sine, relative[0])
        position += _TURN * np.rint((expected - position) / _TURN)
        axis = self._in_world[:, :, 0]
        velocity = (axis.T * (values[20:23] - values[23:26])).sum(axis=0)
        if len(self._slides):
            self._read_slides(child, table[self._parent], axis, position, velocity)
        return position, velocity

    def _read_slides(self, child: Array, parent: Array, axes: Array, position: Array, velocity: Array) -> None:
        slides = self._slides
        child, parent, axis = child[slides], parent[slides], axes[slides]
        apart = child[:, POSITION] - parent[:, POSITION]
        zero = np.einsum("jik,jk->ji", rotations_of(parent), self._offset)
        own = np.einsum("jik,jk->ji", rotations_of(child), self._centre)
        position[slides] = (axis * (apart - zero - own)).sum(axis=1)
        moving = child[:, LINEAR] - parent[:, LINEAR] - np.cross(parent[:, ANGULAR], apart)
        velocity[slides] = (axis * moving).sum(axis=1)

    def motor_efforts(self, feedback: Array) -> Array:
        """What motors and stops did in a step, (J,) N m or N; to be called before the bodies are read again.

        Args:
            feedback: (J, 16) of the joints after the step, see `ode_library.Feedback`.
        """
        # Torque and force on the child beside axis and lever.
        loads = feedback[:, :8].reshape(-1, 2, 4)[:, ::-1, :3].transpose(0, 2, 1)
        along = (self._in_world * loads).sum(axis=1)
        effort: Array = along[:, 0] * self._turns + along[:, 1]
        return effort


def _conjugates(quaternions: Array) -> Array:
    """(4, 4, n) matrices of the products with the conjugates of quaternions (n, 4), w, x, y, z, from the left."""
    matrices: Array = quaternions[:, _TAKE] * _SIGN
    return np.ascontiguousarray(matrices.transpose(1, 2, 0))

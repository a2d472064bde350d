"""The state of all bodies at once, through numpy views of ODE's own memory."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable

import numpy as np

from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.ode.library import OdeLibrary

# Columns of the table of bodies. A rotation has ODE's 3 x 4 numbers, a quaternion is w, x, y, z.
POSITION, ROTATION, QUATERNION = slice(0, 3), slice(3, 15), slice(15, 19)
LINEAR, ANGULAR = slice(19, 22), slice(22, 25)
COLUMNS = ANGULAR.stop
_REAL = ctypes.sizeof(ctypes.c_double)


class BodyTable:
    """A fixed list of bodies with their linear and angular drag (N s/m, N m s/rad), a row each.

    ODE's getters return pointers that are good as long as the body lives.
    """

    def __init__(self, library: OdeLibrary, bodies: list[int], drag: list[tuple[float, float]]) -> None:
        state = (
            (library.dBodyGetPosition, 3),
            (library.dBodyGetRotation, 12),
            (library.dBodyGetQuaternion, 4),
            (library.dBodyGetLinearVel, 3),
            (library.dBodyGetAngularVel, 3),
        )
        loads = ((library.dBodyGetForce, 3), (library.dBodyGetTorque, 3))
        addresses = _addresses(bodies, state), _addresses(bodies, loads)
        # One view from the lowest to the highest address of all bodies, of which indices take the numbers.
        low = min((int(part.min()) for part in addresses if part.size), default=0)
        high = max((int(part.max()) for part in addresses if part.size), default=low - _REAL) + _REAL
        size = (high - low) // _REAL
        self._memory: Array = np.zeros(0)
        if bodies:
            self._memory = np.asarray(_Numbers(low, size))
        self._state, self._loads = ((part - low) // _REAL for part in addresses)
        self._velocities, self._loads = self._state[:, LINEAR.start :].flatten(), self._loads.flatten()
        self._drag = np.array([[linear] * 3 + [angular] * 3 for linear, angular in drag]).reshape(-1)

    def read(self) -> Array:
        """(B, 25) position of the centre of mass, rotation, quaternion and velocities of all bodies."""
        return self._memory[self._state]

    def apply_drag(self) -> bool:
        """Add drag to the forces of the next step; False, and nothing added, if a velocity has no finite square."""
        memory = self._memory
        velocities = memory[self._velocities]
        if not math.isfinite(velocities.dot(velocities)):
            return False
        memory[self._loads] -= self._drag * velocities
        return True


class _Numbers:
    """`count` doubles in memory for numpy; an array by ctypes would leave a type for each size in ctypes' caches."""

    def __init__(self, address: int, count: int) -> None:
        self.__array_interface__ = {"data": (address, False), "shape": (count,), "typestr": "<f8", "version": 3}


def _addresses(bodies: list[int], parts: tuple[tuple[Callable[[int], int], int], ...]) -> IntArray:
    """(B, n) address of each number of the parts of each body."""
    counts = [count for _, count in parts]
    # All getters return members of the body itself, so the first one tells where the others have theirs.
    members = [get(body) - body for body in bodies[:1] for get, _ in parts]
    starts = np.array(bodies, np.int64)[:, None] + np.array(members or [0] * len(parts), np.int64)
    steps = np.concatenate([np.arange(count) for count in counts])
    addresses: IntArray = starts.repeat(counts, axis=1) + _REAL * steps
    return addresses


def rotations_of(table: Array) -> Array:
    """(B, 3, 3) body to world."""
    return table[:, ROTATION].reshape(-1, 3, 4)[:, :, :3]

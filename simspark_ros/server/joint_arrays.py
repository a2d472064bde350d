"""Joint commands of all clients as arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class JointArrays:
    """Turns lists of whom and what clients command into arrays.

    Most clients command the same joints in every cycle: arrays of the cycle before are used again while they are true,
    which is why nobody may write into them.
    """

    def __init__(self) -> None:
        """Nobody has commanded anything yet."""
        self._owners: tuple[list[int], list[int]] = ([], [])
        self._joint_list: list[int] = []
        self._handles = _array([])
        self._joints = _array([])

    def handles(self, robots: list[int], counts: list[int]) -> NDArray[np.int64]:
        """(K,) the robots' handles, each repeated as often as it has commands."""
        owners = (robots, counts)
        if owners != self._owners:
            self._owners = owners
            self._handles = np.repeat(_array(robots), counts)
            self._handles.flags.writeable = False
        return self._handles

    def joints(self, joints: list[int]) -> NDArray[np.int64]:
        """(K,) indices of the commanded joints."""
        if joints != self._joint_list:
            self._joint_list = joints
            self._joints = _array(joints)
        return self._joints


def _array(numbers: list[int]) -> NDArray[np.int64]:
    array = np.array(numbers, np.int64)
    array.flags.writeable = False
    return array

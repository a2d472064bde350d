"""Joint perceptors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from simspark_ros.perceptors.base import Mount, Perceptor
from simspark_ros.physics.engine import Array, BoolArray
from simspark_ros.soccer.world import World


class HingeJointPerceptor(Perceptor):
    """Angle of a hinge joint, rad; no noise (user manual, "HingeJoint Perceptor")."""

    columns: ClassVar[tuple[str, ...]] = ("angle",)

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Find each mount's joint in the flat joint arrays."""
        state = world.engine.state
        self._starts = np.array([mount.start for mount in mounts], np.int64)
        self._joints = np.array([state.joint_offset[m.row] + _index_of_joint(m) for m in mounts], np.int64)

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Copy the joint angles."""
        values[self._starts] = world.engine.state.joint_position.take(self._joints)


def _index_of_joint(mount: Mount) -> int:
    names = [joint.name for joint in mount.robot.description.model.joints]
    return names.index(mount.spec.link or mount.spec.name)

"""Joint perceptors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from simspark_ros.configuration.errors import cut
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.perceptors.base import Mount, Perceptor, parameters, parameters_of, selection
from simspark_ros.physics.engine import Array, BoolArray
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.worlds.world import World


@dataclass(frozen=True)
class HingeJointParameters:
    """Parameters in YAML. velocity: whether the joint's velocity is reported, too."""

    velocity: bool = False


class _JointPerceptor(Perceptor):
    def check(self, spec: PerceptorSpec, description: RobotDescription) -> None:
        """Refuse joints that the robot does not have."""
        super().check(spec, description)
        known = [joint.name for joint in description.model.joints]
        joints = _joints(spec) if len(self.columns) == 2 else [spec.link or spec.name]
        if len(joints) != len(self.columns) or not set(joints) <= set(known):
            count, there = ("two joints" if len(self.columns) == 2 else "a joint"), ", ".join(known) or "none"
            text = f"needs {count} out of {there}, not {cut(str(joints), 80)}"
            raise ConfigurationError(f"{description.place(spec)}: {text}")


class HingeJointPerceptor(_JointPerceptor):
    """Angle of a hinge joint, rad, and its velocity, rad/s, if wanted; no noise (user manual, "HingeJoint Perceptor").

    Joints that slide have m and m/s.
    """

    columns: ClassVar[tuple[str, ...]] = ("angle",)
    optional_columns: ClassVar[tuple[str, ...]] = ("velocity",)
    options: ClassVar[type[Any]] = HingeJointParameters
    tunable = False

    @classmethod
    def columns_of(cls, spec: PerceptorSpec) -> tuple[str, ...]:
        """The angle, and the velocity if it is wanted."""
        velocity = parameters_of(HingeJointParameters, spec).velocity
        return (*cls.columns, *cls.optional_columns) if velocity else cls.columns

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Find each mount's joint in the flat joint arrays."""
        state = world.engine.state
        self._starts = np.array([mount.start for mount in mounts], np.int64)
        indices = _indices(mounts, world)
        joints = [indices[mount.row][mount.spec.link or mount.spec.name] for mount in mounts]
        self._joints = selection(joints, len(state.joint_position))
        moving = [i for i, mount in enumerate(mounts) if parameters(HingeJointParameters, mount).velocity]
        self._moving = np.array([joints[i] for i in moving], np.int64)
        self._speeds = self._starts[moving] + 1

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Copy the joint angles and velocities."""
        angles = world.engine.state.joint_position
        values[self._starts] = angles if self._joints is None else angles[self._joints]
        if self._moving.size:
            values[self._speeds] = world.engine.state.joint_velocity[self._moving]


class UniversalJointPerceptor(_JointPerceptor):
    """Angles of the two hinge joints of a universal joint, rad; no noise (user manual, "UniversalJoint Perceptor").

    The parameter `joints` has their names.
    """

    columns: ClassVar[tuple[str, ...]] = ("angle1", "angle2")

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Find each mount's joints in the flat joint arrays."""
        self._places = np.array([mount.start for mount in mounts], np.int64)[:, None] + np.arange(2)
        indices = _indices(mounts, world)
        joints = [[indices[mount.row][name] for name in _joints(mount.spec)] for mount in mounts]
        self._joints = np.array(joints, np.int64).reshape(-1, 2)

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Copy the joint angles."""
        values[self._places] = world.engine.state.joint_position.take(self._joints)


def _joints(spec: PerceptorSpec) -> list[str]:
    joints = spec.parameters.get("joints")
    return [str(joint) for joint in joints] if isinstance(joints, list | tuple) else []


def _indices(mounts: Sequence[Mount], world: World) -> dict[int, dict[str, int]]:
    """Index of each joint in the flat joint arrays, by the rows of the robots with mounts and by the joints' names."""
    first = world.engine.state.joint_offset.tolist()
    models = {mount.row: mount.robot.description.model for mount in mounts}
    return {row: {joint.name: first[row] + i for i, joint in enumerate(model.joints)} for row, model in models.items()}

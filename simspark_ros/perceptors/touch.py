"""Force resistance and touch perceptors, on links with measured contacts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from simspark_ros.configuration.schema import ConfigurationError, Error, Range
from simspark_ros.perceptors.base import Mount, Perceptor, Topic, TopicParameters, parameters, selection
from simspark_ros.physics.engine import Array, BoolArray, IntArray
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.worlds.world import World


@dataclass(frozen=True)
class ForceResistanceParameters(TopicParameters):
    """Parameters in YAML. noise: standard deviation of each axis of the force, N."""

    noise: Annotated[float, Range(0.0, 1000.0, "N"), Error()] = 0.0


class _Touching(Perceptor):
    options: ClassVar[type[Any]] = TopicParameters
    needs_link: ClassVar[bool] = True

    def check(self, spec: PerceptorSpec, description: RobotDescription) -> None:
        """Refuse links without measured contacts."""
        super().check(spec, description)
        links = description.model.touch_links
        if spec.link not in links:
            raise ConfigurationError(
                f"{description.place(spec)}: link '{spec.link}' is not a touch link; touch links are: "
                f"{', '.join(links) or 'none'}"
            )


class ForceResistancePerceptor(_Touching):
    """Force-weighted mean contact point (m) and total contact force (N), both in the axes of the link.

    The point is relative to the link's centre of mass. Absent without contact (user manual, "ForceResistance
    Perceptor").
    """

    columns: ClassVar[tuple[str, ...]] = ("px", "py", "pz", "fx", "fy", "fz")
    options: ClassVar[type[Any]] = ForceResistanceParameters

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Find each mount's link in the touch arrays."""
        self._touch = _touch_links(mounts, world)
        self._flags = np.array([mount.flag for mount in mounts], np.int64)
        starts = np.array([mount.start for mount in mounts], np.int64)[:, None]
        self._points, self._forces = starts + np.arange(3), starts + np.arange(3, 6)
        self._noise = np.array([[parameters(ForceResistanceParameters, mount).noise] for mount in mounts])
        self._noisy = bool(self._noise.any())

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Copy what the engine measured."""
        state, touch = world.engine.state, self._touch
        point, force, touching = state.touch_point, state.touch_force, state.touching
        if touch is not None:
            point, force, touching = point[touch], force[touch], touching[touch]
        values[self._points] = point
        if self._noisy:
            force = force + self._noise * self.random.standard_normal(force.shape)
        values[self._forces] = force
        present[self._flags] = touching


class TouchPerceptor(_Touching):
    """1 while the link touches something, else 0 (user manual, "Touch Perceptor")."""

    columns: ClassVar[tuple[str, ...]] = ("touching",)
    topics: ClassVar[tuple[Topic, ...]] = (Topic("std_msgs/msg/Bool", "touch/{name}", {"data": "touching"}),)

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Find each mount's link in the touch arrays."""
        self._touch = _touch_links(mounts, world)
        self._starts = np.array([mount.start for mount in mounts], np.int64)

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Copy what the engine measured."""
        touching = world.engine.state.touching
        values[self._starts] = touching if self._touch is None else touching[self._touch]


def _touch_links(mounts: Sequence[Mount], world: World) -> IntArray | None:
    state = world.engine.state
    own = [mount.robot.description.model.touch_links.index(mount.spec.link) for mount in mounts]
    indices = [int(state.touch_offset[mount.row]) + index for mount, index in zip(mounts, own, strict=True)]
    return selection(indices, len(state.touching))

"""Force-torque sensors in joints, by the balance of momentum of the links beyond the joint."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from simspark_ros.configuration.schema import ConfigurationError, Error, Range
from simspark_ros.perceptors.base import Mount, MountKey, Perceptor, Topic, TopicParameters, origin_of, parameters
from simspark_ros.physics.engine import Array, BoolArray
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.worlds.world import World

_AXES = ("x", "y", "z")


@dataclass(frozen=True)
class ForceTorqueParameters(TopicParameters):
    """Parameters in YAML. force_noise, torque_noise: standard deviations of each axis, N and N m."""

    force_noise: Annotated[float, Range(0.0, 1000.0, "N"), Error()] = 0.0
    torque_noise: Annotated[float, Range(0.0, 1000.0, "N m"), Error()] = 0.0


class ForceTorquePerceptor(Perceptor):
    """Force (N) and torque (N m) that a link and all beyond it exert on its parent, at the link's origin in its axes.

    The reading is the mean over the last cycle, by Newton and Euler for the body beyond the joint: its change of
    momentum less gravity and contacts. So the sensor is the same on all engines, without their solvers' internal
    forces. Contacts of all links beyond have to be measured. The sensor leaves out the drag of the air, and torques of
    contacts about their own mean point. Sensed on demand; the first reading comes a cycle later.
    """

    columns: ClassVar[tuple[str, ...]] = (*(f"force_{axis}" for axis in _AXES), *(f"torque_{axis}" for axis in _AXES))
    options: ClassVar[type[Any]] = ForceTorqueParameters
    needs_link: ClassVar[bool] = True
    topics: ClassVar[tuple[Topic, ...]] = (
        Topic(
            "geometry_msgs/msg/WrenchStamped",
            "{name}/wrench",
            {f"wrench.{kind}.{axis}": f"{kind}_{axis}" for kind in ("force", "torque") for axis in _AXES},
        ),
    )

    def __init__(self, random: np.random.Generator) -> None:
        super().__init__(random)
        self._mounts: Sequence[Mount] = ()
        self._served: Collection[MountKey] = ()
        self._keys: list[MountKey] = []
        # (M, 6) linear and angular momentum about the world's origin at the end of the last cycle.
        self._momentum: Array = np.zeros((0, 6))
        self._cycle = -1

    def check(self, spec: PerceptorSpec, description: RobotDescription) -> None:
        """Refuse links without a joint, and links without measured contacts on all links beyond."""
        super().check(spec, description)
        model, place = description.model, description.place(spec)
        carried = [link.name for link in model.links[1:]]
        if spec.link not in carried:
            known = ", ".join(carried) or "none"
            raise ConfigurationError(f"{place}: no joint carries link '{spec.link}'; joints carry: {known}")
        missing = [link.name for link in model.beyond(spec.link) if link.collisions]
        missing = [name for name in missing if name not in model.touch_links]
        if missing:
            raise ConfigurationError(
                f"{place}: contacts must be measured on link '{spec.link}' and all links beyond; add to touch_links: "
                + ", ".join(missing)
            )

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Take the mounts, and find the links of demanded ones."""
        self._mounts = mounts
        self._flags = np.array([mount.flag for mount in mounts], np.int64)
        self._select(world)

    def _select(self, world: World) -> None:
        """Find the links beyond the joints of demanded mounts; keep the momentum of mounts that stay."""
        self._served = self.demanded
        mounts = [mount for mount in self._mounts if mount.key in self.demanded]
        known = dict(zip(self._keys, self._momentum, strict=True))
        self._keys = [mount.key for mount in mounts]
        self._momentum = np.array([known.get(key, np.full(6, np.nan)) for key in self._keys]).reshape(-1, 6)
        if not mounts:
            return
        models = [mount.robot.description.model for mount in mounts]
        beyond = [model.beyond(mount.spec.link) for model, mount in zip(models, mounts, strict=True)]
        links = [(mount, link) for mount, own in zip(mounts, beyond, strict=True) for link in own]
        self._links = world.engine.select_links([(mount.robot.handle, link.name) for mount, link in links])
        # (M,) index of each sensor's first link, which its joint carries; links (K) of a sensor are neighbours.
        self._first = np.cumsum([0, *(len(own) for own in beyond[:-1])])
        self._mass = np.array([link.mass for _, link in links])[:, None]
        self._inertia = np.array([link.inertia_matrix for _, link in links])
        self._origin = np.array(
            [origin_of(model, mount.spec.link) for model, mount in zip(models, mounts, strict=True)]
        )
        offset = world.engine.state.touch_offset
        touches = [
            (int(offset[mount.row]) + mount.robot.description.model.touch_links.index(link.name), number)
            for number, (mount, link) in enumerate(links)
            if link.name in mount.robot.description.model.touch_links
        ]
        self._touch, self._touched = np.array(touches, np.int64).reshape(-1, 2).T
        self._places = np.array([mount.start for mount in mounts], np.int64)[:, None] + np.arange(6)
        self._flags_of = np.array([mount.flag for mount in mounts], np.int64)
        options = [parameters(ForceTorqueParameters, mount) for mount in mounts]
        self._noise = np.array([[one.force_noise] * 3 + [one.torque_noise] * 3 for one in options])

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Balance the momentum of each body beyond a joint."""
        present[self._flags] = False
        if self._served is not self.demanded:
            self._select(world)
        if not self._keys:
            return
        centres, rotations = world.engine.link_poses(self._links)
        linear, angular = world.engine.link_velocities(self._links)
        moved = self._mass * linear
        own = np.einsum("kij,ki->kj", rotations, angular)
        spin = np.einsum("kij,kj->ki", rotations, np.einsum("kij,kj->ki", self._inertia, own))
        # About the world's origin, one point for all links, so that the sums need no shift.
        momentum = self._sum(moved, np.cross(centres, moved) + spin)
        change = (momentum - self._momentum) / world.elapsed if world.elapsed else np.full_like(momentum, np.nan)
        # NaN marks a momentum that is not of the last cycle: no change is known, and the sensor stays silent.
        if self._cycle != world.cycle - 1:
            change[:] = np.nan
        self._momentum, self._cycle = momentum, world.cycle
        readings = self._at_joints(self._outer(world, centres, rotations) - change, centres, rotations)
        if self._noise.any():
            readings += self._noise * self.random.standard_normal(readings.shape)
        known = np.isfinite(change[:, 0])
        values[self._places[known]] = readings[known]
        present[self._flags_of[known]] = True

    def _sum(self, linear: Array, angular: Array) -> Array:
        """Sums (M, 6) of vectors of links (K, 3) over the links of each sensor."""
        both = np.concatenate((linear, angular), axis=1)
        return np.add.reduceat(both, self._first)

    def _outer(self, world: World, centres: Array, rotations: Array) -> Array:
        """Forces and torques (M, 6) of gravity and contacts about the world's origin."""
        forces = self._mass * np.array(world.scene.gravity)
        torques = np.cross(centres, forces)
        state, turns = world.engine.state, rotations[self._touched]
        contact = np.einsum("kij,kj->ki", turns, state.touch_force[self._touch])
        points = centres[self._touched] + np.einsum("kij,kj->ki", turns, state.touch_point[self._touch])
        forces[self._touched] += contact
        torques[self._touched] += np.cross(points, contact)
        return self._sum(forces, torques)

    def _at_joints(self, wrenches: Array, centres: Array, rotations: Array) -> Array:
        """Turn wrenches (M, 6) about the world's origin into wrenches about the joints, in the axes of their links."""
        turn = rotations[self._first]
        origin = centres[self._first] + np.einsum("kij,kj->ki", turn, self._origin)
        force, torque = wrenches[:, :3], wrenches[:, 3:] - np.cross(origin, wrenches[:, :3])
        return np.hstack((np.einsum("ki,kij->kj", force, turn), np.einsum("ki,kij->kj", torque, turn)))

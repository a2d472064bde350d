"""Gyroscopes and accelerometers on any link or frame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from simspark_ros.perceptors.base import Mount, Perceptor, parameters, selection
from simspark_ros.physics.engine import Array, BoolArray, LinkSelection
from simspark_ros.soccer.world import World


@dataclass(frozen=True)
class InertialParameters:
    """Parameters in YAML. noise: standard deviation of each axis, rad/s or m/s2."""

    noise: float = 0.0


class _Inertial(Perceptor):
    columns: ClassVar[tuple[str, ...]] = ("x", "y", "z")
    options = InertialParameters

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Store rows and value indices of the mounts, and select the links other than bases."""
        rows = [mount.row for mount in mounts]
        away = [i for i, mount in enumerate(mounts) if mount.spec.link not in ("", _base(mount))]
        self._links: LinkSelection | None = None
        self._rows = selection(rows, len(world.robots))
        if away:
            self._links = world.engine.select_links([(mounts[i].robot.handle, mounts[i].spec.link) for i in away])
            self._rows, self._away = np.array(rows, np.int64), np.array(away, np.int64)
        self._places = np.array([mount.start for mount in mounts], np.int64)[:, None] + np.arange(3)
        self._noise = np.array([parameters(InertialParameters, mount).noise for mount in mounts])[:, None]
        self._noisy = bool(self._noise.any())

    def _velocities(self, world: World) -> tuple[Array, Array]:
        """Linear and angular velocities (M, 3) where the mounts are, world frame."""
        engine = world.engine
        linear, angular = engine.state.linear_velocity[self._rows], engine.state.angular_velocity[self._rows]
        if self._links is not None:
            linear[self._away], angular[self._away] = engine.link_velocities(self._links)
        return linear, angular

    def _write(self, world: World, vectors: Array, values: Array) -> None:
        """Rotate world vectors (M, 3) into the axes of what carries the mounts, add noise and store them."""
        rotations = world.engine.state.rotation[self._rows]
        if self._links is not None:
            _, rotations[self._away] = world.engine.link_poses(self._links)
        readings = (vectors[:, None] @ rotations)[:, 0]
        if self._noisy:
            readings += self._noise * self.random.standard_normal(readings.shape)
        values[self._places] = readings


def _base(mount: Mount) -> str:
    return mount.robot.description.model.base.name


class GyroscopePerceptor(_Inertial):
    """Angular velocity of the link or frame that carries it in its own axes (x forward, y left, z up), rad/s."""

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Rotate the angular velocities into the links."""
        self._write(world, self._velocities(world)[1], values)


class AccelerometerPerceptor(_Inertial):
    """Specific force at a link's centre of mass or a frame's origin, in its axes, m/s2: +g upward at rest, 0 in a fall.

    As measured on the reference it is the velocity difference over one cycle minus gravity, so that being placed
    somewhere else while falling shows as a spike (NAO model reference, "Sensors"). The velocity is that of the point
    itself, so away from the centre of a turning robot it has a + alpha x r + omega x (omega x r).
    """

    def __init__(self, random: np.random.Generator) -> None:
        super().__init__(random)
        self._keys: list[tuple[int, str]] = []
        self._previous: Array = np.zeros((0, 3))

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Carry over the last velocity of robots that stay; a new robot starts at rest."""
        last = dict(zip(self._keys, self._previous.tolist(), strict=True))
        super().bind(mounts, world)
        self._keys = [(mount.robot.handle, mount.spec.name) for mount in mounts]
        self._previous = np.array([last.get(key, (0.0, 0.0, 0.0)) for key in self._keys]).reshape(-1, 3)
        self._gravity = np.array(world.scene.gravity)

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Difference the velocities and rotate them into the links."""
        velocity, _ = self._velocities(world)
        # Before the first step no time has passed and no velocity has changed.
        acceleration = (velocity - self._previous) / (world.elapsed or math.inf)
        acceleration -= self._gravity
        self._previous = velocity.copy()
        self._write(world, acceleration, values)

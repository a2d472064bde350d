"""Gyroscope and accelerometer of the base link."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.perceptors.base import Mount, Perceptor, parameters, selection
from simspark_ros.physics.engine import Array, BoolArray
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.soccer.world import World


@dataclass(frozen=True)
class InertialParameters:
    """Parameters in YAML. noise: standard deviation of each axis, rad/s or m/s2."""

    noise: float = 0.0


class _Inertial(Perceptor):
    columns: ClassVar[tuple[str, ...]] = ("x", "y", "z")
    options = InertialParameters

    def check(self, spec: PerceptorSpec, description: RobotDescription) -> None:
        """Refuse links other than the base: the engine reports only its motion."""
        super().check(spec, description)
        base = description.model.base.name
        if spec.link not in ("", base):
            raise ConfigurationError(
                f"{description.place(spec)}: link '{spec.link}' is not the base; only '{base}' can carry it"
            )

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Store rows and value indices of the mounts."""
        self._rows = selection([mount.row for mount in mounts], len(world.robots))
        self._places = np.array([mount.start for mount in mounts], np.int64)[:, None] + np.arange(3)
        self._noise = np.array([parameters(InertialParameters, mount).noise for mount in mounts])[:, None]
        self._noisy = bool(self._noise.any())

    def _write(self, world: World, vectors: Array, values: Array) -> None:
        """Rotate world vectors (M, 3) into the base links' axes, add noise and store them."""
        readings = (vectors[:, None] @ world.engine.state.rotation[self._rows])[:, 0]
        if self._noisy:
            readings += self._noise * self.random.standard_normal(readings.shape)
        values[self._places] = readings


class GyroscopePerceptor(_Inertial):
    """Angular velocity of the base link in its own axes (x forward, y left, z up), rad/s."""

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Rotate the angular velocities into the bodies."""
        self._write(world, world.engine.state.angular_velocity[self._rows], values)


class AccelerometerPerceptor(_Inertial):
    """Specific force at the base link's centre in its own axes, m/s2: +g upward at rest, 0 in free fall.

    As measured on the reference it is the velocity difference over one cycle minus gravity, so that being placed
    somewhere else while falling shows as a spike (NAO model reference, "Sensors").
    """

    def __init__(self, random: np.random.Generator) -> None:
        super().__init__(random)
        self._handles: list[int] = []
        self._previous: Array = np.zeros((0, 3))

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Carry over the last velocity of robots that stay; a new robot starts at rest."""
        last = dict(zip(self._handles, self._previous.tolist(), strict=True))
        super().bind(mounts, world)
        self._handles = [mount.robot.handle for mount in mounts]
        self._previous = np.array([last.get(handle, (0.0, 0.0, 0.0)) for handle in self._handles]).reshape(-1, 3)
        self._gravity = np.array(world.scene.gravity)

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Difference the velocities and rotate them into the bodies."""
        velocity = world.engine.state.linear_velocity[self._rows]
        # Before the first step no time has passed and no velocity has changed.
        acceleration = (velocity - self._previous) / (world.elapsed or math.inf)
        acceleration -= self._gravity
        self._previous = velocity.copy()
        self._write(world, acceleration, values)

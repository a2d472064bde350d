"""Gyroscopes and accelerometers on any link or frame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from simspark_ros.configuration.schema import Error, Range, build
from simspark_ros.kernels.inertial import InertialKernel
from simspark_ros.perceptors.base import Mount, Perceptor, Topic, TopicParameters, parameters
from simspark_ros.physics.engine import Array, BoolArray, LinkSelection
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.worlds.world import World

LEAST_DEVIATION = 1e-3
"""Standard deviation that messages report for a reading without noise, rad/s, m/s2 or rad: a covariance of zeros says
that it is unknown (REP-145)."""


@dataclass(frozen=True)
class InertialParameters(TopicParameters):
    """Parameters in YAML. noise: standard deviation of each axis, rad/s or m/s2."""

    noise: Annotated[float, Range(0.0, 1000.0), Error()] = 0.0


@dataclass(frozen=True)
class AccelerometerParameters(InertialParameters):
    """Parameters in YAML. delay: error of time, cycles from a change of velocity to the percept that reports it."""

    delay: Annotated[Literal[0, 1], Error(neutral=0)] = 0


_NO_NUMBERS = np.zeros((0, 3))


class _Inertial(Perceptor):
    columns: ClassVar[tuple[str, ...]] = ("x", "y", "z")
    options: ClassVar[type[Any]] = InertialParameters
    on_frames: ClassVar[bool] = True
    _copies = False

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Store rows and value indices of the mounts, and select the links other than bases."""
        rows = np.array([mount.row for mount in mounts], np.int64)
        away = [i for i, mount in enumerate(mounts) if mount.spec.link not in ("", _base(mount))]
        self._links: LinkSelection | None = None
        self._rows = rows if away or self._copies else None  # None: the kernel finds them in the arrays of all robots
        if away:
            self._links = world.engine.select_links([(mounts[i].robot.handle, mounts[i].spec.link) for i in away])
            self._away = np.array(away, np.int64)
        self._parameters: list[Any] = [parameters(self.options, mount) for mount in mounts]
        noise = np.array([one.noise for one in self._parameters])
        self._noisy = bool(noise.any())
        self._kernel = InertialKernel(
            rows=rows if self._rows is None else np.arange(len(mounts)),
            starts=np.array([mount.start for mount in mounts], np.int64),
            noise=noise,
            delayed=np.array([getattr(one, "delay", 0) for one in self._parameters], np.uint8),
            gravity=np.array(world.scene.gravity),
            velocity=np.zeros((len(mounts), 3)),
            readings=np.zeros((len(mounts), 3)),
        )

    def _velocities(self, world: World, turning: bool) -> Array:
        """Angular or linear velocities at the mounts or of all robots, world frame."""
        state = world.engine.state
        velocities = state.angular_velocity if turning else state.linear_velocity
        velocities = velocities if self._rows is None else velocities[self._rows]
        if self._links is not None:
            velocities[self._away] = world.engine.link_velocities(self._links)[turning]
        return velocities

    def _rotations(self, world: World) -> Array:
        """Rotations to the world from the links that carry the mounts, or from all robots."""
        rotations = world.engine.state.rotation
        rotations = rotations if self._rows is None else rotations[self._rows]
        if self._links is not None:
            _, rotations[self._away] = world.engine.link_poses(self._links)
        return rotations

    def _numbers(self) -> Array:
        """Numbers (M, 3) of a standard normal distribution, for noise; (0, 3) if no mount has noise."""
        return self.random.standard_normal((len(self._parameters), 3)) if self._noisy else _NO_NUMBERS


def _base(mount: Mount) -> str:
    return mount.robot.description.model.base.name


class GyroscopePerceptor(_Inertial):
    """Angular velocity of the link or frame that carries it in its own axes (x forward, y left, z up), rad/s."""

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Rotate the angular velocities into the links."""
        self._kernel.turn(self._velocities(world, turning=True), self._rotations(world), self._numbers(), values)


class AccelerometerPerceptor(_Inertial):
    """Specific force at a link's centre of mass or a frame's origin, in its axes, m/s2: +g upward at rest, 0 in a fall.

    As measured on the reference it is the velocity difference over one cycle minus gravity, so that being placed
    somewhere else while falling shows as a spike (NAO model reference, "Sensors"). It uses the velocity of the point
    itself, so away from the centre of a turning robot it reads a + alpha x r + omega x (omega x r).

    The reference, rcssserver3d 0.7.3 in both threading modes, reports it a cycle after all else: parameter `delay`.
    """

    options: ClassVar[type[Any]] = AccelerometerParameters

    def __init__(self, random: np.random.Generator) -> None:
        super().__init__(random)
        self._keys: list[tuple[int, str]] = []

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Carry over the memory of robots that stay; a new robot starts at rest, and a delayed sensor with zeros."""
        last = {key: (self._velocity[i].copy(), self._readings[i].copy()) for i, key in enumerate(self._keys)}
        # The engine knows accelerations by mount.
        self._copies = world.engine.servos
        super().bind(mounts, world)
        self._keys = [(mount.robot.handle, mount.spec.name) for mount in mounts]
        self._all: LinkSelection | None = None
        if world.engine.servos and mounts:
            self._all = world.engine.select_links([(m.robot.handle, m.spec.link or _base(m)) for m in mounts])
        # Values of the last cycle, (M, 3) each, which the kernel shares.
        self._velocity: Array = np.asarray(self._kernel.velocity)
        self._readings: Array = np.asarray(self._kernel.readings)
        for index, key in enumerate(self._keys):
            if key in last:
                self._velocity[index], self._readings[index] = last[key]

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Difference the velocities and rotate them into the links, unless the engine knows the accelerations."""
        known = None if self._all is None else world.engine.link_accelerations(self._all)
        if known is not None:
            self._kernel.turn(known, self._rotations(world), self._numbers(), values)
            return
        velocity = self._velocities(world, turning=False)
        # Before the first step no time has passed and no velocity has changed.
        seconds = world.elapsed or math.inf
        self._kernel.accelerate(velocity, self._rotations(world), seconds, self._numbers(), values)


@dataclass(frozen=True)
class MagnetometerParameters(InertialParameters):
    """Parameters in YAML.

    Attributes:
        field: Earth's magnetic field in the axes of the world, T. The default has y as north (REP-103: east, north, up)
            and is about the field of central Europe.
        noise: standard deviation of each axis, T.
    """

    field: tuple[float, float, float] = (0.0, 2.0e-5, -4.4e-5)


_LEAST = 1e-9
"""Standard deviation of a reading without noise, T: a covariance of zeros says "unknown"."""


class MagnetometerPerceptor(_Inertial):
    """The magnetic field in the axes of the link or frame that carries it, T."""

    options: ClassVar[type[Any]] = MagnetometerParameters
    # Fields are by mount.
    _copies = True

    @classmethod
    def topics_of(cls, spec: PerceptorSpec) -> tuple[Topic, ...]:
        """`imu/mag` (REP-145), or `imu/NAME/mag` if the instance has a name of its own."""
        variance = max(_LEAST, build(MagnetometerParameters, spec.parameters, spec.name).noise) ** 2
        covariance = [variance, 0.0, 0.0, 0.0, variance, 0.0, 0.0, 0.0, variance]
        name = "imu/mag" if spec.name == spec.kind else "imu/{name}/mag"
        fields = {f"magnetic_field.{axis}": axis for axis in cls.columns}
        constants = {"magnetic_field_covariance": covariance}
        return (Topic("sensor_msgs/msg/MagneticField", name, fields, constants=constants),)

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Collect the fields."""
        super().bind(mounts, world)
        self._field = np.array([one.field for one in self._parameters]).reshape(-1, 3)

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Rotate the fields into the links."""
        self._kernel.turn(self._field, self._rotations(world), self._numbers(), values)

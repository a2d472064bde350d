"""Range finders: a scanner of beams in a plane, and a cone with one reading, both on the engine's rays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from simspark_ros.configuration.schema import Checked, ConfigurationError, Error, Range, build
from simspark_ros.perceptors.base import Mount, Perceptor, Topic, origin_of, parameters, reading_random
from simspark_ros.physics.engine import Array, BoolArray, IntArray, LinkSelection, RayTarget
from simspark_ros.physics.geometry.transforms import on_circle
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.sensors.feature import Feature
from simspark_ros.worlds.world import World

MAX_BEAMS = 4096
MAX_RINGS = 16
MAX_RAYS = 16384
"""Most rays of all range finders of one robot in a cycle."""
_DISTANCE = Range(0.0, 1000.0, "m")


@dataclass(frozen=True)
class RayParameters(Checked):
    """Parameters in YAML of both kinds.

    Attributes:
        interval: cycles between two readings; robots take turns.
        range_min, range_max: least and greatest reading, m; nearer reads -infinity, farther +infinity (REP-117).
        noise: standard deviation of distances, m.
        noise_per_m: growth of that deviation with the distance, as a fraction of it.
        resolution: step of distances, which are whole multiples of it, m; 0 = any distance.
        missed: probability that an echo is lost, as if nothing were in range.
        always: whether readings are computed without subscribers to the ROS topic, too, for agents with a format for
            them in their profile.
    """

    interval: Annotated[int, Range(1, 10_000, "cycles")] = 1
    range_min: Annotated[float, _DISTANCE] = 0.0
    range_max: Annotated[float, _DISTANCE] = 10.0
    noise: Annotated[float, Range(0.0, 100.0, "m"), Error()] = 0.0
    noise_per_m: Annotated[float, Range(0.0, 10.0), Error()] = 0.0
    resolution: Annotated[float, Range(0.0, 10.0, "m"), Error()] = 0.0
    missed: Annotated[float, Range(0.0, 1.0), Error()] = 0.0
    always: bool = False

    def __post_init__(self) -> None:
        """Check the values, and the two ranges against each other."""
        super().__post_init__()
        if not self.range_min < self.range_max:
            raise ValueError(f"range_min ({self.range_min:g}) must be less than range_max ({self.range_max:g})")


@dataclass(frozen=True)
class LaserParameters(RayParameters):
    """Parameters in YAML.

    Attributes:
        beams: number of readings.
        angle_min_deg, angle_max_deg: angles of the first and the last beam about z, 0 = along x, counter-clockwise.
    """

    beams: Annotated[int, Range(2, MAX_BEAMS)] = 181
    angle_min_deg: Annotated[float, Range(-360.0, 360.0, "degrees")] = -90.0
    angle_max_deg: Annotated[float, Range(-360.0, 360.0, "degrees")] = 90.0

    def __post_init__(self) -> None:
        """Check the values, and that the angles increase."""
        super().__post_init__()
        if not 0.0 < self.angle_max_deg - self.angle_min_deg <= 360.0:
            raise ValueError("angle_max_deg must be above angle_min_deg, by 360 at most")

    @property
    def increment(self) -> float:
        """Angle between two beams, rad."""
        return math.radians(self.angle_max_deg - self.angle_min_deg) / (self.beams - 1)


@dataclass(frozen=True)
class RangeParameters(RayParameters):
    """Parameters in YAML.

    Attributes:
        field_of_view_deg: whole opening of the cone about x.
        rings: number of rings of rays around the axis, each with six rays more than the one inside it; the outermost
            is the cone's edge.
        radiation: kind of radiation, as in the message.
        ground: whether the ground sends the signal back.
    """

    range_max: Annotated[float, _DISTANCE] = 4.0
    field_of_view_deg: Annotated[float, Range(0.0, 170.0, "degrees")] = 30.0
    rings: Annotated[int, Range(0, MAX_RINGS)] = 4
    radiation: Literal["ultrasound", "infrared"] = "ultrasound"
    ground: bool = True


class _RaySensor(Perceptor):
    """Base of range finders: casts the rays of all due mounts in one call. A mount without demand reports nothing."""

    options: ClassVar[type[Any]] = RayParameters
    needs_link: ClassVar[bool] = True
    on_frames: ClassVar[bool] = True

    def __init__(self, random: np.random.Generator) -> None:
        super().__init__(random)
        # Noise follows from this seed, a mount's name and the cycle: other sensors do not change it.
        self._seed = int(random.integers(2**63))

    def check(self, spec: PerceptorSpec, description: RobotDescription) -> None:
        """Refuse places that the robot does not have, and more than `MAX_RAYS` rays of the robot."""
        super().check(spec, description)
        total = rays_of(description)
        if total > MAX_RAYS:
            place = description.place(spec)
            raise ConfigurationError(
                f"{place}: the robot casts {total} rays in a cycle; at most {MAX_RAYS} are allowed"
            )

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Collect the rays of all mounts."""
        self._mounts = mounts
        if not mounts:
            return
        self._parameters: list[Any] = [parameters(self.options, mount) for mount in mounts]
        self._flags = np.array([mount.flag for mount in mounts], np.int64)
        self._starts = np.array([mount.start for mount in mounts], np.int64)
        self._handles = np.array([mount.robot.handle for mount in mounts], np.int64)
        self._always = np.array([one.always for one in self._parameters], np.bool_)
        self._interval = np.array([one.interval for one in self._parameters], np.int64)
        self._nearest, self._farthest = np.array([(one.range_min, one.range_max) for one in self._parameters]).T
        places = [(mount.robot.handle, mount.spec.link) for mount in mounts]
        self._selection: LinkSelection = world.engine.select_links(places)
        self._offset = np.array([origin_of(mount.robot.description.model, mount.spec.link) for mount in mounts])
        rays = [self.rays(one) for one in self._parameters]
        self._directions, self._counts = np.concatenate(rays), np.array([len(own) for own in rays])
        self._mount_of = np.repeat(np.arange(len(mounts)), self._counts)

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Measure with the mounts that are due."""
        demanded = self._always | [mount.key in self.demanded for mount in self._mounts]
        # Handles differ, so robots with equal sensors do not all cast their rays in the same cycle.
        due = demanded & ((world.cycle + self._handles) % self._interval == 0)
        present[self._flags] = due
        if not due.any():
            return
        rays = np.flatnonzero(due[self._mount_of])
        mount = self._mount_of[rays]
        centres, rotations = world.engine.link_poses(self._selection)
        # Every mount has an origin, due or not; only due mounts have rays, one after the other.
        origins = centres + np.einsum("mij,mj->mi", rotations, self._offset)
        directions = np.einsum("kij,kj->ki", rotations[mount], self._directions[rays])
        hits = world.engine.cast_rays(origins[mount], directions, self._farthest[mount], self._handles[mount])
        ends = np.cumsum(self._counts[due])[:-1]
        readings = zip(np.split(hits.distance, ends), np.split(hits.target, ends), strict=True)
        for index, (distance, target) in zip(np.flatnonzero(due).tolist(), readings, strict=True):
            self.write(index, distance, target, world, values)

    def rays(self, options: Any) -> Array:
        """Directions (R, 3) in the axes of the link, x forward."""
        raise NotImplementedError

    def write(self, index: int, distance: Array, target: IntArray, world: World, values: Array) -> None:
        """Store the readings of one mount: `distance` (R,), m, and `target` (R,) of its rays."""
        raise NotImplementedError

    def measured(self, index: int, distance: Array, world: World) -> Array:
        """Distances of one mount with its noise and limits."""
        options, mount = self._parameters[index], self._mounts[index]
        if options.noise or options.noise_per_m or options.missed:
            random = reading_random(self._seed, mount, world.cycle)
            # No echo has no distance that the deviation could grow with.
            reached = np.where(np.isfinite(distance), distance, 0.0)
            deviation = options.noise + options.noise_per_m * reached
            distance = distance + deviation * random.standard_normal(len(distance))
            if options.missed:
                distance = np.where(random.random(len(distance)) < options.missed, np.inf, distance)
        if options.resolution:
            distance = np.rint(distance / options.resolution) * options.resolution
        limited = np.where(distance > options.range_max, np.inf, distance)
        return np.where(distance < options.range_min, -np.inf, limited)


class LaserPerceptor(_RaySensor):
    """Distances of `beams` points around the z axis of the link or frame that carries it, m, all at one instant."""

    options: ClassVar[type[Any]] = LaserParameters

    @classmethod
    def columns_of(cls, spec: PerceptorSpec) -> tuple[str, ...]:
        """The time between two scans, s, and the distances."""
        beams = spec.parameters.get("beams", LaserParameters.beams)
        return ("period", *(f"range{beam}" for beam in range(beams if isinstance(beams, int) else 0)))

    @classmethod
    def features_of(cls, spec: PerceptorSpec) -> tuple[Feature, ...]:
        """`scan`: the distances."""
        angles = beam_angles(build(LaserParameters, spec.parameters, spec.name))
        return (Feature("scan", cls.columns_of(spec)[1:], "distance", tuple(angles.tolist())),)

    @classmethod
    def topics_of(cls, spec: PerceptorSpec) -> tuple[Topic, ...]:
        """`scan` (REP-138), or `NAME/scan` if the instance has a name of its own."""
        options = build(LaserParameters, spec.parameters, spec.name)
        constants = {
            "angle_min": math.radians(options.angle_min_deg),
            "angle_max": math.radians(options.angle_max_deg),
            "angle_increment": options.increment,
            "range_min": options.range_min,
            "range_max": options.range_max,
        }
        fields: dict[str, str | tuple[str, ...]] = {"scan_time": "period", "ranges": cls.columns_of(spec)[1:]}
        return (Topic("sensor_msgs/msg/LaserScan", _below_name(spec, "scan"), fields, constants=constants),)

    def rays(self, options: LaserParameters) -> Array:
        """The beams, counter-clockwise."""
        return np.column_stack((on_circle(beam_angles(options)), np.zeros(options.beams)))

    def write(self, index: int, distance: Array, target: IntArray, world: World, values: Array) -> None:
        """Store one scan."""
        start = self._starts[index]
        values[start] = self._interval[index] * world.engine.cycle_time
        values[start + 1 : start + 1 + len(distance)] = self.measured(index, distance, world)


class RangePerceptor(_RaySensor):
    """Distance of the nearest thing in a cone about the x axis of the link or frame that carries it, m."""

    columns: ClassVar[tuple[str, ...]] = ("range",)
    options: ClassVar[type[Any]] = RangeParameters

    @classmethod
    def features_of(cls, spec: PerceptorSpec) -> tuple[Feature, ...]:
        """`range`: the distance."""
        return (Feature("range", cls.columns, "distance", (0.0,)),)

    @classmethod
    def topics_of(cls, spec: PerceptorSpec) -> tuple[Topic, ...]:
        """`range`, or `NAME/range` if the instance has a name of its own."""
        options = build(RangeParameters, spec.parameters, spec.name)
        constants = {
            "radiation_type": int(options.radiation == "infrared"),
            "field_of_view": math.radians(options.field_of_view_deg),
            "min_range": options.range_min,
            "max_range": options.range_max,
        }
        name = _below_name(spec, "range")
        return (Topic("sensor_msgs/msg/Range", name, {"range": "range"}, constants=constants),)

    def rays(self, options: RangeParameters) -> Array:
        """The axis and the rings."""
        return cone(math.radians(options.field_of_view_deg) / 2.0, options.rings)

    def write(self, index: int, distance: Array, target: IntArray, world: World, values: Array) -> None:
        """Store the nearest distance."""
        if not self._parameters[index].ground:
            distance = np.where(target == RayTarget.GROUND, np.inf, distance)
        values[self._starts[index]] = self.measured(index, distance.min(keepdims=True), world)[0]


def beam_angles(options: LaserParameters) -> Array:
    """Angles of all beams about z, counter-clockwise, rad."""
    angles: Array = options.increment * np.arange(options.beams, dtype=np.float64)
    angles += math.radians(options.angle_min_deg)
    return angles


def cone(half_angle: float, rings: int) -> Array:
    """Directions (1 + 3 rings (rings + 1), 3) about x: the axis and rings around it, up to an angle (rad) from it."""
    places = [(0.0, 0.0)]
    # Six more in each ring: neighbours in a ring are about as far apart as rings.
    for ring in range(1, rings + 1):
        places += [(half_angle * ring / rings, turn * math.pi / (3 * ring)) for turn in range(6 * ring)]
    off, around = np.array(places).T
    leaning = on_circle(off)
    return np.column_stack((leaning[:, 0], leaning[:, 1:] * on_circle(around)))


def rays_of(description: RobotDescription) -> int:
    """Rays that the range finders of a robot cast in a cycle in which all of them are due."""
    return sum(_ray_count(spec) for spec in description.perceptors)


def _ray_count(spec: PerceptorSpec) -> int:
    """Rays of a perceptor; 0 for other kinds, and for a number that `check` refuses anyway."""
    if spec.kind in ("laser", "laser_objects"):
        beams = spec.parameters.get("beams", LaserParameters.beams)
        return beams if beams in range(MAX_BEAMS + 1) else 0
    rings = spec.parameters.get("rings", RangeParameters.rings) if spec.kind == "range" else -1
    return 1 + 3 * rings * (rings + 1) if rings in range(MAX_RINGS + 1) else 0


def _below_name(spec: PerceptorSpec, topic: str) -> str:
    return topic if spec.name == spec.kind else f"{{name}}/{topic}"

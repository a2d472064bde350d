"""Virtual vision: landmarks, ball, parts of players and lines as noisy polar coordinates.

Semantics as measured on rcssserver3d 0.7.3 (protocol reference, section 4, "See"): a view pyramid, no occlusion, no
maximum range, a fixed calibration offset per robot and Gaussian noise per measurement. Other years saw all around, or
otherwise than the default parameters say. All observers and all targets are computed in one pass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from simspark_ros.configuration import ConfigurationError, build
from simspark_ros.perceptors.base import Mount, Perceptor, parameters
from simspark_ros.perceptors.readings import Sight
from simspark_ros.perceptors.view import hidden, turned
from simspark_ros.physics.engine import Array, BoolArray, IntArray
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.soccer.world import Robot, World

FOCAL_LENGTH = 0.1
"""Lines are clipped at the image plane, objects nearer than this are not seen, m."""


@dataclass(frozen=True)
class VisionParameters:
    """Parameters in YAML.

    Attributes:
        interval: cycles between two looks; the first is in the robot's first percept.
        horizontal_fov_deg, vertical_fov_deg: full opening of the view: both below 180 degrees, or both 360, which is
            no limit at all (the manual's regular vision).
        calibration_error: the camera's position is off by a fixed uniform +-value on each axis, m.
        distance_noise: standard deviation as a fraction of the distance.
        horizontal_noise_deg, vertical_noise_deg: standard deviations of the angles, degrees.
        lines: whether lines are sensed.
        static_axes: the axes do not turn with the body: x toward the opponent's goal, z up.
        occluder_radius: robots hide what is behind a sphere of this radius around their torso, m; 0 = nothing is
            hidden. Lines never are.
        own_position, own_orientation, ball_position: whether the camera's position, its heading in the world frame and
            the ball's position are told, without noise; positions in the own team's frame, m.
    """

    interval: int = 3
    horizontal_fov_deg: float = 120.0
    vertical_fov_deg: float = 120.0
    calibration_error: float = 0.005
    distance_noise: float = 0.000965
    horizontal_noise_deg: float = 0.1480
    vertical_noise_deg: float = 0.1225
    lines: bool = True
    static_axes: bool = False
    occluder_radius: float = 0.0
    own_position: bool = False
    own_orientation: bool = False
    ball_position: bool = False

    def __post_init__(self) -> None:
        """Refuse what the geometry cannot do."""
        if self.interval < 1:
            raise ValueError(f"interval must be at least 1 cycle, not {self.interval}")
        if self.occluder_radius < 0:
            raise ValueError(f"occluder_radius must not be negative, not {self.occluder_radius}")
        if self.unlimited:
            return
        for name in ("horizontal_fov_deg", "vertical_fov_deg"):
            if not 0 < getattr(self, name) < 180:
                value = getattr(self, name)
                raise ValueError(f"{name} must be between 0 and 180 degrees, or both 360, not {value}")

    @property
    def unlimited(self) -> bool:
        """Whether everything around is seen."""
        return self.horizontal_fov_deg >= 360 and self.vertical_fov_deg >= 360

    @property
    def columns(self) -> tuple[str, ...]:
        """What is told beside what is seen."""
        told = (
            (self.own_position, ("position_x", "position_y", "position_z")),
            (self.own_orientation, ("orientation",)),
            (self.ball_position, ("ball_x", "ball_y", "ball_z")),
        )
        return tuple(name for wanted, names in told if wanted for name in names)


@dataclass(frozen=True)
class _Observer:
    """Constants of the view of the mounts that look in one cycle, over M observers.

    Attributes:
        planes: (M, 5, 3) normals of the planes around the view, pointing inward.
        tangent, sine, lines, near, unlimited: (M, 1).
        noise: (M, 3) standard deviations.
        occluder: (M,) see `VisionParameters.occluder_radius`.
    """

    planes: Array
    tangent: Array
    sine: Array
    noise: Array
    lines: BoolArray
    near: Array
    unlimited: BoolArray
    occluder: Array


@dataclass(frozen=True)
class _Told:
    """A mount that tells more than it sees: its index, its robot, and where its values start."""

    index: int
    robot: Robot
    start: int
    options: VisionParameters


class RestrictedVisionPerceptor(Perceptor):
    """Vision perceptor of all robots; the result is `sight`, values are those of `VisionParameters.columns` only."""

    columns: ClassVar[tuple[str, ...]] = ()
    options = VisionParameters

    def __init__(self, random: np.random.Generator) -> None:
        """Start without memory of calibration and phase."""
        super().__init__(random)
        self.sight: Sight | None = None
        self._calibration_of: dict[int, Array] = {}
        self._first_cycle: dict[int, int] = {}

    def columns_of(self, spec: PerceptorSpec) -> tuple[str, ...]:
        """What an instance tells beside what is seen."""
        return build(VisionParameters, dict(spec.parameters), spec.name).columns

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Prepare targets and observers for a new set of robots."""
        options = [parameters(VisionParameters, mount) for mount in mounts]
        handles = [mount.robot.handle for mount in mounts]
        _refuse_two_cameras(mounts)
        for handle, option in zip(handles, options, strict=True):
            if handle not in self._calibration_of:
                error = option.calibration_error
                self._calibration_of[handle] = self.random.uniform(-error, error, 3)
                self._first_cycle[handle] = world.cycle
        for gone in self._calibration_of.keys() - set(handles):
            del self._calibration_of[gone], self._first_cycle[gone]
        self._rows = np.array([mount.row for mount in mounts], np.int64)
        self._flags = np.array([mount.flag for mount in mounts], np.int64)
        self._interval = np.array([option.interval for option in options], np.int64)
        self._phase = np.array([self._first_cycle[h] for h in handles], np.int64)
        self._calibration = np.array([self._calibration_of[h] for h in handles]).reshape(-1, 3)
        self._observers = _observers(options)
        self._robots = [mount.robot for mount in mounts]
        self._fixed = np.array([i for i, option in enumerate(options) if option.static_axes], np.int64)
        pairs = enumerate(zip(mounts, options, strict=True))
        self._told = [_Told(i, mount.robot, mount.start, option) for i, (mount, option) in pairs if option.columns]
        self._some_unlimited = bool(self._observers.unlimited.any())
        self._some_occluded = bool(self._observers.occluder.any())
        self._bind_targets(mounts, world)

    def _bind_targets(self, mounts: Sequence[Mount], world: World) -> None:
        cameras = [(mount.robot.handle, mount.spec.link) for mount in mounts]
        robots = list(world.robots.values())
        parts = [(r.handle, link) for r in robots for link in r.description.visible_parts.values()]
        self._selection = world.engine.select_links(cameras + parts)
        field = world.settings.field
        landmarks, lines = np.array(list(field.landmarks().values())), np.array(field.lines())
        self._ball = len(landmarks)
        self._first_part = self._ball + 1
        self._targets = self._first_part + len(parts)
        self._points = np.zeros((self._targets + 2 * len(lines), 3))
        self._points[: self._ball] = landmarks
        self._points[self._targets :] = lines.transpose(1, 0, 2).reshape(-1, 3)
        rows = [row for row, r in enumerate(robots) for _ in r.description.visible_parts]
        self._owner = np.concatenate([np.full(self._first_part, -1), np.array(rows, np.int64)])
        has_team = [r.side is not None for r in robots for _ in r.description.visible_parts]
        self._listed = np.concatenate([np.ones(self._first_part, np.bool_), np.array(has_team, np.bool_)])

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Look for all robots whose turn it is."""
        due = (world.cycle - self._phase) % self._interval == 0
        present[self._flags] = due
        who = due.nonzero()[0]
        self.sight = self._look(world, who, values) if who.size else None

    def _look(self, world: World, who: IntArray, values: Array) -> Sight:
        positions, rotations = world.engine.link_poses(self._selection)
        cameras = len(self._rows)
        rotations = turned(rotations[:cameras], self._robots, self._fixed)
        for told in self._told:
            _tell(told, positions[told.index], rotations[told.index], world.engine.state.ball_position, values)
        points = self._points
        points[self._ball] = world.engine.state.ball_position
        points[self._first_part : self._targets] = positions[cameras:]
        rotation, origin = rotations.take(who, 0), positions.take(who, 0)
        offset = np.einsum("mi,mij->mj", origin, rotation) - self._calibration.take(who, 0)
        # One product turns every point into every camera's frame: (observers, 3, points).
        seen = (rotation.transpose(0, 2, 1).reshape(-1, 3) @ points.T).reshape(len(who), 3, -1)
        seen -= offset[:, :, None]
        observer = self._observers if len(who) == cameras else _select(self._observers, who)
        object_of, target, objects = self._objects(seen[:, :, : self._targets], observer)
        if self._some_occluded:
            torsos = np.einsum("ni,mij->nmj", world.engine.state.position, rotation) - offset
            owner, rows = self._owner.take(target), self._rows.take(who)
            free = ~hidden(objects, object_of, owner, torsos, rows, observer.occluder)
            object_of, target, objects = object_of[free], target[free], objects[free]
        line_of, ends = self._lines(seen[:, :, self._targets :], observer)
        everything = np.concatenate([objects, ends.reshape(-1, 3)])
        noise = observer.noise.take(np.concatenate([object_of, np.repeat(line_of, 2)]), 0)
        polar = self._measure(everything, noise)
        borders = np.arange(len(who) + 1)
        return Sight(
            observers=self._rows.take(who),
            object_offset=object_of.searchsorted(borders),
            object_target=target,
            object_polar=polar[: len(objects)],
            line_offset=line_of.searchsorted(borders),
            line_polar=polar[len(objects) :].reshape(-1, 2, 3),
        )

    def _objects(self, seen: Array, observer: _Observer) -> tuple[IntArray, IntArray, Array]:
        """Objects inside the view: (K,) observers ascending, (K,) targets, (K, 3) points."""
        forward, left, up = seen[:, 0], seen[:, 1], seen[:, 2]
        distance = np.sqrt(np.einsum("mit,mit->mt", seen, seen))
        visible = np.abs(left) <= observer.tangent * forward
        visible &= np.abs(up) <= observer.sine * distance
        if self._some_unlimited:
            visible |= observer.unlimited
        visible &= distance > FOCAL_LENGTH
        visible &= self._listed
        who, target = visible.nonzero()
        return who, target, seen.transpose(0, 2, 1)[who, target]

    def _lines(self, seen: Array, observer: _Observer) -> tuple[IntArray, Array]:
        """Visible parts of lines: (L,) observers ascending, (L, 2, 3) ends.

        Each line a + t (b - a) is clipped by the five planes of the view pyramid (Liang-Barsky).
        """
        lines = seen.shape[2] // 2
        inside = observer.planes @ seen
        inside[:, 4] -= observer.near
        at_a, at_b = inside[:, :, :lines], inside[:, :, lines:]
        a_out, b_out = at_a < 0, at_b < 0
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = at_a / (at_a - at_b)
        start = np.maximum.reduce(np.where(a_out, crossing, 0.0), 1)
        end = np.minimum.reduce(np.where(b_out, crossing, 1.0), 1)
        visible = start < end
        visible &= ~np.logical_or.reduce(a_out & b_out, 1)
        visible &= observer.lines
        who, line = visible.nonzero()
        points = seen.transpose(0, 2, 1)
        a = points[who, line]
        along = points[who, line + lines] - a
        ends = np.empty((len(who), 2, 3))
        ends[:, 0] = a + along * start[who, line][:, None]
        ends[:, 1] = a + along * end[who, line][:, None]
        return who, ends

    def _measure(self, points: Array, noise: Array) -> Array:
        """Polar coordinates (distance, azimuth, elevation) of (n, 3) points with noise of (n, 3) deviations."""
        polar = np.empty_like(points)
        distance = np.sqrt(np.einsum("ij,ij->i", points, points))
        polar[:, 0] = distance
        np.arctan2(points[:, 1], points[:, 0], polar[:, 1])
        np.arcsin(np.minimum(np.maximum(points[:, 2] / distance, -1.0), 1.0), polar[:, 2])
        error = self.random.standard_normal(points.shape)
        error *= noise
        error[:, 0] *= distance
        polar += error
        return polar


def _observers(options: Sequence[VisionParameters]) -> _Observer:
    horizontal = np.tan(np.radians([option.horizontal_fov_deg / 2 for option in options]))
    vertical = np.radians([option.vertical_fov_deg / 2 for option in options])
    planes = np.zeros((len(options), 5, 3))
    planes[:, :2, 0], planes[:, 0, 1], planes[:, 1, 1] = horizontal[:, None], 1.0, -1.0
    planes[:, 2:4, 0], planes[:, 2, 2], planes[:, 3, 2] = np.tan(vertical)[:, None], 1.0, -1.0
    planes[:, 4, 0] = 1.0
    noise = [
        (o.distance_noise, math.radians(o.horizontal_noise_deg), math.radians(o.vertical_noise_deg)) for o in options
    ]
    lines = np.array([option.lines for option in options], np.bool_)
    unlimited = np.array([option.unlimited for option in options], np.bool_)
    # Without limits every point is a metre inside of every plane.
    planes[unlimited] = 0.0
    near = np.where(unlimited, -1.0, FOCAL_LENGTH)
    occluder = np.array([option.occluder_radius for option in options])
    noise_array = np.array(noise).reshape(-1, 3)
    column = (slice(None), None)
    return _Observer(
        planes,
        horizontal[column],
        np.sin(vertical)[column],
        noise_array,
        lines[column],
        near[column],
        unlimited[column],
        occluder,
    )


def _tell(told: _Told, position: Array, rotation: Array, ball: Array, values: Array) -> None:
    """Write what a mount tells beside what it sees, in the order of `VisionParameters.columns`."""
    sign = 1.0 if told.robot.side is None else float(told.robot.side.sign)
    view = np.array([sign, sign, 1.0])
    readings: list[float] = []
    if told.options.own_position:
        readings += (position * view).tolist()
    if told.options.own_orientation:
        readings.append(math.atan2(rotation[1, 0], rotation[0, 0]))
    if told.options.ball_position:
        readings += (ball * view).tolist()
    values[told.start : told.start + len(readings)] = readings


def _select(observer: _Observer, who: IntArray) -> _Observer:
    o = observer
    arrays: tuple[Any, ...] = (o.planes, o.tangent, o.sine, o.noise, o.lines, o.near, o.unlimited, o.occluder)
    return _Observer(*(array.take(who, 0) for array in arrays))


def _refuse_two_cameras(mounts: Sequence[Mount]) -> None:
    rows = [mount.row for mount in mounts]
    for mount in mounts:
        if rows.count(mount.row) > 1:
            name = mount.robot.description.name
            raise ConfigurationError(f"robot '{name}': has more than one {mount.spec.kind}; one is supported")


def camera_link(description: RobotDescription) -> str:
    """The link that carries the vision perceptor of a robot, its base if it has none."""
    links = (spec.link for spec in description.perceptors if spec.kind == "restricted_vision")
    return next(links, "") or description.model.base.name

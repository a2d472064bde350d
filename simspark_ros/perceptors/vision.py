"""Virtual vision: landmarks, ball, parts of players and lines as noisy polar coordinates.

Semantics as measured on rcssserver3d 0.7.3 (protocol reference, section 4, "See"): a view pyramid, no occlusion, no
maximum range, a fixed calibration offset per robot and Gaussian noise per measurement. All observers and all targets
are computed in one pass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from simspark_ros.configuration import ConfigurationError
from simspark_ros.perceptors.base import Mount, Perceptor, parameters
from simspark_ros.perceptors.readings import Sight
from simspark_ros.physics.engine import Array, BoolArray, IntArray
from simspark_ros.robots.description import RobotDescription
from simspark_ros.soccer.world import World

FOCAL_LENGTH = 0.1
"""Lines are clipped at the image plane, objects nearer than this are not seen, m."""


@dataclass(frozen=True)
class VisionParameters:
    """Parameters in YAML.

    Attributes:
        interval: cycles between two looks; the first is in the robot's first percept.
        horizontal_fov_deg, vertical_fov_deg: full opening of the view, less than 180 degrees.
        calibration_error: the camera's position is off by a fixed uniform +-value on each axis, m.
        distance_noise: standard deviation as a fraction of the distance.
        horizontal_noise_deg, vertical_noise_deg: standard deviations of the angles, degrees.
        lines: whether lines are sensed.
    """

    interval: int = 3
    horizontal_fov_deg: float = 120.0
    vertical_fov_deg: float = 120.0
    calibration_error: float = 0.005
    distance_noise: float = 0.000965
    horizontal_noise_deg: float = 0.1480
    vertical_noise_deg: float = 0.1225
    lines: bool = True

    def __post_init__(self) -> None:
        """Refuse what the geometry cannot do."""
        if self.interval < 1:
            raise ValueError(f"interval must be at least 1 cycle, not {self.interval}")
        for name in ("horizontal_fov_deg", "vertical_fov_deg"):
            if not 0 < getattr(self, name) < 180:
                raise ValueError(f"{name} must be between 0 and 180 degrees, not {getattr(self, name)}")


@dataclass(frozen=True)
class _Observer:
    """Constants of the view of the mounts that look in one cycle; arrays over M observers."""

    planes: Array
    tangent: Array
    sine: Array
    noise: Array
    lines: BoolArray


class RestrictedVisionPerceptor(Perceptor):
    """Restricted vision perceptor of all robots; the result is `sight`, not values."""

    columns: ClassVar[tuple[str, ...]] = ()
    options = VisionParameters

    def __init__(self, random: np.random.Generator) -> None:
        """Start without memory of calibration and phase."""
        super().__init__(random)
        self.sight: Sight | None = None
        self._calibration_of: dict[int, Array] = {}
        self._first_cycle: dict[int, int] = {}

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
        has_team = [r.side is not None for r in robots for _ in r.description.visible_parts]
        self._listed = np.concatenate([np.ones(self._first_part, np.bool_), np.array(has_team, np.bool_)])

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Look for all robots whose turn it is."""
        due = (world.cycle - self._phase) % self._interval == 0
        present[self._flags] = due
        self.sight = self._look(world, due.nonzero()[0]) if due.any() else None

    def _look(self, world: World, who: IntArray) -> Sight:
        positions, rotations = world.engine.link_poses(self._selection)
        cameras = len(self._rows)
        points = self._points
        points[self._ball] = world.engine.state.ball_position
        points[self._first_part : self._targets] = positions[cameras:]
        rotation, origin = rotations.take(who, 0), positions.take(who, 0)
        offset = np.einsum("mi,mij->mj", origin, rotation) - self._calibration.take(who, 0)
        # one product turns every point into every camera's frame: (points, observers, 3)
        seen = (points @ rotation.transpose(1, 0, 2).reshape(3, -1)).reshape(len(points), len(who), 3) - offset
        observer = self._observers if len(who) == cameras else _select(self._observers, who)
        object_of, target, objects = self._objects(seen[: self._targets], observer)
        line_of, ends = self._lines(seen[self._targets :], observer)
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
        forward, left, up = seen[..., 0], seen[..., 1], seen[..., 2]
        distance = np.sqrt(np.einsum("tmi,tmi->tm", seen, seen))
        visible = np.abs(left) <= observer.tangent * forward
        visible &= np.abs(up) <= observer.sine * distance
        visible &= distance > FOCAL_LENGTH
        visible &= self._listed[:, None]
        who, target = visible.T.nonzero()
        return who, target, seen.reshape(-1, 3).take(target * seen.shape[1] + who, 0)

    def _lines(self, seen: Array, observer: _Observer) -> tuple[IntArray, Array]:
        """Visible parts of lines: (L,) observers ascending, (L, 2, 3) ends.

        Each line a + t (b - a) is clipped by the five planes of the view pyramid (Liang-Barsky).
        """
        lines, observers = len(seen) // 2, seen.shape[1]
        inside = np.einsum("pmi,mij->pmj", seen, observer.planes)
        inside[..., 4] -= FOCAL_LENGTH
        at_a, at_b = inside[:lines], inside[lines:]
        a_out, b_out = at_a < 0, at_b < 0
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = at_a / (at_a - at_b)
        start = np.where(a_out, crossing, 0.0).max(2)
        end = np.where(b_out, crossing, 1.0).min(2)
        visible = (start < end) & ~(a_out & b_out).any(2) & observer.lines
        who, line = visible.T.nonzero()
        index = line * observers + who
        a = seen[:lines].reshape(-1, 3).take(index, 0)
        along = seen[lines:].reshape(-1, 3).take(index, 0) - a
        ends = np.empty((len(who), 2, 3))
        ends[:, 0] = a + along * start.ravel().take(index)[:, None]
        ends[:, 1] = a + along * end.ravel().take(index)[:, None]
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
    planes = np.zeros((len(options), 3, 5))
    planes[:, 0, :2], planes[:, 1, 0], planes[:, 1, 1] = horizontal[:, None], 1.0, -1.0
    planes[:, 0, 2:4], planes[:, 2, 2], planes[:, 2, 3] = np.tan(vertical)[:, None], 1.0, -1.0
    planes[:, 0, 4] = 1.0
    noise = [
        (o.distance_noise, math.radians(o.horizontal_noise_deg), math.radians(o.vertical_noise_deg)) for o in options
    ]
    lines = np.array([option.lines for option in options], np.bool_)
    return _Observer(planes, horizontal, np.sin(vertical), np.array(noise).reshape(-1, 3), lines)


def _select(observer: _Observer, who: IntArray) -> _Observer:
    fields: tuple[Any, ...] = (observer.planes, observer.tangent, observer.sine, observer.noise, observer.lines)
    return _Observer(*(array.take(who, 0) for array in fields))


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

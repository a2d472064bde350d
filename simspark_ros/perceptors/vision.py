"""Virtual vision: landmarks, ball, parts of players and lines as noisy polar coordinates.

Semantics as measured on rcssserver3d 0.7.3 (protocol reference, section 4, "See"): a view pyramid, no occlusion, no
maximum range, a fixed calibration offset per robot and Gaussian noise per measurement. Other parameters give the vision
of other years. All observers and all targets are computed in one pass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from simspark_ros.configuration.schema import Checked, ConfigurationError, Error, Range, build
from simspark_ros.perceptors.base import Mount, Perceptor, parameters
from simspark_ros.perceptors.pyramid import CUT, FOCAL_LENGTH, ROWS, Pyramids
from simspark_ros.perceptors.readings import Sight
from simspark_ros.perceptors.sight_features import LINE_FEATURES, SIGHT_FEATURES
from simspark_ros.perceptors.view import hidden, turned
from simspark_ros.physics.engine import Array, BoolArray, IntArray
from simspark_ros.physics.geometry.rotations import heading_of
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.sensors.feature import Feature
from simspark_ros.soccer.world import soccer_world
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

_Deviation = Annotated[float, Range(0.0, 360.0), Error()]
_MOST_TURNS = 64
"""Most cached sets of robots that look in the same cycle; usual robots make three."""


@dataclass(frozen=True)
class VisionParameters(Checked):
    """Parameters in YAML.

    Attributes:
        interval: cycles between two looks; the first is in the robot's first percept.
        horizontal_fov_deg, vertical_fov_deg: full opening of the view: both below 180 degrees, or both 360, which is
            no limit at all (the manual's regular vision).
        calibration_error: greatest fixed error of the camera's position, uniform on each axis, m.
        distance_noise: standard deviation of distances, as a fraction of the distance.
        horizontal_noise_deg, vertical_noise_deg: standard deviations of the angles, degrees.
        lines: whether lines are sensed.
        static_axes: whether the axes stay, x toward the opponent's goal and z up, while the body turns.
        occluder_radius: radius of a sphere around each robot's torso that hides the things behind it, m; 0 = nothing
            is hidden. Lines are never hidden.
        own_position, own_orientation, ball_position: whether the camera's position, its heading in the world frame and
            the ball's position are reported, without noise; positions in the own team's frame, m.
    """

    interval: Annotated[int, Range(1, 10_000)] = 3
    horizontal_fov_deg: float = 120.0
    vertical_fov_deg: float = 120.0
    calibration_error: Annotated[float, Range(0.0, 100.0), Error()] = 0.005
    distance_noise: Annotated[float, Range(0.0, 100.0), Error()] = 0.000965
    horizontal_noise_deg: _Deviation = 0.1480
    vertical_noise_deg: _Deviation = 0.1225
    lines: bool = True
    static_axes: bool = False
    occluder_radius: Annotated[float, Range(0.0, 100.0)] = 0.0
    own_position: bool = False
    own_orientation: bool = False
    ball_position: bool = False

    def __post_init__(self) -> None:
        """Check that a pyramid has this opening."""
        super().__post_init__()
        for name in ("horizontal_fov_deg", "vertical_fov_deg"):
            value = getattr(self, name)
            if not (self.unlimited or 0 < value < 180):
                raise ValueError(f"{name} must be between 0 and 180 degrees, or both 360, not {value}")

    @property
    def unlimited(self) -> bool:
        """Whether everything around is seen."""
        return self.horizontal_fov_deg >= 360 and self.vertical_fov_deg >= 360

    @property
    def noise(self) -> tuple[float, float, float]:
        """Standard deviations of distance (as a fraction), azimuth and elevation (rad)."""
        return self.distance_noise, math.radians(self.horizontal_noise_deg), math.radians(self.vertical_noise_deg)

    @property
    def columns(self) -> tuple[str, ...]:
        """Values reported beside the seen objects."""
        extras = (
            (self.own_position, ("position_x", "position_y", "position_z")),
            (self.own_orientation, ("orientation",)),
            (self.ball_position, ("ball_x", "ball_y", "ball_z")),
        )
        return tuple(name for wanted, names in extras if wanted for name in names)


@dataclass(frozen=True)
class _Turn:
    """M mounts that look in the same cycle.

    Attributes:
        who: (M,) indices of the mounts among all.
        rows: (M,) rows of their robots.
        silent: flags of all other mounts.
        noise: (M, 3) standard deviations, (1, 3) if they are the same for all.
        occluder: (M,) `VisionParameters.occluder_radius` of each mount.
        begins: (M + 1,) index of the first measure of each observer.
    """

    who: IntArray
    rows: IntArray
    silent: IntArray
    pyramids: Pyramids
    noise: Array
    occluder: Array
    begins: IntArray

    def place(self, observer: IntArray, point: IntArray) -> IntArray:
        """Indices of the measures of points by observers; a single observer's begin at 0."""
        return point if len(self.who) == 1 else self.begins.take(observer) + point

    def offsets(self, places: IntArray) -> IntArray:
        """Index of each observer's first place among ascending places, then the number of places."""
        return np.array([0, len(places)]) if len(self.who) == 1 else places.searchsorted(self.begins)


@dataclass(frozen=True)
class _Extra:
    """A mount that reports values beside the seen objects: its index, its robot, and the index of its first value."""

    index: int
    robot: Robot
    start: int
    options: VisionParameters


class RestrictedVisionPerceptor(Perceptor):
    """Vision perceptor of all robots.

    Attributes:
        sight: observations of this cycle, None if no robot looks; values have only `VisionParameters.columns`.
    """

    columns: ClassVar[tuple[str, ...]] = ()
    options = VisionParameters
    # A profile decides, for all players of a league alike, what they see.
    tunable = False
    needs_link = True

    def __init__(self, random: np.random.Generator) -> None:
        super().__init__(random)
        self.sight: Sight | None = None
        self._calibration_of: dict[int, Array] = {}
        self._first_cycle: dict[int, int] = {}

    @classmethod
    def columns_of(cls, spec: PerceptorSpec) -> tuple[str, ...]:
        """Values reported beside the seen objects."""
        return build(VisionParameters, dict(spec.parameters), spec.name).columns

    @classmethod
    def features_of(cls, spec: PerceptorSpec) -> tuple[Feature, ...]:
        """Ball, poles and goals, and lines where they are sensed."""
        lines = build(VisionParameters, dict(spec.parameters), spec.name).lines
        return (*SIGHT_FEATURES, *LINE_FEATURES) if lines else SIGHT_FEATURES

    def check(self, spec: PerceptorSpec, description: RobotDescription) -> None:
        """Refuse wrong parameters, a missing link, and a second one on the same robot."""
        super().check(spec, description)
        if [other.kind for other in description.perceptors].count(spec.kind) > 1:
            raise ConfigurationError(f"{description.place(spec)}: there is more than one {spec.kind}; one is supported")

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Prepare targets and observers for a new set of robots."""
        options = [parameters(VisionParameters, mount) for mount in mounts]
        handles = [mount.robot.handle for mount in mounts]
        # A robot keeps its error and its rhythm while it is there; others that come or go bind everything anew.
        for handle, option in zip(handles, options, strict=True):
            if handle not in self._calibration_of:
                error = option.calibration_error
                self._calibration_of[handle] = self.random.uniform(-error, error, 3)
                self._first_cycle[handle] = world.cycle
        for gone in self._calibration_of.keys() - set(handles):
            del self._calibration_of[gone], self._first_cycle[gone]
        self._options = options
        self._robots = [mount.robot for mount in mounts]
        self._rows = np.array([mount.row for mount in mounts], np.int64)
        self._flags = np.array([mount.flag for mount in mounts], np.int64)
        self._calibration = np.array([self._calibration_of[h] for h in handles]).reshape(-1, 3)
        intervals = [option.interval for option in options]
        self._rhythm_of = [(i, self._first_cycle[h] % i) for i, h in zip(intervals, handles, strict=True)]
        # Robots with the same interval and phase look together, so only rhythms have to be asked in each cycle.
        self._rhythms = sorted(set(self._rhythm_of))
        self._turns: dict[tuple[bool, ...], _Turn] = {}
        self._fixed = np.array([i for i, option in enumerate(options) if option.static_axes], np.int64)
        pairs = enumerate(zip(mounts, options, strict=True))
        self._extras = [_Extra(i, mount.robot, mount.start, option) for i, (mount, option) in pairs if option.columns]
        self._some_occluded = any(option.occluder_radius for option in options)
        self._bind_targets(mounts, world)

    def _bind_targets(self, mounts: Sequence[Mount], world: World) -> None:
        cameras = [(mount.robot.handle, mount.spec.link) for mount in mounts]
        soccer = soccer_world(world)
        robots = list(soccer.robots.values())
        parts = [(r.handle, link) for r in robots for link in r.description.visible_parts.values()]
        self._selection = world.engine.select_links(cameras + parts)
        field = soccer.settings.field
        landmarks = np.array(list(field.landmarks().values())).reshape(-1, 3)
        lines = np.array(field.lines()).reshape(-1, 2, 3)
        self._ball = len(landmarks)
        self._first_part = self._ball + 1
        self._targets = self._first_part + len(parts)
        self._lines = len(lines)
        # x, y, z and 1 of each point: landmarks, ball, parts of robots, first ends of all lines, then second ends.
        self._points = np.ones((4, self._targets + 2 * len(lines)))
        self._points[:3, : self._ball] = landmarks.T
        self._points[:3, self._targets :] = lines.transpose(2, 1, 0).reshape(3, -1)
        # Offsets of x, y, z and of the part cut off the end of a line, from x, in a flat array of measures.
        self._columns = np.arange(CUT + 1)[:, None] * self._points.shape[1]
        self._both_ends = self._targets + np.array([0, len(lines)])
        rows = [row for row, r in enumerate(robots) for _ in r.description.visible_parts]
        self._owner = np.concatenate([np.full(self._first_part, -1), np.array(rows, np.int64)])
        # Only players are seen: nothing is farther than infinity, so parts of other robots are always too near.
        nearest = [FOCAL_LENGTH if r.side else math.inf for r in robots for _ in r.description.visible_parts]
        self._nearest2 = np.array([FOCAL_LENGTH] * self._first_part + nearest) ** 2
        if world.scene.ball is None:
            # Too near to be seen, wherever it would be.
            self._nearest2[self._ball] = math.inf

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Look for all robots whose turn it is."""
        due = tuple([world.cycle % interval == phase for interval, phase in self._rhythms])
        turn = self._turns.get(due) or self._new_turn(due)
        present[turn.silent] = False
        self.sight = self._look(world, turn, values) if len(turn.who) else None

    def _new_turn(self, due: tuple[bool, ...]) -> _Turn:
        if len(self._turns) >= _MOST_TURNS:
            self._turns.clear()
        rhythms = {rhythm for rhythm, is_due in zip(self._rhythms, due, strict=True) if is_due}
        looks = np.array([rhythm in rhythms for rhythm in self._rhythm_of], np.bool_)
        who = looks.nonzero()[0]
        options = [self._options[index] for index in who.tolist()]
        noise = np.array([option.noise for option in options]).reshape(-1, 3)
        turn = self._turns[due] = _Turn(
            who=who,
            rows=self._rows[who],
            silent=self._flags[~looks],
            pyramids=_pyramids(options, self._calibration[who]),
            noise=noise[:1] if (noise == noise[:1]).all() else noise,
            occluder=np.array([option.occluder_radius for option in options]),
            begins=np.arange(len(who) + 1) * (ROWS * self._points.shape[1]),
        )
        return turn

    def _look(self, world: World, turn: _Turn, values: Array) -> Sight:
        positions, rotations = world.engine.link_poses(self._selection)
        ball, cameras, targets = world.engine.state.ball_position, len(self._rows), self._targets
        rotations = turned(rotations[:cameras], self._robots, self._fixed)
        for extra in self._extras:
            _report(extra, positions[extra.index], rotations[extra.index], ball, values)
        points = self._points
        points[:3, self._ball] = ball
        points[:3, self._first_part : targets] = positions[cameras:].T
        rotation, origin = rotations, positions[:cameras]
        if len(turn.who) < cameras:
            rotation, origin = rotation.take(turn.who, 0), origin.take(turn.who, 0)
        # measured is (observers, 8, points): x, y, z of a point in a camera's frame, then its distances from the five
        # planes around the view. One product measures all points in all views, as calls cost more than measures of
        # invisible points. From here on a visible point is an index of its x in the flat array, and all coordinates of
        # all visible points are taken at once: objects (landmarks, ball, parts) first, then both ends of lines.
        measured = turn.pyramids.measure(points, rotation, origin)
        object_of, target = turn.pyramids.inside(measured[:, :, :targets], self._nearest2)
        object_at = turn.place(object_of, target)
        if self._some_occluded:
            # Occluders are spheres around the origins of robots.
            torsos = np.vstack([world.engine.state.position.T, np.ones(len(world.robots))])
            spheres = turn.pyramids.measure(torsos, rotation, origin)[:, :3].transpose(2, 0, 1)
            objects = measured.ravel().take(object_at[:, None] + self._columns[:3, 0])
            free = ~hidden(objects, object_of, self._owner.take(target), spheres, turn.rows, turn.occluder)
            target, object_at = target[free], object_at[free]
        line_of, line = turn.pyramids.clip(measured[:, :, targets:].reshape(len(turn.who), ROWS, 2, self._lines))
        line_at = turn.place(line_of, line)
        seen_at = np.concatenate([object_at, (line_at[:, None] + self._both_ends).ravel()])
        seen = measured.ravel().take(seen_at + self._columns)
        # (4, lines, 2): x, y, z and the cut-off part of both ends. Each end moves toward the other one by that part.
        ends = seen[:, len(target) :].reshape(4, -1, 2)
        ends[:3] += (ends[:3, :, ::-1] - ends[:3]) * ends[CUT]
        # All observers have equally many measures, so the index gives the observer.
        noise = turn.noise if len(turn.noise) == 1 else turn.noise.take(seen_at // turn.begins[1], 0)
        polar = self._polar(seen[:3], noise)
        return Sight(
            observers=turn.rows,
            object_offset=turn.offsets(object_at),
            object_target=target,
            object_polar=polar[: len(target)],
            line_offset=turn.offsets(line_at),
            line_polar=polar[len(target) :].reshape(-1, 2, 3),
        )

    def _polar(self, points: Array, noise: Array) -> Array:
        """Noisy polar coordinates (distance, azimuth, elevation), (n, 3), of (3, n) points; noise: (n or 1, 3)."""
        forward, left, up = points[0], points[1], points[2]
        squares = points * points
        polar = np.empty((len(forward), 3))
        distance = np.sqrt(squares[0] + squares[1] + squares[2], polar[:, 0])
        np.arctan2(left, forward, polar[:, 1])
        # Rounding cannot make the distance smaller than a coordinate.
        np.arcsin(up / distance, polar[:, 2])
        error = self.random.standard_normal(polar.shape)
        error *= noise
        error[:, 0] *= distance
        polar += error
        return polar


def _pyramids(options: Sequence[VisionParameters], calibration: Array) -> Pyramids:
    fields = [(o.horizontal_fov_deg, o.vertical_fov_deg) for o in options]
    openings = np.radians(fields).reshape(-1, 2) / 2
    openings[[option.unlimited for option in options]] = math.inf
    return Pyramids.of(openings, np.array([option.lines for option in options], np.bool_), calibration)


def _report(extra: _Extra, position: Array, rotation: Array, ball: Array, values: Array) -> None:
    """Write the values of a mount in the order of `VisionParameters.columns`."""
    sign = float(extra.robot.frame_sign)
    view = np.array([sign, sign, 1.0])
    readings: list[float] = []
    if extra.options.own_position:
        readings += (position * view).tolist()
    if extra.options.own_orientation:
        readings.append(heading_of(rotation))
    if extra.options.ball_position:
        readings += (ball * view).tolist()
    values[extra.start : extra.start + len(readings)] = readings


def camera_link(description: RobotDescription) -> str:
    """The link that carries the vision perceptor of a robot, its base if it has none."""
    links = (spec.link for spec in description.perceptors if spec.kind == "restricted_vision")
    return next(links, "") or description.model.base.name

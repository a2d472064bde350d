"""Virtual vision: landmarks, ball, parts of players and lines as noisy polar coordinates.

Semantics as measured on rcssserver3d 0.7.3 (protocol reference, section 4, "See"): a view pyramid, no occlusion, no
maximum range, a fixed calibration offset per robot and Gaussian noise per measurement. Other parameters give the vision
of other years. A kernel computes all observers and all targets in one pass.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from simspark_ros.configuration.schema import Checked, ConfigurationError, Error, Range
from simspark_ros.kernels.sight import SightKernel
from simspark_ros.perceptors.base import Mount, Perceptor, parameters, parameters_of
from simspark_ros.perceptors.readings import Sight
from simspark_ros.perceptors.sight_features import LINE_FEATURES, SIGHT_FEATURES
from simspark_ros.physics.engine import Array, BoolArray, IntArray
from simspark_ros.physics.geometry.rotations import heading_of
from simspark_ros.physics.geometry.transforms import on_circle, product
from simspark_ros.physics.model import Vector
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.sensors.feature import Feature
from simspark_ros.soccer.field import Field
from simspark_ros.soccer.world import soccer_world
from simspark_ros.worlds.robot import LOOKING_AHEAD, Robot
from simspark_ros.worlds.world import World

_Deviation = Annotated[float, Range(0.0, 360.0), Error()]
_NEAREST = 0.1
"""Distance up to which nothing is seen, m."""

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
        markers: whether the field's markers of the newer league are sensed, too.
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
    markers: bool = False
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


class _Turn(NamedTuple):
    """M mounts that look in the same cycle.

    Attributes:
        who: (M,) indices of the mounts among all.
        rows: (M,) rows of their robots.
        silent: flags of all other mounts.
    """

    who: IntArray
    rows: IntArray
    silent: IntArray


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
        return parameters_of(VisionParameters, spec).columns

    @classmethod
    def features_of(cls, spec: PerceptorSpec) -> tuple[Feature, ...]:
        """Ball, poles and goals, and lines where they are sensed."""
        lines = parameters_of(VisionParameters, spec).lines
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
        intervals = [option.interval for option in options]
        self._rhythm_of = [(i, self._first_cycle[h] % i) for i, h in zip(intervals, handles, strict=True)]
        # Robots with the same interval and phase look together, so only rhythms have to be asked in each cycle.
        self._rhythms = sorted(set(self._rhythm_of))
        self._turns: dict[tuple[bool, ...], _Turn] = {}
        self._fixed = np.array([i for i, option in enumerate(options) if option.static_axes], np.int64)
        pairs = enumerate(zip(mounts, options, strict=True))
        self._extras = [_Extra(i, mount.robot, mount.start, option) for i, (mount, option) in pairs if option.columns]
        self._bind_targets(mounts, world)

    def _bind_targets(self, mounts: Sequence[Mount], world: World) -> None:
        cameras = [(mount.robot.handle, mount.spec.link) for mount in mounts]
        soccer = soccer_world(world)
        robots = list(soccer.robots.values())
        parts = [(r.handle, link) for r in robots for link in r.description.visible_parts.values()]
        self._selection = world.engine.select_links(cameras + parts)
        field = soccer.settings.field
        seen = {**markers_seen(robots, field), **field.landmarks()}
        landmarks = np.array(list(seen.values())).reshape(-1, 3)
        ends = np.array(field.lines()).reshape(-1, 3)
        # The kernel's points: landmarks, the ball, parts of robots, all of them targets; then both ends of each line.
        targets = len(landmarks) + 1 + len(parts)
        points = np.concatenate([landmarks, np.zeros((1 + len(parts), 3)), ends])
        rows = [row for row, r in enumerate(robots) for _ in r.description.visible_parts]
        # Only players are seen: nothing is farther than infinity, so parts of other robots are always too near.
        nearest = [_NEAREST if r.side else math.inf for r in robots for _ in r.description.visible_parts]
        # The ball, too, is always too near in a world without one.
        ball = _NEAREST if world.scene.ball is not None else math.inf
        options, observers = self._options, len(mounts)
        calibrations = [self._calibration_of[mount.robot.handle] for mount in mounts]
        fields = [(option.horizontal_fov_deg, option.vertical_fov_deg) for option in options]
        openings = on_circle(np.radians(fields).ravel() / 2.0).reshape(-1, 2, 2)
        unlimited = np.array([option.unlimited for option in options], np.bool_)
        self._kernel = SightKernel(
            points=points,
            ball=len(landmarks),
            owner=np.array([-1] * (len(landmarks) + 1) + rows, np.int64),
            nearest2=np.array([_NEAREST] * len(landmarks) + [ball] + nearest) ** 2,
            rows=self._rows,
            slopes=np.where(unlimited[:, None], math.inf, openings[:, :, 1] / openings[:, :, 0]),
            sine2=openings[:, 1, 1] ** 2,
            sees_lines=np.array([option.lines for option in options], np.uint8),
            calibration=np.array(calibrations).reshape(-1, 3),
            noise=np.array([option.noise for option in options]).reshape(-1, 3),
            occluder2=np.array([option.occluder_radius**2 for option in options]),
            place=np.zeros_like(points),
            torsos=np.zeros((len(robots), 3)),
            objects=np.zeros((observers * targets, 3)),
            ends=np.zeros((observers * len(ends), 3)),
            target=np.zeros(observers * targets, np.int64),
            who=np.zeros(0, np.int64),
            offsets=np.zeros((2, 1), np.int64),
        )
        self._target = np.asarray(self._kernel.target)

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
        turn = self._turns[due] = _Turn(looks.nonzero()[0], self._rows[looks], self._flags[~looks])
        return turn

    def _look(self, world: World, turn: _Turn, values: Array) -> Sight:
        positions, rotations = world.engine.link_poses(self._selection)
        # The selection has the cameras of all mounts first, due or not, then the parts of robots.
        state, cameras = world.engine.state, len(self._rows)
        rotations = turned(rotations, self._robots, self._fixed)
        for extra in self._extras:
            _report(extra, positions[extra.index], rotations[extra.index], state.ball_position, values)
        offsets = np.empty((2, len(turn.who) + 1), np.int64)
        kernel = self._kernel
        kernel.move(state.ball_position, positions[cameras:])
        # Occluders are spheres around the origins of robots.
        objects, lines = kernel.look(turn.who, positions, rotations, state.position, offsets)
        # The kernel turns this noise into readings in place, objects first, so that it needs one draw and no copy.
        polar = self.random.standard_normal((objects + 2 * lines, 3))
        kernel.polar(polar)
        target, ends = self._target[:objects].copy(), polar[objects:].reshape(-1, 2, 3)
        return Sight(turn.rows, offsets[0], target, polar[:objects], offsets[1], ends)


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


def markers_seen(robots: Iterable[Robot], field: Field) -> dict[str, Vector]:
    """The field's markers, by name, if any robot senses them; they come before all other landmarks."""
    descriptions = {id(robot.description): robot.description for robot in robots}.values()
    specs = (spec for description in descriptions for spec in description.perceptors)
    return field.markers() if any(spec.parameters.get("markers") for spec in specs) else {}


def camera_link(description: RobotDescription) -> str:
    """The link that carries the vision perceptor of a robot, its base if it has none."""
    links = (spec.link for spec in description.perceptors if spec.kind == "restricted_vision")
    return next(links, "") or description.model.base.name


def turned(rotations: Array, robots: Sequence[Robot], fixed: IntArray) -> Array:
    """Apply pan and tilt, and the fixed axes of cameras that do not turn with their bodies.

    Args:
        rotations: (M or more, 3, 3) rotations from bodies to world.
        robots: carriers of the first M. Their pan and tilt are relative to the axes of the body, or to the fixed axes.
        fixed: (F,) indices of the cameras with fixed axes: x toward the opponent's goal, z up.

    Returns:
        Rotations from cameras to world instead of the first M; the argument itself if nothing is turned.
    """
    looking = [index for index, robot in enumerate(robots) if robot.pan_tilt is not LOOKING_AHEAD]
    if not looking and not len(fixed):
        return rotations
    result = rotations.copy()
    for index in fixed.tolist():
        sign = float(robots[index].frame_sign)
        result[index] = np.diag([sign, sign, 1.0])
    # From the right, because pan and tilt are relative to these axes, fixed or not.
    for index in looking:
        result[index] = product(result[index], _pan_tilt(*robots[index].pan_tilt))
    return result


def _pan_tilt(pan: float, tilt: float) -> Array:
    """Rotation from camera to body: pan about z (positive left), then tilt about the camera's own y (positive up)."""
    c, s, ct, st = math.cos(pan), math.sin(pan), math.cos(tilt), math.sin(tilt)
    return np.array([[c * ct, -s, -c * st], [s * ct, c, -s * st], [st, 0.0, ct]])

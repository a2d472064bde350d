"""Recordings of robots, every cycle, and engines that replay them open loop; for benchmarks and tests.

A recording is an .npz file with a row per cycle, of one Nao alone with the ball: `position`, `rotation`,
`linear_velocity`, `angular_velocity`, `joint_position`, `joint_velocity`, `ball_position` and `ball_velocity` as in
`EngineState`; `target_velocity` and `effort_limit` as in `JointControl`, applied in the step that follows the row;
`variant`, the type of the Nao. Without `variant` it is the number behind "type" in the file's name, else 0. Files
of trials with names such as `torso_position`, and a rotation whose columns are right, forward, up, are read as well.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from simspark_ros.physics.engine import Array, JointControl, PhysicsEngine
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations
from simspark_ros.physics.guarded import GuardedEngine
from simspark_ros.physics.model import Vector
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.settings import load_soccer_settings

_OF_BASE = ("position", "rotation", "linear_velocity", "angular_velocity")
_OF_STATE = ("joint_position", "joint_velocity", "ball_position", "ball_velocity")
FIELDS = (*_OF_BASE, *_OF_STATE, "target_velocity", "effort_limit")
# Names in files of the trials.
_OLDER = {
    "position": "torso_position",
    "rotation": "torso_rotation",
    "linear_velocity": "torso_velocity",
    "angular_velocity": "torso_angular_velocity",
    "joint_position": "joint_angle",
    "joint_velocity": "joint_velocity",
    "target_velocity": "joint_target_velocity",
    "ball_position": "ball_position",
    "ball_velocity": "ball_velocity",
}

UPRIGHT = 0.7
"""The torso's upright share (cosine of its tilt, 45 degrees) below which a robot counts as fallen."""

SHORTEST = 30
"""Robots that are tilted for fewer cycles than this only stumbled."""

LATER, LEFT = (0, 10, 20), 20
"""Cycles after the first lying one at which stand-ups are started, and how many of lying have to be left."""

STAND = 10
"""Cycles that a robot has stood when it counts as up."""

EARLIER, AFTER = (6, 8, 10, 12, 14), 5
"""Cycles before the ball is hit at which replays of kicks start, and after it in which the ball is watched."""

GAIN, REACH = 1.5, 0.6
"""A kick gives the ball at least this speed in a cycle, m/s, from no farther away than this, m."""

WALK, APART = 40, 7
"""Cycles of a replayed walk, and between the starts of two."""

PACE, PACE_OVER, STEADY = 0.01, 25, 0.9
"""A robot that walks covers this way in a cycle, m, in the mean of so many cycles, and its torso is so upright."""

EngineMaker = Callable[[], GuardedEngine]


@dataclass(frozen=True)
class Recording:
    """One file; see the module for shapes and units.

    Attributes:
        name: name of the file, without its suffix.
        variant: type of the Nao.
        position, rotation, linear_velocity, angular_velocity: (T, ...) motion of the base.
        joint_position, joint_velocity, target_velocity, effort_limit: (T, J) motion and commands of the joints.
        ball_position, ball_velocity: (T, 3) motion of the ball.
    """

    name: str
    variant: int
    position: Array
    rotation: Array
    linear_velocity: Array
    angular_velocity: Array
    joint_position: Array
    joint_velocity: Array
    ball_position: Array
    ball_velocity: Array
    target_velocity: Array
    effort_limit: Array

    @property
    def rows(self) -> int:
        return len(self.position)

    @property
    def upright(self) -> Array:
        """(T,) cosine of the torso's tilt."""
        return self.rotation[:, 2, 2]

    def save(self, path: Path, rows: slice = slice(None)) -> None:
        """Write these rows to a file, in single precision."""
        arrays = {name: getattr(self, name)[rows].astype(np.float32) for name in FIELDS}
        np.savez_compressed(path, variant=np.int64(self.variant), **arrays)


@dataclass(frozen=True)
class StandUp:
    """Rows of a recording: the first one lying, the first one upright again."""

    recording: Recording
    first: int
    end: int


@dataclass(frozen=True)
class Kick:
    """The row of a recording with the ball's first speed after a kick, and its highest speed soon after, m/s."""

    recording: Recording
    row: int
    speed: float


def load_recording(path: Path) -> Recording:
    """Read a file."""
    with np.load(path) as file:
        arrays = {name: file[name].astype(float) for name in file}
    kind = re.search(r"type(\d)", path.stem)
    variant = int(arrays["variant"]) if "variant" in arrays else int(kind[1]) if kind else 0
    if "torso_position" in arrays:
        arrays = {name: arrays[older] for name, older in _OLDER.items()}
        right, forward, up = np.moveaxis(arrays["rotation"], 2, 0)
        arrays["rotation"] = np.stack((forward, -right, up), 2)
        joints = load_robot("nao", variant).model.joints
        limits = np.array([joint.max_effort for joint in joints])
        arrays["effort_limit"] = np.broadcast_to(limits, arrays["target_velocity"].shape)
    return Recording(path.stem, variant, **{name: arrays[name] for name in FIELDS})


class Recorder:
    """Records every step of an engine with one robot, from now on."""

    def __init__(self, engine: GuardedEngine) -> None:
        self._engine = engine
        self._rows: list[list[Array]] = []
        self._variant = 0
        self._step = engine.step
        setattr(engine, "step", self._note)  # noqa: B010

    def _note(self, control: JointControl) -> None:
        state = self._engine.state
        if len(state.handles) == 1:
            base = [getattr(state, name)[0] for name in _OF_BASE]
            rest = [getattr(state, name) for name in _OF_STATE]
            # The caller may use its arrays again.
            self._rows.append([*base, *rest, control.velocity.copy(), control.effort_limit.copy()])
            self._variant = int(state.models[0].name.removeprefix("nao_type"))
        self._step(control)

    def save(self, path: Path) -> None:
        """Write what was recorded."""
        columns = (np.array(column) for column in zip(*self._rows, strict=True))
        Recording(path.stem, self._variant, **dict(zip(FIELDS, columns, strict=True))).save(path)


class Replay:
    """A new world in the state of a row of a recording, which then follows the recorded commands open loop."""

    def __init__(self, make_engine: EngineMaker, recording: Recording, row: int) -> None:
        self.engine = engine = make_engine()
        self.row = row
        self._recording = recording
        settings = load_soccer_settings()
        engine.load_scene(settings.scene)
        position = _vector(recording.position[row])
        handle = engine.add_robot(load_robot("nao", recording.variant).model, position)
        engine.set_joint_positions(handle, recording.joint_position[row])
        x, y, z, w = quaternions_from_rotations(recording.rotation[row : row + 1])[0].tolist()
        engine.place_robot(handle, position, (x, y, z, w))
        linear, angular = _vector(recording.linear_velocity[row]), _vector(recording.angular_velocity[row])
        engine.set_velocity(handle, linear, angular, recording.joint_velocity[row])
        engine.place_ball(_vector(recording.ball_position[row]), _vector(recording.ball_velocity[row]))

    def run(self, cycles: int) -> Iterator[PhysicsEngine]:
        """The engine after each of some cycles, when `row` is the row of the recording to compare it with."""
        for _ in range(cycles):
            recording, size = self._recording, self.engine.state.joint_max_effort.size
            targets, limits = recording.target_velocity[self.row], recording.effort_limit[self.row]
            self.engine.step(JointControl(targets.copy(), limits.copy(), np.zeros(size)))
            self.row += 1
            yield self.engine

    def errors(self) -> tuple[float, float]:
        """How far the torso is from the recorded one, m, and turned against it, rad."""
        state, recording = self.engine.state, self._recording
        apart = float(np.linalg.norm(state.position[0] - recording.position[self.row]))
        cosine = (float(np.sum(state.rotation[0] * recording.rotation[self.row])) - 1.0) / 2.0
        return apart, float(np.arccos(np.clip(cosine, -1.0, 1.0)))


def find_stand_ups(recording: Recording) -> list[StandUp]:
    low = np.concatenate(([False], recording.upright < UPRIGHT, [False]))
    edges = np.flatnonzero(np.diff(low))
    spans = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    last = recording.rows - STAND
    return [StandUp(recording, first, end) for first, end in spans if end - first >= SHORTEST and end < last]


def find_kicks(recording: Recording) -> list[Kick]:
    speed = np.linalg.norm(recording.ball_velocity, axis=1)
    near = np.linalg.norm(recording.ball_position[:, :2] - recording.position[:, :2], axis=1) < REACH
    kicks: list[Kick] = []
    for row in np.flatnonzero((np.diff(speed) > GAIN) & near[:-1]) + 1:
        if row >= max(EARLIER) and (not kicks or row > kicks[-1].row + 2 * AFTER):
            kicks.append(Kick(recording, int(row), float(speed[row : row + AFTER + 1].max())))
    return kicks


def find_walks(recording: Recording) -> list[int]:
    """Rows from which a robot walks on for `WALK` cycles, away from the ball and as fast as `PACE` before and after."""
    ways = np.linalg.norm(recording.position[PACE_OVER:, :2] - recording.position[:-PACE_OVER, :2], axis=1)
    fast = ways > PACE * PACE_OVER
    from_ball = np.linalg.norm(recording.ball_position[:, :2] - recording.position[:, :2], axis=1)
    found = []
    for row in range(PACE_OVER, recording.rows - WALK - PACE_OVER, APART):
        rows = slice(row - PACE_OVER, row + WALK)
        if (
            fast[row - PACE_OVER]
            and fast[row]
            and min(from_ball[rows]) > REACH
            and min(recording.upright[rows]) > STEADY
        ):
            found.append(row)
    return found


def upright_after(make_engine: EngineMaker, one: StandUp, later: int) -> float:
    """How upright (cosine of its tilt) a torso is after a stand-up that is started some cycles after the first one."""
    replay = Replay(make_engine, one.recording, one.first + later)
    for _ in replay.run(one.end + STAND - replay.row):
        pass
    upright = float(replay.engine.state.rotation[0, 2, 2])
    replay.engine.close()
    return upright


def kick_speed(make_engine: EngineMaker, kick: Kick, earlier: int) -> float:
    """The fastest ball of a replay, m/s."""
    replay = Replay(make_engine, kick.recording, kick.row - earlier)
    speed = max(float(np.linalg.norm(engine.state.ball_velocity)) for engine in replay.run(earlier + AFTER))
    replay.engine.close()
    return speed


def _vector(values: Array) -> Vector:
    x, y, z = values.tolist()
    return x, y, z

"""The checks that all engines share: `GuardedEngine` refuses or cuts arguments, so that engines get clean input."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

import numpy as np

from simspark_ros.kernels.motors import ControlCheck
from simspark_ros.physics.engine import (
    Array,
    EngineCore,
    IntArray,
    JointControl,
    Limits,
    LinkSelection,
    PhysicsError,
    RayHits,
)
from simspark_ros.physics.geometry.kinematics import standing_height
from simspark_ros.physics.model import ZERO, ArticulatedModel, SceneModel, Vector
from simspark_ros.physics.rays import RayCaster

Quaternion = tuple[float, float, float, float]
T = TypeVar("T")


class GuardedEngine:
    """The PhysicsEngine around an `EngineCore`; `create_engine` makes one around every engine.

    It wraps the engine and is no base class: an engine of a third party has nothing to inherit, its attributes cannot
    clash with the guard's, and its methods are just the protocol. Bad arguments raise PhysicsError, and handles that do
    not exist KeyError, before the engine is reached.

    Attributes:
        core: the engine inside, whose methods expect checked arguments.
        state, recovered: state of the engine and bodies that it put back, kept as they are read many times a cycle;
            they change only when the engine has to work.
    """

    def __init__(self, core: EngineCore) -> None:
        self.core = core
        self.cycle_time = core.cycle_time
        self.servos = bool(getattr(core, "servos", False))
        self.state = core.state
        self.recovered = core.recovered
        self._limits: Limits = getattr(core, "limits", Limits())
        self._scene: SceneModel | None = None
        self._rays: RayCaster | None = None
        self._control = ControlCheck(*np.zeros((3, 0)))

    @property
    def worn(self) -> bool:
        return bool(getattr(self.core, "worn", False))

    @property
    def planar(self) -> bool:
        return bool(getattr(self.core, "planar", False))

    def load_scene(self, scene: SceneModel) -> None:
        if self._scene is not None:
            raise PhysicsError("this engine already has a scene; make a new engine for another scene")
        self._change(self.core.load_scene, scene)
        self._scene = scene
        self._rays = RayCaster(self.core, scene)

    def add_robot(self, model: ArticulatedModel, position: Vector, yaw: float = 0.0) -> int:
        if self._scene is None:
            raise PhysicsError("load a scene before adding robots")
        _require_finite((*position, yaw), "position or yaw of a robot")
        return self._change(self.core.add_robot, model, self._above_ground(model, position), yaw)

    def remove_robot(self, handle: int) -> None:
        self.state.row(handle)
        self._change(self.core.remove_robot, handle)

    def remove_robots(self, handles: Sequence[int]) -> None:
        for handle in handles:
            self.state.row(handle)
        remove = getattr(self.core, "remove_robots", None)
        if remove is not None:
            self._change(remove, handles)
            return
        for handle in handles:
            self._change(self.core.remove_robot, handle)

    def prepare(self, models: tuple[ArticulatedModel, ...]) -> Future[object] | None:
        prepare = getattr(self.core, "prepare", None)
        return None if prepare is None else prepare(models)

    def place_robot(self, handle: int, position: Vector, quaternion: Quaternion) -> None:
        """A quaternion may have any length above zero; a base too far below the ground is lifted."""
        model = self.state.models[self.state.row(handle)]
        _require_finite((*position, *quaternion), "pose of a robot")
        unit = _unit_quaternion(quaternion)
        self._change(self.core.place_robot, handle, self._above_ground(model, position), unit)

    def set_joint_positions(self, handle: int, positions: Array) -> None:
        """Positions beyond a joint's range are cut to the range."""
        state, limit = self.state, self._limits.distance
        row = state.row(handle)
        own = state.joints_of(row)
        self._require_joints(row, positions, "joint position")
        lower, upper = np.maximum(state.joint_lower[own], -limit), np.minimum(state.joint_upper[own], limit)
        self._change(self.core.set_joint_positions, handle, np.clip(positions, lower, upper))

    def set_velocity(self, handle: int, linear: Vector, angular: Vector, joints: Array | None = None) -> None:
        """Joints are cut to the largest spin; a bolted base stays at rest."""
        row = self.state.row(handle)
        _require_finite((*linear, *angular), "velocity of a robot")
        if self.state.models[row].fixed_base:
            linear = angular = ZERO
        slower = shortened(linear, self._limits.speed), shortened(angular, self._limits.spin)
        if joints is None:
            self._change(self.core.set_velocity, handle, *slower)
        else:
            self._require_joints(row, joints, "joint velocity")
            cut = np.clip(joints, -self._limits.spin, self._limits.spin)
            self._change(self.core.set_velocity, handle, *slower, cut)

    def place_ball(self, position: Vector, velocity: Vector = ZERO, spin: Vector = ZERO) -> None:
        if self._scene is None or self._scene.ball is None:
            raise PhysicsError("this world has no ball")
        _require_finite((*position, *velocity, *spin), "position or velocity of the ball")
        limits = self._limits
        place, slower = _inside(position, limits.distance), shortened(velocity, limits.ball_speed)
        self._change(self.core.place_ball, place, slower, shortened(spin, limits.spin))

    def step(self, control: JointControl) -> None:
        self._require_control(control, self.state.joint_max_velocity.shape)
        try:
            self.core.step(control)
        finally:
            self.state, self.recovered = self.core.state, self.core.recovered

    def select_links(self, links: list[tuple[int, str]]) -> LinkSelection:
        return self.core.select_links(links)

    def link_poses(self, selection: LinkSelection) -> tuple[Array, Array]:
        self._require_current(selection)
        return self.core.link_poses(selection)

    def link_velocities(self, selection: LinkSelection) -> tuple[Array, Array]:
        self._require_current(selection)
        return self.core.link_velocities(selection)

    def link_accelerations(self, selection: LinkSelection) -> Array | None:
        accelerations: Callable[[LinkSelection], Array | None] | None = getattr(self.core, "link_accelerations", None)
        if accelerations is None:
            return None
        self._require_current(selection)
        return accelerations(selection)

    def cast_rays(
        self, origins: Array, directions: Array, max_distance: float | Array, ignore: int | IntArray = -1
    ) -> RayHits:
        if self._rays is None:
            raise PhysicsError("load a scene before casting rays")
        return self._rays.cast(origins, directions, max_distance, ignore)

    def close(self) -> None:
        """Closing twice does no harm."""
        self.core.close()

    def _change(self, work: Callable[..., T], *arguments: Any) -> T:
        """Call a method of the engine that changes the world; then adopt the engine's state."""
        try:
            return work(*arguments)
        finally:
            self.state, self.recovered = self.core.state, self.core.recovered

    def _above_ground(self, model: ArticulatedModel, position: Vector) -> Vector:
        """As `_inside`, with the base not deep in the ground, out of which no engine can lift a robot.

        A base without solids may be below the ground where the robot stands, as PR2's, 51 mm below its wheels.
        """
        x, y, z = _inside(position, self._limits.distance)
        return x, y, z if z >= 0.0 else max(z, min(standing_height(model), 0.0))

    def _require_joints(self, row: int, values: Array, what: str) -> None:
        model = self.state.models[row]
        if np.shape(values) != (len(model.joints),):
            raise PhysicsError(f"model '{model.name}' has {len(model.joints)} joints, not {np.shape(values)}")
        _require_finite(values, what)

    def _require_control(self, control: JointControl, shape: tuple[int, ...]) -> None:
        velocity, limit, effort = control.velocity, control.effort_limit, control.effort
        if not velocity.shape == limit.shape == effort.shape == shape:
            raise PhysicsError(f"the arrays of a JointControl must have the shape {shape} of the state's joints")
        if not self._control.is_usable(velocity, limit, effort):
            raise PhysicsError("a JointControl holds numbers that are not finite, or a negative effort limit")

    def _require_current(self, selection: LinkSelection) -> None:
        if selection.revision != self.state.revision:
            raise PhysicsError("this link selection is void: robots were added or removed since it was made")


def shortened(vector: Iterable[float], longest: float) -> Vector:
    """The vector, or one of that length in its direction if it is longer."""
    x, y, z = vector
    largest = max(abs(x), abs(y), abs(z))
    if largest > longest:
        # Scaled first: squares of very large numbers would leave the range of floats.
        x, y, z = x / largest * longest, y / largest * longest, z / largest * longest
    length = math.sqrt(x * x + y * y + z * z)
    if length <= longest:
        return x, y, z
    return x / length * longest, y / length * longest, z / length * longest


def _require_finite(values: Iterable[float], what: str) -> None:
    if not all(map(math.isfinite, values)):
        raise PhysicsError(f"{what} must be finite numbers, not {list(values)}")


def _inside(position: Iterable[float], reach: float) -> Vector:
    """The point of the cube -reach ... reach that is nearest to a position."""
    x, y, z = (min(max(value, -reach), reach) for value in position)
    return x, y, z


def _unit_quaternion(quaternion: Quaternion) -> Quaternion:
    largest = max(map(abs, quaternion))
    if largest == 0.0:
        raise PhysicsError("a quaternion of zeros is not an orientation")
    x, y, z, w = (value / largest for value in quaternion)
    length = math.sqrt(x * x + y * y + z * z + w * w)
    return x / length, y / length, z / length, w / length

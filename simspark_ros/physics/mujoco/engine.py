"""The MuJoCo engine: the fast one, with constraints as stiff as ODE's on the classic server.

Every setting and its reason is in `config/physics/mujoco/ode20.yaml`.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import mujoco
import numpy as np

from simspark_ros.kernels import compiled
from simspark_ros.physics.engine import (
    BALL_HANDLE,
    MAX_SPIN,
    PLACEABLE,
    Array,
    EngineState,
    JointControl,
    Limits,
    LinkSelection,
)
from simspark_ros.physics.geometry.rotations import upright
from simspark_ros.physics.guarded import Quaternion
from simspark_ros.physics.links import SelectedLinks, resolve_links
from simspark_ros.physics.model import ArticulatedModel, SceneModel, Vector
from simspark_ros.physics.mujoco.native import NativeWorld
from simspark_ros.physics.mujoco.overlap import MujocoOverlaps
from simspark_ros.physics.mujoco.roster import BasePose, check_model, state_of
from simspark_ros.physics.mujoco.settings import MujocoSettings
from simspark_ros.physics.mujoco.world import MujocoWorld
from simspark_ros.physics.presets import load_preset
from simspark_ros.physics.rows import forget_forces

# Bound of joints and quaternions that need no limit; its inverse is still a normal number.
_LARGE = 1e100

_log = logging.getLogger(__name__)


def create(preset: str | None = None) -> MujocoEngine:
    """A new engine with a preset of `config/physics/mujoco`, or a file; None takes `ode20`."""
    if not compiled():
        _log.warning("MuJoCo is slow here: install a C compiler and install simspark_ros again, to compile its kernels")
    return MujocoEngine(load_preset("mujoco", MujocoSettings, preset))


class MujocoEngine:
    """An EngineCore; see that protocol for the public methods."""

    def __init__(self, settings: MujocoSettings) -> None:
        self._settings = settings
        self.limits = Limits(
            PLACEABLE * settings.max_distance,
            settings.max_robot_speed,
            spin=MAX_SPIN / 2,
            ball_speed=settings.max_ball_speed,
        )
        self.cycle_time = settings.cycle_time
        self.state = EngineState()
        self.recovered: list[int] = []
        self._scene = SceneModel()
        self._models: dict[int, ArticulatedModel] = {}
        self._next_handle = 0
        # The world last compiled and its robots; the state also has robots that came since then.
        # Whether motors with gains and the friction of joints are MuJoCo's own.
        self.servos = settings.native_steps > 0
        self._world = self._new_world(())
        self._compiled: tuple[int, ...] = ()
        self._newcomers: dict[int, BasePose] = {}
        # A world that another thread compiles for robots that are about to come or go, with their models.
        self._compiler = ThreadPoolExecutor(1, "compiler")
        self._prepared: tuple[tuple[ArticulatedModel, ...], Future[MujocoWorld] | None] = (), None
        self._overlaps = MujocoOverlaps()
        # Handles of the robots placed since the last step, and of robots put back in the last step.
        self._placed: set[int] = set()
        self._stuck: set[int] = set()
        self._limits: Array = np.zeros(0)

    def load_scene(self, scene: SceneModel) -> None:
        self._scene = scene
        self._world = self._new_world(())
        self._after_compiling()
        self._publish_ball()

    def add_robot(self, model: ArticulatedModel, position: Vector, yaw: float = 0.0) -> int:
        check_model(model, self._settings)
        handle = self._next_handle
        self._next_handle += 1
        self._models[handle] = model
        self._newcomers[handle] = position, upright(yaw)
        self._placed.add(handle)
        self.state = state_of(self._models, self.state, self._newcomers)
        return handle

    def remove_robot(self, handle: int) -> None:
        self.remove_robots((handle,))

    def remove_robots(self, handles: Sequence[int]) -> None:
        for handle in handles:
            self._placed.discard(handle)
            self._stuck.discard(handle)
            self._overlaps.forget(handle)
            self._newcomers.pop(handle, None)
            del self._models[handle]
        self.state = state_of(self._models, self.state, self._newcomers)

    def prepare(self, models: tuple[ArticulatedModel, ...]) -> Future[MujocoWorld] | None:
        """Compile a world of these models, which takes a while and leaves the interpreter to other threads."""
        known, ready = self._prepared
        is_present = _are_same(models, self.state.models) and self._compiled == self.state.handles
        if not is_present and (ready is None or ready.cancelled() or not _are_same(models, known)):
            # Without room for a thread the loop compiles.
            with suppress(RuntimeError):
                ready = self._compiler.submit(self._new_world, models)
                self._prepared = models, ready
        return ready

    def place_robot(self, handle: int, position: Vector, quaternion: Quaternion) -> None:
        self._current().put_base(self.state.row(handle), position, quaternion)
        self._after_placing(handle)

    def set_joint_positions(self, handle: int, positions: Array) -> None:
        self._current().put_joints(self.state.row(handle), positions)
        self._after_placing(handle)

    def set_velocity(self, handle: int, linear: Vector, angular: Vector, joints: Array | None = None) -> None:
        self._current().put_velocity(self.state.row(handle), linear, angular, joints)
        self._publish()

    def place_ball(self, position: Vector, velocity: Vector, spin: Vector) -> None:
        self._world.put_ball(position, velocity, spin)
        self._publish_ball()

    def step(self, control: JointControl) -> None:
        world = self._current()
        self._overlaps.update(world, self.state.handles, self._placed, self._stuck)
        self._placed.clear()
        self._stuck.clear()
        before = world.positions.copy()
        try:
            world.step(control)
        except mujoco.FatalError:
            # Out of memory: the result of the step cannot be used.
            world.data.qpos[:] = np.nan
        bad = self._guard(before)
        world.settle()
        self.recovered = self._recover(bad) if bad else []
        self._read_step(control, bad)

    def select_links(self, links: list[tuple[int, str]]) -> SelectedLinks:
        selected, parts = resolve_links(self.state, links), self._current().parts
        bodies = [
            parts[row].links[self.state.models[row].links[link].name]
            for row, link in zip(selected.rows, selected.links, strict=True)
        ]
        selected.bodies = np.array(bodies, np.int64)
        return selected

    def link_poses(self, selection: LinkSelection) -> tuple[Array, Array]:
        assert isinstance(selection, SelectedLinks)
        world, bodies = self._world, selection.bodies
        return selection.frames(world.centres.take(bodies, 0), world.rotations.take(bodies, 0))

    def link_velocities(self, selection: LinkSelection) -> tuple[Array, Array]:
        assert isinstance(selection, SelectedLinks)
        linear, angular = self._world.body_velocities(selection.bodies)
        return selection.velocities(linear, angular, self._world.data.xmat.take(selection.bodies, 0).reshape(-1, 3, 3))

    def link_accelerations(self, selection: LinkSelection) -> Array | None:
        assert isinstance(selection, SelectedLinks)
        world: Any = self._world
        if not self.servos:
            return None
        points, _ = self.link_poses(selection)
        accelerations: Array = world.body_accelerations(selection.bodies, points)
        return accelerations

    def close(self) -> None:
        """End the compiler; MuJoCo frees its memory with the engine."""
        self._compiler.shutdown(wait=False)

    def _current(self) -> MujocoWorld:
        """The world of the present robots: compiled once, however many came and went since the last use."""
        if self._compiled != self.state.handles:
            self._compile()
        return self._world

    def _compile(self) -> None:
        """Build a new world in which robots of the old world keep their motion."""
        handles, before = self.state.handles, self._compiled
        world = self._world_of(tuple(self._models.values()))
        world.take_over(self._world, {row: before.index(one) for row, one in enumerate(handles) if one in before})
        for handle, (position, quaternion) in self._newcomers.items():
            world.put_base(handles.index(handle), position, quaternion)
        self._newcomers.clear()
        self._world, self._compiled = world, handles
        self._after_compiling()

    def _world_of(self, models: tuple[ArticulatedModel, ...]) -> MujocoWorld:
        """A world of these models that nothing has changed yet: the prepared one, or else one compiled now."""
        (prepared, ready), self._prepared = self._prepared, ((), None)
        # A service whose time is over cancels what has not begun.
        with suppress(CancelledError):
            if ready is not None and _are_same(models, prepared):
                return ready.result()
        return self._new_world(models)

    def _new_world(self, models: tuple[ArticulatedModel, ...]) -> MujocoWorld:
        kind: Any = NativeWorld if self.servos else MujocoWorld
        world: MujocoWorld = kind(self._settings, self._scene, models)
        return world

    def _after_compiling(self) -> None:
        settings, world = self._settings, self._world
        # Largest numbers in qpos and qvel that make sense.
        position, velocity = np.full(world.model.nq, _LARGE), np.full(world.model.nv, _LARGE)
        bases = [(part.positions.start, part.velocities.start) for part in world.parts if not part.is_bolted]
        for start, motion in [*bases, *([] if world.ball is None else [(0, 0)])]:
            position[start : start + 3] = settings.max_distance
            velocity[motion : motion + 3] = settings.max_robot_speed
            velocity[motion + 3 : motion + 6] = MAX_SPIN
        if world.ball is not None:
            # The ball is slowed down instead.
            velocity[:6] = _LARGE
        self._limits = np.concatenate((position, velocity))
        # Numbers below these need no closer look.
        add_robots = velocity[velocity.size - world.fastest.size :]
        np.minimum(add_robots, world.fastest, out=add_robots)
        if world.ball is not None:
            velocity[:3] = settings.max_ball_speed / 2.0
        world.harmless[:] = np.concatenate((position, velocity))
        self._overlaps.apply(world, self.state.handles)

    def _after_placing(self, handle: int) -> None:
        """Read again after a robot was placed at rest, without its former efforts and contacts."""
        forget_forces(self.state, self.state.row(handle))
        self._placed.add(handle)
        self._publish()

    def _publish(self) -> None:
        self._world.publish_motion(self.state)

    def _publish_ball(self) -> None:
        self._world.publish_ball(self.state)

    def _read_step(self, control: JointControl, bad: list[int]) -> None:
        state = self.state
        self._publish()
        self._publish_ball()
        self._world.publish_forces(state, control.effort)
        for row in bad:
            if row != BALL_HANDLE:
                forget_forces(state, row)

    def _guard(self, before: Array) -> list[int]:
        """Put bodies with bad numbers back to the positions `before` the step, and slow the ball down.

        Returns the rows of the robots put back, BALL_HANDLE for the ball.
        """
        world = self._world
        data = world.data
        if world.is_harmless():
            return []
        self._slow_ball()
        world.slow_joints()
        # A comparison with NaN is false, so one test finds numbers that are absurd or not finite.
        good = np.abs(np.concatenate((data.qpos, data.qvel))) <= self._limits
        if good.all():
            return []
        good_position, good_velocity = good[: len(before)], good[len(before) :]
        finite = bool(np.isfinite(data.qacc_warmstart).all())
        bad = []
        for row, part in enumerate(world.parts):
            if not (good_position[part.positions].all() and good_velocity[part.velocities].all()):
                data.qpos[part.positions], data.qvel[part.velocities] = before[part.positions], 0.0
                bad.append(row)
        if world.ball is not None and not (good_position[:7].all() and good_velocity[:6].all()):
            data.qpos[:7], data.qvel[:6] = before[:7], 0.0
            bad.append(BALL_HANDLE)
        if not finite:
            data.qacc_warmstart[:] = 0.0
        return bad

    def _recover(self, bad: list[int]) -> list[int]:
        """After `_guard` and `settle`: robots that were put back are at rest; returns the handles."""
        robots = [row for row in bad if row != BALL_HANDLE]
        for row in robots:
            self._world.rest(row)
        handles = [self.state.handles[row] for row in robots]
        self._placed.update(handles)
        self._stuck.update(handles)
        return handles + [BALL_HANDLE] * (BALL_HANDLE in bad)

    def _slow_ball(self) -> None:
        if self._world.ball is None:
            return
        velocity = self._world.data.qvel
        x, y, z = velocity[:3].tolist()
        speed = math.sqrt(x * x + y * y + z * z) if max(abs(x), abs(y), abs(z)) < _LARGE else math.inf
        if self._settings.max_ball_speed < speed < math.inf:
            velocity[:3] *= self._settings.max_ball_speed / speed


def _are_same(models: Sequence[ArticulatedModel], others: Sequence[ArticulatedModel]) -> bool:
    """Whether these are the same objects: to compare what they hold takes long."""
    return list(map(id, models)) == list(map(id, others))

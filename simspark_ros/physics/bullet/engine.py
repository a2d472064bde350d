"""The PyBullet engine: robots in reduced coordinates, one 20 ms step a cycle, all robots in a few array calls.

Every setting and its reason is in `config/physics/bullet/J1.yaml`. The parts: `bullet_scene` (ground, boxes, ball),
`bullet_robot` (one robot), `bullet_motors` (joint commands), `bullet_touch` (contacts), `bullet_links` (link poses).
"""

from __future__ import annotations

import math

import numpy as np
import pybullet

from simspark_ros.physics.bullet.far_pair_filter import Crowds
from simspark_ros.physics.bullet.hinge_compliance import Drift
from simspark_ros.physics.bullet.links import BulletLinks, read_links, select_links
from simspark_ros.physics.bullet.motors import Motors
from simspark_ros.physics.bullet.overlap import Overlaps
from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.bullet.scene import OWN_GROUPS, SHARED_GROUP, BulletBall, build_scene, connect
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.bullet.table import ANGULAR, LINEAR, MAX_SPIN, POSITION, RobotTable
from simspark_ros.physics.bullet.touch import Touch, TouchReader
from simspark_ros.physics.checks import (
    Quaternion,
    inside,
    require_finite,
    require_joint_positions,
    shortened,
    unit_quaternion,
)
from simspark_ros.physics.contact_summary import follow_rows
from simspark_ros.physics.engine import Array, EngineState, JointControl, LinkSelection, PhysicsError
from simspark_ros.physics.model import ZERO, ArticulatedModel, SceneModel, Vector
from simspark_ros.physics.presets import load_preset

BALL_HANDLE = -1
"""Stands for the ball in `recovered`."""

DEFAULT_PRESET = "J1"


def create(preset: str | None = None) -> BulletEngine:
    """A new engine with a preset of `config/physics/bullet`, or a file; None takes `J1`.

    Raises:
        ConfigurationError: no such preset, or it cannot be used.
    """
    return BulletEngine(load_preset("bullet", BulletSettings, preset or DEFAULT_PRESET))


class BulletEngine:
    """A PhysicsEngine; see that protocol for what the public methods promise.

    Positions out of `max_distance` and speeds above the maxima of the settings are cut to them.
    """

    def __init__(self, settings: BulletSettings) -> None:
        """An empty world with these settings."""
        self._settings = settings
        self.cycle_time = settings.cycle_time
        self.state = EngineState()
        self.recovered: list[int] = []
        self._client = connect(settings)
        self._open = True
        self._scene: SceneModel | None = None
        self._ball: BulletBall | None = None
        self._ball_values: tuple[float, ...] = (0.0,) * 9
        self._robots: dict[int, BulletRobot] = {}
        self._next_handle = 0
        # As `RobotTable.read` gives them.
        self._base: Array = np.zeros((0, 13))
        self._joints: Array = np.zeros((3, 0))
        self._overlaps = Overlaps(self._client)
        # Robots put somewhere since the last step.
        self._placed: set[int] = set()
        self._drift = Drift(self._client, settings, [], None)
        self._crowds = Crowds(self._client, settings, [], None)
        self._index_robots()

    def load_scene(self, scene: SceneModel) -> None:
        """See PhysicsEngine.

        Raises:
            PhysicsError: a scene was loaded before.
        """
        if self._scene is not None:
            raise PhysicsError("this world already has a scene; make a new engine for another one")
        self._scene = scene
        self._ball = build_scene(self._client, self._settings, scene)
        self._index_robots()
        self._read_ball()
        self._publish_ball()

    def add_robot(self, model: ArticulatedModel, position: Vector, yaw: float = 0.0) -> int:
        """See PhysicsEngine.

        Raises:
            PhysicsError: no scene yet, a number is not finite, or Bullet refuses the model.
        """
        if self._scene is None:
            raise PhysicsError("load a scene before adding robots")
        require_finite((*position, yaw), "position or yaw of a robot")
        half = yaw / 2.0
        orientation = (0.0, 0.0, math.sin(half), math.cos(half))
        taken = {robot.group for robot in self._robots.values()}
        group = next((one for one in OWN_GROUPS if one not in taken), SHARED_GROUP)
        start = inside(position, self._settings.max_distance)
        robot = BulletRobot(self._client, self._settings, model, start, orientation, group)
        handle = self._next_handle
        self._next_handle += 1
        self._robots[handle] = robot
        self._placed.add(handle)
        self._change_rows()
        return handle

    def remove_robot(self, handle: int) -> None:
        """See PhysicsEngine; KeyError if there is no such robot."""
        self._robot(handle).remove()
        self._overlaps.forget(handle, self._robots)
        del self._robots[handle]
        self._placed.discard(handle)
        self._change_rows()

    def place_robot(self, handle: int, position: Vector, quaternion: Quaternion) -> None:
        """See PhysicsEngine.

        Raises:
            PhysicsError: a number is not finite or the quaternion is zero.
            KeyError: no such robot.
        """
        robot = self._robot(handle)
        require_finite((*position, *quaternion), "pose of a robot")
        turned = unit_quaternion(quaternion)
        robot.place(inside(position, self._settings.max_distance), turned)
        self._after_placing(handle)

    def set_joint_positions(self, handle: int, positions: Array) -> None:
        """See PhysicsEngine; values beyond the joint's range are cut to it.

        Raises:
            PhysicsError: wrong number of values or one that is not finite.
            KeyError: no such robot.
        """
        robot = self._robot(handle)
        require_joint_positions(robot.model, positions)
        own = self.state.joints_of(self.state.row(handle))
        limit = self._settings.max_distance
        lower = np.maximum(self.state.joint_lower[own], -limit)
        upper = np.minimum(self.state.joint_upper[own], limit)
        robot.set_joints(np.clip(positions, lower, upper).tolist())
        self._after_placing(handle)

    def set_velocity(self, handle: int, linear: Vector, angular: Vector) -> None:
        """See PhysicsEngine.

        Raises:
            PhysicsError: a number is not finite.
            KeyError: no such robot.
        """
        robot = self._robot(handle)
        require_finite((*linear, *angular), "velocity of a robot")
        robot.set_velocity(shortened(linear, self._settings.max_robot_speed), shortened(angular, MAX_SPIN))
        self._read_robots()
        self._publish()

    def place_ball(self, position: Vector, velocity: Vector | None = None) -> None:
        """See PhysicsEngine.

        Raises:
            PhysicsError: a number is not finite, or this world has no ball.
        """
        if self._ball is None:
            raise PhysicsError("this world has no ball")
        speed = ZERO if velocity is None else velocity
        require_finite((*position, *speed), "position or velocity of the ball")
        self._ball.place(inside(position, self._settings.max_distance), shortened(speed, self._settings.max_ball_speed))
        self._read_ball()
        self._publish_ball()

    def step(self, control: JointControl) -> None:
        """See PhysicsEngine.

        Raises:
            PhysicsError: the control has the wrong size or numbers that are not finite; nothing moved.
        """
        pushed = self._motors.check(control)
        if self._placed:
            self._overlaps.find(self._robots, self._placed)
            self._placed.clear()
        self._overlaps.release(self._robots)
        self._crowds.part(self._base[:, POSITION])
        self._motors.command(control, *self._joints)
        self._drift.before_step()
        effort = control.effort.tolist() if pushed else None
        if self._ball is not None:
            self._ball.prepare_bounce(self._ball_values)
        self._touch_reader.meetings.clear()
        for substep in range(self._settings.substeps):
            if substep:
                self._touch_reader.look()
            self._table.apply_drag(self._base)
            if effort is not None:
                self._motors.push(effort)
            pybullet.stepSimulation(physicsClientId=self._client)
        self._read_step(None if effort is None else control.effort)

    def select_links(self, links: list[tuple[int, str]]) -> BulletLinks:
        """See PhysicsEngine."""
        return select_links(self.state, list(self._robots.values()), links)

    def link_poses(self, selection: LinkSelection) -> tuple[Array, Array]:
        """See PhysicsEngine.

        Raises:
            PhysicsError: robots were added or removed since the selection was made.
        """
        if not isinstance(selection, BulletLinks) or selection.revision != self.state.revision:
            raise PhysicsError("this link selection is void: robots were added or removed since it was made")
        return read_links(selection, self.state, self._client)

    def close(self) -> None:
        """See PhysicsEngine; closing twice does no harm."""
        if self._open:
            self._open = False
            pybullet.disconnect(physicsClientId=self._client)

    # Rows and tables

    def _robot(self, handle: int) -> BulletRobot:
        try:
            return self._robots[handle]
        except KeyError:
            raise KeyError(f"no robot with handle {handle}") from None

    def _change_rows(self) -> None:
        """Bring state and tables in line with the robots there are; what was read of the others is kept."""
        old, old_motor = self.state, self._joints[2]
        self.state = EngineState(
            revision=old.revision + 1,
            handles=tuple(self._robots),
            models=tuple(robot.model for robot in self._robots.values()),
            ball_position=old.ball_position,
            ball_velocity=old.ball_velocity,
            ball_angular_velocity=old.ball_angular_velocity,
        )
        self._index_robots()
        state = self.state
        follow_rows(state, old)
        motor, effort = np.zeros(int(state.joint_offset[-1])), np.zeros(int(state.joint_offset[-1]))
        touch = self._touch_reader.nothing()
        for row, handle in enumerate(state.handles):
            if handle in old.handles:
                before = old.row(handle)
                own, theirs = state.joints_of(row), old.joints_of(before)
                motor[own], effort[own] = old_motor[theirs], old.joint_effort[theirs]
                feet, old_feet = _touches(state, row), _touches(old, before)
                for new, was in zip(touch, (old.touching, old.touch_point, old.touch_force), strict=True):
                    new[feet] = was[old_feet]
        self._read_robots(motor)
        state.joint_effort = effort
        self._publish(touch)

    def _index_robots(self) -> None:
        robots, state = list(self._robots.values()), self.state
        state.joint_offset = np.cumsum([0, *(len(robot.joints) for robot in robots)], dtype=np.int64)
        state.touch_offset = np.cumsum([0, *(len(robot.touch_links) for robot in robots)], dtype=np.int64)
        joints = [joint for robot in robots for joint in robot.model.joints]
        state.joint_lower = np.array([joint.lower for joint in joints])
        state.joint_upper = np.array([joint.upper for joint in joints])
        state.joint_max_velocity = np.array([joint.max_velocity for joint in joints])
        state.joint_max_effort = np.array([joint.max_effort for joint in joints])
        self._table = RobotTable(self._client, self._settings, robots)
        self._drift = Drift(self._client, self._settings, robots, self._drift)
        self._crowds = Crowds(self._client, self._settings, robots, self._crowds)
        self._motors = Motors(self._client, self._settings, robots, state)
        self._touch_reader = TouchReader(self._client, robots, None if self._ball is None else self._ball.body)

    def _after_placing(self, handle: int) -> None:
        """Read again after a robot was put somewhere at rest: its motors and contacts of before mean nothing now."""
        state = self.state
        row = state.row(handle)
        motor, effort = self._joints[2].copy(), state.joint_effort.copy()
        motor[state.joints_of(row)] = effort[state.joints_of(row)] = 0.0
        touch = (state.touching.copy(), state.touch_point.copy(), state.touch_force.copy())
        for part in touch:
            part[_touches(state, row)] = 0
        self._placed.add(handle)
        self._drift.forget((row,))
        self._read_robots(motor)
        state.joint_effort = effort
        self._publish(touch)

    # Reading

    def _read_robots(self, motor: Array | None = None) -> None:
        """Read all bases and joints; motor efforts are kept, or are those given."""
        kept = self._joints[2] if motor is None else motor
        self._base, self._joints = self._table.read()
        self._joints[2] = kept

    def _publish(self, touch: Touch | None = None) -> None:
        """Fill the state from what was read."""
        state, base, joints = self.state, self._base.copy(), self._joints.copy()
        state.position, state.rotation = base[:, POSITION], self._table.rotations(base)
        state.linear_velocity, state.angular_velocity = base[:, LINEAR], base[:, ANGULAR]
        state.joint_position, state.joint_velocity = joints[0], joints[1]
        if touch is not None:
            state.touching, state.touch_point, state.touch_force = touch

    def _read_ball(self) -> None:
        if self._ball is not None:
            self._ball_values = self._ball.read()

    def _publish_ball(self) -> None:
        state, values = self.state, self._ball_values
        state.ball_position, state.ball_velocity = np.array(values[:3]), np.array(values[3:6])
        state.ball_angular_velocity = np.array(values[6:])

    def _read_step(self, effort: Array | None) -> None:
        """Read everything after a step, guard it and fill the state."""
        base, joints, ball = self._base, self._joints, self._ball_values
        self._base, self._joints = self._table.read()
        self._read_ball()
        bad = self._table.bad_rows(self._base, self._joints)
        bad_ball = self._ball_is_bad()
        if bad or bad_ball:
            self._recover(bad, base, joints, ball if bad_ball else self._ball_values)
        touch = self._touch_reader.read()
        self._touch_reader.meetings.publish(self.state)
        for row in bad:
            for part in touch:
                part[_touches(self.state, row)] = 0
        self._publish(touch)
        self._publish_ball()
        motor = self._joints[2]
        self.state.joint_effort = motor.copy() if effort is None else motor + effort
        self._drift.after_step(self.state.rotation)
        self.recovered = [self.state.handles[row] for row in bad] + [BALL_HANDLE] * bad_ball

    # Guards

    def _ball_is_bad(self) -> bool:
        """Slow the ball down if it is too fast; whether its numbers are not finite or absurd."""
        values = self._ball_values
        if not (math.isfinite(sum(values)) and max(map(abs, values[:3])) <= self._settings.max_distance):
            return True
        if self._ball is not None and math.hypot(*values[3:6]) > self._settings.max_ball_speed:
            linear = shortened(values[3:6], self._settings.max_ball_speed)
            self._ball_values = (*values[:3], *linear, *values[6:])
            self._ball.restore(self._ball_values)
        return False

    def _recover(self, rows: list[int], base: Array, joints: Array, ball: tuple[float, ...]) -> None:
        """Put robots, and the ball if it is not where it was read, back to where they were before the step, at rest.

        Args:
            rows: of the robots.
            base: what was read before the step.
            joints: likewise.
            ball: the ball's last good numbers.
        """
        state = self.state
        finite = bool(np.isfinite(self._base).all() and np.isfinite(self._joints).all())
        for row in rows:
            own = state.joints_of(row)
            self._base[row], self._base[row, LINEAR.start :] = base[row], 0.0
            self._joints[:, own], self._joints[0, own] = 0.0, joints[0, own]
        if ball is not self._ball_values:
            finite = finite and math.isfinite(sum(self._ball_values))
            self._ball_values = (*ball[:3], *(0.0,) * 6)
        if not finite:
            self._make_world_anew()
        for row in rows if finite else range(len(state.handles)):
            own, handle = state.joints_of(row), state.handles[row]
            positions, velocities, _ = self._joints[:, own].tolist()
            self._robots[handle].restore(self._base[row].tolist(), positions, velocities)
            self._placed.add(handle)
            self._drift.forget((row,))
        if self._ball is not None:
            self._ball.restore(self._ball_values)

    def _make_world_anew(self) -> None:
        """Leave a world with numbers that are not finite: they spread to its search trees, and no body finds another.

        Handles and rows stay; poses and velocities have to be restored.
        """
        pybullet.disconnect(physicsClientId=self._client)
        self._client = connect(self._settings)
        if self._scene is not None:
            self._ball = build_scene(self._client, self._settings, self._scene)
        for robot in self._robots.values():
            robot.reload(self._client)
        self._overlaps = Overlaps(self._client)
        self._crowds = Crowds(self._client, self._settings, [], None)
        self._index_robots()


def _touches(state: EngineState, row: int) -> slice:
    return slice(int(state.touch_offset[row]), int(state.touch_offset[row + 1]))

"""The PyBullet engine: robots in reduced coordinates, one 20 ms step a cycle, all robots in a few array calls.

Every setting and its reason is in `config/physics/bullet/J1.yaml`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pybullet

from simspark_ros.configuration.c_library import return_freed_memory
from simspark_ros.physics.bullet.ball import BulletBall, build_scene
from simspark_ros.physics.bullet.link_states import LinkStates
from simspark_ros.physics.bullet.new_world import new_world
from simspark_ros.physics.bullet.overlap import BulletOverlaps
from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.bullet.robot_rows import RobotRows
from simspark_ros.physics.bullet.scene import OWN_GROUPS, SHARED_GROUP, build_for_materials, connect
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.bullet.softness import softness
from simspark_ros.physics.bullet.spare_robots import SoundModels, SpareRobots
from simspark_ros.physics.bullet.table import ANGULAR, LINEAR, POSITION
from simspark_ros.physics.engine import BALL_HANDLE, PLACEABLE, Array, EngineState, JointControl, Limits, LinkSelection
from simspark_ros.physics.geometry.rotations import upright
from simspark_ros.physics.guarded import Quaternion, shortened
from simspark_ros.physics.links import SelectedLinks
from simspark_ros.physics.model import ArticulatedModel, SceneModel, Vector
from simspark_ros.physics.ode_likeness.correction import Motion
from simspark_ros.physics.presets import load_preset
from simspark_ros.physics.rows import carry_joints, change_rows, forget_forces
from simspark_ros.physics.surfaces import hardness_of, material_of

# Number of bodies removed from a world after which it is replaced, and number until the next attempt if that failed.
# The remains of so many take as much memory as the matrices that may be lost with the old world, see `spare_robots`.
_MOST_REMOVED, _MORE_REMOVED = 1024, 16


def create(preset: str | None = None) -> BulletEngine:
    """A new engine with a preset of `config/physics/bullet`, or a file; None takes `J1`."""
    return BulletEngine(load_preset("bullet", BulletSettings, preset))


class BulletEngine:
    """An EngineCore; see that protocol for the public methods."""

    def __init__(self, settings: BulletSettings) -> None:
        self._settings, self._cfm = settings, settings.cfm
        reach = PLACEABLE * settings.max_distance
        self.limits = Limits(reach, settings.max_robot_speed, ball_speed=settings.max_ball_speed)
        self.cycle_time = settings.cycle_time
        self.state = EngineState()
        self.recovered: list[int] = []
        self._client = connect(settings)
        self._open = True
        self._scene = SceneModel()
        self._ball: BulletBall | None = None
        self._ball_values: tuple[float, ...] = (0.0,) * 9
        self._robots: dict[int, BulletRobot] = {}
        self._next_handle = 0
        # Table of bases of `RobotTable.read`.
        self._base: Array = np.zeros((0, 13))
        self._joints: Array = np.zeros((3, 0))
        self._overlaps = BulletOverlaps(self._client, settings.pile_size)
        self._spare = SpareRobots(settings, self._scene.gravity)
        # Number of removed bodies from which on the world is replaced.
        self._most_removed = _MOST_REMOVED
        # Whether the world keeps numbers that are not finite, as no new world could be made.
        self._spoilt = False
        # Restitution of immovable bodies for links with a material, by body; None while there are no such links.
        self._standing: dict[int, float] | None = None
        # Handles of the robots placed since the last step.
        self._placed: set[int] = set()
        self._sound = SoundModels()
        self._index_robots(None)

    def load_scene(self, scene: SceneModel) -> None:
        self._scene = scene
        if scene.ground is not None:
            # The ground has the friction of its material, not the classic server's.
            self._settings = replace(self._settings, grip_slip=0.0)
        self._ball = build_scene(self._client, self._settings, scene)
        self._spare = SpareRobots(self._settings, scene.gravity)
        self._index_robots(self._rows)
        self._read_ball()
        self._publish_ball()

    def add_robot(self, model: ArticulatedModel, position: Vector, yaw: float = 0.0) -> int:
        orientation = upright(yaw)
        hardness = hardness_of(model.mass)
        if self._standing is None and any(material_of(link, hardness) for link in model.links):
            self._standing = build_for_materials(self._client, self._settings, self._scene)
        taken = {robot.group for robot in self._robots.values()}
        group = next((one for one in OWN_GROUPS if one not in taken), SHARED_GROUP)
        robot = self._spare.take(model)
        if robot is None:
            robot = BulletRobot(self._client, self._settings, model, position, orientation, group)
        else:
            robot.reuse(position, orientation, group)
        handle = self._next_handle
        self._next_handle += 1
        self._robots[handle] = robot
        self._placed.add(handle)
        self._sound.add(handle, model)
        try:
            self._change_rows()
        except BaseException:
            self._drop(handle)
            self._change_rows()
            raise
        return handle

    def remove_robot(self, handle: int) -> None:
        self.remove_robots((handle,))

    def remove_robots(self, handles: Sequence[int]) -> None:
        for handle in handles:
            self._rows.grip.let_go(self.state.row(handle))
            self._drop(handle)
        self._change_rows()

    def _drop(self, handle: int) -> None:
        robot = self._robots.pop(handle)
        self._forget_push(robot)
        # Only a robot that rests with sound numbers may become a spare one: nobody would put it back.
        if robot.model in self._sound and handle not in self.recovered:
            self._spare.keep(robot)
        else:
            self._spare.remove(robot)
        self._placed.discard(handle)
        self._sound.drop(handle)

    def place_robot(self, handle: int, position: Vector, quaternion: Quaternion) -> None:
        self._robots[handle].place(position, quaternion)
        self._after_placing(handle)

    def set_joint_positions(self, handle: int, positions: Array) -> None:
        self._robots[handle].set_joints(positions.tolist())
        self._after_placing(handle)

    def set_velocity(self, handle: int, linear: Vector, angular: Vector, joints: Array | None = None) -> None:
        if joints is not None:
            positions = self._joints[0, self.state.joints_of(self.state.row(handle))]
            self._robots[handle].set_joint_velocities(positions.tolist(), joints.tolist())
        self._robots[handle].set_velocity(linear, angular)
        if self._rows.bodies.is_needed:
            self._rows.bodies.forget_momenta(self.state.row(handle))
        self._read_robots(self._joints[2])
        self._publish()

    def place_ball(self, position: Vector, velocity: Vector, spin: Vector) -> None:
        assert self._ball is not None
        self._ball.place(position, velocity, spin)
        self._read_ball()
        self._publish_ball()

    def step(self, control: JointControl) -> None:
        if self._spoilt or self._spare.removed + self._rows.grip.removed >= self._most_removed:
            self._renew_world()
            if self._spoilt:
                # Nothing would collide in such a world.
                self.recovered = [*self.state.handles, *[BALL_HANDLE] * (self._ball is not None)]
                return
        pushed = np.count_nonzero(control.effort) > 0
        self._part_robots()
        self._rows.motors.command(control, *self._joints)
        if self._ball is not None:
            self._ball.prepare_ground(self._ball_values, self._base[:, POSITION], self._rows.links)
            self._ball.prepare_bounce(self._ball_values)
        self._rows.touches.summary.clear()
        motion = Motion(self._base, self._joints[1])
        base, joints = self._base, self._joints
        for substep in range(self._settings.substeps):
            if substep:
                self._rows.touches.look()
                self._rows.land(base, self._rows.table.rotations(base), joints)
                if self._ball is not None:
                    self._ball.prepare_ground(self._ball.read(), base[:, POSITION], self._rows.links)
            else:
                self._fresh_links()
            self._rows.push(motion, control.effort, pushed)
            pybullet.stepSimulation(physicsClientId=self._client)
            base, joints = self._rows.table.read()
            before, motion = motion, Motion(base, joints[1])
            self._rows.after_step(before, motion)
        self._read_step(base, joints, control.effort if pushed else None)

    def _fresh_links(self) -> LinkStates:
        """The links where they are now, also after robots were put somewhere."""
        if self._rows.links.stale:
            self._rows.links.read(self._base, self._rows.table.rotations(self._base), self._joints)
        return self._rows.links

    def _part_robots(self) -> None:
        """Ease robots that were placed into each other apart, and spare far ones the search for contacts."""
        if self._placed:
            self._overlaps.find(self._robots, self._placed)
            self._placed.clear()
        self._overlaps.release(self._robots.values())
        meeting = self._rows.far_pairs.look(self._base[:, POSITION])
        self._overlaps.limit(list(self._robots.values()), meeting)
        self._rows.far_pairs.part()

    def select_links(self, links: list[tuple[int, str]]) -> SelectedLinks:
        return self._rows.links.select(self.state, links)

    def link_poses(self, selection: LinkSelection) -> tuple[Array, Array]:
        assert isinstance(selection, SelectedLinks)
        return self._fresh_links().poses(selection)

    def link_velocities(self, selection: LinkSelection) -> tuple[Array, Array]:
        assert isinstance(selection, SelectedLinks)
        return self._fresh_links().velocities(selection)

    def close(self) -> None:
        if self._open:
            self._open = False
            pybullet.disconnect(physicsClientId=self._client)

    def _change_rows(self) -> None:
        """Bring state and tables in line with the robots; the readings of robots that stay are kept."""
        old = self.state
        models = {handle: robot.model for handle, robot in self._robots.items()}
        self.state = change_rows(models, old, EngineState)
        self._index_robots(self._rows)
        self._read_robots(carry_joints(self._joints[2], self.state, old))
        self._publish()

    def _index_robots(self, old: RobotRows | None) -> None:
        """Make all that is bound to a fixed list of robots, which takes over from `old`."""
        robots, state = list(self._robots.values()), self.state
        cfm = softness(self._cfm, (robot.model for robot in robots))
        if cfm != self._settings.cfm:
            self._settings = replace(self._settings, cfm=cfm)
            pybullet.setPhysicsEngineParameter(globalCFM=cfm, physicsClientId=self._client)
        self._rows: RobotRows = RobotRows(
            self._client,
            self._settings,
            self._scene.gravity,
            robots,
            state,
            self._spare,
            self._standing or {},
            self._ball,
            old,
        )

    def _after_placing(self, handle: int) -> None:
        """Read again after a robot was placed at rest, without its former efforts and contacts."""
        state = self.state
        row = state.row(handle)
        forget_forces(state, row)
        self._placed.add(handle)
        self._forget_motion(row)
        self._base, self._joints = self._base.copy(), self._joints.copy()
        self._rows.table.read_again(row, self._base, self._joints)
        self._joints[2, state.joints_of(row)] = 0.0
        self._rows.links.stale = True
        self._publish()

    def _forget_motion(self, row: int) -> None:
        """Forget the motion of a robot that was put somewhere."""
        self._rows.forget(row)
        self._forget_push(self._robots[self.state.handles[row]])

    def _forget_push(self, robot: BulletRobot) -> None:
        if self._ball is not None:
            self._ball.forget(robot.body)

    def _read_robots(self, motor: Array) -> None:
        """Read all bases and joints; motor: (J,) efforts of the motors, which are not read."""
        self._base, self._joints = self._rows.table.read()
        self._joints[2] = motor
        self._rows.links.stale = True

    def _publish(self) -> None:
        state, base, joints = self.state, self._base.copy(), self._joints.copy()
        state.position, state.rotation = base[:, POSITION], self._rows.table.rotations(base)
        state.linear_velocity, state.angular_velocity = base[:, LINEAR], base[:, ANGULAR]
        state.joint_position, state.joint_velocity = joints[0], joints[1]

    def _read_ball(self) -> None:
        if self._ball is not None:
            self._ball_values = self._ball.read()

    def _publish_ball(self) -> None:
        state, values = self.state, np.array(self._ball_values)
        state.ball_position, state.ball_velocity, state.ball_angular_velocity = values[:3], values[3:6], values[6:]

    def _read_step(self, new_base: Array, new_joints: Array, effort: Array | None) -> None:
        """Guard the new tables of bases and joints after a step, read everything else and fill the state."""
        base, joints, ball = self._base, self._joints, self._ball_values
        self._base, self._joints = new_base, new_joints
        self._read_ball()
        bad = self._rows.table.bad_rows(self._base, self._joints)
        if self._ball is not None and not bad:
            self._ball_values = self._ball.touch(ball, self._ball_values, self._rows.motions_of)
        bad_ball = self._ball_is_bad()
        if bad or bad_ball:
            self._recover(bad, base, joints, ball if bad_ball else self._ball_values)
        for row in self._rows.motors.put_within_stops(*self._joints[:2]):
            self._restore(row)
        touch = None if self._rows.grip.is_needed else self._rows.touches.read()
        self._publish()
        self._publish_ball()
        motor = self._joints[2]
        self.state.joint_effort = motor.copy() if effort is None else motor + effort
        self._rows.land(self._base, self.state.rotation, self._joints)
        touch = touch or self._rows.touches.read()
        self._rows.touches.summary.publish(self.state)
        for row in bad:
            for part in touch:
                part[self.state.touches_of(row)] = 0
        self.state.touching, self.state.touch_point, self.state.touch_force = touch
        self.recovered = [self.state.handles[row] for row in bad] + [BALL_HANDLE] * bad_ball
        self._sound.look(self.recovered)

    def _ball_is_bad(self) -> bool:
        """Slow the ball down if it is too fast; returns whether its numbers are not finite or absurd."""
        values = self._ball_values
        if not (math.isfinite(sum(values)) and max(map(abs, values[:3])) <= self._settings.max_distance):
            return True
        if self._ball is not None and math.hypot(*values[3:6]) > self._settings.max_ball_speed:
            linear = shortened(values[3:6], self._settings.max_ball_speed)
            self._ball_values = (*values[:3], *linear, *values[6:])
            self._ball.restore(self._ball_values)
        return False

    def _recover(self, rows: list[int], base: Array, joints: Array, ball: tuple[float, ...]) -> None:
        """Put robots back to `base` and `joints` of before the step, at rest, and the ball to its last good numbers."""
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
            self._spoilt = not self._rebuild_world()
        for row in rows if finite else range(len(state.handles)):
            self._restore(row)
            self._placed.add(state.handles[row])
            self._forget_motion(row)
        if self._ball is not None:
            self._ball.restore(self._ball_values)

    def _restore(self, row: int) -> None:
        """Put a robot back to its row of `base` and `joints`."""
        positions, velocities, _ = self._joints[:, self.state.joints_of(row)].tolist()
        self._robots[self.state.handles[row]].restore(self._base[row].tolist(), positions, velocities)

    def _renew_world(self) -> None:
        """Go on in a new world with the same motion, or in this one if no new world can be made."""
        if not self._rebuild_world():
            self._most_removed = self._spare.removed + self._rows.grip.removed + _MORE_REMOVED
            return
        self._spoilt = False
        for row in range(len(self._robots)):
            self._restore(row)
        if self._ball is not None:
            self._ball.restore(self._ball_values)

    def _rebuild_world(self) -> bool:
        """Replace a world with numbers that are not finite, which spread to its search trees, or with much waste.

        Handles, rows and ghosts stay; poses and velocities have to be restored. Returns False if no new world can be
        made, for lack of file descriptors; the old world is then as it was.
        """
        world = new_world(self._settings, self._scene, list(self._robots.values()), self._standing is not None)
        if world is None:
            return False
        pybullet.disconnect(physicsClientId=self._client)
        # The old world's memory is in pieces too small for the next one.
        return_freed_memory()
        self._client, self._ball, self._standing = world
        self._overlaps.follow(self._client)
        self._spare, self._most_removed = SpareRobots(self._settings, self._scene.gravity), _MOST_REMOVED
        self._index_robots(self._rows)
        return True

"""The ODE engine: the classic server's physics, number by number, through ctypes.

By default a cycle is one full step of 20 ms. Each link is a body, so that hinges drift apart and come together as on
the classic server. Every setting is in `config/physics/ode/reference.yaml`.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.engine import (
    MAX_SPIN,
    PLACEABLE,
    Array,
    BoolArray,
    EngineState,
    JointControl,
    Limits,
    LinkSelection,
    PhysicsError,
)
from simspark_ros.physics.geometry.link_motion import LinkMotion
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations, rotations_from_quaternions
from simspark_ros.physics.geometry.transforms import product, rotation_about
from simspark_ros.physics.guarded import Quaternion, shortened
from simspark_ros.physics.links import SelectedLinks, resolve_links
from simspark_ros.physics.model import ZERO, ArticulatedModel, SceneModel, Vector
from simspark_ros.physics.ode.assertions import ExpendableThread, OdeFailedError
from simspark_ros.physics.ode.bodies import ANGULAR, LINEAR, POSITION, rotations_of
from simspark_ros.physics.ode.joints import JointRates, OdeState
from simspark_ros.physics.ode.library import load_library
from simspark_ros.physics.ode.robot import OdeRobot, least_moment
from simspark_ros.physics.ode.scene import OdeBall, OdeWorld
from simspark_ros.physics.ode.settings import OdeSettings
from simspark_ros.physics.ode.shapes import BALL, ShapeProperties, touch_link
from simspark_ros.physics.ode.state_readout import StateReadout
from simspark_ros.physics.presets import load_preset
from simspark_ros.physics.rows import TouchArrays, carry_joints, carry_touch, change_rows
from simspark_ros.physics.surfaces import Material, hardness_of, material_of


def create(preset: str | None = None) -> OdeEngine:
    """A new engine with a preset of `config/physics/ode`, or a file; None takes `reference`."""
    return OdeEngine(load_preset("ode", OdeSettings, preset))


_SKEWED = 1e-9
"""Largest difference between the identity and a rotation times its transpose."""


class OdeEngine:
    """An EngineCore; see that protocol for the public methods.

    A robot that rests sleeps as on the classic server: its last touch stays in the state, and it wakes when one of its
    joints is commanded to move, when it is placed and when something that is awake touches it.

    ODE may fail on a robot with numbers far from a real robot's. Such a robot is frozen: it stays where it was, passes
    through everything, and is listed in `recovered`, until it is removed. Each failure costs a thread and a world for
    good; after `max_failures` failures the engine is `worn`.
    """

    def __init__(self, settings: OdeSettings) -> None:
        self._library = load_library()
        self._settings = settings
        reach = PLACEABLE * settings.max_distance
        self.limits = Limits(reach, settings.max_speed, ball_speed=settings.max_ball_speed)
        self.cycle_time = settings.cycle_time
        self._own_state = OdeState()
        self.state: EngineState = self._own_state
        self.recovered: list[int] = []
        self._world = OdeWorld(self._library, settings)
        self._scene: SceneModel | None = None
        self._thread = ExpendableThread()
        self._failures = 0
        self._open = True
        self._ball: OdeBall | None = None
        self._robots: dict[int, OdeRobot] = {}
        self._next_handle = 0
        # The last readings; the state holds copies.
        self._table: Array = np.zeros((0, 25))
        self._joint_position: Array = np.zeros(0)
        self._touch: TouchArrays = (np.zeros(0, np.bool_), np.zeros((0, 3)), np.zeros((0, 3)))
        self._readout = StateReadout(self._library, settings, self.state, [], None)
        self._rates = JointRates(self._readout.joints, self._table, lambda: np.zeros(0))

    @property
    def worn(self) -> bool:
        """Whether ODE has failed `max_failures` times."""
        return self._failures >= self._settings.max_failures

    def load_scene(self, scene: SceneModel) -> None:
        self._scene = scene
        self._ball = self._world.build(scene)
        self._change_rows()

    def add_robot(self, model: ArticulatedModel, position: Vector, yaw: float = 0.0) -> int:
        handle = self._next_handle
        # Before it is built: ODE's fixed joints keep the softness that the world has then.
        self._suit_world(model)
        try:
            robot = self._thread.run(partial(self._build_robot, handle, model))
        except OdeFailedError as error:
            self._build_world_again()
            raise PhysicsError(f"model '{model.name}': {error}; check its masses, inertias and sizes") from None
        self._next_handle += 1
        self._robots[handle] = robot
        turn = rotation_about((0.0, 0.0, 1.0), math.remainder(yaw, 2.0 * math.pi))
        centres, rotations = LinkMotion(model).poses(np.zeros(len(model.joints)), turn)
        robot.put(centres + position, rotations)
        self._change_rows()
        return handle

    def _build_robot(self, handle: int, model: ArticulatedModel) -> OdeRobot:
        robot = OdeRobot(self._library, self._world.world, self._world.space, self._settings, model)
        contacts = self._world.contacts
        contacts.add_robot(handle, robot.space, len(model.links))
        touch_links = {index for index, link in enumerate(model.links) if link.name in model.touch_links}
        hardness = hardness_of(model.mass)
        for shape, link in robot.shapes:
            felt = touch_link(handle, link) if link in touch_links else -1
            surface = contacts.surface(Material.ROBOT, material_of(model.links[link], hardness), hardness)
            contacts.add_shape(shape, ShapeProperties(surface, handle, ctypes.c_void_p(robot.bodies[link]), felt))
        return robot

    def remove_robot(self, handle: int) -> None:
        self.remove_robots((handle,))

    def remove_robots(self, handles: Sequence[int]) -> None:
        for handle in handles:
            self._world.contacts.remove_robot(handle)
            self._robots.pop(handle).remove()
        self._change_rows()

    def place_robot(self, handle: int, position: Vector, quaternion: Quaternion) -> None:
        turned = rotations_from_quaternions(np.array([quaternion]))[0]
        own = self._table[self._bodies_of(handle)]
        rotations = rotations_of(own)
        turn = product(turned, rotations[0].T)
        if abs(product(turn, turn.T) - np.eye(3)).max() > _SKEWED:
            # Rounding errors double with each placing between two steps, and ODE ends the process if they get large.
            turn = rotations_from_quaternions(quaternions_from_rotations(turn[None]))[0]
        centres = own[:, POSITION]
        self._robots[handle].put(product(centres - centres[0], turn.T) + position, product(turn, rotations))
        self._after_placing(handle)

    def set_joint_positions(self, handle: int, positions: Array) -> None:
        robot = self._robots[handle]
        base = self._table[self._bodies_of(handle)][:1]
        centres, rotations = LinkMotion(robot.model).poses(positions, rotations_of(base)[0])
        robot.put(centres + base[0, POSITION], rotations)
        self._joint_position[self.state.joints_of(self.state.row(handle))] = positions
        self._after_placing(handle)

    def set_velocity(self, handle: int, linear: Vector, angular: Vector, joints: Array | None = None) -> None:
        own = self._table[self._bodies_of(handle)]
        robot = self._robots[handle]
        if joints is None:
            # The other links move along with the base.
            more, spin = linear - own[0, LINEAR], angular - own[0, ANGULAR]
            arms = own[:, POSITION] - own[0, POSITION]
            robot.set_velocities(own[:, LINEAR] + more + np.cross(spin, arms), own[:, ANGULAR] + spin)
        else:
            robot.set_velocities(
                *LinkMotion(robot.model).velocities(own[:, POSITION], rotations_of(own), linear, angular, joints)
            )
        self._read(self._rates.effort)

    def place_ball(self, position: Vector, velocity: Vector, spin: Vector) -> None:
        assert self._ball is not None
        self._ball.put(position, velocity, spin)
        self._read(self._rates.effort)

    def step(self, control: JointControl) -> None:
        effort, recovered = self._step_world(control)
        readout = self._readout
        table = readout.bodies.read()
        if recovered or not readout.is_sound(table):
            recovered = self._recover(table, recovered)
            table = readout.bodies.read()
        self.recovered = recovered
        self._read_step(table, effort)

    def select_links(self, links: list[tuple[int, str]]) -> SelectedLinks:
        selected, first = resolve_links(self.state, links), self._readout.first
        bodies = [first[row] + link for row, link in zip(selected.rows, selected.links, strict=True)]
        selected.bodies = np.array(bodies, np.int64)
        return selected

    def link_poses(self, selection: LinkSelection) -> tuple[Array, Array]:
        assert isinstance(selection, SelectedLinks)
        own = self._table[selection.bodies]
        return selection.frames(own[:, POSITION].copy(), rotations_of(own).copy())

    def link_velocities(self, selection: LinkSelection) -> tuple[Array, Array]:
        assert isinstance(selection, SelectedLinks)
        own = self._table[selection.bodies]
        return selection.velocities(own[:, LINEAR].copy(), own[:, ANGULAR].copy(), rotations_of(own))

    def close(self) -> None:
        if self._open:
            self._open = False
            self._world.close()
            self._thread.close()

    def _step_world(self, control: JointControl) -> tuple[Array, list[int]]:
        """Command the motors and advance the world; a robot that makes ODE fail is frozen, and the others go on.

        Returns the efforts (J,) besides the motors', and the handles of the robots and ball that were put back.

        Raises:
            PhysicsError: ODE fails without any robot.
        """
        recovered = [handle for handle, robot in self._robots.items() if robot.frozen]
        effort: Array = np.zeros(0)
        left = self._settings.substeps
        while left:
            readout = self._readout
            effort = readout.command(control, self._joint_position)
            if not readout.bodies.apply_drag():
                # A step with such numbers would fail.
                recovered += self._recover(readout.bodies.read())
                readout.bodies.apply_drag()
            try:
                self._advance()
            except OdeFailedError as error:
                recovered.append(self._freeze_one(error))
                left = self._settings.substeps
            else:
                left -= 1
                if left:
                    self._world.contacts.look()
        return effort, recovered

    def _advance(self) -> None:
        """Make one of ODE's steps.

        Raises:
            OdeFailedError: an assertion failed inside ODE; this world must not be touched any more.
        """
        if self._world.native is None:
            self._thread.run(self._world.step)
        else:
            self._world.step()

    def _freeze_one(self, error: OdeFailedError) -> int:
        """Freeze the robot that most likely made ODE fail, in a new world with the state before the step."""
        # The memory of the lost world is still there. Robots that touched the cause have bad numbers, too.
        table = self._readout.bodies.read()
        bad = {self.state.handles[row] for row in self._readout.bad_robots(table)}
        movable = {handle for handle, robot in self._robots.items() if not robot.frozen}
        if not movable:
            raise PhysicsError(f"{error}; no robot can be the cause")
        # Among equal robots the latest is frozen.
        frozen = min(movable & bad or movable, key=lambda handle: (least_moment(self._robots[handle].model), -handle))
        self._robots[frozen].frozen = True
        self._build_world_again()
        return frozen

    def _build_world_again(self) -> None:
        """Build the world with robots and ball as they were read last; ODE has failed in the old one."""
        self._failures += 1
        self._world.give_up()
        self._world = OdeWorld(self._library, self._settings)
        self._suit_world()
        self._ball = None if self._scene is None else self._world.build(self._scene)
        for handle, old in self._robots.items():
            own = self._table[self._bodies_of(handle)]
            robot = self._robots[handle] = self._build_robot(handle, old.model)
            robot.put(own[:, POSITION], rotations_of(own))
            if old.frozen:
                robot.freeze()
            else:
                robot.set_velocities(own[:, LINEAR], own[:, ANGULAR])
        if self._ball is not None:
            ball = self._table[-1].tolist()
            self._ball.put(tuple(ball[POSITION]), tuple(ball[LINEAR]), tuple(ball[ANGULAR]))
        robots = list(self._robots.values())
        self._readout = StateReadout(self._library, self._settings, self.state, robots, self._ball)

    def _suit_world(self, *newcomers: ArticulatedModel) -> None:
        self._world.expect([one.mass for one in (*newcomers, *(robot.model for robot in self._robots.values()))])

    def _bodies_of(self, handle: int) -> slice:
        row = self.state.row(handle)
        return slice(self._readout.first[row], self._readout.first[row + 1])

    def _change_rows(self) -> None:
        """Bring state and tables in line with the robots; the readings of robots that stay are kept."""
        old, robots = self.state, list(self._robots.values())
        self._suit_world()
        models = {handle: robot.model for handle, robot in self._robots.items()}
        state = self.state = self._own_state = change_rows(models, old, OdeState)
        self._readout = StateReadout(self._library, self._settings, state, robots, self._ball)
        self._joint_position = carry_joints(self._joint_position, state, old)
        self._touch = carry_touch(self._touch, state, old)
        self._read(carry_joints(self._rates.effort, state, old))

    def _after_placing(self, handle: int) -> None:
        """Read again after a robot was placed at rest, without its former efforts and contacts."""
        self._forget_forces(self.state.row(handle))
        self._world.contacts.placed.add(handle)
        self._read(self._rates.effort)

    def _forget_forces(self, row: int) -> None:
        self._rates.effort[self.state.joints_of(row)] = 0.0
        for part in self._touch:
            part[self.state.touches_of(row)] = 0

    def _read(self, effort: Array) -> None:
        """Read bodies and joints after something was put elsewhere. effort: (J,) efforts of the joints."""
        readout = self._readout
        table = self._table = readout.bodies.read()
        self._joint_position = readout.joints.positions(table, self._joint_position)
        self._rates = JointRates(readout.joints, table, lambda: effort)
        self._publish(table.take(readout.seen, axis=0))

    def _publish(self, seen: Array) -> None:
        """Fill the state with copies of the readings. seen: the rows `StateReadout.seen` of the table of bodies."""
        state = self._own_state
        bases = seen[self._readout.bases]
        state.position, state.rotation = bases[:, POSITION], rotations_of(bases)
        state.linear_velocity, state.angular_velocity = bases[:, LINEAR], bases[:, ANGULAR]
        state.joint_position = self._joint_position.copy()
        state.set_rates(self._rates)
        touching, point, force = self._touch
        state.touching, state.touch_point, state.touch_force = touching.copy(), point.copy(), force.copy()
        if self._ball is not None:
            ball = seen[-1]
            state.ball_position, state.ball_velocity = ball[POSITION], ball[LINEAR]
            state.ball_angular_velocity = ball[ANGULAR]

    def _read_step(self, table: Array, effort: Array) -> None:
        """Read all but the bodies after a step and fill the state. effort: (J,) efforts applied besides the motors'."""
        readout, state, contacts = self._readout, self.state, self._world.contacts
        last_rates, last_touch = self._rates, self._touch
        efforts = partial(readout.joints.efforts, readout.feedback.copy(), self._table, effort)
        self._rates = JointRates(readout.joints, table, efforts)
        expected = self._joint_position
        if readout.joints.any_endless:
            expected = expected + self._rates.velocity * self.cycle_time
        self._joint_position = readout.joints.positions(table, expected)
        self._table = table
        seen = table.take(readout.seen, axis=0)
        feet = seen[readout.feet]
        self._touch = contacts.read_touch(readout.touch_index, readout.touches, feet[:, POSITION], rotations_of(feet))
        contacts.read_contacts(readout.row_of).publish(state)
        asleep = readout.asleep()
        if asleep:
            touched = contacts.touched(readout.touch_index)
            for row in asleep:
                # ODE computes nothing for robots that sleep.
                own = state.joints_of(row)
                self._rates.effort[own] = last_rates.effort[own]
                self._keep_touch(state.touches_of(row), last_touch, touched)
        for handle in self.recovered:
            if handle != BALL:
                self._forget_forces(state.row(handle))
        self._publish(seen)

    def _keep_touch(self, own: slice, last: TouchArrays, touched: BoolArray) -> None:
        part: NDArray[Any]
        for part, before in zip(self._touch, last, strict=True):
            part[own] = before[own]
            part[own][~touched[own]] = 0

    def _recover(self, table: Array, also: Sequence[int] = ()) -> list[int]:
        """Put robots and the ball with bad numbers, and robots in `also`, back to the last readings, at rest.

        Returns the handles of all bodies that were put back.
        """
        recovered = []
        rows = {self.state.row(handle) for handle in also if handle != BALL}
        for row in sorted(rows.union(self._readout.bad_robots(table))):
            handle = self.state.handles[row]
            own = self._table[self._bodies_of(handle)]
            self._robots[handle].put(own[:, POSITION], rotations_of(own))
            self._world.contacts.placed.add(handle)
            recovered.append(handle)
        if self._ball is not None and self._recover_ball(self._ball, table[-1], BALL in also):
            recovered.append(BALL)
        return recovered

    def _recover_ball(self, ball: OdeBall, now: Array, anyway: bool) -> bool:
        """Slow the ball down if it is too fast; put it back if its numbers are bad, or `anyway`, and return True."""
        settings = self._settings
        values = now.tolist()
        near = max(map(abs, values[POSITION])) <= settings.max_distance and max(map(abs, values[ANGULAR])) <= MAX_SPIN
        if anyway or not (math.isfinite(sum(values)) and near):
            x, y, z = self._table[-1, POSITION].tolist()
            ball.put((x, y, z), ZERO, ZERO)
            return True
        if math.hypot(*values[LINEAR]) > settings.max_ball_speed:
            ball.set_velocity(shortened(values[LINEAR], settings.max_ball_speed), values[ANGULAR])
        return False

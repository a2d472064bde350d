"""Gives MuJoCo's constraint rows the stiffness that ODE gives them.

Between the two halves of a MuJoCo step every row has a reference acceleration `aref` and a regularisation `R`; the
solver then seeks forces f with (J a + R f - aref) as small as their limits allow. An ODE row with target velocity c and
softness CFM is the same with aref = (c - v) / h and R = CFM / h, h being the step and v the row's velocity now. Rows
come in the order: motors (MuJoCo's joint friction), stops, contacts (a normal and two tangents each).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from simspark_ros.physics.engine import Array, BoolArray, IntArray
from simspark_ros.physics.mujoco.hinge_compliance import HingeDrift
from simspark_ros.physics.mujoco.settings import MujocoSettings
from simspark_ros.physics.surfaces import BOUNCE_SPEED, Material, SurfaceKinds, mixed

OFF = 1e-12
"""Largest effort of a motor that is off, N m or N; above zero, so that the motor keeps its row."""

AT_STOP = 1e-6
"""Distance from its stop within which a joint is at the stop, rad or m; the stop then has a row."""

_NO_FRICTION = 1e-5
"""Smallest coefficient of friction that MuJoCo takes."""

# Turning about the second tangent moves the ball's surface along the first, and the other way round.
_ACROSS = np.array([[-1.0], [1.0]])
# Greatest vertical speed of a ball that lies on the ground, m/s.
_CALM = 0.01
# Speed that no joint reaches, rad/s or m/s.
_FAST = 1e4
# Distance that a joint resting at its stop is taken to be inside its range, rad or m: in ODE rounding sets it free.
_AT_REST = 1e-5
_NONE = np.zeros(0, np.int64)
# Largest number of layouts of rows that are kept.
_MOST_LAYOUTS = 64


class _PairTables:
    """Properties of a contact of two kinds of surfaces, at index `one * number of kinds + other`.

    Attributes:
        pair: factors whose product with the numbers of two kinds is the index.
        has_own: whether there are surfaces with a material of their own.
    """

    def __init__(self, settings: MujocoSettings, kinds: SurfaceKinds) -> None:
        rate, count = 1.0 / settings.cycle_time, len(kinds.known)
        self.pair = np.array([count, 1])
        self.has_own = count > len(Material)
        self.push = np.zeros(count**2)
        self.bounce = [0.0] * count**2
        self.bounce_speed = [math.inf] * count**2
        self.softness = np.zeros((count**2, 3))
        self.friction = np.full(count**2, settings.friction)
        presets, made_of = settings.surfaces, [material for material, _ in kinds.known]
        for index in range(count**2):
            own = kinds.between(*divmod(index, count))
            if own is not None:
                self.push[index] = settings.world_erp * rate
                self.bounce[index], self.bounce_speed[index] = own.restitution, BOUNCE_SPEED
                self.softness[index] = settings.world_cfm * rate
                self.friction[index] = max(own.friction, _NO_FRICTION)
                continue
            pair = made_of[index // count], made_of[index % count]
            one, other = presets[pair[0]], presets[pair[1]]
            cfm, slip = mixed(one.cfm, other.cfm, settings.world_cfm), mixed(one.slip, other.slip, settings.world_cfm)
            if pair == (Material.ROBOT, Material.ROBOT):
                cfm, slip = settings.robot_robot_cfm, settings.robot_robot_slip
            self.push[index] = mixed(one.erp, other.erp, settings.world_erp) * rate
            self.bounce[index] = mixed(one.bounce, other.bounce, 0.0)
            self.bounce_speed[index] = mixed(one.bounce_speed, other.bounce_speed, math.inf)
            self.softness[index] = np.multiply((cfm, slip, slip), rate)
        pairs = [{made_of[index // count], made_of[index % count]} for index in range(count**2)]
        self.counted = [pair <= {Material.ROBOT, Material.BALL} for pair in pairs]
        self.ball_on_ground = [pair == {Material.BALL, Material.GROUND} for pair in pairs]
        self.ball_on_box = [pair == {Material.BALL, Material.BOX} for pair in pairs]
        # Contacts to look at one by one: all kinds but robots on the ground, which are most contacts.
        self.notable: BoolArray = np.array(
            [
                pair != {Material.ROBOT, Material.GROUND} or bounce > 0.0
                for pair, bounce in zip(pairs, self.bounce, strict=True)
            ]
        )
        # MuJoCo's elliptic cone wants the friction coefficient scaled like the regularisations.
        self.cone = self.friction * np.sqrt(self.softness[:, 1] / self.softness[:, 0])


@dataclass(frozen=True)
class _Layout:
    """Properties of rows that stay the same as long as the same geoms touch.

    Attributes:
        solved: index of each contact that has rows in MuJoCo's list; a slice for all.
        first, second: (K,) bodies that touch, for the drift of hinges.
        push: (K,) rate at which each contact takes back its depth, 1/s.
        notable: contacts to look at one by one: row among the K, place in MuJoCo's list, index of the surfaces.
        only_ball_on_ground: whether the only notable contact is the ball on the ground.
        cone: (K,) friction coefficient scaled for MuJoCo.
        friction: (K, 1) friction coefficient if some surface has its own; None if MuJoCo has it already.
        softness, stiffness: (rows,) regularisation and its inverse.
    """

    solved: Any
    first: IntArray
    second: IntArray
    push: Array
    notable: list[tuple[int, int, int]]
    only_ball_on_ground: bool
    cone: Array
    friction: Array | None
    softness: Array
    stiffness: Array


class ConstraintRows:
    """Rewrites the rows of one compiled world.

    Arguments: motors (M,) are the degrees of freedom of joints with a motor, ascending; motor_of_joint (number of
    joints,) is the index in `motors` of each joint, 0 without a motor; surfaces (number of geoms,) are numbers of
    kinds. The ball, if there is one, is the first body and has the degrees of freedom 0 to 5.

    Attributes:
        met: indices of the contacts in which two robots, or a robot and the ball, touch.
        elastic: (M,) whether a joint bounces at its stops; none does at first.
        bounced: indices of motors that their stops overruled in the last step.
    """

    def __init__(
        self,
        settings: MujocoSettings,
        data: Any,
        motors: IntArray,
        motor_of_joint: IntArray,
        surfaces: IntArray,
        kinds: SurfaceKinds,
        ball_radius: float,
        drift: HingeDrift | None = None,
    ) -> None:
        self.met: list[int] = []
        self.bounced: IntArray = _NONE
        self._drift = drift
        self._ball_radius = ball_radius
        self._data = data
        # Views of the ball, where there is one: MuJoCo's arrays stay where they are.
        self._ball_rotation: Array = data.xmat[1:2].reshape(-1, 3)
        self._ball_velocity: Array = data.qvel[:6]
        self._motors = len(motors)
        self._motor_dofs = motors
        self._guess: Array = data.qacc_warmstart
        self._guess_of_robots = self._guess[6 if ball_radius else 0 :]
        self._surfaces = surfaces
        self._tables = _PairTables(settings, kinds)
        self._rate = 1.0 / settings.cycle_time
        self._motor_cfm = settings.motor_cfm
        self._motor_softness = settings.motor_cfm * self._rate
        self._stop_cfm = settings.stop_cfm
        self._stop_softness = settings.stop_cfm * self._rate
        self._stop_erp = settings.stop_erp
        self._stop_bounce = settings.stop_bounce
        # Distance before its stop at which a row begins.
        self._stop_margin = settings.stop_margin
        self._motor_of_joint = motor_of_joint
        self.elastic: BoolArray = np.zeros(len(motors), np.bool_)
        self._layer = settings.contact_layer
        # Greatest speed at which a ball comes down without bouncing, m/s.
        self._calm = min(self._tables.bounce_speed[int(self._tables.pair @ (Material.BALL, Material.GROUND))], _CALM)
        # Layouts by numbers of rows and touching geoms: a robot that rocks or steps soon has the same contacts again.
        self._layouts: dict[tuple[int, int, bytes], _Layout] = {}

    def rewrite(self, targets: Array, efforts: Array, limits: Array) -> None:
        """Rewrite the rows between `mj_step1` and `mj_step2`.

        The arguments are (M,) in the order of degrees of freedom: target velocities, efforts of the last step and
        largest efforts, N m or N.
        """
        data = self._data
        velocity, reference = data.efc_vel, data.efc_aref
        if not velocity.size:
            return
        motors = self._motors
        stops = motors + data.nl
        contact = data.contact
        layout = self._find_layout(contact, velocity.size, stops)
        change = targets - velocity[:motors]
        # The softness of a motor lets a loaded joint lag by cfm * effort; aim that much ahead.
        np.add(change, self._motor_cfm * efforts, out=reference[:motors])
        strong = np.abs(efforts) < limits
        self.bounced = _NONE
        if stops > motors:
            # A joint comes back from beyond its stop; before it, it moves no faster than reaches it in this step.
            push = data.efc_pos[motors:stops] * -self._rate
            push = np.where(push > 0.0, push * self._stop_erp, push)
            if self._stop_bounce:
                self._bounce(targets, limits, push, change, strong, stops)
            np.subtract(push, velocity[motors:stops], out=reference[motors:stops])
        self._start_solver(change, strong)
        if velocity.size > stops:
            self._rewrite_contacts(contact, layout, velocity[stops:], reference[stops:])
        reference *= self._rate
        data.efc_R[:] = layout.softness
        data.efc_D[:] = layout.stiffness
        if data.nisland:
            # The solver works on copies, sorted by groups of bodies that touch each other.
            order = data.map_iefc2efc
            layout.softness.take(order, out=data.iefc_R, mode="clip")
            layout.stiffness.take(order, out=data.iefc_D, mode="clip")
            reference.take(order, out=data.iefc_aref, mode="clip")

    def _bounce(self, targets: Array, limits: Array, push: Array, change: Array, strong: BoolArray, stops: int) -> None:
        """Let joints with strong motors bounce at their stops, as ODE's do.

        A joint inside its range is free, and may go as far beyond its stop as its speed takes it in a step. Beyond the
        stop it leaves with its speed of arrival, or with the speed at which the stop takes it back if that is more. In
        ODE it then has no row for its motor: a motor that turns it into the stop, or holds it still, presses with its
        full effort; a motor that turns it away is off.

        Changes in place: push (stops,), velocities away from the stops; change and strong (M,), as of `_start_solver`;
        the motors' rows.
        """
        data, motors = self._data, self._motors
        rows = slice(motors, stops)
        joints = self._motor_of_joint.take(data.efc_id[rows])
        elastic = self.elastic.take(joints)
        # Rows begin a little before the stop.
        room = data.efc_pos[rows] + self._stop_margin
        push[elastic] = -_FAST
        held = np.flatnonzero(elastic & (room < np.where(data.efc_vel[rows] < 0.0, AT_STOP, 0.0)))
        self.bounced = joints = joints[held]
        if not held.size:
            return
        room = room[held]
        # A row's velocity points away from the stop: it is the joint's velocity or, at an upper stop, its inverse.
        away = data.efc_J.take(data.efc_J_rowadr[rows][held])
        back = (_AT_REST - room) * (self._rate * self._stop_erp)
        inward = targets[joints] * away <= 0.0
        leaving = np.maximum(back, -self._stop_bounce * data.efc_vel[rows][held])
        # The stop's softness takes this much velocity from a joint pressed into it.
        push[held] = leaving + np.where(inward, self._stop_cfm * limits[joints], 0.0)
        data.efc_aref[joints] = np.where(inward, -_FAST, _FAST) * away
        off = joints[~inward]
        data.efc_frictionloss[off] = OFF
        if data.nisland:
            data.iefc_frictionloss[data.map_efc2iefc[off]] = OFF
        # `_start_solver` expects the motors to have their way.
        change[joints] = leaving * away - data.efc_vel[joints]
        strong[joints] = True

    def _find_layout(self, contact: Any, rows: int, stops: int) -> _Layout:
        """The layout of the present rows; rows of motors and stops end at `stops`."""
        geoms = contact.geom
        if rows - stops != 3 * len(geoms):
            # A contact that does not quite touch has no rows.
            solved = np.flatnonzero(contact.efc_address >= 0)
            return self._lay_out(geoms[solved], rows, stops, solved)
        key = rows, stops, geoms.tobytes()
        layout = self._layouts.get(key)
        if layout is None:
            if len(self._layouts) == _MOST_LAYOUTS:
                self._layouts.clear()
            layout = self._layouts[key] = self._lay_out(geoms, rows, stops, slice(None))
        return layout

    def _lay_out(self, geoms: IntArray, rows: int, stops: int, solved: Any) -> _Layout:
        tables = self._tables
        bodies = geoms if self._drift is None else self._drift.carriers.take(geoms)
        pair = self._surfaces.take(geoms).dot(tables.pair)
        softness = np.empty(rows)
        softness[: self._motors] = self._motor_softness
        softness[self._motors : stops] = self._stop_softness
        softness[stops:].reshape(-1, 3)[:] = tables.softness.take(pair, 0)
        notable = [
            (row, row if isinstance(solved, slice) else int(solved[row]), int(pair[row]))
            for row in tables.notable.take(pair).nonzero()[0].tolist()
        ]
        return _Layout(
            solved=solved,
            first=bodies[:, 0].copy(),
            second=bodies[:, 1].copy(),
            push=tables.push.take(pair),
            notable=notable,
            only_ball_on_ground=len(notable) == 1 and tables.ball_on_ground[notable[0][2]],
            cone=tables.cone.take(pair),
            friction=tables.friction.take(pair)[:, None] if tables.has_own else None,
            softness=softness,
            stiffness=1.0 / softness,
        )

    def _start_solver(self, change: Array, strong: BoolArray) -> None:
        """Guess accelerations: the solver's result does not depend on the guess, but a good one halves its steps.

        Joints whose motors had effort left in the last step (strong) will probably change their velocities as wanted;
        the other joints accelerate as before. Bases keep their velocities.
        """
        wanted = change * self._rate
        if np.count_nonzero(strong) != strong.size:
            wanted = np.where(strong, wanted, self._guess.take(self._motor_dofs))
        self._guess_of_robots.fill(0.0)
        self._guess[self._motor_dofs] = wanted

    def _rewrite_contacts(self, contact: Any, layout: _Layout, velocity: Array, reference: Array) -> None:
        solved = layout.solved
        rows = velocity.reshape(-1, 3)
        if self._drift is not None:
            frames = contact.frame[solved].reshape(-1, 3, 3)
            rows += self._drift.closing(layout.first, layout.second, frames, contact.pos[solved])
        leaving = -self._layer - contact.dist[solved]
        np.maximum(leaving, 0.0, out=leaving)
        leaving *= layout.push
        # A ball that lies on the ground and touches nothing else neither bounces nor feels friction.
        if layout.notable and not (layout.only_ball_on_ground and self._ball_lies_still()):
            self._treat_notable(layout.notable, rows, leaving)
        targets = reference.reshape(-1, 3)
        np.negative(rows, out=targets)
        np.subtract(leaving, rows[:, 0], out=targets[:, 0])
        contact.mu[solved] = layout.cone
        if layout.friction is not None:
            # The first two coefficients are for the tangents, the others for turning.
            contact.friction[solved, :2] = layout.friction

    def _treat_notable(self, notable: list[tuple[int, int, int]], rows: Array, leaving: Array) -> None:
        """Treat contacts that bounce, turn the ball, or count for the summary.

        Changes in place: rows (K, 3), velocities, where the ball turns; leaving (K,), velocities at which bodies part.
        """
        tables = self._tables
        for row, index, kind in notable:
            approach = -float(rows[row, 0])
            if self._drift is not None and tables.counted[kind] and tables.bounce[kind]:
                approach = self._drift.approach_of_ball(self._data.contact[index])
            if approach > tables.bounce_speed[kind]:
                leaving[row] = max(float(leaving[row]), tables.bounce[kind] * approach)
            if tables.counted[kind]:
                self.met.append(index)
            elif tables.ball_on_ground[kind] or tables.ball_on_box[kind]:
                self._set_lever(index, rows[row], tables.ball_on_ground[kind])

    def _ball_lies_still(self) -> bool:
        x, y, z, *spin = self._ball_velocity.tolist()
        return not (x or y or any(spin)) and abs(z) < self._calm

    def _set_lever(self, index: int, velocity: Array, on_ground: bool) -> None:
        """Let friction turn the ball as in ODE.

        ODE puts a contact with a plane on the sphere, and a contact with a box on the box's surface, or into the centre
        of the sphere if that is inside the box. MuJoCo puts both into the middle of the penetration, which at 20 ms can
        be deeper than the ball.

        Corrects the velocity (3,) of the contact's rows in place; on_ground: whether the ball touches the plane.
        """
        data, contact, radius = self._data, self._data.contact[index], self._ball_radius
        lever = radius if on_ground else max(0.0, radius + contact.dist)
        # The ball is the only body in these rows: three numbers for its velocity, three for its turning in its axes.
        start = data.efc_J_rowadr[contact.efc_address + 1]
        rows = data.efc_J[start : start + 12].reshape(2, 6)
        across = contact.frame.reshape(3, 3)[:0:-1].dot(self._ball_rotation)
        np.multiply(across, lever * _ACROSS, out=rows[:, 3:])
        velocity[1:] = rows.dot(self._ball_velocity)

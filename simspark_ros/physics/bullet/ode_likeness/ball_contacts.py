"""Contacts of a ball near robots, as on the classic server.

Bullet gives all contacts one softness, and bounds friction by load. In ODE's world the ball is soft, and its friction
has no bound and needs no load, but gives way: the ground turns a ball while a foot kicks it, and a kicked ball that
slides loses a sixth of its speed. So Bullet's friction is off for a ball near robots. After a step in which links
touch the ball, its velocity is computed anew from ODE's rows: one row for the normal of each contact, two along its
surface. The links keep the speed that Bullet gave them. In the next step they get the difference to Bullet's impulses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pybullet

from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.geometry.solving import solved
from simspark_ros.physics.geometry.transforms import Array, product
from simspark_ros.physics.model import BallModel, Vector

VelocitiesOf = Callable[[int, int, Array], tuple[Array, Array] | None]
"""Velocities (3,) of a point of a robot's link before and after a step, m/s; None for a link of no robot.

Arguments: Bullet's numbers of body and link, and the point in the world frame, m.
"""

_UP = np.array((0.0, 0.0, 1.0))
_GROUND = -1
_ROWS = 3
"""Rows of a contact: its normal, and two directions along the surface."""


class _Contact(NamedTuple):
    """A contact of the ball; vectors in the world frame.

    Attributes:
        body, link: Bullet's numbers of the body and the link that touch the ball.
        point: (3,) place of the contact, m.
        normal: (3,) unit vector towards the ball.
        depth: penetration, m; below 0 if Bullet stopped the ball before the surface.
        push: Bullet's impulse on the ball, along the normal, N s.
        velocities: (3,) velocities of the robot's link at the point before and after the step, m/s; None: immovable.
    """

    body: int
    link: int
    point: Array
    normal: Array
    depth: float
    push: float
    velocities: tuple[Array, Array] | None


class BallContacts:
    """Finds the velocity of the ball near robots.

    Args:
        ground: Bullet's number of the ground near robots, whose contacts are found without Bullet.
    """

    def __init__(self, client: int, settings: BulletSettings, ball: BallModel, gravity: Vector, ground: int) -> None:
        self._client = client
        self._settings = settings
        self._ground = ground
        self._radius = ball.radius
        self._step = settings.step_time
        self._fall = np.array((*gravity, 0.0, 0.0, 0.0)) * settings.step_time
        self._linear, self._angular = 1.0 / ball.mass, 1.0 / ball.inertia
        self._inverse = np.array([self._linear] * 3 + [self._angular] * 3)
        # Pushes on links in the coming step: body, link, force and point, world frame.
        self._pushes: list[tuple[int, int, list[float], list[float]]] = []

    def push_links(self) -> None:
        """Give links in the coming step the push that they lacked in the last step."""
        for push in self._pushes:
            pybullet.applyExternalForce(*push, pybullet.WORLD_FRAME, physicsClientId=self._client)
        self._pushes.clear()

    def forget(self, body: int) -> None:
        """Forget the pushes on a robot that was put somewhere or leaves."""
        self._pushes = [push for push in self._pushes if push[0] != body]

    def change(
        self,
        ball: int,
        offset: Vector,
        before: tuple[float, ...],
        after: tuple[float, ...],
        velocities_of: VelocitiesOf,
    ) -> Sequence[float]:
        """(6,) correction of the ball's velocity and angular velocity after a step, m/s and rad/s.

        ball: Bullet's number; offset: (3,) real place of the ball less its place in Bullet, m; before, after: position,
        velocity and angular velocity. Empty if there is none.
        """
        contacts = list(self._find(ball, velocities_of))
        sunk = self._radius - before[2]
        if all(one.velocities is None for one in contacts):
            return self._roll(after) if sunk > 0.0 else ()
        # As Bullet has it.
        centre = np.array(before[:3]) - offset
        if sunk > 0.0:
            contacts.append(_Contact(_GROUND, _GROUND, centre - self._radius * _UP, _UP, sunk, 0.0, None))
        # Drag is left out: it takes only a thousandth of a kicked ball's speed in a step.
        motion, impulses = self._settle(contacts, centre, np.array(before[3:]) + self._fall)
        for one, impulse in zip(contacts, impulses, strict=True):
            if one.velocities is not None:
                self._react(one, impulse)
        result: list[float] = (motion - np.array(after[3:])).tolist()
        return result

    def _find(self, ball: int, velocities_of: VelocitiesOf) -> Iterator[_Contact]:
        for found in pybullet.getContactPoints(ball, physicsClientId=self._client):
            # Bullet's normal is from the second body to the first.
            _, first, body, first_link, link, first_place, place, normal, distance, force = found[:10]
            towards = np.array(normal)
            if body == ball:
                body, link, place, towards = first, first_link, first_place, -towards
            if body == self._ground or (distance >= 0.0 and force <= 0.0):
                continue
            point = np.array(place)
            push = force * self._step
            yield _Contact(body, link, point, towards, -distance, push, velocities_of(body, link, point))

    def _roll(self, motion: tuple[float, ...]) -> Sequence[float]:
        """(6,) correction by the ground's friction when no robot touches the ball, m/s and rad/s."""
        *_, x, y, _, about_x, about_y, _ = motion
        # The lowest point gains 1/m + r^2/I per impulse; the slip adds a speed per force, that is, per impulse / step.
        radius, linear, angular = self._radius, self._linear, self._angular
        yielding = linear + angular * radius**2 + self._settings.ball_slip / self._step
        # Against the sliding velocity of the lowest point.
        along, across = -(x - radius * about_y) / yielding, -(y + radius * about_x) / yielding
        turning = angular * radius
        return linear * along, linear * across, 0.0, turning * across, -turning * along, 0.0

    def _settle(self, contacts: list[_Contact], centre: Array, motion: Array) -> tuple[Array, Array]:
        """(6,) velocities with which contacts hold; (C, 3) impulses, N s. motion: (6,) velocities without them."""
        count = _ROWS * len(contacts)
        jacobian, acting = np.zeros((count, 6)), np.zeros(count, np.bool_)
        wanted, soft, impulses = np.zeros((3, count))
        for number, one in enumerate(contacts):
            rows = slice(_ROWS * number, _ROWS * (number + 1))
            axes, arm = _axes(one.normal), one.point - centre
            jacobian[rows, :3], jacobian[rows, 3:] = axes, np.cross(arm, axes)
            acting[rows] = one.depth > 0.0
            was, surface = (
                (0.0, 0.0) if one.velocities is None else (product(axes, velocity) for velocity in one.velocities)
            )
            wanted[rows] = surface - product(jacobian[rows], motion)
            # As in ODE, the speed of arrival comes from the velocities before the step.
            arrival = was - product(jacobian[rows], motion - self._fall)
            least, softness = self._normal(one, float(arrival[0]))
            wanted[rows.start] += least
            soft[rows] = softness, self._settings.ball_slip, self._settings.ball_slip
        # Softness is a speed per force, but the unknowns are impulses, and an impulse of a step is a force times the
        # step.
        soft /= self._step
        while acting.any():
            own = jacobian[acting]
            impulses[:] = 0.0
            impulses[acting] = solved(product(own * self._inverse, own.T) + np.diag(soft[acting]), wanted[acting])
            # Normals only push. Friction along a surface needs no load.
            pulling = _ROWS * np.flatnonzero(impulses[::_ROWS] < 0.0)
            if not len(pulling):
                break
            acting[pulling] = False
        pushes = (impulses[:, None] * jacobian[:, :3]).reshape(-1, _ROWS, 3).sum(axis=1)
        return motion + self._inverse * product(impulses, jacobian), pushes

    def _normal(self, contact: _Contact, arrival: float) -> tuple[float, float]:
        """Speed at which the ball leaves, m/s, and softness, m/s per N; arrival: speed at which the ball comes."""
        settings = self._settings
        erp, softness = settings.ball_link_erp, settings.ball_link_softness
        if contact.velocities is None:
            erp, softness = settings.ball_erp, settings.ball_softness
        out = erp * max(0.0, contact.depth - settings.contact_layer) / self._step
        bounce = settings.ball_bounce * arrival if arrival > settings.ground_bounce_speed else 0.0
        return max(out, bounce), softness

    def _react(self, contact: _Contact, impulse: Array) -> None:
        """Give a link the push that it lacked; a squeezed ball is harder in Bullet and has pushed enough already."""
        if float(product(impulse, contact.normal)) <= contact.push:
            return
        force = (contact.push * contact.normal - impulse) / self._step
        self._pushes.append((contact.body, contact.link, force.tolist(), contact.point.tolist()))


def _axes(normal: Array) -> Array:
    """(3, 3) rows: the normal, and two directions across it."""
    first = np.cross(normal, _UP if abs(normal[2]) < 0.7 else (1.0, 0.0, 0.0))
    first /= math.hypot(*first)
    return np.stack((normal, first, np.cross(normal, first)))

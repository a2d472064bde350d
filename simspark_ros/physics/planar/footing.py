"""The points on which a robot stands, wheels or others, and the forces of the ground on them in a step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simspark_ros.physics.geometry.transforms import Array
from simspark_ros.physics.planar.body import PlanarBody
from simspark_ros.physics.planar.outline import Point

_SWEEPS = 60
"""Most rounds over the footings of a robot: wheels that hinder each other, as in a turn on four, agree slowly."""

_SETTLED = 1e-10
"""Change of velocity in a round below which footings agree, m/s."""


@dataclass(frozen=True)
class PlanarFooting:
    """A point of a robot on the ground.

    Attributes:
        point: place in the plane from the base's centre of mass, in axes of the body, m.
        link: index of the link in the model.
        friction: coefficient of Coulomb's friction.
        joint: index, in the model, of a wheel's joint; -1 if the footing is no wheel.
        radius: radius of the wheel, m.
        roll: unit vector along which the wheel rolls when its joint turns in the positive direction.
        grip: only direction in which a wheel with rollers holds; None if the footing holds along and across.
    """

    point: Point
    link: int
    friction: float
    joint: int = -1
    radius: float = 0.0
    roll: Point = (1.0, 0.0)
    grip: Point | None = None


@dataclass
class _Row:
    """One direction in which a footing holds: it makes `x vx + y vy + turn spin` of the body equal to `speed`."""

    x: float
    y: float
    turn: float
    speed: float
    bound: float
    given: float = 0.0


def shares_of_weight(footings: Sequence[PlanarFooting], centre: Point) -> Array:
    """(F,) share of the weight on each footing: shares that do not tip the robot over, as equal as possible."""
    places = np.array([footing.point for footing in footings]) - centre
    balance = np.vstack((np.ones(len(places)), places.T))
    # Three equations: shares add up to 1, and have no moment about the centre of mass. The pseudo-inverse gives the
    # solution with the smallest sum of squares, the most equal one. The ground cannot pull, so negative shares are
    # dropped.
    shares = np.clip(np.linalg.pinv(balance) @ (1.0, 0.0, 0.0), 0.0, None)
    total = float(shares.sum())
    return shares / total if total else np.full(len(places), 1.0 / len(places))


class Traction:
    """The ground's forces on a robot in each step.

    Args:
        footings: footings of the robot.
        centre: centre of mass, in the plane from the base's centre of mass, in axes of the body, m.
    """

    def __init__(self, footings: Sequence[PlanarFooting], centre: Point) -> None:
        self.footings = footings
        self._arms = [(f.point[0] - centre[0], f.point[1] - centre[1]) for f in footings]
        self.shares: list[float] = shares_of_weight(footings, centre).tolist() if footings else []

    def act(self, body: PlanarBody, weight: float, speeds: Array, limits: Array, seconds: float) -> Array:
        """Push a body by all footings at once.

        Args:
            body: body of the robot.
            weight: weight of the robot, N.
            speeds: (J,) speeds of the joints, rad/s; changed in place for wheels that roll without their motor.
            limits: (J,) largest efforts of the motors, N m.
            seconds: length of the step, s.

        Returns:
            (J,) efforts with which motors turn wheels, N m.
        """
        c, s = math.cos(body.angle), math.sin(body.angle)
        motion = [c * body.vx + s * body.vy, c * body.vy - s * body.vx, body.spin]
        rows: list[tuple[int, _Row]] = []
        for index, (footing, arm, share) in enumerate(zip(self.footings, self._arms, self.shares, strict=True)):
            bound = footing.friction * share * weight * seconds
            rows += [(index, row) for row in _rows(footing, arm, bound, speeds, limits, seconds)]
        _settle([row for _, row in rows], motion, body)
        vx, vy, body.spin = motion
        body.vx, body.vy = c * vx - s * vy, s * vx + c * vy
        return self._turn_wheels(rows, motion, speeds, limits, seconds)

    def _turn_wheels(
        self, rows: Sequence[tuple[int, _Row]], motion: Sequence[float], speeds: Array, limits: Array, seconds: float
    ) -> Array:
        given = np.zeros(len(speeds))
        seen = set()
        for index, row in rows:
            footing = self.footings[index]
            if footing.joint < 0 or index in seen:
                continue
            # The motor drives the first row of a wheel.
            seen.add(index)
            pull = row.x * footing.roll[0] + row.y * footing.roll[1]
            given[footing.joint] = row.given * pull * footing.radius / seconds
            weak = abs(given[footing.joint]) >= limits[footing.joint] * (1.0 - 1e-9)
            if weak and pull:
                # The motor is too weak to make the wheel slip.
                speed = row.x * motion[0] + row.y * motion[1] + row.turn * motion[2]
                speeds[footing.joint] = speed / (pull * footing.radius)
        return given


def _rows(footing: PlanarFooting, arm: Point, bound: float, speeds: Array, limits: Array, seconds: float) -> list[_Row]:
    if footing.joint < 0:
        return [_row(arm, (1.0, 0.0), 0.0, bound), _row(arm, (0.0, 1.0), 0.0, bound)]
    axis = footing.grip or footing.roll
    pull = axis[0] * footing.roll[0] + axis[1] * footing.roll[1]
    rim = footing.radius * float(speeds[footing.joint])
    # A force F along the axis acts on the motor with F pull radius, so the largest effort bounds the impulse.
    motor = math.inf if pull == 0.0 else float(limits[footing.joint]) / (footing.radius * abs(pull)) * seconds
    along = _row(arm, axis, pull * rim, min(bound, motor))
    if footing.grip is not None:
        return [along]
    return [along, _row(arm, (-axis[1], axis[0]), 0.0, bound)]


def _row(arm: Point, axis: Point, speed: float, bound: float) -> _Row:
    return _Row(axis[0], axis[1], arm[0] * axis[1] - arm[1] * axis[0], speed, bound)


def _settle(rows: Sequence[_Row], motion: list[float], body: PlanarBody) -> None:
    """Solve by Gauss and Seidel's method with bounds: each direction in turn gets the impulse that it still lacks."""
    vx, vy, spin = motion
    # Both are inverses in these rounds.
    mass, inertia = 1.0 / body.mass, 1.0 / body.inertia
    for _ in range(_SWEEPS):
        change = 0.0
        for row in rows:
            lack = row.speed - (row.x * vx + row.y * vy + row.turn * spin)
            before = row.given
            wanted = before + lack / (mass + row.turn * row.turn * inertia)
            row.given = -row.bound if wanted < -row.bound else min(wanted, row.bound)
            more = row.given - before
            vx += more * mass * row.x
            vy += more * mass * row.y
            spin += more * inertia * row.turn
            change = max(change, abs(more) * mass)
        if change < _SETTLED:
            break
    motion[:] = vx, vy, spin

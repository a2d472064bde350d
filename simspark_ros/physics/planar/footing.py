"""The points on which a robot stands, wheels or others, and the forces of the ground on them in a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from simspark_ros.kernels.planar.traction import TractionKernel
from simspark_ros.physics.geometry.solving import pseudo_inverse
from simspark_ros.physics.geometry.transforms import Array
from simspark_ros.physics.planar.outline import Point


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
        steered: whether joints about the vertical carry the wheel; it is where they are at zero, unless `Traction`
            learns more.
    """

    point: Point
    link: int
    friction: float
    joint: int = -1
    radius: float = 0.0
    roll: Point = (1.0, 0.0)
    grip: Point | None = None
    steered: bool = False


class _Direction(NamedTuple):
    """A direction in which a footing holds: unit vector, lever, grip, joint, pull and radius as in `TractionKernel`."""

    x: float
    y: float
    turn: float
    grip: float
    joint: int = -1
    pull: float = 0.0
    radius: float = 0.0


def shares_of_weight(footings: Sequence[PlanarFooting], centre: Point) -> Array:
    """(F,) share of the weight on each footing: shares that do not tip the robot over, as equal as possible."""
    places = np.array([footing.point for footing in footings]) - centre
    balance = np.column_stack((np.ones(len(places)), places))
    # Three equations: shares add up to 1, and have no moment about the centre of mass. The pseudo-inverse gives the
    # solution with the smallest sum of squares, the most equal one. The ground cannot pull, so negative shares are
    # dropped.
    shares = np.clip(pseudo_inverse(balance)[0], 0.0, None)
    total = float(shares.sum())
    return shares / total if total else np.full(len(places), 1.0 / len(places))


class Traction:
    """The ground's forces on a robot in each step.

    Args:
        footings: footings of the robot.
        centre: centre of mass, in the plane from the base's centre of mass, in axes of the body, m.
        linear_drag, angular_drag: drag of the air on all links together, N s/m and N m s.

    Attributes:
        footings: the same, with steered wheels where they are.
        shares: share of the weight on each, with all joints at zero.
        kernel: the kernel that pushes the robot's body by all footings, and brakes it.
    """

    def __init__(
        self, footings: Sequence[PlanarFooting], centre: Point, linear_drag: float, angular_drag: float
    ) -> None:
        self.footings = list(footings)
        self.shares: list[float] = shares_of_weight(footings, centre).tolist() if footings else []
        held = zip(footings, self.shares, strict=True)
        directions = [_directions(footing, centre, share) for footing, share in held]
        self._first: list[int] = np.cumsum([0, *map(len, directions)]).tolist()
        columns = np.array(list(chain(*directions))).reshape(-1, 7).T.copy()
        x, y, turn, grip, joint, pull, radius = columns
        paired = np.array([one is not both[-1] for both in directions for one in both], np.uint8)
        drift = np.zeros(len(x))
        # The kernel looks at the same arrays.
        self._steering = x, y, turn, drift
        self.kernel = TractionKernel(
            x, y, turn, grip, joint.astype(np.int64), paired, pull, radius, drift, linear_drag, angular_drag
        )

    def steer(self, number: int, centre: Point, point: Point, roll: Point, velocity: Point) -> None:
        """Put a steered wheel where joints have brought it; points and vectors are in axes of the body.

        Args:
            number: number of the wheel among the footings.
            centre: centre of mass, in the plane from the base's centre of mass, m.
            point: place of the wheel, as in `PlanarFooting`.
            roll: its direction, likewise.
            velocity: velocity that joints give the wheel's hub, m/s.
        """
        footing = self.footings[number] = replace(self.footings[number], point=point, roll=roll)
        x, y, turn, drift = self._steering
        for row, one in enumerate(_directions(footing, centre, self.shares[number]), self._first[number]):
            x[row], y[row], turn[row] = one.x, one.y, one.turn
            drift[row] = one.x * velocity[0] + one.y * velocity[1]


def _directions(footing: PlanarFooting, centre: Point, share: float) -> list[_Direction]:
    """The directions in which a footing holds; the motor of a wheel drives the first one."""
    arm = footing.point[0] - centre[0], footing.point[1] - centre[1]
    grip = footing.friction * share
    if footing.joint < 0:
        return [_direction(arm, (1.0, 0.0), grip), _direction(arm, (0.0, 1.0), grip)]
    axis = footing.grip or footing.roll
    pull = axis[0] * footing.roll[0] + axis[1] * footing.roll[1]
    along = _direction(arm, axis, grip)._replace(joint=footing.joint, pull=pull, radius=footing.radius)
    return [along] if footing.grip is not None else [along, _direction(arm, (-axis[1], axis[0]), grip)]


def _direction(arm: Point, axis: Point, grip: float) -> _Direction:
    return _Direction(axis[0], axis[1], arm[0] * axis[1] - arm[1] * axis[0], grip)

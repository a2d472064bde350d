"""Friction on the ground as on the classic server: without a bound, and without load.

On that server friction is infinite: the two sideways rows of a contact are independent of the normal row, so that a
corner in the ground is held even in the step in which it leaves the ground. Bullet bounds friction by the normal force.
Here boxes, spheres and capsules meet a ground without Bullet's friction. Instead, their corners in the ground are tied
to skates, which give way by ODE's slip.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from simspark_ros.kernels.bullet.ground_corners import GroundCorners
from simspark_ros.physics.bullet.link_states import LinkStates
from simspark_ros.physics.bullet.ode_likeness.limb_grounds import LimbGrounds
from simspark_ros.physics.bullet.ode_likeness.separate_bodies import SeparateBodies
from simspark_ros.physics.bullet.ode_likeness.skates import SKATES, SkateRig
from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.engine import IntArray
from simspark_ros.physics.geometry.hulls import sharp_corners
from simspark_ros.physics.geometry.transforms import Array, product, rotation_from_rpy
from simspark_ros.physics.model import ArticulatedModel, Shape, ShapeKind, Vector
from simspark_ros.physics.model_cache import kept_with_model
from simspark_ros.physics.ode_likeness.correction import Correction, Motion, Pushes

# Corners of a shape, numbered shape by shape.
_CORNERS = 8
# Least slip of a skate, m/s per N: it avoids division by zero where the ties alone give way enough.
_LEAST_SLIP = 1.0e-4


@dataclass
class _Grip:
    """The grip on one robot: its rigs, and the rig and the skate of each corner that is held."""

    body: int
    rigs: list[SkateRig] = field(default_factory=list)
    ties: dict[int, tuple[SkateRig, int]] = field(default_factory=dict)


class GroundGrip(Correction):
    """The skates of a fixed list of robots (rows); make a new one when the list changes, which takes over `old`'s.

    Attributes:
        removed: rigs that were taken out of the world.
        is_needed: whether any shape is gripped.
        shifts: (P, 3) shifts of all links before the last step, m.
        owners: row of the robot, and Bullet's number of the link, of each of S shapes with corners.
        firsts: (S + 1,) first corner in the ground of each of them in the last step, and the number of all.
        felt: (8 S, 6) the places of corners in the ground, m, and the sideways forces on them, N, world frame;
            `TouchReader` adds Bullet's pushes.
    """

    def __init__(
        self,
        client: int,
        settings: BulletSettings,
        robots: list[BulletRobot],
        links: LinkStates,
        bodies: SeparateBodies,
        gravity: Vector,
        old: GroundGrip | None,
    ) -> None:
        self._client, self._settings, self._links, self._bodies = client, settings, links, bodies
        self._leap = np.array([0.0 - gravity[n] * settings.step_time for n in range(2)])
        self._grips = [_Grip(robot.body) for robot in robots]
        self._spare: list[SkateRig] = []
        self.removed = 0
        self.shifts: Array = links.shifts
        if old is not None and old._client == client:
            for row in range(len(old._grips)):
                old.let_go(row)
            self._spare, self.removed = old._spare, old.removed
        # For each shape: its corners from the link's centre of mass in the link's axes (NaN where it has fewer than
        # eight), radius of the corners, and the axes in which Bullet ties.
        self.owners: list[tuple[int, int]] = []
        corners: list[Array] = []
        radii: list[float] = []
        axes: list[Array] = []
        for row, robot in enumerate(robots):
            points = _corners_of(robot.model)
            for name, turn in robot.inertial_axes.items():
                for own, radius in points[name]:
                    self.owners.append((row, robot.links[name]))
                    corners.append(own)
                    radii.append(radius)
                    axes.append(turn)
        self.is_needed = bool(self.owners)
        limbed = robots if settings.hinge_drift else []
        self._grounds: LimbGrounds = LimbGrounds(client, limbed, self.owners, None if old is None else old._grounds)
        self._axes = np.array(axes).reshape(-1, 3, 3)
        self._bind(np.array(corners).reshape(-1, _CORNERS, 3), np.array(radii), robots)

    def _bind(self, corners: Array, radii: Array, robots: list[BulletRobot]) -> None:
        links, settings, count = self._links, self._settings, len(radii)
        self._corners, self._radii = corners.reshape(-1, 3), radii.tolist()
        self._places = np.array([links.place(robots[row].body, link) for row, link in self.owners], np.int64)
        self.firsts: IntArray = np.zeros(count + 1, np.int64)
        # As many rigs as hold two corners of each shape.
        shapes = np.bincount([row for row, _ in self.owners], minlength=len(robots))
        rigs = int((-(-2 * shapes // SKATES)).sum())
        self._numbers = list(range(rigs))
        self._skate_places, self._skate_speeds = np.zeros((2, rigs, SKATES * 3, 1))
        self._ties, self._changing = np.zeros(len(robots), np.int64), np.zeros(len(robots), np.bool_)
        self._loads, self._skates = np.zeros(_CORNERS * count), np.zeros(_CORNERS * count, np.int64)
        self.felt, self._tied = np.zeros((_CORNERS * count, 6)), np.zeros((2 * count, 8))
        self._kernel = GroundCorners(
            slip=settings.grip_slip,
            places=self._places,
            corners=corners,
            radii=radii,
            centres=links.centres,
            rotations=links.rotations.reshape(-1, 9),
            shifts=links.shifts,
            closing=links.closing,
            masses=np.array([_mass(settings, number) for number in range(_CORNERS + 1)]),
            points=np.zeros((count, _CORNERS, 3)),
            arms=np.zeros((count, _CORNERS, 3)),
            heights=np.zeros((count, _CORNERS)),
            extents=np.zeros((count, 2)),
            held=np.zeros(_CORNERS * count, np.int64),
            firsts=self.firsts,
            tied=self._tied,
            layer=settings.contact_layer,
            push=settings.contact_erp * (1.0 / settings.step_time),
            rate=1.0 / settings.step_time,
            limbs=self._grounds.limbs,
            lowest=np.zeros(len(self._grounds.places), np.int64),
            plates=self._grounds.places,
            robots=np.array([row for row, _ in self.owners], np.int64),
            ties=self._ties,
            loads=self._loads,
            skates=self._skates,
            leap=self._leap,
            skate_places=self._skate_places.reshape(-1, 3),
            skate_speeds=self._skate_speeds.reshape(-1, 3),
            changing=self._changing.view(np.uint8),
            felt=self.felt,
        )

    def before_step(self, motion: Motion, pushes: Pushes) -> None:
        """Tie corners in the ground to skates at rest, and let go of corners that left the ground."""
        tied = self._kernel.find()
        self._grounds.put(self._kernel.level())
        self.shifts = self._links.shifts.copy()
        if self._changing.any():
            wanted: list[dict[int, float]] = [{} for _ in self._grips]
            for number, mass in self._tied[:tied, :2].tolist():
                corner = int(number)
                wanted[self.owners[corner // _CORNERS][0]][corner] = mass
            for row in np.flatnonzero(self._changing).tolist():
                self._hold(row, wanted[row])
        self._kernel.put(tied)
        for grip in self._grips:
            for rig in grip.rigs:
                rig.put(self._skate_places[rig.number].tolist(), self._skate_speeds[rig.number].tolist())
        # Surplus rigs, of robots that have got up again, would cost time for ever.
        while len(self._spare) > len(self._grips):
            self._spare.pop().remove()
            self.removed += 1

    def _hold(self, row: int, corners: dict[int, float]) -> None:
        """Hold these corners of a robot, with these masses of skates, kg, and no others."""
        grip = self._grips[row]
        for corner in [one for one in grip.ties if one not in corners]:
            rig, skate = grip.ties.pop(corner)
            rig.release(skate)
            self._loads[corner] = 0.0
        for corner, mass in corners.items():
            rig, skate = grip.ties.get(corner) or self._tie(grip, corner)
            if self._radii[corner // _CORNERS]:
                rig.move(skate, self._pivot(corner))
            rig.load(skate, mass)
            self._loads[corner], self._skates[corner] = mass, SKATES * rig.number + skate
        idle = [rig for rig in grip.rigs if rig.idle]
        self._spare += idle
        self._numbers += [rig.number for rig in idle]
        grip.rigs = [rig for rig in grip.rigs if not rig.idle]
        self._ties[row] = len(grip.ties)

    def _tie(self, grip: _Grip, corner: int) -> tuple[SkateRig, int]:
        rig = next((one for one in grip.rigs if one.free), None)
        if rig is None:
            rig = self._spare.pop() if self._spare else SkateRig(self._client)
            rig.number = self._numbers.pop()
            grip.rigs.append(rig)
        skate = rig.tie(grip.body, self.owners[corner // _CORNERS][1], self._pivot(corner))
        grip.ties[corner] = rig, skate
        return rig, skate

    def _pivot(self, corner: int) -> list[float]:
        """Place of a corner, or of the lowest point of a round one, on its link, in the axes in which Bullet ties."""
        shape = corner // _CORNERS
        down = -self._radii[shape] * self._links.rotations[self._places[shape], 2]
        pivot: list[float] = product(self._corners[corner] + down, self._axes[shape]).tolist()
        return pivot

    def after_step(self, before: Motion, after: Motion) -> None:
        """Find the forces on corners: as in ODE a corner slips by its own force, which its velocity tells."""
        self._kernel.feel(self._bodies.motion(after))

    def let_go(self, row: int) -> None:
        """Untie a robot, before it is removed at the latest."""
        self._hold(row, {})


def _mass(settings: BulletSettings, number: int) -> float:
    """Mass of the skate of each tied corner of a shape with a number of corners in the ground, kg.

    Two corners far apart stand for three or four: that is as near to ODE, and a third cheaper. Skates give way in
    parallel, so two of 2 / n of the slip hold a link as n skates do. The tie itself gives way by cfm.
    """
    slip = settings.grip_slip * (2.0 / number if number > 2 else 1.0)
    return settings.step_time / max(slip - settings.cfm, _LEAST_SLIP)


@kept_with_model
def _corners_of(model: ArticulatedModel) -> dict[str, list[tuple[Array, float]]]:
    """By link, for each of its shapes: (8, 3) corners, from the centre of mass in the link's axes, and radius, m."""
    return {
        link.name: [
            (_corners(one) - link.centre, 0.0 if one.kind is ShapeKind.BOX else one.size[0]) for one in link.collisions
        ]
        for link in model.links
    }


def _corners(shape: Shape) -> Array:
    """(8, 3) corners of a box, or the centres of the round ends of a capsule or a sphere, then NaN; link's frame, m."""
    points = np.full((8, 3), np.nan)
    rotation = rotation_from_rpy(shape.rpy)
    if shape.kind is ShapeKind.BOX:
        points[:] = product(sharp_corners(shape), rotation.T)
    elif shape.kind is ShapeKind.SPHERE:
        points[0] = 0.0
    else:
        half = shape.size[1] / 2.0 * rotation[:, 2]
        points[:2] = -half, half
    return points + shape.position

"""Friction on the ground as on the classic server: without a bound, and without load.

On that server friction is infinite: the two sideways rows of a contact are independent of the normal row, so that a
corner in the ground is held even in the step in which it leaves the ground. Bullet bounds friction by the normal force.
Here boxes, spheres and capsules meet a ground without Bullet's friction. Instead, their corners in the ground are tied
to skates, which give way by ODE's slip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from simspark_ros.physics.bullet.link_states import LinkStates
from simspark_ros.physics.bullet.ode_likeness.limb_grounds import LimbGrounds
from simspark_ros.physics.bullet.ode_likeness.separate_bodies import SeparateBodies
from simspark_ros.physics.bullet.ode_likeness.skates import SkateRig
from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.geometry.hulls import sharp_corners
from simspark_ros.physics.geometry.rotations import cross
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.physics.model import ArticulatedModel, Shape, ShapeKind, Vector
from simspark_ros.physics.model_cache import kept_with_model
from simspark_ros.physics.ode_likeness.correction import Correction, Motion, Pushes

# Contacts of a shape with the ground, as on the classic server.
_MOST_CONTACTS = 4
# Least slip of a skate, m/s per N: it avoids division by zero where the ties alone give way enough.
_LEAST_SLIP = 1.0e-4

# Shape and number of its corner.
_Corner = tuple[int, int]
# Place of a corner, m, and force on it, N, world frame.
HeldCorner = tuple[Sequence[float], list[float]]


@dataclass
class _Grip:
    """The grip on one robot: its rigs, and the rig and the skate of each corner that is held."""

    body: int
    rigs: list[SkateRig] = field(default_factory=list)
    ties: dict[_Corner, tuple[SkateRig, int]] = field(default_factory=dict)


class GroundGrip(Correction):
    """The skates of a fixed list of robots (rows); make a new one when the list changes, which takes over `old`'s.

    Attributes:
        removed: rigs that were taken out of the world.
        is_needed: whether any shape is gripped.
        shifts: (P, 3) shifts of all links before the last step, m.
        held: corners in the ground in the last step, with their sideways forces, by their link's index in `LinkStates`;
            `TouchReader` adds Bullet's pushes to the forces.
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
        self._yielding = np.array(-settings.grip_slip)
        self._leap = 0.0 - gravity[0] * settings.step_time, 0.0 - gravity[1] * settings.step_time
        self._grips = [_Grip(robot.body) for robot in robots]
        self._spare: list[SkateRig] = []
        self.removed = 0
        self.shifts: Array = links.shifts
        self.held: dict[int, list[HeldCorner]] = {}
        # Corners in the ground in the last step: shapes, places in Bullet, ways from centres.
        self._held: tuple[IntArray, Array, Array] = np.zeros(0, np.int64), *np.zeros((2, 0, 3))
        if old is not None and old._client == client:
            for row in range(len(old._grips)):
                old.let_go(row)
            self._spare, self.removed = old._spare, old.removed
        # For each shape: row of its robot, Bullet's number of its link, its corners from the link's centre of mass in
        # the link's axes (NaN where it has fewer than eight), radius of the corners, and the axes in which Bullet ties.
        self._owners: list[tuple[int, int]] = []
        corners: list[Array] = []
        radii: list[float] = []
        axes: list[Array] = []
        for row, robot in enumerate(robots):
            points = _corners_of(robot.model)
            for name, turn in robot.inertial_axes.items():
                for own, radius in points[name]:
                    self._owners.append((row, robot.links[name]))
                    corners.append(own)
                    radii.append(radius)
                    axes.append(turn)
        self.is_needed = bool(self._owners)
        self._grounds: LimbGrounds | None = None
        if settings.hinge_drift:
            self._grounds = LimbGrounds(client, settings, robots, self._owners, None if old is None else old._grounds)
        self._corners, self._radii = np.array(corners).reshape(-1, 8, 3), np.array(radii)
        self._axes = np.array(axes).reshape(-1, 3, 3)
        self._places: IntArray = np.array([links.place(robots[row].body, link) for row, link in self._owners], np.int64)

    def before_step(self, motion: Motion, pushes: Pushes) -> None:
        """Tie corners in the ground to skates at rest, and let go of corners that left the ground."""
        arms = np.einsum("sij,scj->sci", self._links.rotations.take(self._places, 0), self._corners)
        arms[:, :, 2] -= self._radii[:, None]
        points = arms + self._links.centres.take(self._places, 0)[:, None]
        # Corners are tied where Bullet has them, and are in the ground where they really are.
        shifts = self._links.shifts.take(self._places, 0)
        heights = points[:, :, 2] + shifts[:, 2:]
        closing = self._links.closing.take(self._places, 0)
        if self._grounds is not None:
            self._grounds.put(points, heights, shifts, closing)
        rows = _in_ground(heights)
        shapes = rows // 8
        self._held = shapes, points.reshape(-1, 3).take(rows, 0), arms.reshape(-1, 3).take(rows, 0)
        inside: dict[int, list[int]] = {}
        for shape, corner in zip(shapes.tolist(), (rows % 8).tolist(), strict=True):
            inside.setdefault(shape, []).append(corner)
        self.shifts = self._links.shifts.copy()
        speeds = closing.tolist()
        wanted: list[dict[_Corner, float]] = [{} for _ in self._grips]
        for shape, numbers in inside.items():
            held, mass = self._choose(numbers, points[shape])
            wanted[self._owners[shape][0]].update({(shape, corner): mass for corner in held})
        for grip, masses in zip(self._grips, wanted, strict=True):
            self._hold(grip, masses, points, speeds)
        # Surplus rigs, of robots that have got up again, would cost time for ever.
        while len(self._spare) > len(self._grips):
            self._spare.pop().remove()
            self.removed += 1

    def _choose(self, corners: list[int], points: Array) -> tuple[list[int], float]:
        """The corners of a shape in the ground that are held, and the mass of the skate for each, kg.

        Two corners far apart stand for three or four: that is as near to ODE, and a third cheaper.
        """
        slip, count = self._settings.grip_slip, len(corners)
        if count > 2:
            own = points[corners]
            # Rounded: the two diagonals of a foot are equal, and rounding is not to choose between them.
            distances = ((own[:, None] - own) ** 2).sum(axis=2).round(9)
            first, second = divmod(int(distances.argmax()), count)
            # Skates give way in parallel: two of 2 / n of the slip hold a link as n skates do.
            corners, slip = [corners[first], corners[second]], slip * 2.0 / count
        # The tie itself gives way by cfm.
        return corners, self._settings.step_time / max(slip - self._settings.cfm, _LEAST_SLIP)

    def _hold(self, grip: _Grip, masses: dict[_Corner, float], points: Array, closing: list[list[float]]) -> None:
        for corner in [one for one in grip.ties if one not in masses]:
            rig, skate = grip.ties.pop(corner)
            rig.release(skate)
        for corner, mass in masses.items():
            rig, skate = grip.ties.get(corner) or self._tie(grip, corner)
            point = points[corner]
            # The lowest point of a round end wanders over the link as the link turns.
            if self._radii[corner[0]]:
                rig.move(skate, self._pivot(corner))
            rig.put(skate, point.tolist(), mass, closing[corner[0]])
        self._spare += [rig for rig in grip.rigs if rig.idle]
        grip.rigs = [rig for rig in grip.rigs if not rig.idle]
        for rig in grip.rigs:
            rig.rest()

    def _tie(self, grip: _Grip, corner: _Corner) -> tuple[SkateRig, int]:
        rig = next((one for one in grip.rigs if one.free), None)
        if rig is None:
            rig = self._spare.pop() if self._spare else SkateRig(self._client, self._leap)
            grip.rigs.append(rig)
        skate = rig.tie(grip.body, self._owners[corner[0]][1], self._pivot(corner))
        grip.ties[corner] = rig, skate
        return rig, skate

    def _pivot(self, corner: _Corner) -> list[float]:
        """Place of a corner, or of the lowest point of a round one, on its link, in the axes in which Bullet ties."""
        shape = corner[0]
        down = self._links.rotations[self._places[shape]].T @ (0.0, 0.0, -self._radii[shape])
        pivot: list[float] = ((self._corners[corner] + down) @ self._axes[shape]).tolist()
        return pivot

    def after_step(self, before: Motion, after: Motion) -> None:
        """Find the forces on corners: as in ODE a corner slips by its own force, which its velocity tells."""
        shapes, points, arms = self._held
        places = self._places.take(shapes)
        motion = self._bodies.motion(after).take(places, 0)
        pushes = cross(motion[:, 3:], arms)
        pushes += motion[:, :3]
        pushes /= self._yielding
        pushes[:, 2] = 0.0
        self.held = {}
        for place, point, push in zip(places.tolist(), points.tolist(), pushes.tolist(), strict=True):
            self.held.setdefault(place, []).append((point, push))

    def let_go(self, row: int) -> None:
        """Untie a robot, before it is removed at the latest."""
        grip = self._grips[row]
        for rig, skate in grip.ties.values():
            rig.release(skate)
        self._spare += grip.rigs
        grip.ties, grip.rigs = {}, []


def _in_ground(heights: Array) -> IntArray:
    """Corners below the ground, numbered shape by shape, the lowest of each. heights: (S, 8), m, NaN for none."""
    below = heights < 0.0
    for shape in (np.add.reduce(below, axis=1) > _MOST_CONTACTS).nonzero()[0].tolist():
        below[shape] = False
        below[shape, heights[shape].argsort()[:_MOST_CONTACTS]] = True
    return below.ravel().nonzero()[0]


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
        points[:] = sharp_corners(shape) @ rotation.T
    elif shape.kind is ShapeKind.SPHERE:
        points[0] = 0.0
    else:
        half = shape.size[1] / 2.0 * rotation[:, 2]
        points[:2] = -half, half
    return points + shape.position

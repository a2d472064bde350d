"""One robot of the planar engine: a body with wheels, and joints that follow their commands exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from simspark_ros.kernels.planar.body import PlanarBody, PlanarPart
from simspark_ros.kernels.planar.impact import PlanarContact
from simspark_ros.physics.engine import Array, BoolArray
from simspark_ros.physics.geometry.link_motion import LinkMotion
from simspark_ros.physics.geometry.rotations import heading_of
from simspark_ros.physics.geometry.transforms import product, rotation_about
from simspark_ros.physics.model import ArticulatedModel, Link, Vector
from simspark_ros.physics.planar.footing import Traction
from simspark_ros.physics.planar.footprint import Footprint, footings, footprint, rollers

_UP: Vector = (0.0, 0.0, 1.0)


class PlanarRobot:
    """A robot; its height and tilt, which are out of the plane, stay as they were placed.

    Attributes:
        model, motion: the robot's model, and motion of its links.
        body: the robot's body in the plane.
        height, tilt: height of the base link's centre of mass, m, and rotation (3, 3) of the base link at heading zero.
        joints: (3, J) positions, speeds and efforts of joints, rad or m, rad/s or m/s, N m or N; the engine's array.
        is_round: (J,) whether a joint turns a wheel or a roller, which looks the same however far it has turned.
        out_of_plane: velocities out of the plane that were set, None without; they end with the next step.
    """

    def __init__(
        self, model: ArticulatedModel, surface: Callable[[Link], int], friction: Callable[[Link], float], reach: float
    ) -> None:
        self.model = model
        self.motion = LinkMotion(model)
        self._surfaces = [surface(link) for link in model.links]
        self._friction = [friction(link) for link in model.links]
        self._reach = reach
        self.joints: Array = np.zeros((3, len(model.joints)))
        self.is_round: BoolArray = np.zeros(len(model.joints), np.bool_)
        self.out_of_plane: tuple[Array, Array] | None = None
        self._rollers = sorted(rollers(model))
        self._joints = model.joints
        self.body = PlanarBody([], 1.0, 1.0)
        self.height, self.tilt, self._level, self._centre = 0.0, np.eye(3), np.eye(3), (0.0, 0.0)
        self._steered: list[int] = []
        # The last footprints, that of the footings, and that of the parts.
        self._prints: dict[tuple[bytes, bytes, float], Footprint] = {}
        self._stood: Footprint | None = None
        self._shaped: Footprint | None = None

    @property
    def place(self) -> tuple[float, float]:
        """The base link's centre of mass in the plane, m."""
        x, y = self.body.base()
        return x, y

    @property
    def position(self) -> Array:
        """(3,) centre of mass of the base link, m."""
        return np.array((*self.place, self.height))

    def put(self, position: Vector, rotation: Array) -> None:
        """Place the base's centre of mass, at rest."""
        yaw = heading_of(rotation)
        self.tilt = product(rotation_about(_UP, -yaw), rotation)
        # Without what the turn adds by rounding, so that a robot stands alike at all headings.
        self._level = np.round(self.tilt, 12) + 0.0
        self.height = float(position[2])
        self.joints[1:] = 0.0
        self.out_of_plane = None
        self.body = PlanarBody([], angle=yaw)
        at_zero = self._print(np.zeros(len(self._joints)))
        if at_zero is not self._stood:
            self._stand(at_zero)
        self.shape(position[0], position[1])

    def _stand(self, at_zero: Footprint) -> None:
        """Find the footings. at_zero: the footprint with all joints at zero."""
        self._stood, bolted = at_zero, self.model.fixed_base
        found = [] if bolted else footings(self.model, at_zero.outlines, self._level, self._friction, self._reach)
        air = len(self.model.links) * np.array((self.model.linear_drag, self.model.angular_drag))
        self.traction = Traction(found, at_zero.centre, *air.tolist())
        self._steered = [number for number, footing in enumerate(found) if footing.steered]
        self._round = [footing.joint for footing in found if footing.joint >= 0] + self._rollers
        self.is_round = np.isin(np.arange(len(self._joints)), self._round)
        self._rolling = self._links_in_place()

    def _links_in_place(self) -> set[int]:
        """Indices of wheels of the base and of their rollers: they turn, but stay where they are."""
        links = {link.name: index for index, link in enumerate(self.model.links)}
        staying: set[int] = set()
        for joint in (self._joints[index] for index in self._round):
            if links[joint.parent] in staying | {0}:
                staying.add(links[joint.child])
        return staying

    def set_joints(self, positions: Array) -> None:
        """Set all joints, at rest."""
        x, y = self.place
        self.joints[0], self.joints[1:] = positions, 0.0
        self.body.vx = self.body.vy = self.body.spin = 0.0
        self.shape(x, y)

    def set_velocity(self, linear: Vector, angular: Vector) -> None:
        """Set the base's velocity, m/s and rad/s."""
        body, (x, y) = self.body, self.place
        body.spin = angular[2]
        body.vx, body.vy = linear[0] + body.spin * (y - body.y), linear[1] - body.spin * (x - body.x)
        self.out_of_plane = (np.array((0.0, 0.0, linear[2])), np.array((angular[0], angular[1], 0.0)))

    def felt(self, contacts: Sequence[PlanarContact], gravity: float, seconds: float) -> dict[int, tuple[Array, Array]]:
        """Force (3,), N, and its mean point (3,), m, world frame, by index of the link."""
        places: dict[int, list[tuple[Array, Array]]] = {}
        (x, y), c, s = self.place, math.cos(self.body.angle), math.sin(self.body.angle)
        for footing, share in zip(self.traction.footings, self.traction.shares, strict=True):
            force = np.array([0.0, 0.0, share * self.body.mass * gravity])
            if force[2] > 0.0:
                forward, left = footing.point
                point = np.array((x + c * forward - s * left, y + s * forward + c * left, 0.0))
                places.setdefault(footing.link, []).append((force, point))
        for contact in contacts:
            met = contact.meeting
            for body, part, sign in ((met.a, met.part_a, -1.0), (met.b, met.part_b, 1.0)):
                if body is self.body:
                    # The impulse acts on b, and as its opposite on a.
                    nx, ny, normal, along = met.x, met.y, contact.normal, contact.along
                    force = np.array([normal * nx - along * ny, normal * ny + along * nx, 0.0]) * (sign / seconds)
                    point = np.array((contact.x, contact.y, (part.low + part.high) / 2.0))
                    places.setdefault(part.link, []).append((force, point))
        return {link: _total(forces) for link, forces in places.items()}

    def steer(self) -> None:
        """Turn the wheels that joints steer, and move them with these joints."""
        if not self._steered:
            return
        centres, rotations, linear, angular = self._links_in_body()
        for number in self._steered:
            footing = self.traction.footings[number]
            place, link = footing.link, self.model.links[footing.link]
            # From the hub, where the frame of the link is, to the link's centre of mass.
            x, y, _ = product(rotations[place], link.centre).tolist()
            right, forward, _ = product(rotations[place], self._joints[footing.joint].axis).tolist()
            length, spin = math.hypot(right, forward), float(angular[place, 2])
            hub = float(centres[place, 0]) - x, float(centres[place, 1]) - y
            velocity = float(linear[place, 0]) + spin * y, float(linear[place, 1]) - spin * x
            self.traction.steer(number, self._centre, hub, (forward / length, -right / length), velocity)

    def _links_in_body(self) -> tuple[Array, Array, Array, Array]:
        """Centres of mass, rotations, and velocities that joints but wheels give links, in axes of the body."""
        joints = np.where(self.is_round, 0.0, self.joints[1])
        centres, rotations = self.motion.poses(self.joints[0], self.tilt)
        zero: Vector = (0.0, 0.0, 0.0)
        return centres, rotations, *self.motion.velocities(centres, rotations, zero, zero, joints)

    def move_parts(self) -> None:
        """Give parts on joints the velocity that their links have in the plane."""
        self._shaped = None
        centres, _, linear, angular = self._links_in_body()
        for part in self.body.parts:
            x, y, _ = centres[part.link].tolist()
            vx, vy, _ = linear[part.link].tolist()
            part.follow(x - self._centre[0], y - self._centre[1], vx, vy, angular[part.link, 2])
        self.body.measure()

    def _print(self, positions: Array) -> Footprint:
        # Learners put robots back to where they stood, again and again.
        key = positions.tobytes(), self._level.tobytes(), self.height
        if key not in self._prints:
            self._prints = dict(list(self._prints.items())[-1:])
            self._prints[key] = footprint(self.motion, positions, self._level, self.height)
        return self._prints[key]

    def shape(self, x: float, y: float) -> None:
        """Bring the body in line with the joints; (x, y): the base's centre of mass."""
        seen, body = self._print(np.where(self.is_round, 0.0, self.joints[0])), self.body
        self._centre = body.centre_x, body.centre_y = cx, cy = seen.centre
        c, s = math.cos(body.angle), math.sin(body.angle)
        body.mass, body.inertia = (math.inf, math.inf) if self.model.fixed_base else (seen.mass, seen.inertia)
        body.x, body.y = x + c * cx - s * cy, y + s * cx + c * cy
        if seen is not self._shaped:
            self._shaped, self._parts = seen, self._parts_of(seen)
        body.parts = self._parts
        body.measure()

    def _parts_of(self, seen: Footprint) -> list[PlanarPart]:
        x, y = seen.centre
        outlines = [(outline.moved(-x, -y), link) for outline, link in seen.outlines]
        parts = [PlanarPart(outline, self._surfaces[link], link) for outline, link in outlines]
        base = [(outline, part) for (outline, link), part in zip(outlines, parts, strict=True) if link == 0]
        for (outline, link), part in zip(outlines, parts, strict=True):
            if link in self._rolling:
                part.around = tuple(one for around, one in base if around.contains(outline))
        return parts


def _total(forces: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Sum of forces, and the mean of their points, weighted with their sizes."""
    sizes = np.array([math.hypot(*force) for force, _ in forces])
    points = np.array([point for _, point in forces])
    weights = sizes if sizes.any() else np.ones(len(forces))
    total: Array = np.sum([force for force, _ in forces], axis=0)
    mean: Array = product(weights, points) / weights.sum()
    return total, mean

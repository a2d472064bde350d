"""One robot of the planar engine: a body with wheels, and joints that follow their commands exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from simspark_ros.kernels.traction import JointSpeedKernel
from simspark_ros.physics.engine import Array, EngineState, JointControl
from simspark_ros.physics.geometry.link_motion import LinkMotion
from simspark_ros.physics.geometry.rotations import heading_of
from simspark_ros.physics.geometry.transforms import rotation_about
from simspark_ros.physics.model import ArticulatedModel, Link, Vector
from simspark_ros.physics.planar.body import PlanarBody, PlanarPart
from simspark_ros.physics.planar.footing import Traction
from simspark_ros.physics.planar.footprint import Footprint, footings, footprint, rollers
from simspark_ros.physics.planar.impact import PlanarContact

_UP: Vector = (0.0, 0.0, 1.0)

_STAYING: tuple[Array, Array] = (np.zeros(3), np.zeros(3))
"""No velocity out of the plane."""


class PlanarRobot:
    """A robot; its height and tilt, which are out of the plane, stay as they were placed.

    Attributes:
        motion: motion of the links.
        body: the robot's body in the plane.
        height, tilt: height of the base link's centre of mass, m, and rotation (3, 3) of the base link at heading zero.
        positions, speeds, efforts: (J,) state of the joints, rad or m, rad/s or m/s, N m or N.
        out_of_plane: velocities out of the plane that were set; they end with the next step.
    """

    def __init__(
        self, model: ArticulatedModel, surface: Callable[[Link], int], friction: Callable[[Link], float], reach: float
    ) -> None:
        self.model = model
        self.motion = LinkMotion(model)
        self._surfaces = [surface(link) for link in model.links]
        self._friction = [friction(link) for link in model.links]
        self._reach = reach
        self.positions: Array = np.zeros(len(model.joints))
        self.speeds: Array = np.zeros(len(model.joints))
        self.efforts: Array = np.zeros(len(model.joints))
        self.out_of_plane: tuple[Array, Array] = _STAYING
        self._rollers = np.array(sorted(rollers(model)), np.int64)
        self._joints = model.joints
        self.body = PlanarBody([], 1.0, 1.0)
        self.height, self.tilt, self._centre = 0.0, np.eye(3), (0.0, 0.0)
        self.traction = Traction((), (0.0, 0.0))
        self._steered: list[int] = []
        # Whether joints move links in this step, wheels apart.
        self._links_move = False

    @property
    def rotation(self) -> Array:
        """(3, 3) rotation of the base link to the world."""
        return np.array(_turn(self.body.angle)).reshape(3, 3) @ self.tilt

    @property
    def place(self) -> tuple[float, float]:
        """The base link's centre of mass in the plane, m."""
        (x, y), body = self._centre, self.body
        c, s = math.cos(body.angle), math.sin(body.angle)
        return body.x - c * x + s * y, body.y - s * x - c * y

    @property
    def position(self) -> Array:
        """(3,) centre of mass of the base link, m."""
        return np.array((*self.place, self.height))

    @property
    def link_poses(self) -> tuple[Array, Array]:
        """Centres of mass (L, 3), m, and rotations (L, 3, 3) of all links, in the world frame."""
        centres, rotations = self.motion.poses(self.positions)
        turn = self.rotation
        return centres @ turn.T + self.position, turn @ rotations

    @property
    def velocity(self) -> tuple[Array, Array]:
        """Linear and angular velocity (3,) of the base link, m/s and rad/s."""
        body, (x, y) = self.body, self.place
        linear = np.array([body.vx - body.spin * (y - body.y), body.vy + body.spin * (x - body.x), 0.0])
        return linear + self.out_of_plane[0], np.array([0.0, 0.0, body.spin]) + self.out_of_plane[1]

    def put(self, position: Vector, rotation: Array) -> None:
        """Place the base's centre of mass, at rest."""
        yaw = heading_of(rotation)
        self.tilt = rotation_about(_UP, -yaw) @ rotation
        self.height = float(position[2])
        self.speeds[:] = self.efforts[:] = 0.0
        self.out_of_plane = _STAYING
        at_zero = self._print(np.zeros(len(self.positions)))
        bolted = self.model.fixed_base
        found = [] if bolted else footings(self.model, at_zero.outlines, self.tilt, self._friction, self._reach)
        self.body = PlanarBody([], at_zero.mass, at_zero.inertia, angle=yaw)
        self.traction = Traction(found, at_zero.centre)
        self._steered = [number for number, footing in enumerate(found) if footing.steered]
        # Wheels look the same however far they have turned.
        wheels = [footing.joint for footing in found if footing.joint >= 0]
        self._round = np.concatenate((np.array(wheels, np.int64), self._rollers))
        self._rolling = self._links_in_place()
        self._kernel = self._joint_kernel()
        self._shape(position[0], position[1])

    def _joint_kernel(self) -> JointSpeedKernel:
        limits = np.array([(joint.lower, joint.upper, joint.max_velocity) for joint in self._joints])
        lower, upper, fastest = limits.reshape(-1, 3).T.copy()
        is_round = np.zeros(len(self._joints), np.uint8)
        is_round[self._round] = 1
        return JointSpeedKernel(lower=lower, upper=upper, fastest=fastest, is_round=is_round)

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
        self.positions = np.array(positions)
        x, y = self.place
        self.speeds[:] = self.efforts[:] = 0.0
        self.body.vx = self.body.vy = self.body.spin = 0.0
        self._shape(x, y)

    def set_velocity(self, linear: Vector, angular: Vector) -> None:
        """Set the base's velocity, m/s and rad/s."""
        body, (x, y) = self.body, self.place
        body.spin = angular[2]
        body.vx, body.vy = linear[0] + body.spin * (y - body.y), linear[1] - body.spin * (x - body.x)
        self.out_of_plane = (np.array((0.0, 0.0, linear[2])), np.array((angular[0], angular[1], 0.0)))

    def begin_step(self, control: JointControl, gravity: float, seconds: float) -> None:
        """Let motors turn joints, and ground and air act on the body. control: commands of this robot's joints."""
        self.out_of_plane = _STAYING
        self.speeds = np.empty(len(self.positions))
        wanted, efforts = control.velocity, control.effort_limit
        self._links_move = self._kernel.command(wanted, efforts, self.positions, seconds, self.speeds)
        self._brake(seconds)
        self._steer()
        weight = self.body.mass * gravity
        self.efforts = self.traction.act(self.body, weight, self.speeds, control.effort_limit, seconds)
        self._move_parts(seconds)

    def end_step(self, seconds: float) -> None:
        """Turn the joints, and move the links with them."""
        self.positions = self.positions + self.speeds * seconds
        if self._links_move:
            self._shape(*self.place)

    def felt(self, contacts: Sequence[PlanarContact], gravity: float, seconds: float) -> dict[int, tuple[Array, Array]]:
        """Force (3,), N, and its mean point (3,), m, world frame, by index of the link."""
        places: dict[int, list[tuple[Array, Array]]] = {}
        turn, base = rotation_about(_UP, self.body.angle), self.position
        for footing, share in zip(self.traction.footings, self.traction.shares, strict=True):
            force = np.array([0.0, 0.0, share * self.body.mass * gravity])
            if force[2] > 0.0:
                point = base * (1.0, 1.0, 0.0) + turn @ (*footing.point, 0.0)
                places.setdefault(footing.link, []).append((force, point))
        for contact in contacts:
            for body, part, sign in ((contact.a, contact.part_a, -1.0), (contact.b, contact.part_b, 1.0)):
                if body is self.body:
                    # The impulse acts on b, and as its opposite on a.
                    (nx, ny), (along, across) = contact.normal, contact.impulse
                    force = np.array([along * nx - across * ny, along * ny + across * nx, 0.0]) * (sign / seconds)
                    height = (part.outline.low + part.outline.high) / 2.0
                    places.setdefault(part.link, []).append((force, np.array((*contact.point, height))))
        return {link: _total(forces) for link, forces in places.items()}

    def _brake(self, seconds: float) -> None:
        model, body = self.model, self.body
        if model.linear_drag or model.angular_drag:
            count = len(model.links)
            # Drag is declared per link. Its exact solution cannot turn the motion round in a long step.
            slower = math.exp(-count * model.linear_drag / body.mass * seconds)
            body.vx, body.vy = body.vx * slower, body.vy * slower
            body.spin *= math.exp(-count * model.angular_drag / body.inertia * seconds)

    def _steer(self) -> None:
        """Turn the wheels that joints steer, and move them with these joints."""
        if not self._steered:
            return
        centres, rotations, linear, angular = self._links_in_body()
        for number in self._steered:
            footing = self.traction.footings[number]
            place, link = footing.link, self.model.links[footing.link]
            # From the hub, where the frame of the link is, to the link's centre of mass.
            x, y, _ = (rotations[place] @ link.centre).tolist()
            right, forward, _ = (rotations[place] @ self._joints[footing.joint].axis).tolist()
            length, spin = math.hypot(right, forward), float(angular[place, 2])
            hub = float(centres[place, 0]) - x, float(centres[place, 1]) - y
            velocity = float(linear[place, 0]) + spin * y, float(linear[place, 1]) - spin * x
            self.traction.steer(number, self._centre, hub, (forward / length, -right / length), velocity)

    def _links_in_body(self) -> tuple[Array, Array, Array, Array]:
        """Centres of mass, rotations, and velocities that joints but wheels give links, in axes of the body."""
        joints = self.speeds.copy()
        joints[self._round] = 0.0
        centres, rotations = self.motion.poses(self.positions)
        centres, rotations = centres @ self.tilt.T, self.tilt @ rotations
        zero: Vector = (0.0, 0.0, 0.0)
        return centres, rotations, *self.motion.velocities(centres, rotations, zero, zero, joints)

    def _move_parts(self, seconds: float) -> None:
        """Give parts on joints the velocity that their links have in the plane."""
        if not self._links_move:
            return
        centres, _, linear, angular = self._links_in_body()
        for part in self.body.parts:
            x, y, _ = centres[part.link].tolist()
            part.pivot = (x - self._centre[0], y - self._centre[1])
            part.velocity = (float(linear[part.link, 0]), float(linear[part.link, 1]))
            part.spin = float(angular[part.link, 2])
        self.body.measure()

    def _print(self, positions: Array) -> Footprint:
        return footprint(self.motion, positions, self.tilt, self.height)

    def _shape(self, x: float, y: float) -> None:
        """Bring the body in line with the joints; (x, y): the base's centre of mass."""
        positions = self.positions.copy()
        positions[self._round] = 0.0
        seen, body = self._print(positions), self.body
        self._centre = cx, cy = seen.centre
        c, s = math.cos(body.angle), math.sin(body.angle)
        body.mass, body.inertia = (math.inf, math.inf) if self.model.fixed_base else (seen.mass, seen.inertia)
        body.x, body.y = x + c * cx - s * cy, y + s * cx + c * cy
        body.parts = [
            PlanarPart(outline.moved(-cx, -cy), self._surfaces[link], link) for outline, link in seen.outlines
        ]
        base = [part for part in body.parts if part.link == 0]
        for part in body.parts:
            if part.link in self._rolling:
                part.around = tuple(one for one in base if one.outline.contains(part.outline))
        body.measure()


def publish_motion(robots: Sequence[PlanarRobot], tilts: Array, state: EngineState) -> None:
    """Fill the state with copies of the motion of N robots, all at once. tilts: (N, 3, 3) their `PlanarRobot.tilt`."""
    position, linear, angular = [], [], []
    turns: list[float] = []
    for robot in robots:
        # The base link is beside the centre of mass, about which the body turns.
        body, (x, y) = robot.body, robot.place
        position.append((x, y, robot.height))
        linear.append((body.vx - body.spin * (y - body.y), body.vy + body.spin * (x - body.x), 0.0))
        angular.append((0.0, 0.0, body.spin))
        turns += _turn(body.angle)
    state.position = np.array(position).reshape(-1, 3)
    state.rotation = np.array(turns).reshape(-1, 3, 3) @ tilts
    # A sum, so that there are no negative zeros.
    state.linear_velocity = np.array(linear).reshape(-1, 3) + 0.0
    state.angular_velocity = np.array(angular).reshape(-1, 3) + 0.0
    for row, robot in enumerate(robots):
        if robot.out_of_plane is not _STAYING:
            state.linear_velocity[row] += robot.out_of_plane[0]
            state.angular_velocity[row] += robot.out_of_plane[1]
    state.joint_position = np.concatenate([np.zeros(0), *(robot.positions for robot in robots)])
    state.joint_velocity = np.concatenate([np.zeros(0), *(robot.speeds for robot in robots)])
    state.joint_effort = np.concatenate([np.zeros(0), *(robot.efforts for robot in robots)])


def _turn(angle: float) -> tuple[float, ...]:
    """The nine numbers of `rotation_about` for the vertical."""
    s, c = 0.0 + math.sin(angle), 1.0 - (1.0 - math.cos(angle))
    return c, 0.0 - s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0


def _total(forces: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Sum of forces, and the mean of their points, weighted with their sizes."""
    sizes = np.array([np.linalg.norm(force) for force, _ in forces])
    points = np.array([point for _, point in forces])
    weights = sizes if sizes.any() else np.ones(len(forces))
    total: Array = np.sum([force for force, _ in forces], axis=0)
    mean: Array = weights @ points / weights.sum()
    return total, mean

"""The planar engine, after the F2000 simulator of 2003.

("A Plugin-Based Architecture for Simulation in the F2000 League", section 2.1.) Colliding solids are projected onto the
plane, each with its range of heights; a robot is one rigid body. Nothing falls or tips over: heights and tilts stay as
they were placed. Wheels drive robots; other joints follow their commanded velocities.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from simspark_ros.physics.contact_summary import ContactSummary
from simspark_ros.physics.engine import BALL_HANDLE, PLACEABLE, Array, EngineState, JointControl, Limits, LinkSelection
from simspark_ros.physics.geometry.rotations import rotations_from_quaternions
from simspark_ros.physics.geometry.transforms import rotation_about
from simspark_ros.physics.guarded import Quaternion
from simspark_ros.physics.links import SelectedLinks, resolve_links
from simspark_ros.physics.model import ArticulatedModel, Link, SceneModel, Shape, ShapeKind, SurfaceMaterial, Vector
from simspark_ros.physics.planar.body import PlanarBody, PlanarPart
from simspark_ros.physics.planar.gap import Gap
from simspark_ros.physics.planar.outline import circle, projected
from simspark_ros.physics.planar.plane import Meeting, PlanarScene
from simspark_ros.physics.planar.robot import PlanarRobot, publish_motion
from simspark_ros.physics.planar.settings import PlanarSettings, PlanarSurfaces
from simspark_ros.physics.presets import load_preset
from simspark_ros.physics.rows import change_rows, forget_forces
from simspark_ros.physics.surfaces import Material, in_contact


def create(preset: str | None = None) -> PlanarEngine:
    """A new engine with a preset of `config/physics/planar`, or a file; None takes `f2000`."""
    return PlanarEngine(load_preset("planar", PlanarSettings, preset))


class PlanarEngine:
    """An EngineCore; see that protocol for the public methods."""

    planar = True

    def __init__(self, settings: PlanarSettings) -> None:
        self._settings = settings
        reach = PLACEABLE * settings.max_distance
        self.limits = Limits(reach, settings.max_speed, ball_speed=settings.max_ball_speed)
        self.cycle_time = settings.cycle_time
        self.state = EngineState()
        self.recovered: list[int] = []
        self._surfaces = PlanarSurfaces(settings)
        self._plane = PlanarScene(
            lambda a, b: self._surfaces.law(a.surface, b.surface), settings.time_resolution, settings.max_impacts
        )
        self._scene = SceneModel()
        self._ball: PlanarBody | None = None
        self._robots: dict[int, PlanarRobot] = {}
        self._tilts: Array = np.zeros((0, 3, 3))
        self._next_handle = 0

    def load_scene(self, scene: SceneModel) -> None:
        self._scene = scene
        shapes: list[tuple[Shape, SurfaceMaterial | None]] = [
            (Shape(ShapeKind.BOX, box.size, box.centre), None) for box in scene.boxes
        ]
        shapes += [(one.shape, one.material) for one in scene.obstacles if isinstance(one.shape, Shape)]
        for shape, material in shapes:
            outline = projected(shape, np.eye(3), np.zeros(3))
            x, y = outline.middle
            part = PlanarPart(outline.moved(-x, -y), self._surfaces.number(Material.BOX, material))
            self._plane.fix(PlanarBody([part], x=x, y=y))
        if scene.ball is not None:
            radius, mass = scene.ball.radius, scene.ball.mass
            part = PlanarPart(circle(radius), self._surfaces.number(Material.BALL))
            self._ball = PlanarBody([part], mass, 0.4 * mass * radius * radius)
            self.place_ball((0.0, 0.0, radius), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        self._change_rows()

    def add_robot(self, model: ArticulatedModel, position: Vector, yaw: float = 0.0) -> int:
        handle = self._next_handle
        self._next_handle += 1
        robot = PlanarRobot(model, self._surface, self._friction, self._settings.ground_distance)
        self._robots[handle] = robot
        robot.put(position, rotation_about((0.0, 0.0, 1.0), math.remainder(yaw, 2.0 * math.pi)))
        self._change_rows()
        return handle

    def _surface(self, link: Link) -> int:
        return self._surfaces.number(Material.ROBOT, link.material)

    def _friction(self, link: Link) -> float:
        own: SurfaceMaterial | None = in_contact(link.material, self._scene.ground)
        return self._settings.ground_friction if own is None else own.friction

    def remove_robot(self, handle: int) -> None:
        self.remove_robots((handle,))

    def remove_robots(self, handles: Sequence[int]) -> None:
        for handle in handles:
            del self._robots[handle]
        self._change_rows()

    def place_robot(self, handle: int, position: Vector, quaternion: Quaternion) -> None:
        self._robots[handle].put(position, rotations_from_quaternions(np.array([quaternion]))[0])
        self._after_placing(handle)

    def set_joint_positions(self, handle: int, positions: Array) -> None:
        self._robots[handle].set_joints(positions)
        self._after_placing(handle)

    def set_velocity(self, handle: int, linear: Vector, angular: Vector, joints: Array | None = None) -> None:
        robot = self._robots[handle]
        robot.set_velocity(linear, angular)
        if joints is not None:
            robot.speeds = np.array(joints)
        self._publish()

    def place_ball(self, position: Vector, velocity: Vector, spin: Vector) -> None:
        ball, scene = self._ball, self._scene
        assert ball is not None and scene.ball is not None
        ball.x, ball.y, height = position
        ball.vx, ball.vy, _ = velocity
        ball.spin, radius = spin[2], scene.ball.radius
        part = ball.parts[0]
        part.outline = replace(part.outline, low=height - radius, high=height + radius)
        state = self.state
        state.ball_position, state.ball_velocity = np.array(position), np.array(velocity)
        state.ball_angular_velocity = np.array(spin)
        self._note_passing()

    def step(self, control: JointControl) -> None:
        seconds, gravity = self.cycle_time, max(0.0, -self._scene.gravity[2])
        for row, robot in enumerate(self._robots.values()):
            own = self.state.joints_of(row)
            part = JointControl(control.velocity[own], control.effort_limit[own], control.effort[own])
            robot.begin_step(part, gravity, seconds)
        self._roll_ball(seconds)
        before = [(body.x, body.y, body.angle) for body in self._plane.bodies]
        self._plane.step(seconds)
        self._put_back(before)
        for robot in self._robots.values():
            robot.end_step(seconds)
        self._part()
        self._read_contacts()
        self._read_ball()
        self._publish()

    def select_links(self, links: list[tuple[int, str]]) -> SelectedLinks:
        return resolve_links(self.state, links)

    def link_poses(self, selection: LinkSelection) -> tuple[Array, Array]:
        assert isinstance(selection, SelectedLinks)
        poses = {row: self._poses_of(row) for row in set(selection.rows)}
        chosen = [
            (poses[row][0][link], poses[row][1][link])
            for row, link in zip(selection.rows, selection.links, strict=True)
        ]
        centres = np.array([centre for centre, _ in chosen]).reshape(-1, 3)
        return selection.frames(centres, np.array([turn for _, turn in chosen]).reshape(-1, 3, 3))

    def link_velocities(self, selection: LinkSelection) -> tuple[Array, Array]:
        assert isinstance(selection, SelectedLinks)
        moving: dict[int, tuple[Array, Array, Array]] = {}
        for row in set(selection.rows):
            robot = self._robots[self.state.handles[row]]
            centres, rotations = self._poses_of(row)
            linear, angular = robot.velocity
            speeds = robot.motion.velocities(centres, rotations, _vector(linear), _vector(angular), robot.speeds)
            moving[row] = (*speeds, rotations)
        chosen = [
            [part[link] for part in moving[row]] for row, link in zip(selection.rows, selection.links, strict=True)
        ]
        linear, angular = (np.array([one[i] for one in chosen]).reshape(-1, 3) for i in (0, 1))
        return selection.velocities(linear, angular, np.array([one[2] for one in chosen]).reshape(-1, 3, 3))

    def close(self) -> None:
        """Nothing to do: the engine holds no resources."""

    def _poses_of(self, row: int) -> tuple[Array, Array]:
        return self._robots[self.state.handles[row]].link_poses

    def _change_rows(self) -> None:
        self.state = change_rows({h: robot.model for h, robot in self._robots.items()}, self.state, EngineState)
        self._gather()
        self._publish()

    def _after_placing(self, handle: int) -> None:
        forget_forces(self.state, self.state.row(handle))
        self._gather()
        self._publish()

    def _gather(self) -> None:
        """List the bodies and their tilts again: placing a robot makes a new body."""
        self._tilts = np.array([robot.tilt for robot in self._robots.values()]).reshape(-1, 3, 3)
        self._plane.bodies = [robot.body for robot in self._robots.values()]
        if self._ball is not None:
            self._plane.bodies.append(self._ball)
        self._note_passing()

    def _note_passing(self) -> None:
        """Let bodies that are deep in each other pass through each other until they are apart."""
        self._let_pass(list(self._plane.overlaps()))

    def _let_pass(self, overlaps: list[tuple[Meeting, Gap]]) -> None:
        depth = self._settings.ghost_depth
        old, self._plane.passing = self._plane.passing, set()
        for meeting, gap in overlaps:
            if gap.distance < -depth or (meeting.a, meeting.b) in old:
                self._plane.passing.add((meeting.a, meeting.b))

    def _part(self) -> None:
        """Push apart bodies that joints have moved a little into each other, and forget pairs that have come apart."""
        if not self._plane.passing and not any(robot.speeds.any() for robot in self._robots.values()):
            return
        overlaps = list(self._plane.overlaps())
        self._let_pass(overlaps)
        for meeting, gap in overlaps:
            a, b = meeting.a, meeting.b
            if (a, b) in self._plane.passing:
                continue
            # The lighter body gives way more: the common centre of mass stays.
            share = 1.0 if b.is_fixed else b.mass / (a.mass + b.mass)
            a.x, a.y = a.x + share * gap.distance * gap.x, a.y + share * gap.distance * gap.y
            if not b.is_fixed:
                b.x, b.y = b.x - (1 - share) * gap.distance * gap.x, b.y - (1 - share) * gap.distance * gap.y

    def _roll_ball(self, seconds: float) -> None:
        ball, model = self._ball, self._scene.ball
        if ball is None or model is None:
            return
        drag, radius = model.linear_drag, model.radius
        if self._rolls:
            # A rolling ball turns with v / r, so drag on its spin brakes it with angular_drag v / r^2.
            drag += model.angular_drag / (radius * radius)
        slower = math.exp(-drag / model.mass * seconds)
        ball.vx, ball.vy = ball.vx * slower, ball.vy * slower
        ball.spin *= math.exp(-model.angular_drag / ball.inertia * seconds)

    @property
    def _rolls(self) -> bool:
        return self._ball is not None and self._ball.parts[0].outline.low <= self._settings.ground_distance

    def _put_back(self, before: list[tuple[float, float, float]]) -> None:
        """Put bodies that have left the world back to their place before, at rest."""
        self.recovered = []
        handles = [*self._robots, BALL_HANDLE]
        farthest = self._settings.max_distance
        for body, handle, pose in zip(self._plane.bodies, handles, before, strict=False):
            # `not <` instead of `>=`, so that NaN counts as far away.
            if not abs(body.x) + abs(body.y) < farthest * 2.0:
                body.x, body.y, body.angle = pose
                body.vx = body.vy = body.spin = 0.0
                self.recovered.append(handle)

    def _read_contacts(self) -> None:
        row_of = {robot.body: row for row, robot in enumerate(self._robots.values())}
        found, state = ContactSummary(), self.state
        for contact in self._plane.contacts:
            one, other = row_of.get(contact.a), row_of.get(contact.b)
            if one is not None and other is not None:
                height = (self.state.position[one, 2] + self.state.position[other, 2]) / 2.0
                found.add_robots(one, other, (*contact.point, float(height)))
            elif one is not None and contact.b is self._ball:
                found.add_ball(one)
        found.publish(state)
        self._read_touch()

    def _read_touch(self) -> None:
        """Give touch links their share of the robot's weight, and the impulses of the step."""
        state, gravity = self.state, max(0.0, -self._scene.gravity[2])
        count = len(state.touching)
        state.touching, state.touch_point = np.zeros(count, np.bool_), np.zeros((count, 3))
        state.touch_force = np.zeros((count, 3))
        if not count:
            return
        for row, robot in enumerate(self._robots.values()):
            own = state.touches_of(row)
            names = {name: own.start + index for index, name in enumerate(robot.model.touch_links)}
            felt = robot.felt(self._plane.contacts, gravity, self.cycle_time) if names else {}
            for link, (force, point) in felt.items():
                index = names.get(robot.model.links[link].name)
                if index is not None:
                    centres, rotations = self._poses_of(row)
                    state.touching[index] = True
                    state.touch_force[index] = rotations[link].T @ force
                    state.touch_point[index] = rotations[link].T @ (point - centres[link])

    def _read_ball(self) -> None:
        ball, model = self._ball, self._scene.ball
        if ball is None or model is None:
            return
        state, radius = self.state, model.radius
        state.ball_position = np.array([ball.x, ball.y, state.ball_position[2]])
        state.ball_velocity = np.array([ball.vx, ball.vy, 0.0])
        x, y = (-ball.vy / radius, ball.vx / radius) if self._rolls else state.ball_angular_velocity[:2].tolist()
        state.ball_angular_velocity = np.array([x, y, ball.spin])

    def _publish(self) -> None:
        """Fill the state with copies of the motion of robots; contacts and ball are read elsewhere."""
        publish_motion(list(self._robots.values()), self._tilts, self.state)


def _vector(values: Array) -> Vector:
    x, y, z = values.tolist()
    return x, y, z

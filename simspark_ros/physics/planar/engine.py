"""The planar engine, after the F2000 simulator of 2003.

("A Plugin-Based Architecture for Simulation in the F2000 League", section 2.1.) Colliding solids are projected onto the
plane, each with its range of heights; a robot is one rigid body. Nothing falls or tips over: heights and tilts stay as
they were placed. Wheels drive robots; other joints follow their commanded velocities.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import compress

import numpy as np

from simspark_ros.kernels.planar.body import PlanarBody, PlanarPart
from simspark_ros.kernels.planar.plane import Plane
from simspark_ros.kernels.planar.traction import DriveKernel
from simspark_ros.physics.contact_summary import ContactSummary
from simspark_ros.physics.engine import BALL_HANDLE, PLACEABLE, Array, EngineState, JointControl, Limits, LinkSelection
from simspark_ros.physics.geometry.link_motion import link_tree
from simspark_ros.physics.geometry.rotations import rotations_from_quaternions
from simspark_ros.physics.geometry.transforms import product, rotation_about, rotation_from_rpy
from simspark_ros.physics.guarded import Quaternion
from simspark_ros.physics.links import SelectedLinks, resolve_links
from simspark_ros.physics.model import ArticulatedModel, Link, SceneModel, Shape, ShapeKind, SurfaceMaterial, Vector
from simspark_ros.physics.planar.outline import circle, projected
from simspark_ros.physics.planar.robot import PlanarRobot
from simspark_ros.physics.planar.settings import PlanarSettings, PlanarSurfaces
from simspark_ros.physics.presets import load_preset
from simspark_ros.physics.rows import change_rows, forget_forces, offsets
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
        self._plane = Plane(
            lambda a, b: self._surfaces.law(a.surface, b.surface), settings.time_resolution, settings.max_impacts
        )
        self._scene = SceneModel()
        self._ball: PlanarBody | None = None
        self._robots: dict[int, PlanarRobot] = {}
        self._joints: Array = np.zeros((3, 0))
        self._next_handle = 0

    def load_scene(self, scene: SceneModel) -> None:
        self._scene = scene
        shapes: list[tuple[Shape, SurfaceMaterial | None]] = [
            (Shape(ShapeKind.BOX, box.size, box.centre), None) for box in scene.boxes
        ]
        shapes += [(one.shape, one.material) for one in scene.obstacles if isinstance(one.shape, Shape)]
        for shape, material in shapes:
            outline = projected(shape, rotation_from_rpy(shape.rpy), np.array(shape.position))
            x, y = outline.middle
            part = PlanarPart(outline.moved(-x, -y), self._surfaces.number(Material.BOX, material))
            self._plane.fixed.append(PlanarBody([part], x=x, y=y))
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
            robot.joints[1] = joints
        self._publish()

    def place_ball(self, position: Vector, velocity: Vector, spin: Vector) -> None:
        ball, scene = self._ball, self._scene
        assert ball is not None and scene.ball is not None
        ball.x, ball.y, height = position
        ball.vx, ball.vy, _ = velocity
        ball.spin, radius = spin[2], scene.ball.radius
        part = ball.parts[0]
        part.low, part.high = height - radius, height + radius
        state = self.state
        state.ball_position, state.ball_velocity = np.array(position), np.array(velocity)
        state.ball_angular_velocity = np.array(spin)
        self._note_passing()

    def step(self, control: JointControl) -> None:
        seconds, gravity = self.cycle_time, max(0.0, -self._scene.gravity[2])
        robots, plane, drive = list(self._robots.values()), self._plane, self._drive
        links_move = drive.command(control.velocity, control.effort_limit, seconds)
        for robot in robots:
            robot.out_of_plane = None
            robot.steer()
        drive.act(self._tractions, plane.bodies, control.effort_limit, gravity, seconds)
        moving = list(compress(robots, self._moves)) if links_move else []
        for robot in moving:
            robot.move_parts()
        self._roll_ball(seconds)
        plane.step(seconds)
        put_back = plane.put_back(2.0 * self._settings.max_distance)
        self.recovered = [(*self._robots, BALL_HANDLE)[number] for number in put_back]
        self._joints[0] += self._joints[1] * seconds
        for robot in moving:
            robot.shape(*robot.place)
        if plane.passing or self._joints[1].any():
            plane.part(self._settings.ghost_depth)
        self._publish()
        self._read_contacts()
        self._read_ball()

    def select_links(self, links: list[tuple[int, str]]) -> SelectedLinks:
        selected = resolve_links(self.state, links)
        selected.bodies = self._bases[selected.rows] + np.array(selected.links, np.int64)
        return selected

    def link_poses(self, selection: LinkSelection) -> tuple[Array, Array]:
        assert isinstance(selection, SelectedLinks)
        centres, rotations = self._links()
        places = selection.bodies
        return selection.frames(centres[places], rotations[places].reshape(-1, 3, 3))

    def link_velocities(self, selection: LinkSelection) -> tuple[Array, Array]:
        assert isinstance(selection, SelectedLinks)
        (centres, rotations), state, places = self._links(), self.state, selection.bodies
        linear, angular = np.empty((2, *centres.shape))
        linear[self._bases], angular[self._bases] = state.linear_velocity, state.angular_velocity
        self._tree.move(centres, rotations, state.joint_velocity, linear, angular)
        return selection.velocities(linear[places], angular[places], rotations[places].reshape(-1, 3, 3))

    def close(self) -> None:
        """Nothing to do: the engine holds no resources."""

    def _links(self) -> tuple[Array, Array]:
        """Centres of mass (L, 3), m, and rotations (L, 9) of all links, robot after robot, world frame."""
        state, count = self.state, sum(len(model.links) for model in self.state.models)
        centres, rotations = np.empty((count, 3)), np.empty((count, 9))
        centres[self._bases], rotations[self._bases] = state.position, state.rotation.reshape(-1, 9)
        self._tree.pose(state.joint_position, centres, rotations)
        return centres, rotations

    def _change_rows(self) -> None:
        models = {handle: robot.model for handle, robot in self._robots.items()}
        self.state, self._tree = change_rows(models, self.state, EngineState), link_tree(list(models.values()))
        self._bases = offsets(len(model.links) for model in models.values())[:-1]
        self._gather()
        self._publish()

    def _after_placing(self, handle: int) -> None:
        forget_forces(self.state, self.state.row(handle))
        self._gather()
        self._publish()

    def _gather(self) -> None:
        """Gather what robots have: placing one makes a new body and traction."""
        robots, state = list(self._robots.values()), self.state
        self._tilts = np.array([robot.tilt for robot in robots]).reshape(-1, 9)
        self._places = np.array([(0.0, 0.0, robot.height) for robot in robots]).reshape(-1, 3)
        self._joints = np.concatenate([self._joints[:, :0], *(robot.joints for robot in robots)], 1)
        for row, robot in enumerate(robots):
            robot.joints = self._joints[:, state.joints_of(row)]
        self._moves = np.zeros(len(robots), np.uint8)
        self._tractions = [robot.traction.kernel for robot in robots]
        is_round = np.concatenate([np.zeros(0, np.bool_), *(robot.is_round for robot in robots)]).view(np.uint8)
        limits = state.joint_lower, state.joint_upper, state.joint_max_velocity
        self._drive = DriveKernel(*limits, is_round, state.joint_offset, *self._joints, self._moves)
        self._plane.bodies = [robot.body for robot in robots]
        if self._ball is not None:
            self._plane.bodies.append(self._ball)
        self._note_passing()

    def _note_passing(self) -> None:
        """Let bodies that are deep in each other pass through each other until they are apart."""
        self._plane.let_pass(self._settings.ghost_depth)

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
        return self._ball is not None and self._ball.parts[0].low <= self._settings.ground_distance

    def _read_contacts(self) -> None:
        found, state, contacts = ContactSummary(), self.state, self._plane.contacts
        row_of = {robot.body: row for row, robot in enumerate(self._robots.values())} if contacts else {}
        for contact in contacts:
            met = contact.meeting
            one, other = row_of.get(met.a), row_of.get(met.b)
            if one is not None and other is not None:
                height = (self.state.position[one, 2] + self.state.position[other, 2]) / 2.0
                found.add_robots(one, other, (contact.x, contact.y, float(height)))
            elif one is not None and met.b is self._ball:
                found.add_ball(one)
        found.publish(state)
        self._read_touch()

    def _read_touch(self) -> None:
        """Give touch links their share of the robot's weight, and the impulses of the step."""
        state, gravity, count = self.state, max(0.0, -self._scene.gravity[2]), len(self.state.touching)
        if not count:
            return
        state.touching, state.touch_point = np.zeros(count, np.bool_), np.zeros((count, 3))
        state.touch_force = np.zeros((count, 3))
        centres, rotations = self._links()
        for row, robot in enumerate(self._robots.values()):
            own = state.touches_of(row)
            names = {name: own.start + index for index, name in enumerate(robot.model.touch_links)}
            felt = robot.felt(self._plane.contacts, gravity, self.cycle_time) if names else {}
            for link, (force, point) in felt.items():
                index = names.get(robot.model.links[link].name)
                if index is not None:
                    place = self._bases[row] + link
                    turn = rotations[place].reshape(3, 3)
                    state.touching[index] = True
                    state.touch_force[index] = product(force, turn)
                    state.touch_point[index] = product(point - centres[place], turn)

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
        state, count = self.state, len(self._robots)
        turns, linear, angular = self._tilts.copy(), np.zeros((count, 3)), np.zeros((count, 3))
        state.position, state.linear_velocity, state.angular_velocity = self._places.copy(), linear, angular
        self._plane.read(state.position, turns, linear, angular)
        state.rotation = turns.reshape(-1, 3, 3)
        for row, robot in enumerate(self._robots.values()):
            if robot.out_of_plane is not None:
                linear[row] += robot.out_of_plane[0]
                angular[row] += robot.out_of_plane[1]
        state.joint_position, state.joint_velocity, state.joint_effort = self._joints.copy()

"""The physics abstraction (SimSpark paper 2013, section 7): one protocol, many robots at once, arrays in and out.

A robot is known by its *handle* (an int that is never reused) and by its *row* in the arrays. Rows are in the order
in which robots were added; adding or removing one changes the rows of others and increments `EngineState.revision`.
Joint arrays are flat: the joints of row i are `joint_offset[i]:joint_offset[i + 1]`, in the model's order. Touch arrays
are divided by `touch_offset` in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.errors import PhysicsError as PhysicsError
from simspark_ros.physics.model import ZERO, ArticulatedModel, SceneModel, Vector

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def _empty(*shape: int) -> Array:
    return np.zeros(shape)


@dataclass
class EngineState:
    """State of all robots (N rows, J joints, T touch links) and the ball after the last step. World frame, SI.

    Attributes:
        revision: changes whenever a robot is added or removed; index arrays made for an older one are void.
        handles: handle of each row.
        models: model of each row.
        joint_offset: (N + 1,) first joint of each row.
        touch_offset: (N + 1,) first touch link of each row.
        position: (N, 3) centre of mass of the base link.
        rotation: (N, 3, 3) base link to world (columns: forward, left, up).
        linear_velocity: (N, 3) velocity of the base link's centre of mass.
        angular_velocity: (N, 3) angular velocity of the base link.
        joint_position: (J,) joint positions, rad or m.
        joint_velocity: (J,) joint velocities, rad/s or m/s.
        joint_effort: (J,) efforts of the motors in the last step, N m or N.
        joint_lower, joint_upper, joint_max_velocity, joint_max_effort: (J,) stops and limits from the models.
        touching: (T,) whether the link had a contact in the last step.
        touch_point: (T, 3) force-weighted mean contact point, in axes of the link, relative to its centre of mass, m.
        touch_force: (T, 3) total contact force on the link, in the axes of the link, N.
        ball_position, ball_velocity, ball_angular_velocity: (3,) state of the ball, zeros in a world without a ball.
        ball_contacts: (B,) rows of the robots that touched the ball in the last step, ascending, each once.
        robot_contacts: (C, 2) rows of the robots that touched each other in the last step, the lower one first; each
            pair once, sorted.
        robot_contact_points: (C, 3) mean contact point of each pair, world frame, m.

    Robots that an engine lets pass through each other, because they were put into each other, do not touch. Contacts
    follow the rows when robots come and go; placing a robot keeps the contacts of the last step.
    """

    revision: int = 0
    handles: tuple[int, ...] = ()
    models: tuple[ArticulatedModel, ...] = ()
    joint_offset: IntArray = field(default_factory=lambda: np.zeros(1, np.int64))
    touch_offset: IntArray = field(default_factory=lambda: np.zeros(1, np.int64))
    position: Array = field(default_factory=lambda: _empty(0, 3))
    rotation: Array = field(default_factory=lambda: _empty(0, 3, 3))
    linear_velocity: Array = field(default_factory=lambda: _empty(0, 3))
    angular_velocity: Array = field(default_factory=lambda: _empty(0, 3))
    joint_position: Array = field(default_factory=lambda: _empty(0))
    joint_velocity: Array = field(default_factory=lambda: _empty(0))
    joint_effort: Array = field(default_factory=lambda: _empty(0))
    joint_lower: Array = field(default_factory=lambda: _empty(0))
    joint_upper: Array = field(default_factory=lambda: _empty(0))
    joint_max_velocity: Array = field(default_factory=lambda: _empty(0))
    joint_max_effort: Array = field(default_factory=lambda: _empty(0))
    touching: BoolArray = field(default_factory=lambda: np.zeros(0, np.bool_))
    touch_point: Array = field(default_factory=lambda: _empty(0, 3))
    touch_force: Array = field(default_factory=lambda: _empty(0, 3))
    ball_position: Array = field(default_factory=lambda: _empty(3))
    ball_velocity: Array = field(default_factory=lambda: _empty(3))
    ball_angular_velocity: Array = field(default_factory=lambda: _empty(3))
    ball_contacts: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    robot_contacts: IntArray = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    robot_contact_points: Array = field(default_factory=lambda: _empty(0, 3))

    def row(self, handle: int) -> int:
        """Row of a robot.

        Raises:
            KeyError: no robot has that handle.
        """
        try:
            return self.handles.index(handle)
        except ValueError:
            raise KeyError(f"no robot with handle {handle}") from None

    def joints_of(self, row: int) -> slice:
        """The joints of a row in the flat joint arrays."""
        return slice(int(self.joint_offset[row]), int(self.joint_offset[row + 1]))

    def touches_of(self, row: int) -> slice:
        """The touch links of a row in the touch arrays."""
        return slice(int(self.touch_offset[row]), int(self.touch_offset[row + 1]))


class ServoControl(NamedTuple):
    """Commands of K joints whose motors get their gains along.

    Such a motor makes the effort tau + kp (q - position) + kd (dq - velocity), cut to the joint's greatest effort.

    Attributes:
        joints: (K,) flat indices of the joints.
        commands: (K, 5) q, rad or m; dq, rad/s or m/s; kp, effort per rad or m; kd, effort per rad/s or m/s; tau, N m
            or N.
    """

    joints: IntArray
    commands: Array


@dataclass
class JointControl:
    """Commands of the motors of all J joints for the next step.

    Attributes:
        velocity: (J,) target of the velocity motor, rad/s or m/s.
        effort_limit: (J,) largest effort of the velocity motor, N m or N; 0 switches the motor off.
        effort: (J,) additional effort, applied as it is, N m or N.
        servos: commands that replace the velocity motors of some joints; None for engines without `servos`.
        limp: (J,) whether the motor has no power, and its `effort_limit` is friction; None = none is limp.
    """

    velocity: Array
    effort_limit: Array
    effort: Array
    servos: ServoControl | None = None
    limp: BoolArray | None = None

    def limp_changed(self, before: BoolArray | None) -> bool:
        """Whether other joints are limp than in the array before. Ask only if `limp` is another object: None mostly."""
        return before is None or self.limp is None or self.limp.tobytes() != before.tobytes()


BALL_HANDLE = -1
"""Handle that stands for the ball in `PhysicsEngine.recovered`."""

MAX_SPIN = 1000.0
"""Greatest angular speed that is not absurd, rad/s."""

PLACEABLE = 0.9
"""Share of the distance beyond which an engine puts bodies back, within which bodies may be placed.

The rest is for limbs and motion: a robot placed farther away would be put back in every step, and its joints would
never move.
"""


@dataclass(frozen=True)
class Limits:
    """Largest arguments of an engine; the guard cuts larger arguments.

    Attributes:
        distance: largest coordinate of a position, m, and of a joint, m or rad; see `PLACEABLE`.
        speed: largest speed of a robot's base, m/s.
        spin: largest angular speed of a robot's base and of the ball, rad/s.
        ball_speed: largest speed of the ball, m/s.
    """

    distance: float = PLACEABLE * 1000.0
    speed: float = 60.0
    spin: float = MAX_SPIN
    ball_speed: float = 30.0


class RayTarget(IntEnum):
    """Kinds of things that a ray hits."""

    NOTHING = 0
    GROUND = 1
    OBSTACLE = 2
    BALL = 3
    ROBOT = 4


@dataclass(frozen=True)
class RayHits:
    """First hits of N rays.

    Attributes:
        distance: (N,) distance from each ray's origin to its hit, m; infinite without a hit.
        target: (N,) `RayTarget` of each ray.
        handle: (N,) handle of the robot hit, else -1.
        link: (N,) index of the link hit in its model's `links`, else -1.
        normal: (N, 3) outward unit normal of the surface hit, world frame; zeros where nothing is hit.
    """

    distance: Array
    target: IntArray
    handle: IntArray
    link: IntArray
    normal: Array


class LinkSelection(Protocol):
    """An engine's own prepared list of K links; void once the state's revision changes."""

    revision: int


class EngineCore(Protocol):
    """The interface that an engine implements: a world of robots, a ball and obstacles, advanced in cycles.

    Callers use an engine only through `GuardedEngine`, which `create_engine` puts around it. So an engine may rely on
    this: the scene is loaded once and first; handles exist; numbers are finite and inside `Limits`, quaternions of
    length one, arrays of the right size, joint positions inside their ranges, velocities of bolted bases zero;
    `place_ball` gets a velocity, and the world has a ball; link selections are current. An attribute `limits: Limits`
    replaces the default limits. An engine that robots can make fail has an attribute `worn: bool`; a planar engine has
    `planar: bool`; an engine that computes motors with gains and the friction of joints itself has `servos: bool`, see
    `PhysicsEngine`. An engine that needs long for a change of its robots has methods `remove_robots` and `prepare`; an
    engine that knows accelerations has `link_accelerations`, too.
    `simspark_ros.physics.rows` helps with the state when robots come and go, `simspark_ros.physics.links` with frames.
    """

    @property
    def cycle_time(self) -> float:
        """Simulated seconds per call of `step`."""

    @property
    def state(self) -> EngineState:
        """The state after the last step, add, remove or place; arrays are replaced, never shared with the engine."""

    @property
    def recovered(self) -> list[int]:
        """Handles of the robots, and `BALL_HANDLE`, put back at rest to their last good pose by the last step.

        The numbers of these bodies were not finite, or absurd for a soccer field.
        """

    def load_scene(self, scene: SceneModel) -> None:
        """Build ground, obstacles and ball. Called once, before any robot is added."""

    def add_robot(self, model: ArticulatedModel, position: Vector, yaw: float = 0.0) -> int:
        """Add a robot with all joints at zero, upright, at rest; returns its handle.

        Args:
            model: model of the robot.
            position: place of the base link's centre of mass, m.
            yaw: heading, 0 = +x, counter-clockwise, rad.

        Raises:
            PhysicsError: the engine refuses the model; the message names it.
        """

    def remove_robot(self, handle: int) -> None:
        """Take a robot out of the world."""

    def place_robot(self, handle: int, position: Vector, quaternion: tuple[float, float, float, float]) -> None:
        """Place a robot's base at rest; joint positions are kept, all velocities become zero.

        position: place of the base link's centre of mass, m; quaternion: base to world, x, y, z, w.
        """

    def set_joint_positions(self, handle: int, positions: Array) -> None:
        """Set all joints of a robot at once, velocities zero (for resets and tests). positions: (J_robot,) rad or m."""

    def set_velocity(self, handle: int, linear: Vector, angular: Vector, joints: Array | None = None) -> None:
        """Set the velocity of a robot's base, world frame, m/s and rad/s; joints keep theirs unless they are given.

        joints: (J_robot,) velocities of all joints, rad/s or m/s.
        """

    def place_ball(self, position: Vector, velocity: Vector, spin: Vector) -> None:
        """Place the ball; m, m/s, and its angular velocity in rad/s."""

    def step(self, control: JointControl) -> None:
        """Advance the world by `cycle_time` and read the new state."""

    def select_links(self, links: list[tuple[int, str]]) -> LinkSelection:
        """Prepare reading poses and velocities of links given as (handle, link name or frame name).

        Raises:
            KeyError: an unknown handle or name.
        """

    def link_poses(self, selection: LinkSelection) -> tuple[Array, Array]:
        """Poses of K selected links now: centres of mass (K, 3) and rotations link to world (K, 3, 3).

        A frame has its origin in place of the centre of mass.
        """

    def link_velocities(self, selection: LinkSelection) -> tuple[Array, Array]:
        """Linear and angular velocities (K, 3) of the points of `link_poses` now, world frame, m/s and rad/s."""

    def close(self) -> None:
        """Free the engine's resources."""


class PhysicsEngine(EngineCore, Protocol):
    """An engine in its guard, as all callers use it, see `create_engine`.

    No method raises for finite arguments that name existing robots, and `step` leaves the state finite or reports the
    robots that had to be put back. Numbers that are not finite, arrays of a wrong size, link selections of an older
    revision, a second scene, and a missing scene or ball raise PhysicsError and change nothing; a handle that does not
    exist raises KeyError. `simspark_conformance` tries these promises on any engine.
    """

    @property
    def worn(self) -> bool:
        """Whether robots have made the engine fail so often that no more robots of unknown origin should be added."""

    @property
    def planar(self) -> bool:
        """Whether bodies only move in the plane: nothing falls, tips over or jumps."""

    @property
    def servos(self) -> bool:
        """Whether the engine takes `JointControl.servos`, and computes damping and friction of joints itself."""

    def link_accelerations(self, selection: LinkSelection) -> Array | None:
        """Accelerations (K, 3) of the points of `link_poses` less gravity's, world frame, m/s2, if the engine knows.

        They hold for one instant; None = callers compare velocities.
        """

    def remove_robots(self, handles: Sequence[int]) -> None:
        """Take several robots out of the world, in the time of one where the engine can do that."""

    def prepare(self, models: tuple[ArticulatedModel, ...]) -> Future[object] | None:
        """Have a thread make ready for a world of these robots, in the order of rows, while the present one goes on.

        Nothing changes, and other changes may come. A change before the end waits for it. Safe from any thread.

        Returns:
            When it is ready; None if the engine needs no such time.
        """

    def place_ball(self, position: Vector, velocity: Vector = ZERO, spin: Vector = ZERO) -> None:
        """Place the ball; at rest unless a velocity (m/s) or an angular velocity (rad/s) is given."""

    def cast_rays(
        self, origins: Array, directions: Array, max_distance: float | Array, ignore: int | IntArray = -1
    ) -> RayHits:
        """First hits of rays with ground, obstacles, ball and collision shapes of robots at their present poses.

        A ray hits the surfaces through which it enters a solid; one that starts inside a solid passes through its wall.

        Args:
            origins: (N, 3) start points of the rays, world frame, m.
            directions: (N, 3) directions of any length above zero, world frame.
            max_distance: range of the rays, m; may be infinite. One for all rays, or (N,).
            ignore: handle of a robot that rays pass through, such as the sensor's own; -1 for none. One for all rays,
                or (N,).

        Raises:
            PhysicsError: wrong shapes, numbers that are not finite, a direction of zeros, a negative distance.
            KeyError: no robot has the handle to ignore.
        """

"""Commands of a behaviour to its legs, and their reports.

SI and REP-103: x forward, y left, z up; angles counter-clockwise; joint angles as the robot reports them. Numbers are
plain floats: for 22 joints they are faster than arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, Protocol, TypeAlias

Triple: TypeAlias = tuple[float, float, float]
Gains: TypeAlias = Mapping[str, tuple[float, float]]


class BodyReadings(NamedTuple):
    """Readings of the body's sensors in one cycle.

    Attributes:
        time: simulated time, s.
        angles: angles of all joints in the order of `MotionEngine.joints`, rad.
        gyro: angular velocity of the torso in its own axes, rad/s.
        accelerometer: specific force at the torso in its own axes, m/s2; (0, 0, 9.81) standing at rest.
        left_force, right_force: force of the ground on foot and toes together, N; 0 without contact.
        up: unit vector against gravity in the torso's axes; None where no sensor gives it.
    """

    time: float
    angles: Sequence[float]
    gyro: Triple = (0.0, 0.0, 0.0)
    accelerometer: Triple = (0.0, 0.0, 9.81)
    left_force: float = 0.0
    right_force: float = 0.0
    up: Triple | None = None


class Foot(Enum):
    """One of the two feet."""

    LEFT = "left"
    RIGHT = "right"


@dataclass(frozen=True)
class Stand:
    """Stand still, ready to walk."""


@dataclass(frozen=True)
class Walk:
    """Speed of the torso, m/s and rad/s, cut to the robot's limits; changes are gradual."""

    forward: float = 0.0
    left: float = 0.0
    turn: float = 0.0


@dataclass(frozen=True)
class Kick:
    """Kick a ball at `MotionEngine.kick_spot(foot)` forward once; strength 0 is a touch, 1 as far as it goes."""

    foot: Foot
    strength: float = 1.0


@dataclass(frozen=True)
class Dive:
    """Fall to one side to stop a ball; the robot gets up again by itself."""

    side: Foot


@dataclass(frozen=True)
class Shoot:
    """Shoot the ball at the front with a velocity relative to the robot, m/s; the robot drives on as before."""

    forward: float
    up: float = 0.0


Command: TypeAlias = Stand | Walk | Kick | Dive | Shoot
"""Command for legs, wheels or kicker. None is for getting up: a fallen robot gets up with every command."""


@dataclass(frozen=True)
class LookAt:
    """Direction of the head relative to the torso, rad, positive left and up; cut to the limits of the neck."""

    pan: float = 0.0
    tilt: float = 0.0


class Activity(Enum):
    """Activity of the legs."""

    STANDING = "standing"
    WALKING = "walking"
    KICKING = "kicking"
    DIVING = "diving"
    GETTING_UP = "getting up"


@dataclass(frozen=True)
class Travel:
    """Movement of the torso on the ground in one cycle, in its own frame before it: m, rad."""

    forward: float = 0.0
    left: float = 0.0
    turn: float = 0.0


@dataclass(frozen=True)
class MotionStatus:
    """Results of the last update.

    Attributes:
        fallen: whether the torso lies or is about to; the camera is of little use then.
        may_change: whether a new command takes effect at once; False while kicking, diving and getting up.
        roll, pitch: estimated tilt of the torso (positive: to the right, forward), rad.
        travel: movement in this cycle, for odometry, from the steps (their slipping considered) and the gyroscope.
            Pushes by others are not known.
    """

    activity: Activity = Activity.STANDING
    fallen: bool = False
    may_change: bool = True
    roll: float = 0.0
    pitch: float = 0.0
    travel: Travel = field(default_factory=Travel)


class MotionEngine(Protocol):
    """Turns readings and commands into joint speeds, once each cycle. One object per robot."""

    joints: tuple[str, ...]
    """Classic names of the robot's joints (`hj1` ... `llj6`), in the order of angles and speeds."""

    status: MotionStatus
    """Status of the last update."""

    gains: Gains
    """Stiffness and damping by joint, N m/rad and N m s/rad, of motors that follow angles; empty for others."""

    def update(self, readings: BodyReadings, command: Command, look: LookAt) -> list[float]:
        """Compute the joint speeds to send in answer to these readings.

        A gap in the readings (a lost cycle, a beam) does no harm; readings that are not finite are replaced by the last
        good ones. A kick or a dive begins when `status.may_change` and is then finished whatever the command; to kick
        again the command has to be something else in between.

        Returns:
            Speed of each joint in the order of `joints`, rad/s, finite and within its limits; its angle, rad, if the
            robot's motors follow angles (`gains`).
        """

    def camera_pose(self, angles: Sequence[float]) -> tuple[Triple, float, float]:
        """Pose of the camera, with the tilt of `status` and the torso's height of the present posture.

        Returns:
            Position in a frame on the ground below the torso with its heading (m), pan and tilt of the view (rad).
        """

    def kick_spot(self, foot: Foot) -> tuple[float, float]:
        """Place of the ball's centre for a kick: forward and left of the torso's centre, m."""

    def reset(self) -> None:
        """Forget everything but the parameters; for instance after the robot was beamed."""

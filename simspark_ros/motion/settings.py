"""Parameters of all motions, from `config/players/`: `nao.yaml`, and a file for each robot with others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from simspark_ros.configuration.library import PLAYERS
from simspark_ros.configuration.schema import Checked, Positive, Range, build
from simspark_ros.motion.keyframes import Keyframe
from simspark_ros.motion.kick import KickSettings

DEFAULT = "nao"
"""The robot with motions that serve others, too."""
CALM = "calm"
"""File of the same motions with a calm walk, for velocity commands."""


@dataclass(frozen=True)
class GaitSettings(Checked):
    """The walk; m, s, rad.

    Attributes:
        servo_gain: share as in `MotionSettings`, while walking and standing.
        step_time: duration of one step.
        double_support: share of a step with both feet on the ground.
        crouch: depth of the hips below their height with stretched legs, as a share of the legs' length.
        lean, lean_forward: lean of the torso, and its growth per forward speed.
        foot_forward, foot_back: distance of the ankles before the torso's centre, and its decrease per forward speed.
        spread: distance of each foot from the middle beyond the distance of its hip.
        inward: distance by which a foot may come nearer to the middle than that to keep the balance.
        lift: height of the swinging foot in the middle of a step.
        sway: largest shift of the torso to the side.
        sway_lead: lead of the torso's sway, as a share of a step.
        rise: rise of the torso in the middle of a step.
        toes_up: turn of the swinging foot's toes upward.
        follow: share of the ground's speed that the swinging foot has when it leaves the ground and comes down.
        early: share of a step after which the swinging foot ends it on touching the ground.
        arm_swing: turn of each shoulder against the leg of its side, per distance that its foot is ahead, rad/m.
        forward_grip, side_grip, turn_grip: share of a step's movement that the torso makes, as feet slip.
        forward_speed, backward_speed, side_speed, turn_speed: largest speeds.
        turn_cost: share of the forward speed that the fastest turn costs.
        forward_change, side_change, turn_change: largest changes of speed from step to step.
        forward_brake: largest change of a forward speed that becomes less.
        place_pitch, place_roll, place_pitch_rate, place_roll_rate: shift of the swinging foot per tilt and its rate.
        ankle_pitch, ankle_roll, ankle_pitch_rate, ankle_roll_rate: turn of both feet per tilt and its rate.
    """

    servo_gain: Positive
    step_time: Positive
    double_support: Annotated[float, Range(0.0, 0.9)]
    crouch: Annotated[float, Range(0.0, 0.5)]
    lean: float
    lean_forward: float
    foot_forward: float
    foot_back: float
    spread: float
    inward: float
    lift: float
    sway: float
    sway_lead: float
    rise: float
    toes_up: float
    follow: float
    early: float
    arm_swing: float
    forward_grip: Positive
    side_grip: Positive
    turn_grip: Positive
    forward_speed: Positive
    backward_speed: Positive
    side_speed: Positive
    turn_speed: Positive
    turn_cost: float
    forward_change: float
    forward_brake: float
    side_change: float
    turn_change: float
    place_pitch: float
    place_roll: float
    place_pitch_rate: float
    place_roll_rate: float
    ankle_pitch: float
    ankle_roll: float
    ankle_pitch_rate: float
    ankle_roll_rate: float


@dataclass(frozen=True)
class FallSettings(Checked):
    """Falling and getting up.

    Attributes:
        falling_deg: tilt beyond which it gives up walking, degrees.
        lying_rate, patience: turn rate below which it lies, rad/s, and longest wait for that, s.
        long_legs: length of a leg from which `front_long_legs` is used, m.
        front: postures from the chest to standing.
        back: postures from the back to the chest, over the left shoulder; the front's sequence follows.
        chest: postures after a fall on the chest, before `front`: the limbs lie as they fell.
        side: postures from the left side towards the chest, after which it looks again where it lies; none = it gets up
            as from the side that is down more.
        dive: postures of a dive to the left.
        paces: paces of the first, second and third try, and so on: what fails once, mostly fails again.
    """

    falling_deg: Annotated[float, Range(20.0, 90.0)]
    lying_rate: float
    patience: float
    long_legs: float
    front: tuple[Keyframe, ...]
    front_long_legs: tuple[Keyframe, ...]
    back: tuple[Keyframe, ...]
    dive: tuple[Keyframe, ...]
    chest: tuple[Keyframe, ...] = ()
    side: tuple[Keyframe, ...] = ()
    paces: tuple[Positive, ...] = (1.0, 0.9, 1.1)


@dataclass(frozen=True)
class MotionSettings:
    """All motions.

    Attributes:
        servo_gain: share of the way to its target that a joint is to cover in one cycle.
        tilt_correction: rate at which the accelerometer corrects the tilt, 1/s.
        settle_time: time from any posture to standing, s.
        arm_deg: angles of joints aj1 ... aj4 of the left arm while standing and walking, degrees; the right arm is
            mirrored.
        joints: the robot's own joints by the names of the Nao's; a minus stands before a joint that turns the other
            way. Empty for a robot whose joints move links with the Nao's names.
        gains: stiffness and damping, N m/rad and N m s/rad, of motors that follow angles, by joints as in keyframes;
            empty for motors that follow speeds.
    """

    servo_gain: float
    tilt_correction: float
    settle_time: float
    arm_deg: tuple[float, float, float, float]
    gait: GaitSettings
    kick: KickSettings
    fall: FallSettings
    joints: Mapping[str, str] = field(default_factory=dict)
    gains: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def load_motion_settings(robot: str = DEFAULT, *, calm: bool = False) -> MotionSettings:
    """Read the motions of a shipped robot; the motions of `nao` serve all robots without a file of their own.

    Args:
        robot: name of the robot.
        calm: whether `calm` serves instead of `nao`: slower, and exactly as fast as commanded.

    Raises:
        ConfigurationError: the message names file and key.
    """
    # Tactics stand in that folder, too, and a user's robot may have the name of tactics.
    has_own = robot in PLAYERS.names and "gait" in PLAYERS.document(PLAYERS.path(robot))
    name = robot if has_own else DEFAULT
    path = PLAYERS.path(CALM if calm and name == DEFAULT else name)
    return build(MotionSettings, PLAYERS.document(path), str(path))

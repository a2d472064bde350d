"""From wanted places of feet, arms and head to the angles of all joints."""

from __future__ import annotations

import math

from simspark_ros.motion.footing import Footing, Posture, TiltError
from simspark_ros.motion.interface import LookAt, Triple
from simspark_ros.motion.leg import FootPose
from simspark_ros.motion.pitch_first_leg import leg_of
from simspark_ros.motion.settings import MotionSettings
from simspark_ros.physics.model import ArticulatedModel

CAMERA = "camera"
"""Frame of the camera in the head."""


class HumanoidBody:
    """A humanoid's joints, named as a Nao's, in the model's order, and legs in the posture for walking.

    Attributes:
        index: index of each joint by its name.
        height: height of the torso's centre above the soles, m.
        leg_length: length of a stretched leg from hip to sole, m.
        hip_y: distance of the hips from the middle, m.
    """

    def __init__(self, model: ArticulatedModel, settings: MotionSettings) -> None:
        self.joints = tuple(joint.name for joint in model.joints)
        self.index = {name: index for index, name in enumerate(self.joints)}
        self._left, self._right = leg_of(model, "l"), leg_of(model, "r")
        self._settings = settings
        self.height = -self._left.hip[2] + (1.0 - settings.gait.crouch) * self._left.length
        self.leg_length = self._left.length
        self.hip_y = self._left.hip[1]
        neck, head = (model.joints[self.index[name]] for name in ("hj1", "hj2"))
        height = neck.position[2] + head.position[2]
        self._neck, self._eye = (neck.position[0], height), (0.0, 0.0)
        eye = next((frame.position for frame in model.frames if frame.name == CAMERA), None)
        if eye is None:
            # Turning the head hardly moves its centre.
            self._neck = 0.0, height + model.link(head.child).centre[2]
        else:
            self._eye = eye[0], eye[2]
        self._arms = {}
        for number, degrees in enumerate(settings.arm_deg, start=1):
            angle = math.radians(degrees)
            for joint, turn in ((f"laj{number}", angle), (f"raj{number}", angle if number == 1 else -angle)):
                # Some humanoids have fewer joints in their arms.
                if joint in self.index:
                    self._arms[self.index[joint]] = turn

    def look(self, targets: list[float], look: LookAt) -> None:
        """Set the angles of the neck."""
        targets[self.index["hj1"]], targets[self.index["hj2"]] = look.pan, look.tilt

    def camera(self, pan: float, tilt: float) -> Triple:
        """Place of the camera in the torso's axes, m, with the head turned by these angles, rad."""
        ahead, up = self._eye
        c, s = math.cos(tilt), math.sin(tilt)
        ahead, up = c * ahead - s * up, s * ahead + c * up
        x, z = self._neck
        return x + ahead * math.cos(pan), ahead * math.sin(pan), z + up

    def upright(self, left: Footing, right: Footing, posture: Posture, tilt: TiltError) -> list[float]:
        """Angles of all joints with both feet in their wanted places; ankles work against the tilt."""
        targets = [0.0] * len(self.joints)
        for index, angle in self._arms.items():
            targets[index] = angle
        for shoulder, turn in (("laj1", -posture.arm_swing), ("raj1", posture.arm_swing)):
            if shoulder in self.index:
                targets[self.index[shoulder]] += turn
        for name, leg, foot in (("llj1", self._left, left), ("rlj1", self._right, right)):
            first = self.index[name]
            targets[first : first + 6] = leg.angles(self._foot_pose(foot, posture, tilt))
        return targets

    def _foot_pose(self, foot: Footing, posture: Posture, tilt: TiltError) -> FootPose:
        """A foot in the axes of the leaning torso."""
        gait = self._settings.gait
        x, y = foot.x + gait.foot_forward - posture.ahead, foot.y - posture.sway
        z = foot.lift - self.height - posture.rise
        # The torso leans about y, the sole stays level: seen from the torso the sole turns back by the lean.
        c, s = math.cos(posture.lean), math.sin(posture.lean)
        return FootPose(
            c * x - s * z,
            y,
            s * x + c * z,
            roll=gait.ankle_roll * tilt.roll + gait.ankle_roll_rate * tilt.roll_rate,
            pitch=gait.ankle_pitch * tilt.pitch + gait.ankle_pitch_rate * tilt.pitch_rate - posture.lean - foot.toes_up,
            yaw=foot.yaw,
        )

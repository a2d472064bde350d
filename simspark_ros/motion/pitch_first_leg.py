"""A leg whose hip turns about pitch, roll and yaw in this order, as in the Booster T1.

Seen from the foot it is a Nao's leg (`leg.py`). Roll and yaw meet in one point, which lies a little below the pitch
axis, so that its place depends on the pitch. A few rounds of guessing the pitch and solving for it find both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from simspark_ros.motion.leg import FootPose, Leg
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.model import ArticulatedModel

_ROUNDS = 4
"""Each round makes the error smaller by the drop's share of the leg's length: 0.04 for the T1."""


@dataclass(frozen=True)
class PitchFirstLeg(Leg):
    """Geometry of the leg, m.

    Attributes:
        drop: way down from the hip's pitch axis, which is `hip`, to its roll axis, where the thigh begins.
    """

    drop: float

    @classmethod
    def of(cls, model: ArticulatedModel, side: str) -> PitchFirstLeg:
        """Read the leg of a side, `l` or `r`, from a model with the joints of a Nao by name; at 0 it is straight."""
        joints = {joint.name[1:]: joint for joint in model.joints if joint.name[0] == side}
        frames = link_frames(model)
        yaw, roll, pitch, knee, ankle, foot = (
            frames[joints[f"lj{number}"].child].position.tolist() for number in range(1, 7)
        )
        soles = model.link(joints["lj6"].child).collisions
        return cls(
            first_tilt=0.0,
            first_sign=math.copysign(1.0, joints["lj1"].axis[2]),
            hip=(pitch[0], pitch[1], pitch[2]),
            knee_forward=knee[0] - yaw[0],
            thigh=roll[2] - knee[2],
            shank=knee[2] - ankle[2],
            roll_back=ankle[0] - foot[0],
            roll_down=ankle[2] - foot[2],
            sole=max(shape.size[2] / 2.0 - shape.position[2] for shape in soles if shape.is_boxed),
            drop=pitch[2] - roll[2],
        )

    @property
    def length(self) -> float:
        """Length of the stretched leg from the hip's pitch axis to the sole, m."""
        return super().length + self.drop

    def angles(self, foot: FootPose) -> tuple[float, float, float, float, float, float]:
        """Joint angles lj1 ... lj6 (rad) for a pose of the foot, as in `Leg`."""
        hip_x, hip_y, hip_z = self.hip
        pitch = 0.0
        for _ in range(_ROUNDS):
            below = (hip_x - self.drop * math.sin(pitch), hip_y, hip_z - self.drop * math.cos(pitch))
            x, y, z = self._seen_from_foot(foot, below)
            ankle_roll = math.atan2(y, z)
            knee, ankle = self._bend(x - self.roll_back, math.hypot(y, z) - self.roll_down)
            pitch, roll, yaw = _turns(foot, ankle_roll, knee + ankle)
        return self.first_sign * yaw, roll, -pitch, knee, ankle, ankle_roll


def leg_of(model: ArticulatedModel, side: str) -> Leg:
    """The leg of a side, `l` or `r`, of a model with the joints of a Nao by name."""
    joints = {joint.name: joint for joint in model.joints}
    is_pitch_first = joints[f"{side}lj2"].parent == joints[f"{side}lj3"].child
    return (PitchFirstLeg if is_pitch_first else Leg).of(model, side)


def _turns(foot: FootPose, ankle_roll: float, bend: float) -> tuple[float, float, float]:
    """The hip's angles about y, x and z (rad) for a foot and a bend of knee and ankle, positive as a Nao's."""
    cy, sy = math.cos(foot.yaw), math.sin(foot.yaw)
    cp, sp = math.cos(foot.pitch), math.sin(foot.pitch)
    cr, sr = math.cos(foot.roll - ankle_roll), math.sin(foot.roll - ankle_roll)
    cb, sb = math.cos(bend), math.sin(bend)
    # Rz(yaw) Ry(pitch) Rx(roll - ankle) Ry(bend) is Ry(.) Rx(.) Rz(.) of the hip. Only five elements are needed.
    r02, r12, r22 = cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr
    r10, r11, r00, r20 = sy * cp, sy * sp * sr + cy * cr, cy * cp, -sp
    m02, m12, m22 = sb * r00 + cb * r02, sb * r10 + cb * r12, sb * r20 + cb * r22
    m10 = cb * r10 - sb * r12
    return math.atan2(m02, m22), math.asin(min(1.0, max(-1.0, -m12))), math.atan2(m10, r11)

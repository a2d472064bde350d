"""A leg of the Nao, or of a robot with upright axes in its hips: six joint angles for a pose of the foot.

The method is by C. Graf, A. Härtl, T. Röfer, T. Laue, "A Robust Closed-Loop Gait for the Standard Platform League
Humanoid", 4th Workshop on Humanoid Soccer Robots, 2009, section III: seen from the foot, the ankle's roll follows from
the hip's direction alone; knee and ankle pitch from the triangle of thigh and shank; the hip's three angles from the
remaining rotation, with the tilted axis of the first joint turned upright. Here the two axes of the ankle do not meet,
which changes nothing as both lie in the plane in which the leg bends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from simspark_ros.physics.model import ArticulatedModel, Joint


class FootPose(NamedTuple):
    """Pose of a sole's frame (below the ankle) relative to the torso's centre, in the torso's axes.

    Attributes:
        x, y, z: place of the frame, m.
        roll, pitch, yaw: turns about fixed axes x, y, z in this order, rad.
    """

    x: float
    y: float
    z: float
    roll: float = 0.0
    pitch: float = 0.0
    yaw: float = 0.0


@dataclass(frozen=True)
class Leg:
    """Geometry of a leg, m.

    Attributes:
        first_tilt: turn of the first joint's axis about x from upright, rad.
        first_sign: 1 where that axis points up, -1 where it points down.
        hip: place of the hip from the torso's centre.
        knee_forward, thigh: way from the hip to the knee, forward and down.
        shank: length from the knee to the ankle's pitch axis.
        roll_back, roll_down: way from the ankle's pitch axis to its roll axis, back and down.
        sole: depth of the sole below the ankle's roll axis.
    """

    first_tilt: float
    first_sign: float
    hip: tuple[float, float, float]
    knee_forward: float
    thigh: float
    shank: float
    roll_back: float
    roll_down: float
    sole: float

    @classmethod
    def of(cls, model: ArticulatedModel, side: str) -> Leg:
        """Read the leg of a side, `l` or `r`, from a model with the joints of a Nao by name."""
        joints: dict[str, Joint] = {joint.name[1:]: joint for joint in model.joints if joint.name[0] == side}
        frames = {frame.name: frame for frame in model.frames}
        ankle, sole = frames[f"{side}_ankle"], frames[f"{side}_sole"]
        _, across, up = joints["lj1"].axis
        sign = math.copysign(1.0, up)
        return cls(
            first_tilt=math.atan2(-sign * across, sign * up),
            first_sign=sign,
            hip=joints["lj1"].position,
            knee_forward=joints["lj4"].position[0],
            thigh=-joints["lj4"].position[2],
            shank=-joints["lj5"].position[2],
            roll_back=-joints["lj6"].position[0],
            roll_down=-joints["lj6"].position[2],
            sole=-sole.position[2] if sole.link == ankle.link else -ankle.position[2] - sole.position[2],
        )

    @property
    def length(self) -> float:
        """Length of the stretched leg from the hip to the sole, m."""
        return math.hypot(self.thigh, self.knee_forward) + self.shank + self.roll_down + self.sole

    def angles(self, foot: FootPose) -> tuple[float, float, float, float, float, float]:
        """Joint angles lj1 ... lj6 (rad) for a pose of the foot.

        A foot too far away or too near gets its right direction, with the knee straight or fully bent.
        """
        x, y, z = self._seen_from_foot(foot, self.hip)
        roll = math.atan2(y, z)
        # In the plane of the leg: x forward, z up, from the ankle's pitch axis to the hip.
        x, z = x - self.roll_back, math.hypot(y, z) - self.roll_down
        knee, ankle = self._bend(x, z)
        yaw, hip_roll, pitch = self._hip(foot, roll)
        return yaw, hip_roll, pitch - knee - ankle, knee, ankle, roll

    def _seen_from_foot(self, foot: FootPose, hip: tuple[float, float, float]) -> tuple[float, float, float]:
        """A place of the hip in the foot's axes, relative to the ankle's roll joint."""
        dx, dy, dz = hip[0] - foot.x, hip[1] - foot.y, hip[2] - foot.z
        # The foot's turn is Rz(yaw) Ry(pitch) Rx(roll); its inverse begins with the last one, yaw.
        c, s = math.cos(foot.yaw), math.sin(foot.yaw)
        dx, dy = c * dx + s * dy, c * dy - s * dx
        c, s = math.cos(foot.pitch), math.sin(foot.pitch)
        dx, dz = c * dx - s * dz, s * dx + c * dz
        c, s = math.cos(foot.roll), math.sin(foot.roll)
        dy, dz = c * dy + s * dz, c * dz - s * dy
        return dx + self.roll_back, dy, dz - self.sole

    def _bend(self, x: float, z: float) -> tuple[float, float]:
        """Angles of knee and ankle pitch that put the hip to (x, z) in the plane of the leg."""
        thigh = math.hypot(self.thigh, self.knee_forward)
        # With all joints at zero the line from hip to knee leans forward; the knee's angle does not count that.
        forward = math.atan2(self.knee_forward, self.thigh)
        # Law of cosines in the triangle of hip, knee and ankle; `bend` is 0 if they are in line.
        cosine = (x * x + z * z - self.shank**2 - thigh**2) / (2.0 * self.shank * thigh)
        bend = math.acos(min(1.0, max(-1.0, cosine)))
        # Place of the hip in the axes of the shank, x forward and z up from the ankle.
        hip_x, hip_z = -thigh * math.sin(bend), self.shank + thigh * math.cos(bend)
        ankle = math.atan2(hip_z, hip_x) - math.atan2(z, x)
        return forward - bend, ankle

    def _hip(self, foot: FootPose, ankle_roll: float) -> tuple[float, float, float]:
        """Angles of the first two joints, and the sum of the three pitch joints."""
        cy, sy = math.cos(foot.yaw), math.sin(foot.yaw)
        cp, sp = math.cos(foot.pitch), math.sin(foot.pitch)
        cr, sr = math.cos(foot.roll - ankle_roll), math.sin(foot.roll - ankle_roll)
        # Rz(yaw) Ry(pitch) Rx(roll), turned so that the axis of the first joint, tilted on the Nao, becomes z; what is
        # left is Rz(.) Rx(.) Ry(.). Only five of the nine elements are needed.
        r01, r11, r21 = cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr
        r10, r20 = sy * cp, -sp
        r12, r22 = sy * sp * cr - cy * sr, cp * cr
        c, s = math.cos(self.first_tilt), -math.sin(self.first_tilt)
        m11, m21 = c * r11 - s * r21, s * r11 + c * r21
        m20, m22 = s * r10 + c * r20, s * r12 + c * r22
        first = math.atan2(-r01, m11)
        second = math.asin(min(1.0, max(-1.0, m21)))
        pitch = math.atan2(-m20, m22)
        return self.first_sign * first, second + self.first_tilt, -pitch

"""Names of LoLA, the middleware of the real Nao: joints, sensors and devices, in LoLA's order, SI units.

Drivers of the Nao V6 reach LoLA by a socket (`simspark_ros.server.lola`), or by the topics of nao_lola.
"""

from __future__ import annotations

from types import MappingProxyType

JOINTS = (
    *("HeadYaw", "HeadPitch"),
    *("LShoulderPitch", "LShoulderRoll", "LElbowYaw", "LElbowRoll", "LWristYaw"),
    *("LHipYawPitch", "LHipRoll", "LHipPitch", "LKneePitch", "LAnklePitch", "LAnkleRoll"),
    *("RHipRoll", "RHipPitch", "RKneePitch", "RAnklePitch", "RAnkleRoll"),
    *("RShoulderPitch", "RShoulderRoll", "RElbowYaw", "RElbowRoll", "RWristYaw"),
    *("LHand", "RHand"),
)
"""Joints, by their names in the robot's model; a model may lack some."""

COUPLED = MappingProxyType({"LHipYawPitch": "RHipYawPitch"})
"""Joint of a model -> joint that follows it, because the real robot has one motor for both."""

RANGES = MappingProxyType(
    {"LWristYaw": (-1.8238, 1.8238), "RWristYaw": (-1.8238, 1.8238), "LHand": (0.0, 1.0), "RHand": (0.0, 1.0)}
)
"""Joints that the classic body lacks, and their ranges, rad; 1 = an open hand. They reach any position at once."""

SENSORS = MappingProxyType(
    {
        "Accelerometer": 3,
        "Gyroscope": 3,
        "Angles": 2,
        "Battery": 4,
        "Current": len(JOINTS),
        "Position": len(JOINTS),
        "Stiffness": len(JOINTS),
        "Temperature": len(JOINTS),
        "Status": len(JOINTS),
        "FSR": 8,
        "Sonar": 2,
        "Touch": 14,
    }
)
"""Number of values of each sensor.

Accelerometer: x, y, z, m/s2, -g upward at rest. Gyroscope: x, y, z, rad/s. Angles: roll and pitch of the torso, rad.
Battery: charge from 0 to 1, current in A (negative = discharging), status (bits: 0x01 empty, 0x02 nearly
empty, 0x20 discharging, 0x40 full, 0x80 charging), degrees Celsius.
Joints: A, rad, stiffness from 0 to 1, degrees Celsius, status from 0 = normal to 3 = critically hot. FSR: left foot
front left, front right, rear left, rear right, then the right foot, N. Sonar: left, right, m. Touch, 0 or 1: chest
button; head front, middle, rear; left foot's bumper left, right; left hand back, left, right; then foot and hand on
the right.
"""

DEVICES = MappingProxyType(
    {
        "Position": len(JOINTS),
        "Stiffness": len(JOINTS),
        "Chest": 3,
        "LEar": 10,
        "REar": 10,
        "LEye": 24,
        "REye": 24,
        "LFoot": 3,
        "RFoot": 3,
        "Skull": 12,
        "Sonar": 2,
    }
)
"""Number of values in a command of each device.

Position: rad. Stiffness: part of the largest torque, 0 and less = no torque. Sonar: left, right, 0 = off. The others
are lights, 0 to 1: red, green, blue of chest and feet; 8 reds, 8 greens, 8 blues of an eye, left from 45 degrees
downward, right from 0 upward; ears left from 0 degrees upward, right from 324 downward; skull from front left along
the left side to the rear, and back along the right side.
"""

TOUCH = (
    *("chest", "head_front", "head_middle", "head_rear"),
    *("l_foot_bumper_left", "l_foot_bumper_right", "l_hand_back", "l_hand_left", "l_hand_right"),
    *("r_foot_bumper_left", "r_foot_bumper_right", "r_hand_back", "r_hand_left", "r_hand_right"),
)
"""Buttons, pads and bumpers in the order of `Touch`; most names are the names in nao_lola's messages."""

COLUMNS = tuple(f"{sensor}/{number}" for sensor, count in SENSORS.items() for number in range(count))
"""Names of all values of the sensors."""

START = MappingProxyType({sensor: COLUMNS.index(f"{sensor}/0") for sensor in SENSORS})
"""Index of the first value of each sensor in `COLUMNS`."""


def initial(device: str) -> tuple[float, ...]:
    """The state of a device that was never commanded: joints at zero and stiff, lights and sonars off."""
    return (1.0 if device == "Stiffness" else 0.0,) * DEVICES[device]

"""The robot close to the Nao V6 against the published data of the real one."""

import numpy as np
import pytest

from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.lola import JOINTS
from test.rigs.robots.link_centres import link_centres

ANKLE = 0.04519
"""Published height of the ankle, m."""


STOPS = {
    "HeadPitch": (-0.672, 0.5149),
    "LShoulderRoll": (-0.3142, 1.3265),
    "RElbowRoll": (0.0349, 1.5446),
    "RHipRoll": (-0.7904, 0.3795),
    "LAnkleRoll": (-0.3979, 0.769),
    "RKneePitch": (-0.0923, 2.1125),
}


@pytest.fixture
def model():
    return load_robot("nao_v6").model


def test_mass_joints_stops_and_motors_are_the_published_ones(model):
    # The sum of the masses of all links on the maker's page, whose last digits are tenths of a gram.
    assert model.mass == pytest.approx(5.3053, abs=1e-3)
    joints = {joint.name: joint for joint in model.joints}
    assert joints.keys() == {*JOINTS, "RHipYawPitch"}
    for name, stops in STOPS.items():
        assert (joints[name].lower, joints[name].upper) == pytest.approx(stops, abs=1e-4)
    # No-load speed and stall torque over the gear: 8300 rpm and 68 mNm by 130.85, 10700 rpm and 14.3 mNm by 150.27.
    for name, speed, torque, gear in (("LKneePitch", 8300, 0.068, 130.85), ("HeadYaw", 10700, 0.0143, 150.27)):
        assert joints[name].max_velocity == pytest.approx(speed * 2 * np.pi / 60 / gear)
        assert joints[name].max_effort == pytest.approx(torque * gear)


def test_lengths_are_the_published_ones(model):
    frames = {frame.name: frame for frame in model.frames}
    assert frames["l_sole"].position[2] == -ANKLE
    at_zero = link_centres(model, {joint.name: 0.0 for joint in model.joints})
    foot = {link.name: link for link in model.links}["lfoot"].centre
    # From the torso: hip offset, thigh and shank.
    ankle = at_zero["lfoot"] - foot - (at_zero["torso"] - np.array(model.base.centre))
    assert ankle == pytest.approx([0.0, 0.05, -(0.085 + 0.1 + 0.1029)], abs=1e-9)

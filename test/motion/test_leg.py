"""Inverse kinematics of the legs against the forward kinematics of the model."""

import math

import numpy as np
import pytest

from simspark_ros.motion.leg import FootPose, Leg
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.robots.catalogue import load_robot


def sole_of(variant, side, angles):
    joints = {f"{side}lj{number}": angle for number, angle in enumerate(angles, start=1)}
    return link_frames(load_robot("nao", variant).model, joints)[f"{side}_sole"]


@pytest.mark.parametrize("variant", range(5))
@pytest.mark.parametrize("side", "lr")
def test_angles_put_the_foot_where_it_is_wanted(variant, side):
    leg = Leg.of(load_robot("nao", variant).model, side)
    random = np.random.default_rng(variant)
    for _ in range(20):
        foot = FootPose(
            x=random.uniform(-0.04, 0.04),
            y=math.copysign(1.0, leg.hip[1]) * (leg.hip[1] + random.uniform(-0.02, 0.03)),
            z=leg.hip[2] - leg.length + random.uniform(0.045, 0.1),
            roll=random.uniform(-0.2, 0.2),
            pitch=random.uniform(-0.2, 0.2),
            yaw=math.copysign(1.0, leg.hip[1]) * random.uniform(0.0, 0.8),
        )
        sole = sole_of(variant, side, leg.angles(foot))
        # Exact but for rounding.
        assert sole.position == pytest.approx(np.array([foot.x, foot.y, foot.z]), abs=1e-9)
        assert sole.rotation == pytest.approx(rotation_from_rpy((foot.roll, foot.pitch, foot.yaw)), abs=1e-9)


def test_a_foot_out_of_reach_gets_a_straight_leg_in_its_direction():
    leg = Leg.of(load_robot("nao", 0).model, "l")
    sole = sole_of(0, "l", leg.angles(FootPose(leg.hip[0], leg.hip[1], -9.0)))
    # The stretched leg hangs below the hip; its length is known to rounding.
    assert sole.position == pytest.approx(np.array([leg.hip[0], leg.hip[1], leg.hip[2] - leg.length]), abs=1e-9)


def test_a_foot_at_the_hip_gives_finite_angles():
    leg = Leg.of(load_robot("nao", 0).model, "r")
    assert np.isfinite(leg.angles(FootPose(*leg.hip))).all()

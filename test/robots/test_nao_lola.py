"""The Nao with the real robot's joints: another way of counting, the same body."""

import numpy as np
import pytest

from simspark_ros.robots.catalogue import load_robot
from test.rigs.robots.link_centres import link_centres

HEAD = ("HeadYaw", "HeadPitch")
ARM = ("ShoulderPitch", "ShoulderRoll", "ElbowYaw", "ElbowRoll")
LEG = ("HipYawPitch", "HipRoll", "HipPitch", "KneePitch", "AnklePitch", "AnkleRoll")
DRIVERS = (*HEAD, *(f"L{part}" for part in (*ARM, *LEG)), *(f"R{part}" for part in (*LEG, *ARM)))
"""Joints in the order of nao_lola, without hands and wrists; the right one of the coupled hips has no number there."""
CLASSIC = (
    *("hj1", "hj2"),
    *(f"laj{number}" for number in range(1, 5)),
    *(f"llj{number}" for number in range(1, 7)),
    *(f"rlj{number}" for number in range(1, 7)),
    *(f"raj{number}" for number in range(1, 5)),
)
PITCHES = ("HeadPitch", "ShoulderPitch", "HipPitch", "KneePitch", "AnklePitch")


def sign(name: str) -> float:
    """REP-103 counts a pitch about +y, the classic league about -y."""
    return -1.0 if name.removeprefix("L").removeprefix("R") in PITCHES else 1.0


def test_joints_have_the_names_and_the_order_of_the_drivers_and_are_sensed_and_commanded() -> None:
    assert tuple(joint.name for joint in load_robot("nao_lola").model.joints) == DRIVERS
    robot = load_robot("nao_lola", 4)
    joints = {joint.name for joint in robot.model.joints}
    assert {spec.name for spec in robot.perceptors if spec.kind == "hinge_joint"} == joints
    assert {spec.joint for spec in robot.effectors if spec.kind == "hinge"} == joints


@pytest.mark.parametrize("kind", range(5))
def test_the_body_is_the_classic_one(kind: int) -> None:
    classic, real = (load_robot(name, kind).model for name in ("nao", "nao_lola"))
    names = dict(zip(CLASSIC, DRIVERS, strict=True)) | {"llj7": "LToePitch", "rlj7": "RToePitch"}
    source = np.random.default_rng(kind)
    angles = {joint.name: float(source.uniform(joint.lower, joint.upper)) for joint in classic.joints}
    same = {names[name]: (-1.0 if "ToePitch" in names[name] else sign(names[name])) * a for name, a in angles.items()}
    centres, expected = link_centres(real, same), link_centres(classic, angles)
    assert centres.keys() == expected.keys()
    for name, centre in expected.items():
        assert centres[name] == pytest.approx(centre, abs=1e-12), name
    assert {(link.name, link.mass, link.inertia) for link in real.links} == {
        (link.name, link.mass, link.inertia) for link in classic.links
    }
    limits = {joint.name: (joint.lower, joint.upper, joint.max_velocity, joint.max_effort) for joint in real.joints}
    for joint in classic.joints:
        stops = sorted(same[names[joint.name]] / angles[joint.name] * stop for stop in (joint.lower, joint.upper))
        assert limits[names[joint.name]] == pytest.approx((*stops, joint.max_velocity, joint.max_effort))

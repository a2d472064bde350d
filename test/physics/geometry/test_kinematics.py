import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspark_ros.physics.geometry.kinematics import link_frames, standing_height
from simspark_ros.physics.geometry.transforms import Transform, rotation_about, rotation_from_rpy, rpy_from_rotation
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, Shape, ShapeKind, Vector
from test.rigs.robots.link_centres import link_centres

UNIT = (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
EXACT = 1e-12
"""Rounding of a few products of numbers of size 1."""

TILT = (0.0, math.radians(30), 0.0)

angle = st.floats(-math.pi, math.pi)


@settings(derandomize=True)
@given(angle, angle, angle)
def test_angles_survive_a_rotation_and_back(roll: float, pitch: float, yaw: float) -> None:
    rotation = rotation_from_rpy((roll, pitch, yaw))
    # Next to gimbal lock the arc sine halves the number of good digits.
    np.testing.assert_allclose(rotation_from_rpy(rpy_from_rotation(rotation)), rotation, atol=3e-6)


@pytest.mark.parametrize("pitch", [math.pi / 2, -math.pi / 2])
def test_gimbal_lock_keeps_the_rotation(pitch: float) -> None:
    rotation = rotation_from_rpy((0.3, pitch, -0.9))
    np.testing.assert_allclose(rotation_from_rpy(rpy_from_rotation(rotation)), rotation, atol=EXACT)


def test_roll_comes_first_and_yaw_last() -> None:
    expected = rotation_about((0, 0, 1), 0.3) @ rotation_about((0, 1, 0), -0.4) @ rotation_about((1, 0, 0), 1.2)
    np.testing.assert_allclose(rotation_from_rpy((1.2, -0.4, 0.3)), expected, atol=EXACT)


def test_a_transform_and_its_inverse_cancel() -> None:
    pose = Transform.of((1.0, -2.0, 0.5), (0.3, 0.2, -1.0))
    both = pose.inverse() @ pose
    np.testing.assert_allclose(both.rotation, np.eye(3), atol=EXACT)
    np.testing.assert_allclose(both.position, np.zeros(3), atol=EXACT)


def test_sliding_and_turning_joints_carry_what_hangs_on_them() -> None:
    model = ArticulatedModel(
        "lift",
        links=(Link("base", 1, UNIT), Link("sled", 1, UNIT), Link("arm", 1, UNIT, centre=(0.0, 0.5, 0.0))),
        joints=(
            Joint("slide", JointKind.PRISMATIC, "base", "sled", (0, 0, 1), axis=(0, 0, 1)),
            Joint("turn", JointKind.REVOLUTE, "sled", "arm", (1, 0, 0), rpy=(0, 0, math.pi / 2), axis=(0, 0, 1)),
        ),
    )
    centres = link_centres(model, {"slide": 0.25, "turn": math.pi / 2})
    np.testing.assert_allclose(centres["sled"], (0, 0, 1.25), atol=EXACT)
    # Two quarter turns: the arm, along y of its own frame, points to -y.
    np.testing.assert_allclose(centres["arm"], (1, -0.5, 1.25), atol=EXACT)
    np.testing.assert_allclose(link_frames(model)["arm"].rotation[:, 0], (0, 1, 0), atol=EXACT)


@pytest.mark.parametrize(
    ("shape", "depth"),
    [
        (Shape(ShapeKind.BOX, (0.2, 0.2, 0.4)), 0.2),
        (Shape(ShapeKind.BOX, (0.2, 0.2, 0.4), rpy=TILT), 0.1 * 0.5 + 0.2 * math.sqrt(0.75)),
        (Shape(ShapeKind.SPHERE, (0.3,), rpy=TILT), 0.3),
        (Shape(ShapeKind.CYLINDER, (0.1, 0.4), rpy=TILT), 0.1 * 0.5 + 0.2 * math.sqrt(0.75)),
        (Shape(ShapeKind.CAPSULE, (0.1, 0.4), rpy=TILT), 0.1 + 0.2 * math.sqrt(0.75)),
        (Shape(ShapeKind.SPHERE, (0.3,), position=(0.0, 0.0, -1.0)), 1.3),
    ],
)
def test_standing_height_reaches_to_the_lowest_point(shape: Shape, depth: float) -> None:
    centre: Vector = (0.0, 0.0, 0.05)
    model = ArticulatedModel("solid", (Link("base", 1, UNIT, centre, (shape,)),), ())
    assert standing_height(model) == pytest.approx(depth + 0.05, abs=1e-12)


def test_a_robot_that_collides_with_nothing_stands_at_zero() -> None:
    assert standing_height(ArticulatedModel("ghost", (Link("base", 1, UNIT),), ())) == 0.0

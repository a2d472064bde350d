"""Elastic stops of the preset `legacy`."""

from __future__ import annotations

import numpy as np
import pytest

from simspark_conformance.harness import CheckedWorld
from simspark_conformance.models import solid_box
from simspark_ros.physics.engine import JointControl
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, SceneModel
from simspark_ros.physics.registry import create_engine


@pytest.fixture
def engine_preset() -> str:
    return "legacy"


def test_joint_comes_back_from_its_stop_with_its_own_speed(lab):
    lab.nao()
    index, control = lab.joint("laj1"), lab.hold()
    control.velocity[index] = 6.0
    while lab.state.joint_position[index] < lab.state.joint_upper[index]:
        lab.engine.step(control)
    lab.run(1)
    # 1 %: cfm of the motor's row.
    assert lab.state.joint_velocity[index] == pytest.approx(-6.0, rel=0.01)


def test_joint_of_the_default_preset_ends_at_its_stop(make_lab):
    lab = make_lab(preset="J1")
    lab.nao()
    index = lab.joint("laj1")
    lab.turn("laj1", 6.0, 40)
    assert lab.state.joint_velocity[index] == pytest.approx(0.0, abs=0.01)


def test_joint_whose_motor_is_off_ends_at_its_stop(lab):
    lab.nao()
    index, control = lab.joint("laj1"), lab.hold()
    control.velocity[index] = 6.0
    lab.run(10, control)
    control.effort_limit[index] = 0.0
    control.effort[index] = 0.5
    lab.run(100, control)
    upper = float(lab.state.joint_upper[index])
    assert lab.state.joint_position[index] <= upper + 1e-3
    assert lab.state.joint_velocity[index] == pytest.approx(0.0, abs=0.05)


def test_an_impact_does_not_turn_a_joint_with_much_friction_through_its_stop():
    """Limp, but with friction as large as its motor's effort: Talos' gripper was 20 degrees beyond, this flap 28."""
    base, limb = solid_box("base", 5.0, (0.3, 0.3, 0.1)), solid_box("limb", 0.02, (0.2, 0.05, 0.01), (0.1, 0.0, 0.0))
    hinge = Joint(
        "j",
        JointKind.REVOLUTE,
        "base",
        "limb",
        (0.15, 0.0, -0.05),
        axis=(0.0, 1.0, 0.0),
        lower=-1.0,
        upper=0.0,
        max_velocity=5.0,
        max_effort=0.05,
        friction=0.05,
    )
    made = create_engine("bullet")
    world = CheckedWorld(made, SceneModel())
    world.add(ArticulatedModel("flap", (base, limb), (hinge,)), (0.0, 0.0, 2.0))
    positions = []
    for _ in range(60):
        made.step(JointControl(np.zeros(1), np.full(1, 0.05), np.zeros(1)))
        positions.append(float(world.state.joint_position[0]))
    made.close()
    # 2 degrees are allowed.
    assert max(positions) < np.radians(2.0)

"""Stops that a joint does not pass within a step."""

from __future__ import annotations

import numpy as np

from simspark_conformance.harness import CheckedWorld
from simspark_conformance.models import solid_box
from simspark_ros.physics.engine import JointControl
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, SceneModel
from simspark_ros.physics.registry import create_engine


def test_a_limp_slide_on_a_whirling_arm_stays_within_its_stop() -> None:
    """Bodies move straight on within a step, and so leave a slide that turns: Panda's finger was 9.6 mm beyond."""
    base, arm = solid_box("base", 5.0, (0.1, 0.1, 0.1)), solid_box("arm", 1.0, (0.3, 0.05, 0.05), (0.15, 0.0, 0.0))
    finger = solid_box("finger", 0.05, (0.02, 0.02, 0.02))
    shoulder = Joint("shoulder", JointKind.CONTINUOUS, "base", "arm", (0.0, 0.0, 0.2), axis=(0.0, 0.0, 1.0))
    slide = Joint(
        "slide",
        JointKind.PRISMATIC,
        "arm",
        "finger",
        (0.35, 0.0, 0.0),
        axis=(1.0, 0.0, 0.0),
        lower=0.0,
        upper=0.04,
        max_velocity=0.3,
        max_effort=20.0,
    )
    made = create_engine("ode")
    world = CheckedWorld(made, SceneModel())
    model = ArticulatedModel("whirl", (base, arm, finger), (shoulder, slide), fixed_base=True)
    handle = world.add(model, (0.0, 0.0, 1.0))
    made.set_joint_positions(handle, np.array([0.0, 0.02]))
    made.set_velocity(handle, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), np.array([12.0, 0.0]))
    farthest = 0.0
    for _ in range(50):
        made.step(JointControl(np.zeros(2), np.zeros(2), np.zeros(2)))
        farthest = max(farthest, float(world.state.joint_position[1]))
    made.close()
    # It gets there, and what a limp slide may pass its stop by in `simspark robot check` is 5 mm.
    assert 0.039 < farthest < 0.042

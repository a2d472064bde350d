"""Stops that a joint does not pass within a step."""

import math
from dataclasses import replace

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


def test_a_thrown_chain_of_light_limbs_stays_within_its_stops() -> None:
    """Rows of stops that only rounding told apart made ODE's solver give up: limbs of 4 g were 144 degrees beyond."""
    links, joints = [solid_box("base", 1.0, (0.1, 0.1, 0.1))], []
    for number in range(16):
        parent, (axis, least) = links[-1].name, (((0.0, 0.0, 1.0), 0.0), ((0.0, 1.0, 0.0), -0.1))[number % 2]
        links.append(solid_box(f"limb {number}", 0.004, (0.03, 0.012, 0.012), (0.015, 0.001, 0.002)))
        joint = Joint(f"joint {number}", JointKind.REVOLUTE, parent, f"limb {number}", (0.03, 0.0, 0.0), axis=axis)
        joints.append(replace(joint, lower=least, upper=1.0, max_velocity=0.5, max_effort=1.0))
    model = ArticulatedModel("chain", tuple(links), tuple(joints))
    lower, upper = np.array([(joint.lower, joint.upper) for joint in joints]).T
    made = create_engine("ode")
    world = CheckedWorld(made, SceneModel())
    handle = world.add(model, (0.0, 0.0, 0.3))
    # Three hundredths of the motors' effort are what gears brake a limp joint with.
    limp = JointControl(np.zeros(16), np.full(16, 0.03), np.zeros(16))
    farthest = 0.0
    for seed in range(12):
        chance = np.random.default_rng(seed)
        turn = chance.normal(size=4)
        made.set_joint_positions(handle, np.zeros(16))
        made.place_robot(handle, (0.0, 0.0, 0.3), tuple(turn / np.linalg.norm(turn)))
        made.set_velocity(handle, (0.0, 0.0, -3.0), tuple(3.0 * chance.normal(size=3)), np.zeros(16))
        for _ in range(25):
            made.step(limp)
            position = world.state.joint_position
            farthest = max(farthest, *(position - upper), *(lower - position))
    made.close()
    # What `simspark robot check` allows a limp joint.
    assert farthest < math.radians(2.0)

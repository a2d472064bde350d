"""General robots on ODE: sliders, wheels, efforts, stops, crooked inertia, several worlds, equal bits."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simspark_ros.physics.engine import PhysicsError
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, SceneModel, Shape, ShapeKind
from simspark_ros.physics.ode.kinematics import link_poses

STEP = 0.02


def arm(kind: JointKind = JointKind.REVOLUTE, **joint: Any) -> ArticulatedModel:
    """A heavy base, a limb on a joint about (or along) y, and a weight fixed to the limb's end."""
    base = Link("base", 5000.0, (80.0, 0.0, 0.0, 80.0, 0.0, 130.0))
    limb = Link("limb", 0.1, (1e-3, 0.0, 0.0, 1e-3, 0.0, 1e-3), centre=(0.1, 0.0, 0.0))
    moving = replace(Joint("elbow", kind, "base", "limb", position=(0.1, 0.0, 0.0), axis=(0.0, 1.0, 0.0)), **joint)
    fixed = Joint("wrist", JointKind.FIXED, "limb", "weight", position=(0.2, 0.0, 0.0), rpy=(0.3, -0.2, 0.1))
    weight = Link("weight", 0.2, (1e-4, 0.0, 0.0, 1e-4, 0.0, 1e-4))
    return ArticulatedModel("arm", (base, limb, weight), (moving,), (fixed,))


# About the joint: the limb's 0.1 kg at 0.1 m, the weight's 0.2 kg at 0.2 m; the base hardly moves.
ARM_INERTIA = 1e-3 + 0.1 * 0.1**2 + 1e-4 + 0.2 * 0.2**2


def test_link_poses_agree_with_kinematics_while_nothing_moves(lab):
    handle = lab.nao(z=0.6, yaw=0.7)
    model = lab.state.models[0]
    angles = np.random.default_rng(3).uniform(-0.4, 0.01, 22)
    lab.engine.set_joint_positions(handle, angles)
    cut = np.clip(angles, lab.state.joint_lower, lab.state.joint_upper)
    assert lab.state.joint_position == pytest.approx(cut, abs=1e-12)
    names = [link.name for link in model.links]
    centres, rotations = lab.engine.link_poses(lab.engine.select_links([(handle, name) for name in names]))
    expected_centres, expected_rotations = link_poses(model, cut)
    turn = lab.state.rotation[0]
    assert centres == pytest.approx(expected_centres @ turn.T + lab.state.position[0], abs=1e-12)
    assert rotations == pytest.approx(turn @ expected_rotations, abs=1e-12)


def test_hinges_drift_apart_in_a_fast_motion_and_come_together(lab):
    handle = lab.nao()
    lab.run(20)
    selection = lab.engine.select_links([(handle, "torso"), (handle, "lupperarm"), (handle, "llowerarm")])

    def elbow() -> float:
        """Between the arm's end as it is and as the joint angles have it, m."""
        centres, _ = lab.engine.link_poses(selection)
        names = [link.name for link in lab.state.models[0].links]
        expected, _ = link_poses(lab.state.models[0], lab.state.joint_position)
        there = lab.state.rotation[0] @ expected[names.index("llowerarm")] + lab.state.position[0]
        return float(np.linalg.norm(centres[2] - there))

    lab.turn("laj1", 6.0, 8)
    drifted = elbow()
    # h^2 / 2 w^2 r = 1.1 mm a step at 0.15 m, of which a fifth is taken back per step.
    assert 1e-3 < drifted < 0.02
    lab.turn("laj1", 0.0, 30)
    assert elbow() < 0.1 * drifted


def test_sliders_and_wheels(empty):
    empty.engine.add_robot(arm(JointKind.PRISMATIC, lower=-0.1, upper=0.1, max_effort=50.0), (0, 0, 5), 0.5)
    empty.engine.add_robot(arm(JointKind.CONTINUOUS, max_effort=50.0, max_velocity=30.0), (3, 0, 5))
    control = empty.hold()
    control.velocity[:] = [0.05, 10.0]
    empty.run(50, control)
    # ODE turns a body by 2 atan(w h / 2) a step; the slider is exact.
    turned = 50 * 2.0 * math.atan(10.0 * STEP / 2.0)
    assert empty.state.joint_position == pytest.approx([0.05, turned], rel=1e-3)
    assert empty.state.joint_velocity == pytest.approx([0.05, 10.0], rel=1e-3)
    empty.run(100, control)
    # The slider chatters at its stop within one step's way, the wheel has no stop and counts its turns.
    assert empty.state.joint_position[0] == pytest.approx(0.1, abs=0.0011)
    assert empty.state.joint_position[1] == pytest.approx(3.0 * turned, rel=1e-3)


def test_motor_reports_what_it_holds_and_is_bounded(make_lab):
    lab = make_lab(SceneModel())
    model = arm(max_effort=10.0, max_velocity=50.0)
    slab = replace(model.base, collisions=(Shape(ShapeKind.BOX, (1.0, 1.0, 0.2)),))
    lab.engine.add_robot(replace(model, links=(slab, *model.links[1:])), (0.0, 0.0, 0.1))
    # The base is half sunk in, and carried: the arm hangs out over its edge.
    lab.run(100)
    # Gravity turns the arm, which points along x, about +y.
    assert lab.state.joint_effort[0] == pytest.approx(-(0.1 * 0.1 + 0.2 * 0.2) * 9.81, rel=0.01)
    control = lab.hold()
    control.velocity[:], control.effort_limit[:] = -40.0, 0.05
    lab.run(3, control)
    assert lab.state.joint_effort[0] == pytest.approx(-0.05, rel=1e-3)


@pytest.mark.parametrize("effort", [0.3, -0.3])
def test_joint_without_motor_comes_to_rest_at_its_stop(empty, effort):
    empty.engine.add_robot(arm(lower=-0.5, upper=0.5, max_effort=10.0, max_velocity=6.0), (0.0, 0.0, 5.0))
    control = empty.hold()
    control.effort_limit[:], control.effort[:] = 0.0, effort
    empty.run(60, control)
    # Stops take an overshoot back by four fifths a step.
    assert empty.state.joint_position[0] == pytest.approx(math.copysign(0.5, effort), abs=1e-3)
    control.effort[:] = -effort
    empty.run(4, control)
    assert abs(empty.state.joint_position[0]) < 0.47


def test_models_that_no_body_can_have_are_refused(lab):
    flat = Link("flat", 1.0, (0.0, 0.0, 0.0, 1.0, 0.0, 1.0))
    with pytest.raises(PhysicsError, match="link 'flat' of model 'm' needs a mass and moments of inertia above zero"):
        lab.engine.add_robot(ArticulatedModel("m", (flat,), ()), (0.0, 0.0, 0.0))

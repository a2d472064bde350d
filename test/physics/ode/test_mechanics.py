"""General robots on ODE: drift of hinges, stops, refused models."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simspark_ros.physics.conformance.models import arm
from simspark_ros.physics.engine import PhysicsError
from simspark_ros.physics.model import ArticulatedModel, Link
from simspark_ros.physics.ode.kinematics import link_poses


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

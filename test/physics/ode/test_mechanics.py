"""General robots on ODE: stops, refused models."""

from __future__ import annotations

import ctypes
import gc
import math

import pytest

from simspark_conformance.models import arm
from simspark_ros.physics.engine import PhysicsError
from simspark_ros.physics.model import ArticulatedModel, Link


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


def test_each_new_view_of_the_bodies_leaves_nothing_in_ctypes(lab):
    def arrays() -> int:
        gc.collect()
        return sum(isinstance(thing, type) and issubclass(thing, ctypes.Array) for thing in gc.get_objects())

    lab.engine.add_robot(arm(), (0.0, 0.0, 1.0))
    before = arrays()
    for number in range(1, 20):
        lab.engine.add_robot(arm(), (2.0 * number, 0.0, 1.0))
    # Contacts and the like have some for good.
    assert arrays() < before + 10

"""General robots on ODE: stops, refused models."""

import ctypes
import gc

import pytest

from simspark_conformance.models import arm
from simspark_ros.physics.engine import PhysicsError
from simspark_ros.physics.model import ArticulatedModel, Link


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

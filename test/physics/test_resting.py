"""Robots of any weight lie on the ground, and do not sink in."""

from __future__ import annotations

import pytest

from simspark_conformance.harness import CheckedWorld
from simspark_conformance.models import solid_box
from simspark_ros.physics.model import ArticulatedModel, SceneModel, SurfaceMaterial
from simspark_ros.physics.registry import create_engine
from simspark_ros.physics.surfaces import hardness_of
from test.physics.engine_availability import skip_without


@pytest.mark.parametrize("engine", ["bullet", "ode", "mujoco"])
@pytest.mark.parametrize("mass", [0.01, 1.0, 100.0, 1000.0])
@pytest.mark.parametrize("ground", [None, SurfaceMaterial()])
def test_a_box_of_any_weight_sinks_in_by_less_than_two_millimetres(
    engine: str, mass: float, ground: SurfaceMaterial | None
) -> None:
    """PyBullet let a tonne in by 0.2 m, ODE and MuJoCo by 13 mm."""
    skip_without(engine)
    made = create_engine(engine)
    world = CheckedWorld(made, SceneModel(ground=ground))
    world.add(ArticulatedModel("box", (solid_box("box", mass, (0.4, 0.4, 0.2)),), ()), (0.0, 0.0, 0.1))
    world.run_for(5.0)
    assert 0.098 < world.state.position[0, 2] <= 0.1 + 1e-6
    assert world.state.rotation[0, 2, 2] > 1.0 - 1e-6
    made.close()


def test_the_contacts_of_usual_robots_are_those_of_the_preset() -> None:
    assert [hardness_of(mass) for mass in (1e-6, 5.0, 50.0, 51.0, 100.0, 1000.0)] == [1.0, 1.0, 1.0, 2.0, 2.0, 32.0]

"""The laboratory of conftest.py with an ODE engine in it; tests are skipped by name where there is no ODE."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from simspark_ros.physics.engine import PhysicsError
from simspark_ros.physics.model import SceneModel
from simspark_ros.physics.ode.engine import OdeEngine, create
from simspark_ros.physics.ode.library import load_library
from test.physics.conftest import SCENE, Lab


def missing() -> str:
    """Why there is no ODE on this machine; empty if there is one."""
    try:
        load_library()
    except PhysicsError as error:
        return str(error)
    return ""


needs_ode = pytest.mark.skipif(bool(missing()), reason=missing())


class OdeLab(Lab):
    """Lab with an ODE engine."""

    def __init__(self, engine: OdeEngine) -> None:
        self.engine = engine


@pytest.fixture
def make_lab() -> Iterator[Callable[..., OdeLab]]:
    """Makes engines; `scene` replaces the field, `preset` the default preset."""
    made: list[OdeLab] = []

    def make(scene: SceneModel = SCENE, preset: str | None = None) -> OdeLab:
        lab = OdeLab(create(preset))
        lab.engine.load_scene(scene)
        if scene.ball is not None:
            # Out of the way of robots.
            lab.engine.place_ball((8.0, 8.0, scene.ball.radius))
        made.append(lab)
        return lab

    yield make
    for lab in made:
        lab.engine.close()

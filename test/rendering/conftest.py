"""A renderer of the field, made once for all tests."""

from collections.abc import Iterator

import pytest

from simspark_ros.physics.model import BallModel
from simspark_ros.rendering.renderer import SceneRenderer
from test.rendering.scenes import BALL_RADIUS, FIELD


@pytest.fixture(scope="session")
def shared_renderer() -> Iterator[SceneRenderer]:
    renderer = SceneRenderer(FIELD, BallModel(BALL_RADIUS, 0.026))
    yield renderer
    renderer.close()


@pytest.fixture
def renderer(shared_renderer: SceneRenderer) -> SceneRenderer:
    """It shows no robots yet."""
    shared_renderer.set_robots([])
    return shared_renderer

"""A renderer of the field for each way to draw, made once for all tests; OpenGL is skipped where it is missing."""

from collections.abc import Iterator

import pytest

from simspark_ros.rendering.drawing.opengl import chooses_opengl
from simspark_ros.rendering.renderer import SceneRenderer
from test.rendering.scenes import SETTINGS


def skip_without_opengl() -> None:
    found, line = chooses_opengl("egl")
    if not found:
        pytest.skip(line)


@pytest.fixture(scope="session", params=["software", "egl"])
def shared_renderer(request: pytest.FixtureRequest) -> Iterator[SceneRenderer]:
    if request.param == "egl":
        skip_without_opengl()
    renderer = SceneRenderer(SETTINGS, renderer=request.param)
    yield renderer
    renderer.close()


@pytest.fixture
def renderer(shared_renderer: SceneRenderer) -> SceneRenderer:
    """It shows no robots yet."""
    shared_renderer.set_robots([])
    return shared_renderer

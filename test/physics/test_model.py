"""What models of bodies hold, and how long what is derived from them is kept."""

from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.physics.model_cache import kept_with_model
from simspark_ros.physics.surface import Surface
from simspark_ros.robots.catalogue import load_robot

POINTS = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
TRIANGLE = np.array([[0, 1, 2]])
RED = (1.0, 0.0, 0.0, 1.0)


def test_a_surface_gives_back_its_triangles_elsewhere_once_it_is_moved() -> None:
    points, triangles = Surface.of(POINTS, TRIANGLE, RED).arrays
    assert (points.tolist(), triangles.tolist()) == (POINTS.tolist(), TRIANGLE.tolist())
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    points, _ = Surface.of(POINTS, TRIANGLE, RED).moved(np.array([0.0, 0.0, 2.0]), turn).arrays
    assert points.tolist() == [[0.0, 0.0, 2.0], [0.0, 1.0, 2.0], [-1.0, 0.0, 2.0]]


@pytest.mark.parametrize(
    ("points", "triangles"),
    [(POINTS, TRIANGLE + 1), (POINTS[:0], TRIANGLE), (POINTS * np.nan, TRIANGLE), (POINTS, TRIANGLE[:0])],
)
def test_what_is_no_surface_is_refused(points: np.ndarray, triangles: np.ndarray) -> None:
    with pytest.raises(ValueError, match="surface has"):
        Surface.of(points, triangles, RED)


@pytest.mark.parametrize("text", ["?", "AAAA", "AAAAAA=="])
def test_texts_that_hold_no_numbers_are_refused(text: str) -> None:
    good = Surface.of(POINTS, TRIANGLE, RED)
    with pytest.raises(ValueError, match=r"."):
        Surface(text, good.triangles, RED)


MODEL = load_robot("nao").model


def test_a_result_is_computed_once_for_equal_models_and_arguments() -> None:
    computed: list[tuple[str, int]] = []

    @kept_with_model
    def derived(model: ArticulatedModel, number: int = 0) -> str:
        computed.append((model.name, number))
        return model.name

    assert derived(MODEL) == derived(replace(MODEL)) == derived(MODEL, number=0) == MODEL.name
    assert derived(replace(MODEL, name="other"), 2) == "other"
    assert computed == [(MODEL.name, 0), (MODEL.name, 0), ("other", 2)]

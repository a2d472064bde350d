"""The field in the sizes that a server sends."""

import pytest

from simspark_ros.soccer.settings import load_soccer_settings
from simspark_watching.viewer.field import MARGIN, field_of, pitch

USUAL = load_soccer_settings().field


def test_sizes_are_those_of_the_environment():
    field = field_of(USUAL, {"FieldLength": "12", "FieldWidth": "8", "GoalWidth": "1.4"})
    assert (field.length, field.width, field.goal_width, field.goal_depth) == (12, 8, 1.4, USUAL.goal_depth)
    (_, _), (grass, _), *_ = pitch(field)
    assert grass.vertices[:, 0].max() <= 6 + MARGIN + 1e-9


@pytest.mark.parametrize("value", ["nan", "-3", "0", "x", "1e9"])
def test_a_size_that_cannot_be_is_left_as_usual(value):
    assert field_of(USUAL, {"FieldLength": value}) == USUAL


def test_every_triangle_refers_to_a_vertex_and_faces_up_on_the_ground():
    for mesh, _ in pitch(USUAL)[:4]:
        assert mesh.triangles.max() < len(mesh.vertices)
        a, b, c = (mesh.vertices[mesh.triangles[:, corner]] for corner in range(3))
        upward = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
        # A disc is a ring whose inner triangles have no area.
        assert (upward >= 0).all() and (upward > 0).any()

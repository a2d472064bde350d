import numpy as np
import pytest

from simspark_ros.simulation.drawings import MOST_DRAWINGS, Drawing, Drawings, Plane

DOT = Drawing.of_poses(np.zeros((1, 3)))


def test_watchers_are_told_of_changes_and_drawings_and_names_are_limited():
    drawings = Drawings()
    drawings.put("a", DOT)
    drawings.put("b", DOT)
    drawings.put("a", DOT)
    assert [(at, name) for at, name, _ in drawings.since(0)] == [(2, "b"), (3, "a")]
    drawings.remove("b")
    ((at, name, drawing),) = drawings.since(3)
    assert (at, name, drawing.is_empty) == (4, "b", True)
    drawings = Drawings()
    for number in range(MOST_DRAWINGS):
        drawings.put(str(number), DOT)
    with pytest.raises(ValueError, match="32 drawings already"):
        drawings.put("one more", DOT)
    drawings.remove("3")
    drawings.put("one more", DOT)
    with pytest.raises(ValueError, match="128 characters"):
        drawings.put("x" * 129, DOT)


def test_poses_face_where_they_face():
    ((start, end),) = Drawing.of_poses(np.array([[1.0, 2.0, np.pi / 2]]), length=0.5).segments
    assert end - start == pytest.approx([0.0, 0.5, 0.0])


@pytest.mark.parametrize("width", [0.0, np.nan, 1e6])
def test_a_map_has_a_size(width):
    with pytest.raises(ValueError, match="wide"):
        Plane(np.zeros((1, 1, 3), np.uint8), width, 1.0, (0.0, 0.0, 0.0))

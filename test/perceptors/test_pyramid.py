from __future__ import annotations

import math

import numpy as np
import pytest

from simspark_ros.perceptors.pyramid import CUT, FOCAL_LENGTH, ROWS, Pyramids

FORWARD = np.eye(3)[None]
HERE = np.zeros((1, 3))


def pyramid(horizontal=60.0, vertical=60.0, lines=True, calibration=(0.0, 0.0, 0.0)):
    openings = np.radians([[horizontal, vertical]])
    return Pyramids.of(openings, np.array([lines]), np.array([calibration]))


def clipped(camera, first, second):
    """What is left of lines (n, 3) to (n, 3) for a camera at the origin: index -> (begin, end) as fractions."""
    ends = np.stack([first, second]).reshape(-1, 3)
    points = np.vstack([ends.T, np.ones(len(ends))])
    measured = camera.measure(points, FORWARD, HERE).reshape(1, ROWS, 2, -1)
    _, seen = camera.clip(measured)
    cut = measured[0, CUT]
    return {index: (cut[0, index], 1 - cut[1, index]) for index in seen.tolist()}


def is_inside(points):
    """Whether points (n, 3) are inside the pyramid of a camera at the origin, by its definition."""
    x, y, z = points.T
    slope = math.tan(math.radians(60))
    return (x >= FOCAL_LENGTH) & (np.abs(y) <= slope * x) & (np.abs(z) <= slope * x)


def test_what_is_left_of_a_line_is_what_is_inside():
    random = np.random.default_rng(3)
    first, second = random.uniform(-4, 4, (300, 3)), random.uniform(-4, 4, (300, 3))
    along = np.linspace(0, 1, 4001)
    left = clipped(pyramid(), first, second)
    assert 50 < len(left) < 250
    for index, (a, b) in enumerate(zip(first, second, strict=True)):
        inside = along[is_inside(a + along[:, None] * (b - a))]
        # Sampled in steps of 1/4000: shorter pieces may be missed, borders are off by up to a step.
        if len(inside):
            assert left[index] == pytest.approx((inside[0], inside[-1]), abs=1 / 3999)
        else:
            begin, end = left.get(index, (0.0, 0.0))
            assert end - begin < 1 / 3999


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((0.05, -1.0, 0.0), (0.05, 1.0, 0.0)),
        ((-1.0, 0.0, 0.0), (-2.0, 0.0, 0.0)),
        ((-1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)),
        ((-3.0, -1.0, 0.1), (-1.0, 2.0, 0.3)),
        ((1.0, 5.0, 0.0), (2.0, 5.0 + math.tan(math.radians(60)), 0.0)),
    ],
    ids=["parallel to the image", "behind", "a point behind", "across behind", "parallel to the border"],
)
@pytest.mark.filterwarnings("error")
def test_lines_outside_are_not_seen(first, second):
    assert clipped(pyramid(), np.array([first]), np.array([second])) == {}
    assert clipped(pyramid(), np.array([second]), np.array([first])) == {}


@pytest.mark.filterwarnings("error")
def test_without_limits_everything_is_inside_but_what_touches_the_camera():
    camera = Pyramids.of(np.full((1, 2), math.inf), np.array([True]), np.zeros((1, 3)))
    left = clipped(camera, np.array([[-3.0, 1.0, 5.0]]), np.array([[2.0, 0.0, -7.0]]))
    assert left == {0: (0.0, 1.0)}
    points = np.array([[-3.0, 1, 5, 1], [0, 0, -9, 1], [0.05, 0, 0, 1]]).T
    measured = camera.measure(points, FORWARD, HERE)
    assert camera.inside(measured, np.full(3, FOCAL_LENGTH**2))[1].tolist() == [0, 1]


def test_a_camera_without_lines_sees_none():
    first, second = np.array([[1.0, 0.0, 0.0]]), np.array([[2.0, 0.0, 0.0]])
    assert clipped(pyramid(), first, second) == {0: (0.0, 1.0)}
    assert clipped(pyramid(lines=False), first, second) == {}


def test_the_sides_are_planes_and_height_is_limited_by_a_cone():
    angles = np.radians([59.9, 60.1])
    high = np.array([np.cos(angles), np.zeros(2), np.sin(angles), np.ones(2)])
    wide = high[[0, 2, 1, 3]]
    both = np.array([[0.2, 0.34, 0.5, 1.0]]).T
    points = np.hstack([high, wide, both])
    _, seen = pyramid().inside(pyramid().measure(points, FORWARD, HERE), np.zeros(5))
    # The last one is outside of the plane that clips lines, but lower than the cone.
    assert seen.tolist() == [0, 2, 4]


def test_measures_are_those_in_the_cameras_frame_plus_the_calibration():
    random = np.random.default_rng(1)
    rotation = np.linalg.qr(random.standard_normal((3, 3)))[0]
    origin, calibration, point = random.standard_normal((3, 3))
    camera = pyramid(calibration=calibration)
    measured = camera.measure(np.append(point, 1.0)[:, None], rotation[None], origin[None])
    # One product instead of a difference and a product: some roundings of numbers of size 1 to 5.
    assert measured[0, :3, 0] == pytest.approx(rotation.T @ (point - origin) + calibration, abs=1e-13)

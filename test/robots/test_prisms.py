"""Prisms on outlines and ellipses: what they weigh around, and which outlines are refused."""

import math

import numpy as np
import pytest

from simspark_ros.configuration.schema import build
from simspark_ros.physics.model import ZERO
from simspark_ros.robots.object_settings import GREY, ObjectSettings, PrismSettings
from simspark_ros.robots.objects import object_description
from simspark_ros.robots.prisms import ellipse, prism_inertia, prism_shape

TRIANGLE = ((5.0, 1.0), (5.6, 1.0), (5.0, 1.3))


def test_the_middle_of_a_prism_is_the_centroid_of_its_outline():
    shape = prism_shape(TRIANGLE, 0.4, (2.0, 3.0, 0.5), (0.0, 0.0, math.pi / 2.0), GREY)
    corners = np.array(shape.vertices)[:, [1, 0, 2]] * (-1.0, 1.0, 1.0) + shape.position
    # From the centroid (5.2, 1.1) a quarter turn leads x to y, and y to -x.
    expected = (
        {(2.1, 2.8, z) for z in (0.3, 0.7)} | {(2.1, 3.4, z) for z in (0.3, 0.7)} | {(1.8, 2.8, z) for z in (0.3, 0.7)}
    )
    assert {tuple(corner) for corner in corners.round(9).tolist()} == expected


def test_inertia_is_that_of_mechanics():
    rectangle = ((0.0, 0.0), (0.0, 0.2), (0.4, 0.2), (0.4, 0.0))
    assert prism_inertia(rectangle, 0.1) == pytest.approx(((0.04 + 0.01) / 12, 0.0, (0.16 + 0.01) / 12, 0.2 / 12))
    # A right triangle of sides b, h: b^2/18, h^2/18 and a product of -b h/36 about its centroid.
    flat = prism_inertia(TRIANGLE, 0.001)
    assert flat == pytest.approx((0.09 / 18, 0.18 / 36, 0.36 / 18, 0.45 / 18), abs=1e-6)
    xx, xy, yy, zz = prism_inertia(ellipse(0.3, 0.1), 0.2)
    # 48 sides make it 0.6 % less.
    assert (xx, yy, zz) == pytest.approx((0.0025 + 0.04 / 12, 0.0225 + 0.04 / 12, 0.025), rel=0.01)
    assert xy == pytest.approx(0.0, abs=1e-9)


def test_an_object_has_its_centre_of_mass_in_its_middle():
    model = object_description(
        "wedge", build(ObjectSettings, {"prism": {"outline": TRIANGLE, "height": 0.2}, "mass": 2}, "")
    ).model
    assert model.base.centre == ZERO
    assert model.base.inertia[1] == pytest.approx(2.0 * 0.18 / 36)
    (shape,) = model.base.collisions
    assert np.array(shape.vertices)[:, 0].min() + shape.position[0] == pytest.approx(-0.2)


@pytest.mark.parametrize(
    ("outline", "problem"),
    [
        (((0, 0), (1, 0)), "must have 3 to 64 corners, not 2"),
        (((0, 0), (1, 0), (2, 0)), r"corner 2, \[1.0, 0.0\], does not fit a convex outline"),
        (((0, 0), (2, 0), (0.5, 0.5), (0, 2)), r"corner 3, \[0.5, 0.5\], does not fit"),
        (((0, 0), (1, 0), (1, 0), (0, 1)), "corner 2"),
        (((0, 0), (1, 1), (1, 0), (0, 1)), "its sides cross"),
        (((0, 0), (1, 0), (0.5, 0.0001)), "1 mm wide"),
        (((0, 0), (1, 0), (0, math.inf)), "corner 3 must be within 100 m"),
    ],
)
def test_an_outline_that_is_not_convex_is_refused(outline, problem):
    with pytest.raises(ValueError, match=problem):
        PrismSettings(tuple((float(x), float(y)) for x, y in outline), 1.0)

"""Prisms, ellipses and lights: what they weigh, where they are, and what is refused."""

import math

import numpy as np
import pytest

from simspark_ros.configuration.schema import build
from simspark_ros.physics.model import ZERO
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.lights import LIGHTS, LIGHTS_LENGTH, colours_of, lights_text
from simspark_ros.robots.lola import DEVICES
from simspark_ros.robots.object_settings import GREY, ObjectSettings, PrismSettings
from simspark_ros.robots.objects import object_description
from simspark_ros.robots.prisms import ellipse, prism_inertia, prism_shape

TRIANGLE = ((5.0, 1.0), (5.6, 1.0), (5.0, 1.3))


def test_the_middle_of_a_prism_is_the_centroid_and_inertia_is_that_of_mechanics():
    shape = prism_shape(TRIANGLE, 0.4, (2.0, 3.0, 0.5), (0.0, 0.0, math.pi / 2.0), GREY)
    corners = np.array(shape.vertices)[:, [1, 0, 2]] * (-1.0, 1.0, 1.0) + shape.position
    # From the centroid (5.2, 1.1) a quarter turn leads x to y, and y to -x.
    expected = {(x, y, z) for x, y in ((2.1, 2.8), (2.1, 3.4), (1.8, 2.8)) for z in (0.3, 0.7)}
    assert {tuple(corner) for corner in corners.round(9).tolist()} == expected
    rectangle = ((0.0, 0.0), (0.0, 0.2), (0.4, 0.2), (0.4, 0.0))
    assert prism_inertia(rectangle, 0.1) == pytest.approx(((0.04 + 0.01) / 12, 0.0, (0.16 + 0.01) / 12, 0.2 / 12))
    # A right triangle of sides b, h: b^2/18, h^2/18 and a product of -b h/36 about its centroid.
    flat = prism_inertia(TRIANGLE, 0.001)
    assert flat == pytest.approx((0.09 / 18, 0.18 / 36, 0.36 / 18, 0.45 / 18), abs=1e-6)
    xx, xy, yy, zz = prism_inertia(ellipse(0.3, 0.1), 0.2)
    # 48 sides make it 0.6 % less.
    assert (xx, yy, zz) == pytest.approx((0.0025 + 0.04 / 12, 0.0225 + 0.04 / 12, 0.025), rel=0.01)
    assert xy == pytest.approx(0.0, abs=1e-9)
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


def test_colours_are_those_that_were_commanded():
    eye = (1.0, *[0.0] * 7, *[0.0] * 8, *[0.5] * 8)
    text = lights_text({"LEye": eye, "Chest": (0.0, 7.0, -1.0), "Skull": (*[0.0] * 11, 1.0)})
    assert len(text) == LIGHTS_LENGTH
    assert colours_of(text, "Chest") == [(0.0, 1.0, 0.0)]
    # 8 reds, 8 greens, 8 blues, in steps of 1/255
    shown = np.array([[1.0, 0.0, 0.5], [0.0, 0.0, 0.5]])
    assert np.array(colours_of(text, "LEye")[:2]) == pytest.approx(shown, abs=1 / 255)
    assert [any(colour) for colour in colours_of(text, "Skull")] == [*[False] * 11, True]
    assert not np.any(colours_of(text, "REye"))
    # Nothing is told of lights that were never commanded.
    assert lights_text({}) == lights_text({"Position": (0.0,) * 25}) == ""


@pytest.mark.parametrize("name", ["nao", "nao_lola", "nao_v6"])
def test_every_light_has_its_place_on_the_body(name):
    robot = load_robot(name)
    assert sorted(ring.device for ring in robot.lights) == sorted(LIGHTS)
    places = {ring.device: np.array(ring.places()) for ring in robot.lights}
    blue = ("LEar", "REar", "Skull")
    assert sum(map(len, places.values())) == sum(DEVICES[one] // (1 if one in blue else 3) for one in LIGHTS)
    # Left eye from 45 degrees down to 90, right eye from 0 up: 0 is on top, 180 below.
    heights = {eye: places[eye][:, 2] for eye in ("LEye", "REye")}
    assert [(one.argmax(), one.argmin()) for one in heights.values()] == [(1, 5), (0, 4)]
    # The skull's begin at the front left and go along the left side to the rear.
    x, y, _ = places["Skull"].T
    assert x.argmax() in (0, 11) and (y[:6] > 0.0).all() and (y[6:] < 0.0).all()


def test_a_light_on_a_link_that_does_not_exist_is_refused(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("based_on: nao_v6\nlights: [{device: Chest, link: wing, at: [0, 0, 0]}]\n")
    with pytest.raises(RobotError, match=r"lights\[0\]: link: unknown link 'wing'"):
        load_robot(str(file))

"""Lights: their places on the body, and their state as text."""

import numpy as np
import pytest

from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.lights import LIGHTS, LIGHTS_LENGTH, colours_of, lights_text
from simspark_ros.robots.lola import DEVICES


def test_colours_are_those_that_were_commanded():
    eye = (1.0, *[0.0] * 7, *[0.0] * 8, *[0.5] * 8)
    text = lights_text({"LEye": eye, "Chest": (0.0, 7.0, -1.0), "Skull": (*[0.0] * 11, 1.0)})
    assert len(text) == LIGHTS_LENGTH
    assert colours_of(text, "Chest") == [(0.0, 1.0, 0.0)]
    # 8 reds, 8 greens, 8 blues, in steps of 1/255
    assert np.array(colours_of(text, "LEye")[:2]) == pytest.approx(
        np.array([[1.0, 0.0, 0.5], [0.0, 0.0, 0.5]]), abs=1 / 255
    )
    assert [any(colour) for colour in colours_of(text, "Skull")] == [*[False] * 11, True]
    assert not np.any(colours_of(text, "REye"))
    # Nothing is told of lights that were never commanded.
    assert lights_text({}) == lights_text({"Position": (0.0,) * 25}) == ""


@pytest.mark.parametrize("name", ["nao", "nao_lola", "nao_v6"])
def test_every_light_has_its_place_on_the_body(name):
    robot = load_robot(name)
    assert sorted(ring.device for ring in robot.lights) == sorted(LIGHTS)
    places = {ring.device: np.array(ring.places()) for ring in robot.lights}
    assert sum(map(len, places.values())) == sum(
        DEVICES[device] // (1 if device in ("LEar", "REar", "Skull") else 3) for device in LIGHTS
    )
    # Left eye from 45 degrees down to 90, right eye from 0 up: 0 is on top, 180 below.
    height = places["LEye"][:, 2] - places["LEye"][:, 2].mean()
    assert height.argmax() == 1 and height.argmin() == 5
    height = places["REye"][:, 2] - places["REye"][:, 2].mean()
    assert height.argmax() == 0 and height.argmin() == 4
    # The skull's begin at the front left and go along the left side to the rear.
    x, y, _ = places["Skull"].T
    assert x.argmax() in (0, 11) and (y[:6] > 0.0).all() and (y[6:] < 0.0).all()


def test_a_light_on_a_link_that_does_not_exist_is_refused(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("based_on: nao_v6\nlights: [{device: Chest, link: wing, at: [0, 0, 0]}]\n")
    with pytest.raises(RobotError, match=r"lights\[0\]: link: unknown link 'wing'"):
        load_robot(str(file))

"""Crossings of a field's lines, and how a detector sees them and the centre circle."""

import math
from typing import Any

import numpy as np
import pytest

from simspark_ros.perceptors.detection.markings import FieldMarkings
from simspark_ros.perceptors.readings import Markings
from test.perceptors.detection.test_detections import Observer
from test.rendering.scenes import FIELD


def test_a_field_has_corners_ends_and_crosses() -> None:
    there = FieldMarkings.of(FIELD)
    rays = [len(own) for own in there.rays]
    # Field and front corners of penalty areas; halfway line and penalty areas at border lines; halfway line and circle.
    assert (rays.count(2), rays.count(3), rays.count(4)) == (8, 6, 2)
    corner = int(np.argmin(np.linalg.norm(there.points - [FIELD.length / 2, FIELD.width / 2, 0.0], axis=1)))
    assert sorted(there.rays[corner].tolist()) == [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]


def test_a_camera_finds_the_circle_and_crossings_where_they_are(played: Any) -> None:
    observer = Observer(played)
    observer.put((-5.0, 0.0, 2.0), (0.0, 0.4, 0.0))
    found = observer.look().markings
    origin, turn = observer.pose("torso")
    (circle,) = found.ellipses
    assert origin + turn @ circle.position == pytest.approx(np.zeros(3), abs=1e-9)
    assert circle.diameter == 2.0 * FIELD.centre_circle
    left, top, right, bottom = circle.box
    assert left < circle.pixel[0] < right and top < circle.pixel[1] < bottom
    places = {tuple(np.round(origin + turn @ one.position, 6)[:2]) for one in found.crossings}
    assert {(0.0, FIELD.centre_circle), (0.0, -FIELD.centre_circle)} <= places
    for one in found.crossings:
        assert (np.diff(one.headings) > 0.0).all() and one.headings[0] >= 0.0 and one.headings[-1] < 2.0 * math.pi


def test_all_that_is_missed_is_not_found(played: Any) -> None:
    observer = Observer(played, missed=1.0)
    observer.put((-5.0, 0.0, 2.0), (0.0, 0.4, 0.0))
    assert observer.look().markings == Markings()

import json
from base64 import b64encode

import numpy as np
import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.protocol.monitor.drawings import write_drawing
from simspark_ros.protocol.monitor.inspection import read
from simspark_ros.simulation.drawings import MOST_POINTS, Drawing, Plane, tinted

RED = (255, 0, 0)


def everything() -> Drawing:
    pixels = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
    return Drawing(
        points=np.array([[1.0, 2.0, 3.0]]),
        point_colours=tinted(1, RED),
        segments=np.array([[[0.0, 0.0, 0.0], [1.0, 0.5, 0.25]]]),
        segment_colours=tinted(1, RED),
        texts=((1.0, 2.0, 3.0, "ball?"),),
        plane=Plane(pixels, 3.0, 2.0, (0.5, 0.0, 0.0), 0.25),
    )


def test_a_drawing_is_read_as_it_was_written():
    drawing = everything()
    message = read(write_drawing("one/particles", drawing))
    assert isinstance(message, tuple)
    name, told = message
    assert name == "one/particles"
    for part in ("points", "point_colours", "segments", "segment_colours"):
        assert getattr(told, part).tolist() == getattr(drawing, part).tolist()
    assert told.texts == drawing.texts and told.plane and drawing.plane
    assert told.plane.pixels.tolist() == drawing.plane.pixels.tolist()
    assert (told.plane.width, told.plane.centre, told.plane.heading) == (3.0, (0.5, 0.0, 0.0), 0.25)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"points": "AAAA"}, "buffer size"),
        ({"points": b64encode(np.zeros((MOST_POINTS + 1, 3), "<f4").tobytes()).decode()}, "at most 10000"),
        ({"points": b64encode(np.full((1, 3), np.nan, "<f4").tobytes()).decode()}, "coordinates"),
        ({"point_colours": ""}, "a colour"),
        ({"texts": [[0.0, 0.0, 0.0, "x" * 65]]}, "64 characters"),
        ({"texts": 3}, "not iterable"),
        ({"plane": {"png": "AAAA"}}, "cannot identify"),
        ({"point_size": "large"}, "could not convert"),
    ],
)
def test_what_is_no_drawing_is_refused_with_a_reason(change, reason):
    told = json.loads(write_drawing("a", everything()))
    told["drawing"] |= change
    with pytest.raises(ConfigurationError, match=reason):
        read(json.dumps(told).encode())

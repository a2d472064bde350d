"""What cameras see is what is inside their views, and the same bits whether the kernel is compiled or not."""

import math
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from test.rigs.kernels import both

COMPILED, UNCOMPILED = both("sight")
FOCAL_LENGTH = 0.1
ORIGIN = np.zeros((1, 3))
FORWARD = np.eye(3)[None]


class Cameras:
    """Cameras at one place without calibration and noise, in a world of some targets and lines."""

    def __init__(self, targets: Any, lines: Any, module: ModuleType = COMPILED, **changed: Any) -> None:
        self.targets, ends = np.reshape(targets, (-1, 3)), np.reshape(lines, (-1, 3))
        points = np.concatenate([self.targets, ends]).astype(float)
        count = len(self.targets)
        openings = np.radians([[60.0, 60.0]])
        given: dict[str, Any] = {
            "points": points,
            "ball": count,
            "owner": np.full(count, -1),
            "nearest2": np.full(count, FOCAL_LENGTH**2),
            "rows": np.zeros(1, np.int64),
            "slopes": np.tan(openings),
            "sine2": np.sin(openings[:, 1]) ** 2,
            "sees_lines": np.ones(1, np.uint8),
            "calibration": np.zeros((1, 3)),
            "noise": np.zeros((1, 3)),
            "occluder2": np.zeros(1),
            **changed,
        }
        cameras = len(given["rows"])
        self.objects, self.ends = np.zeros((cameras * count, 3)), np.zeros((cameras * len(ends), 3))
        self.target = np.zeros(cameras * count, np.int64)
        room = {"place": np.zeros_like(points), "objects": self.objects, "ends": self.ends, "target": self.target}
        room |= {"who": np.zeros(0, np.int64), "offsets": np.zeros((2, 1), np.int64)}
        self._kernel = module.SightKernel(**{"torsos": np.zeros((2, 3)), **given, **room})

    def look(
        self, who: Any = (0,), origins: Any = ORIGIN, rotations: Any = FORWARD, torsos: Any = ((0, 0, 0),)
    ) -> tuple[Any, ...]:
        """First objects, first lines, targets and polar coordinates of some cameras."""
        offsets = np.zeros((2, len(who) + 1), np.int64)
        found = self._kernel.look(np.array(who), origins, rotations, np.array(torsos, float), offsets)
        assert found == (offsets[0, -1], offsets[1, -1])
        numbers = np.random.default_rng(1).standard_normal((offsets[0, -1] + 2 * offsets[1, -1], 3))
        self._kernel.polar(numbers)
        return (*offsets, self.target[: offsets[0, -1]].copy(), numbers)

    def seen(self, **looked: Any) -> list[int]:
        """Targets that the only camera sees."""
        return list(self.look(**looked)[2])


def clipped(first, second):
    """What is left of lines (n, 3) to (n, 3) for a camera at the origin, one by one: begin and end as fractions."""
    left = {}
    for index, (a, b) in enumerate(zip(first, second, strict=True)):
        cameras = Cameras([], [a, b])
        if cameras.look()[1][1]:
            along = (b - a) / (b - a).dot(b - a)
            left[index] = tuple((cameras.ends - a) @ along)
    return left


def is_inside(points):
    """Whether points (n, 3) are inside the pyramid of a camera at the origin, by its definition."""
    x, y, z = points.T
    slope = math.tan(math.radians(60))
    return (x >= FOCAL_LENGTH) & (np.abs(y) <= slope * x) & (np.abs(z) <= slope * x)


def test_what_is_left_of_a_line_is_what_is_inside():
    random = np.random.default_rng(3)
    first, second = random.uniform(-4, 4, (300, 3)), random.uniform(-4, 4, (300, 3))
    along = np.linspace(0, 1, 4001)
    left = clipped(first, second)
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
@pytest.mark.parametrize("module", [COMPILED, UNCOMPILED])
def test_lines_outside_are_not_seen(module, first, second):
    assert Cameras([], [first, second], module).look()[1].tolist() == [0, 0]
    assert Cameras([], [second, first], module).look()[1].tolist() == [0, 0]


@pytest.mark.parametrize("module", [COMPILED, UNCOMPILED])
def test_a_line_that_begins_in_the_camera_has_its_elevation_zero_there(module):
    cameras = Cameras([], [[0, 0, 0], [0, 0, 1]], module, slopes=np.full((1, 2), math.inf))
    assert cameras.look()[3].tolist() == [[0.0, 0.0, 0.0], [1.0, 0.0, math.pi / 2]]


def test_the_sides_are_planes_and_height_is_limited_by_a_cone():
    angles = np.radians([59.9, 60.1])
    high = np.array([np.cos(angles), np.zeros(2), np.sin(angles)]).T
    wide = high[:, [0, 2, 1]]
    # The last one is outside of the plane that clips lines, but lower than the cone.
    assert Cameras([*high, *wide, (0.2, 0.34, 0.5)], []).seen() == [0, 2, 4]


def test_uncompiled_the_same_is_seen_to_the_bit():
    random = np.random.default_rng(2)
    targets, lines = random.uniform(-5, 5, (40, 3)), random.uniform(-5, 5, (60, 3))
    cameras = 4
    rotations = np.linalg.qr(random.standard_normal((cameras, 3, 3)))[0]
    changed = {
        "rows": np.arange(cameras),
        "owner": random.integers(-1, cameras, 40),
        # The last camera looks all around.
        "slopes": np.append(np.tan(np.radians([[60.0, 60.0], [30.0, 45.0], [50.0, 20.0]])), [[math.inf] * 2], axis=0),
        "sine2": random.uniform(0.2, 0.9, cameras),
        "sees_lines": np.array([1, 1, 0, 1], np.uint8),
        "calibration": random.normal(0.0, 0.01, (cameras, 3)),
        "noise": random.uniform(0.0, 0.1, (cameras, 3)),
        "occluder2": np.array([0.0, 0.3, 0.0, 0.1]),
        "torsos": np.zeros((cameras, 3)),
    }
    origins = random.uniform(-2, 2, (cameras, 3))
    # What touches a camera is too near.
    targets[0] = origins[0]
    looked = {"who": (0, 1, 3), "origins": origins, "rotations": rotations, "torsos": origins - 0.1}
    found = [Cameras(targets, lines, module, **changed).look(**looked) for module in (COMPILED, UNCOMPILED)]
    assert found[0][0][-1] > 10 and found[0][1][-1] > 10
    for compiled, slow in zip(*found, strict=True):
        assert compiled.tobytes() == slow.tobytes()

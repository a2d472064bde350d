"""Sensors read the same bits whether their kernels are compiled or not, and what the geometry says."""

import math
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from simspark_ros.kernels.touches import TouchSums
from test.rigs.kernels import both, same_bits


def test_the_motion_of_bases_is_in_their_own_axes():
    random = np.random.default_rng(1)
    rows, places = np.array([2, 0]), random.normal(size=(2, 2))
    position, linear, angular = random.normal(size=(3, 4, 3))
    rotation = np.linalg.qr(random.normal(size=(4, 3, 3)))[0]

    def read(module):
        motion = np.zeros((2, 18))
        module.read_bases(rows, places, position, rotation, linear, angular, motion)
        return motion

    for own, row, place in zip(same_bits("base_motion", read), rows, places, strict=True):
        assert own[:3].tolist() == [*(position[row, :2] - place), position[row, 2]]
        assert own[3:12].tolist() == rotation[row].ravel().tolist()
        # Sums of three products of numbers of size 1.
        assert own[12:15] == pytest.approx(rotation[row].T @ linear[row], abs=1e-14)
        assert own[15:] == pytest.approx(rotation[row].T @ angular[row], abs=1e-14)


@pytest.mark.parametrize("noisy", [False, True])
def test_gyroscopes_and_accelerometers(noisy):
    def read(module):
        random = np.random.default_rng(1)
        count = 4
        kernel = module.InertialKernel(
            rows=np.array([2, 0, 1, 1]),
            starts=np.array([0, 7, 3, 10]),
            noise=np.array([0.0, 0.1, 0.2, 0.3]),
            delayed=np.array([0, 1, 1, 0], np.uint8),
            gravity=np.array([0.0, 0.1, -9.81]),
            velocity=np.zeros((count, 3)),
            readings=np.zeros((count, 3)),
        )
        values = np.zeros((5, 13))
        for cycle, row in enumerate(values):
            vectors, rotations = random.normal(size=(count, 3)), random.normal(size=(count, 3, 3))
            numbers = random.normal(size=(count if noisy else 0, 3))
            if cycle == 4:
                kernel.turn(vectors, rotations, numbers, row)
            else:
                kernel.accelerate(vectors, rotations, 0.02, numbers, row)
        return values

    same_bits("inertial", read)


def test_forces_on_touch_links_are_added_up_and_sensors_read_in_their_own_axes():
    random = np.random.default_rng(1)
    places = np.array([2, 0, 1])
    centres, points, forces = random.normal(size=(3, 4, 3))
    rotations = np.linalg.qr(random.normal(size=(4, 3, 3)))[0]

    def read(module):
        sums = module.TouchSums(np.ones((3, 7)))
        sums.clear()
        sums.add_all(0, points[:2], forces[:2])
        sums.add(0, 2.0, *points[2], *forces[2])
        sums.add(2, 0.5, *points[3], *forces[3])
        touching, numbers = np.empty(3, np.bool_), np.full((2, 3, 3), np.nan)
        sums.read(places, centres, rotations, touching.view(np.uint8), numbers)
        assert touching.tolist() == [True, False, True]
        return numbers

    numbers = same_bits("touches", read)
    weights = np.array([*np.linalg.norm(forces[:2], axis=1), 2.0])
    mean = weights @ points[:3] / weights.sum()
    # Sums of three products of numbers of size 1.
    assert numbers[0, 0] == pytest.approx((mean - centres[2]) @ rotations[2], abs=1e-14)
    assert numbers[1, 0] == pytest.approx(forces[:3].sum(axis=0) @ rotations[2], abs=1e-14)
    assert numbers[:, 1].tolist() == [[0.0] * 3] * 2
    assert numbers[:, 2] == pytest.approx(np.stack((points[3] - centres[1], forces[3])) @ rotations[1], abs=1e-14)
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    for module in both("readout"):
        touching, touches, efforts = np.ones(2, np.uint8), np.ones((2, 2, 3)), np.zeros(2)
        kernel = module.ReadoutKernel(
            **dict.fromkeys(("positions", "velocities", "harmless"), np.zeros(0)),
            **dict.fromkeys(("bases", "base_velocities"), np.zeros(0, np.int64)),
            **dict.fromkeys(("joint_positions", "joint_velocities"), np.zeros(2, np.int64)),
            centres=np.array([[0.0] * 3, [1.0, 1.0, 1.0]]),
            rotations=np.array([np.eye(3).ravel(), turn.ravel()]),
            motors=np.array([1, 0]),
            efforts=np.array([5.0, 7.0]),
            touch_bodies=np.array([1, 0]),
            readings=np.array([[2.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.0, *np.ones(6)]]),
            ball=False,
            base_motion=np.zeros((3, 0, 3)),
            base_turns=np.zeros((0, 3, 3)),
            joints=np.zeros((2, 2)),
            joint_efforts=efforts,
            ball_motion=np.zeros((3, 3)),
            touching=touching,
            touches=touches,
        )
        kernel.read_forces(np.array([1.0, 0.0]))
        assert (touching.tolist(), efforts.tolist()) == ([1, 0], [8.0, 5.0])
        assert touches[:, 0].tolist() == [[4.0, -3.0, 5.0], [2.0, -1.0, 3.0]]
        assert touches[:, 1].tolist() == [[0.0] * 3] * 2


def test_contacts_that_bullet_lists_press_touch_links_or_their_corners_in_the_ground():
    random = np.random.default_rng(1)
    # Two corners of the second touch link, the second of which gets a contact; one corner that nobody feels.
    felt = random.normal(size=(3, 6))

    def contact(bodies, point, gap, force):
        axes = [tuple(axis) for axis in np.linalg.qr(random.normal(size=(3, 3)))[0]]
        return (0, *bodies, tuple(point), (), axes[0], gap, force, 0.3, axes[1], -0.2, axes[2])

    listed = (
        contact((1, 2, 0, 0), random.normal(size=3), -0.1, 2.0),
        contact((1, 9, 0, 0), felt[1, :3] + 0.009, 0.0, 3.0),
        contact((1, 9, 0, 0), felt[2, :3], 0.0, 1.0),
        contact((2, 9, 0, 0), random.normal(size=3), 0.1, 0.0),
        contact((2, 1, 0, 0), random.normal(size=3), -0.1, 0.0),
    )
    bodies = {1: 1, 2: 0}
    learned = []

    def learn(links):
        learned.append(links)
        one, other, *_ = links
        return links if other != 9 else None, bodies.get(one, -1), bodies.get(other, -1)

    def read(module):
        sums, own = np.ones((2, 7)), felt.copy()
        kernel = module.ListedContacts(
            sums=TouchSums(sums),
            meanings={},
            learn=learn,
            shapes=np.array([[0, 0], [1, 3]]),
            firsts=np.array([0, 0, 1, 2, 3]),
            felt=own,
            contact=np.zeros(6),
        )
        assert kernel.add(listed) == [((1, 2, 0, 0), listed[0][5]), ((2, 1, 0, 0), listed[4][5])]
        return np.append(sums, own)

    found = same_bits("bullet.listed_contacts", read)
    sums, own = found[:14].reshape(2, 7), found[14:].reshape(3, 6)
    forces = np.array([one[9] * np.array(one[7]) + 0.3 * np.array(one[11]) - 0.2 * np.array(one[13]) for one in listed])
    np.testing.assert_array_equal(own[[0, 2]], felt[[0, 2]])
    np.testing.assert_allclose(own[1], [*felt[1, :3], *(felt[1, 3:] + forces[1])], rtol=1e-14)
    points = np.array([listed[0][5], listed[2][5], *own[:2, :3]])
    # The first contact pushes the second body the other way.
    pushes = np.array([forces[0], forces[2], *own[:2, 3:]])
    for touch, rows, sign in ((0, [0], -1.0), (1, [0, 1, 2, 3], 1.0)):
        weights = np.linalg.norm(pushes[rows], axis=1)
        expected = [weights.sum(), *(weights @ points[rows]), *(sign * pushes[rows].sum(axis=0))]
        np.testing.assert_allclose(sums[touch], expected, rtol=1e-13)


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
        return list(self.look(**looked)[2])


def is_inside(points):
    """Whether points (n, 3) are inside the pyramid of a camera at the origin, by its definition."""
    x, y, z = points.T
    slope = math.tan(math.radians(60))
    return (x >= FOCAL_LENGTH) & (np.abs(y) <= slope * x) & (np.abs(z) <= slope * x)


def test_what_is_left_of_a_line_is_what_is_inside_sides_are_planes_and_height_a_cone():
    random = np.random.default_rng(3)
    first, second = random.uniform(-4, 4, (300, 3)), random.uniform(-4, 4, (300, 3))
    along = np.linspace(0, 1, 4001)
    seen = 0
    for a, b in zip(first, second, strict=True):
        cameras, inside = Cameras([], [a, b]), along[is_inside(a + along[:, None] * (b - a))]
        is_seen = bool(cameras.look()[1][1])
        # Begin and end of what is left, as fractions.
        left = tuple((cameras.ends - a) @ (b - a) / (b - a).dot(b - a)) if is_seen else (0.0, 0.0)
        # Sampled in steps of 1/4000: shorter pieces may be missed, borders are off by up to a step.
        if len(inside):
            assert left == pytest.approx((inside[0], inside[-1]), abs=1 / 3999)
        else:
            assert left[1] - left[0] < 1 / 3999
        seen += is_seen
    assert 50 < seen < 250
    angles = np.radians([59.9, 60.1])
    high = np.array([np.cos(angles), np.zeros(2), np.sin(angles)]).T
    wide = high[:, [0, 2, 1]]
    # The last one is outside of the plane that clips lines, but lower than the cone.
    assert Cameras([*high, *wide, (0.2, 0.34, 0.5)], []).seen() == [0, 2, 4]


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

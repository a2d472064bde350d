"""Rotations, kinematics, mirrors and simpler meshes."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspark_ros.physics.geometry.kinematics import link_frames, standing_height
from simspark_ros.physics.geometry.mirrors import Mirror
from simspark_ros.physics.geometry.rotations import cross, rotations_from_quaternions, turned
from simspark_ros.physics.geometry.simplification import simplified
from simspark_ros.physics.geometry.solving import principal, pseudo_inverse, solved
from simspark_ros.physics.geometry.transforms import (
    Transform,
    product,
    rotation_about,
    rotation_from_rpy,
    rpy_from_rotation,
)
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, Shape, ShapeKind, Vector
from test.rigs.robots.link_centres import link_centres

UNIT = (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
EXACT = 1e-12
"""Rounding of a few products of numbers of size 1."""

TILT = (0.0, math.radians(30), 0.0)

angle = st.floats(-math.pi, math.pi)


@settings(derandomize=True)
@given(angle, angle, angle)
def test_angles_survive_a_rotation_and_back(roll: float, pitch: float, yaw: float) -> None:
    rotation = rotation_from_rpy((roll, pitch, yaw))
    # Next to gimbal lock the arc sine halves the number of good digits.
    np.testing.assert_allclose(rotation_from_rpy(rpy_from_rotation(rotation)), rotation, atol=3e-6)


def test_products_and_solutions_are_those_of_numpy() -> None:
    numbers = np.random.default_rng(2)
    vector, matrix, stack, narrow = (numbers.normal(size=shape) for shape in ((3,), (4, 3), (5, 4, 3), (5, 3, 2)))
    for a, b in itertools.product((vector, matrix, stack), (vector, narrow[0], narrow)):
        np.testing.assert_allclose(product(a, b), a @ b, atol=EXACT)
        np.testing.assert_allclose(product(a.tolist(), b.tolist()), a @ b, atol=EXACT)
    for _ in range(20):
        square = numbers.normal(size=(3, 3))
        square = square @ square.T
        moments, axes = principal(square)
        np.testing.assert_allclose(moments, np.linalg.eigvalsh(square), atol=EXACT)
        np.testing.assert_allclose((axes * moments) @ axes.T, square, atol=EXACT)
        assert np.linalg.det(axes) == pytest.approx(1.0)
        vectors = numbers.normal(size=(3, 2))
        np.testing.assert_allclose(square @ solved(square, vectors), vectors, atol=1e-6)
        np.testing.assert_allclose(square @ solved(square, vectors[:, 0]), vectors[:, 0], atol=1e-6)
    # Along its axes already.
    moments, axes = principal(np.diag([2.0, 1.0, 3.0]))
    assert moments.tolist() == [1.0, 2.0, 3.0] and axes.tolist() == [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    assert not principal(np.zeros((3, 3)))[0].any()
    for count in (1, 2, 3, 8):
        matrix = numbers.normal(size=(count, 3))
        np.testing.assert_allclose(pseudo_inverse(matrix), np.linalg.pinv(matrix), atol=1e-9)
        # Two rows of wheels cannot go sideways.
        matrix[:, 1] = 0.0
        np.testing.assert_allclose(pseudo_inverse(matrix), np.linalg.pinv(matrix), atol=1e-9)


def test_rotations_transforms_and_cross_products_are_those_of_geometry() -> None:
    for pitch in (math.pi / 2, -math.pi / 2):
        rotation = rotation_from_rpy((0.3, pitch, -0.9))
        np.testing.assert_allclose(rotation_from_rpy(rpy_from_rotation(rotation)), rotation, atol=EXACT)
    expected = rotation_about((0, 0, 1), 0.3) @ rotation_about((0, 1, 0), -0.4) @ rotation_about((1, 0, 0), 1.2)
    np.testing.assert_allclose(rotation_from_rpy((1.2, -0.4, 0.3)), expected, atol=EXACT)
    pose = Transform.of((1.0, -2.0, 0.5), (0.3, 0.2, -1.0))
    both = pose.inverse() @ pose
    np.testing.assert_allclose(both.rotation, np.eye(3), atol=EXACT)
    np.testing.assert_allclose(both.position, np.zeros(3), atol=EXACT)
    length = math.hypot(*TILTED)
    start = tuple(number / length for number in TILTED)
    spin = np.array([0.3, -2.0, 1.1])
    rate = float(np.linalg.norm(spin))
    after = turned(start, spin, 0.7)  # type: ignore[arg-type]
    before, now = rotations_from_quaternions(np.array([start, after]))
    axis = tuple((spin / rate).tolist())
    assert now == pytest.approx(rotation_about(axis, 0.7 * rate) @ before, abs=1e-12)
    assert turned(TILTED, np.zeros(3), 0.02) == TILTED
    a, b = np.random.default_rng(1).standard_normal((2, 50, 3))
    assert (cross(a, b) == np.cross(a, b)).all()


def test_sliding_and_turning_joints_carry_what_hangs_on_them() -> None:
    model = ArticulatedModel(
        "lift",
        links=(Link("base", 1, UNIT), Link("sled", 1, UNIT), Link("arm", 1, UNIT, centre=(0.0, 0.5, 0.0))),
        joints=(
            Joint("slide", JointKind.PRISMATIC, "base", "sled", (0, 0, 1), axis=(0, 0, 1)),
            Joint("turn", JointKind.REVOLUTE, "sled", "arm", (1, 0, 0), rpy=(0, 0, math.pi / 2), axis=(0, 0, 1)),
        ),
    )
    centres = link_centres(model, {"slide": 0.25, "turn": math.pi / 2})
    np.testing.assert_allclose(centres["sled"], (0, 0, 1.25), atol=EXACT)
    # Two quarter turns: the arm, along y of its own frame, points to -y.
    np.testing.assert_allclose(centres["arm"], (1, -0.5, 1.25), atol=EXACT)
    np.testing.assert_allclose(link_frames(model)["arm"].rotation[:, 0], (0, 1, 0), atol=EXACT)


@pytest.mark.parametrize(
    ("shape", "depth"),
    [
        (Shape(ShapeKind.BOX, (0.2, 0.2, 0.4)), 0.2),
        (Shape(ShapeKind.BOX, (0.2, 0.2, 0.4), rpy=TILT), 0.1 * 0.5 + 0.2 * math.sqrt(0.75)),
        (Shape(ShapeKind.SPHERE, (0.3,), rpy=TILT), 0.3),
        (Shape(ShapeKind.CYLINDER, (0.1, 0.4), rpy=TILT), 0.1 * 0.5 + 0.2 * math.sqrt(0.75)),
        (Shape(ShapeKind.CAPSULE, (0.1, 0.4), rpy=TILT), 0.1 + 0.2 * math.sqrt(0.75)),
        (Shape(ShapeKind.SPHERE, (0.3,), position=(0.0, 0.0, -1.0)), 1.3),
    ],
)
def test_standing_height_reaches_to_the_lowest_point(shape: Shape, depth: float) -> None:
    centre: Vector = (0.0, 0.0, 0.05)
    model = ArticulatedModel("solid", (Link("base", 1, UNIT, centre, (shape,)),), ())
    assert standing_height(model) == pytest.approx(depth + 0.05, abs=1e-12)
    assert standing_height(ArticulatedModel("ghost", (Link("base", 1, UNIT),), ())) == 0.0


TILTED = (0.5, -0.5, 0.1, 0.7)


HYPERBOLIC = Mirror("hyperbolic", 1.5, math.radians(110.0))
ISOMETRIC = Mirror("isometric", 1.5, math.radians(80.0))


@pytest.mark.parametrize("eccentricity", [1.1, 1.5, 3.0])
def test_a_hyperboloid_shows_what_its_surface_reflects(eccentricity):
    mirror = Mirror("hyperbolic", eccentricity, math.radians(95.0))
    a, c = 1.0, eccentricity
    b = math.sqrt(c * c - a * a)
    # In a plane through the axis, around the hyperbola's centre: the pinhole at (0, -c), the mirror about (0, c).
    for radius in np.linspace(0.05, 1.0, 12):
        slope = math.tan(math.atan(radius / mirror.scale * (eccentricity**2 - 1.0) / (eccentricity**2 + 1.0)))
        direction = np.array([slope, 1.0]) / math.hypot(slope, 1.0)
        # The pinhole's ray meets y^2 / a^2 - x^2 / b^2 = 1 above.
        dx, dy = direction
        roots = np.roots([dy * dy / a**2 - dx * dx / b**2, -2.0 * c * dy / a**2, c * c / a**2 - 1.0])
        point = max((np.array([0.0, -c]) + t * direction for t in roots.real if t > 0), key=lambda p: p[1])
        normal = np.array([-point[0] / b**2, point[1] / a**2])
        normal /= np.linalg.norm(normal)
        away = direction - 2.0 * (direction @ normal) * normal
        angle = math.atan2(away[0], -away[1])
        assert mirror.angles(np.array([radius]))[0] == pytest.approx(angle, abs=1e-9)


def test_an_isometric_mirror_shows_the_ground_as_a_map_and_no_mirror_shows_every_angle():
    height, distances = 0.6, np.array([0.5, 1.0, 2.0, 3.0])
    radii = ISOMETRIC.radii(np.arctan2(distances, height))
    assert radii / distances == pytest.approx([radii[0] / distances[0]] * 4, rel=1e-12)
    with pytest.raises(ValueError, match=r"less than 131\.8 degrees, not 140\.0"):
        Mirror("hyperbolic", 1.5, math.radians(140.0))
    with pytest.raises(ValueError, match=r"less than 90\.0 degrees"):
        Mirror("isometric", 1.5, math.radians(90.0))
    with pytest.raises(ValueError, match="above 1"):
        Mirror("hyperbolic", 0.9, 1.0)


@pytest.mark.parametrize("mirror", [HYPERBOLIC, ISOMETRIC])
def test_radii_and_angles_are_inverse_and_end_at_the_edge(mirror):
    angles = np.linspace(0.0, mirror.widest, 50)
    radii = mirror.radii(angles)
    assert mirror.angles(radii) == pytest.approx(angles, abs=1e-12)
    assert (np.diff(radii) > 0.0).all()
    assert radii[-1] == pytest.approx(1.0)


def sheet(count: int) -> tuple[np.ndarray, np.ndarray]:
    """A wavy sheet of count x count cells over a square of 1 m."""
    x, y = (axis.reshape(-1) for axis in np.meshgrid(*[np.linspace(0.0, 1.0, count + 1)] * 2))
    corner = (np.arange(count)[:, None] * (count + 1) + np.arange(count)).reshape(-1)
    one = np.column_stack((corner, corner + 1, corner + count + 2))
    two = np.column_stack((corner, corner + count + 2, corner + count + 1))
    return np.column_stack((x, y, 0.1 * np.sin(6.0 * x))), np.concatenate((one, two))


def test_fewer_triangles_lie_on_the_same_surface_and_a_mesh_within_the_budget_stays() -> None:
    points, triangles = simplified(*sheet(100), 1000)
    assert 800 < len(triangles) <= 1000
    assert triangles.max() + 1 == len(points)
    # Means of cells of 4 cm lie below the crests of waves with a curvature of 3.6 / m by a part of a millimetre.
    assert points[:, 2] == pytest.approx(0.1 * np.sin(6.0 * points[:, 0]), abs=1.5e-3)
    one, other = ([part.tobytes() for part in simplified(*sheet(50), 500)] for _ in range(2))
    assert one == other
    mesh = sheet(4)
    assert all(one is other for one, other in zip(simplified(*mesh, 32), mesh, strict=True))
    assert len(simplified(*mesh, 1)[1]) >= 1
    # Triangles between the same points are kept once.
    places, faces = sheet(50)
    _, kept = simplified(places, np.concatenate((faces, faces)), 500)
    assert len(np.unique(np.sort(kept, axis=1), axis=0)) == len(kept) > 400
    # Needles have no area.
    row = np.outer(np.arange(40.0), [1.0, 0.0, 0.0])
    assert 0 < len(simplified(row, np.arange(38)[:, None] + np.arange(3), 12)[1]) <= 12

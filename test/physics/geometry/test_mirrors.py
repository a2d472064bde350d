"""Mirrors against the optics they stand for: a ray from the pinhole, reflected by the surface."""

import math

import numpy as np
import pytest

from simspark_ros.physics.geometry.mirrors import Mirror

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


def test_an_isometric_mirror_shows_the_ground_as_a_map():
    height, distances = 0.6, np.array([0.5, 1.0, 2.0, 3.0])
    radii = ISOMETRIC.radii(np.arctan2(distances, height))
    assert radii / distances == pytest.approx([radii[0] / distances[0]] * 4, rel=1e-12)


@pytest.mark.parametrize("mirror", [HYPERBOLIC, ISOMETRIC])
def test_radii_and_angles_are_inverse_and_end_at_the_edge(mirror):
    angles = np.linspace(0.0, mirror.widest, 50)
    radii = mirror.radii(angles)
    assert mirror.angles(radii) == pytest.approx(angles, abs=1e-12)
    assert (np.diff(radii) > 0.0).all()
    assert radii[-1] == pytest.approx(1.0)


def test_angles_that_a_mirror_cannot_show_are_refused():
    with pytest.raises(ValueError, match=r"less than 131\.8 degrees, not 140\.0"):
        Mirror("hyperbolic", 1.5, math.radians(140.0))
    with pytest.raises(ValueError, match=r"less than 90\.0 degrees"):
        Mirror("isometric", 1.5, math.radians(90.0))
    with pytest.raises(ValueError, match="above 1"):
        Mirror("hyperbolic", 0.9, 1.0)

"""Bodies of foreign formats: masses of solids, ellipsoids, chains, names."""

import math

import numpy as np
import pytest

from simspark_ros.configuration.names import unique
from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.robots.formats.parts.bodies import Body, Solid, add_mass, ellipsoid


@pytest.mark.parametrize(
    ("kind", "size", "geom"),
    [
        ("box", (1.0, 2.0, 3.0), "type='box' size='0.5 1 1.5'"),
        ("sphere", (0.5,), "type='sphere' size='0.5'"),
        ("cylinder", (0.5, 2.0), "type='cylinder' size='0.5 1'"),
        ("capsule", (0.5, 2.0), "type='capsule' size='0.5 1'"),
    ],
)
def test_solids_weigh_what_mujoco_says(kind: str, size: tuple[float, ...], geom: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    text = f"<mujoco><worldbody><body><freejoint/><geom {geom} density='300'/></body></worldbody></mujoco>"
    expected = mujoco.MjModel.from_xml_string(text)
    body = Body("b")
    assert add_mass(body, Solid(kind, size), 300.0)
    assert body.mass == pytest.approx(expected.body_mass[1])
    assert sorted(np.diag(body.inertia)) == pytest.approx(sorted(expected.body_inertia[1]))


def test_two_solids_weigh_together_round_ellipsoids_are_balls_and_taken_names_get_a_number() -> None:
    body = Body("b")
    for x in (-1.0, 1.0):
        add_mass(body, Solid("box", (1.0, 1.0, 1.0), Transform(position=np.array([x, 0.0, 2.0]))), 6.0)
    assert (body.mass, *body.centre) == pytest.approx((12.0, 0.0, 0.0, 2.0))
    assert np.diag(body.inertia) == pytest.approx([2.0, 14.0, 14.0])
    assert not add_mass(Body("b"), Solid("mesh", (1.0, 1.0, 1.0)), 1.0)
    solid = ellipsoid((1.0, 1.02, 1.01), Transform())
    assert solid.kind == "sphere"
    assert solid.size[0] == pytest.approx(math.prod((1.0, 1.02, 1.01)) ** (1.0 / 3.0))
    taken = {"a"}
    assert [unique("a", taken), unique("a", taken), unique("b", taken)] == ["a_2", "a_3", "b"]


@pytest.mark.parametrize(("radii", "axis"), [((3.0, 1.0, 1.0), 0), ((1.0, 3.0, 1.0), 1), ((1.0, 1.0, 3.0), 2)])
def test_a_long_ellipsoid_is_a_capsule_along_its_longest_axis(radii: tuple[float, float, float], axis: int) -> None:
    solid = ellipsoid(radii, Transform())
    assert (solid.kind, solid.size) == ("capsule", (1.0, 4.0))
    assert abs(solid.pose.rotation[axis, 2]) == pytest.approx(1.0)

"""Friction, restitution and shapes of obstacles, by mechanics, on each engine."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from simspark_ros.physics.engine import EngineState
from simspark_ros.physics.geometry.hulls import hull_shape
from simspark_ros.physics.model import (
    ArticulatedModel,
    HeightField,
    Link,
    Obstacle,
    SceneModel,
    Shape,
    ShapeKind,
    SurfaceMaterial,
    Vector,
)
from simspark_ros.robots.catalogue import load_robot
from test.rigs.engines import spatial_engine_names

pytestmark = pytest.mark.parametrize("engine_name", spatial_engine_names())

CUBE = Shape(ShapeKind.BOX, (0.2, 0.2, 0.1))
CORNERS = np.array([(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.05, 0.05)])
SPHERE = Shape(ShapeKind.SPHERE, (0.1,))
HULL = hull_shape(CORNERS)
BOWL = HeightField(((0.6, 0.6, 0.6, 0.6), (0.6, 0.1, 0.1, 0.6), (0.6, 0.1, 0.1, 0.6), (0.6, 0.6, 0.6, 0.6)), (3.0, 1.5))


def thing(shape: Shape, material: SurfaceMaterial | None = None, mass: float = 1.0) -> ArticulatedModel:
    inertia = (0.01 * mass, 0.0, 0.0, 0.01 * mass, 0.0, 0.01 * mass)
    return ArticulatedModel("thing", (Link("thing", mass, inertia, collisions=(shape,), material=material),), ())


def after_each_cycle(lab, cycles: int, read: Callable[[EngineState], Any]) -> list[float]:
    seen = []
    for _ in range(cycles):
        lab.run(1)
        seen.append(float(read(lab.state)))
    return seen


def on_a_slope(make_lab, angle: float, friction: float) -> tuple[float, float]:
    """Speed of a box on a slope, m/s, after one second and after two."""
    plank = Obstacle("plank", Shape(ShapeKind.BOX, (20.0, 4.0, 1.0), (0.0, 0.0, 6.0), (0.0, angle, 0.0)))
    lab = make_lab(SceneModel(obstacles=(plank,)))
    up = np.array([math.sin(angle), 0.0, math.cos(angle)])
    place: Vector = tuple((np.array([0.0, 0.0, 6.0]) + 0.55 * up).tolist())
    handle = lab.engine.add_robot(thing(CUBE, SurfaceMaterial(friction)), place)
    lab.engine.place_robot(handle, place, (0.0, math.sin(angle / 2.0), 0.0, math.cos(angle / 2.0)))
    speeds = after_each_cycle(lab, 100, lambda state: np.linalg.norm(state.linear_velocity[0]))
    return speeds[49], speeds[99]


@pytest.mark.parametrize("friction", [0.2, 0.5])
def test_a_box_slides_on_a_slope_that_is_steeper_than_its_friction_and_no_other(make_lab, friction: float) -> None:
    limit = math.atan(friction)
    # 0.03 rad are 6 to 15 % of the coefficient; Bullet's soft contacts creep by 2 mm/s.
    assert on_a_slope(make_lab, limit - 0.03, friction)[1] < 0.005
    angle = limit + 0.03
    first, second = on_a_slope(make_lab, angle, friction)
    # The rest of two large forces: 0.05 m/s2 are 1 % of the friction.
    assert second - first == pytest.approx(9.81 * (math.sin(angle) - friction * math.cos(angle)), abs=0.05)


@pytest.mark.parametrize("shape", [CUBE, HULL], ids=["box", "hull"])
def test_friction_of_a_contact_is_the_product_of_both_surfaces(make_lab, engine_name: str, shape: Shape) -> None:
    lab = make_lab(SceneModel(ground=SurfaceMaterial(0.5)))
    handle = lab.engine.add_robot(thing(shape, SurfaceMaterial(0.4)), (0.0, 0.0, 0.05))
    lab.run(20)
    # Bullet lays a millimetre around hulls: feet of meshes were lifted by that, and rubbed now more, now less.
    if is_own := engine_name == "bullet" and shape is HULL:
        # Soft contacts give way by a tenth of a millimetre.
        assert lab.state.position[0, 2] == pytest.approx(0.05, abs=2e-4)
    lab.engine.set_velocity(handle, (2.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    lab.run(25)
    # Slows down by 0.2 g for half a second; 2 % for contacts that begin soft, 0.4 % for a weight that moves forward.
    rest = 2.0 - 0.2 * 9.81 * 0.5
    assert lab.state.linear_velocity[0, 0] == pytest.approx(rest, rel=0.004 if is_own else 0.02)


def test_convex_hulls_rest_on_height_fields_and_tilted_obstacles(make_lab) -> None:
    slope = Obstacle("slope", Shape(ShapeKind.BOX, (4.0, 1.0, 1.0), (0.0, 5.0, 0.0), (0.0, 0.1, 0.0)))
    # MuJoCo lets a triangle carry a body at one point: cells are smaller than the hull.
    flat = HeightField(((0.5,) * 21,) * 21, (2.0, 2.0))
    lab = make_lab(SceneModel(obstacles=(Obstacle("flat", flat), slope)))
    lab.engine.add_robot(thing(HULL, SurfaceMaterial()), (0.3, 0.2, 0.57))
    lab.engine.add_robot(thing(HULL, SurfaceMaterial()), (0.0, 5.0, 0.57))
    lab.run(75)
    assert lab.state.position[0] == pytest.approx([0.3, 0.2, 0.55], abs=0.01)
    # It drops a little, then holds: friction 1 is ten times the slope.
    assert lab.state.position[1] == pytest.approx([0.0, 5.0, 0.55], abs=0.02)


def test_a_robot_without_a_material_slides_on_ice(make_lab) -> None:
    speeds = []
    for ground in (None, SurfaceMaterial(0.02)):
        lab = make_lab(SceneModel(ground=ground))
        handle = lab.engine.add_robot(load_robot("nao").model, (0.0, 0.0, 0.39))
        lab.run(25)
        lab.engine.set_velocity(handle, (0.4, 0.0, 0.0), (0.0, 0.0, 0.0))
        lab.run(5)
        speeds.append(float(np.linalg.norm(lab.state.linear_velocity[0, :2])))
    held, slid = speeds
    # 0.02 g for 0.1 s is 0.02 m/s; the ground of the league turns the push into a fall about the feet.
    assert slid == pytest.approx(0.38, abs=0.03)
    assert held < 0.3


def test_a_sphere_without_restitution_stays_down(make_lab) -> None:
    lab = make_lab(SceneModel(ground=SurfaceMaterial(1.0, 1.0)))
    lab.engine.add_robot(thing(SPHERE, SurfaceMaterial(0.5, 0.0)), (0.0, 0.0, 0.5))
    lab.run(20)
    # What is deep in the ground after an impact is pushed out: 1 cm.
    assert max(after_each_cycle(lab, 30, lambda state: state.position[0, 2])) < 0.11


@pytest.mark.parametrize(("restitution", "after"), [(1.0, (-0.5, 1.0)), (0.0, (0.5, 0.5))])
def test_two_boxes_collide_as_momentum_and_restitution_say(make_lab, restitution, after) -> None:
    lab = make_lab(SceneModel(gravity=(0.0, 0.0, 0.0)))
    material = SurfaceMaterial(0.0, restitution)
    light = lab.engine.add_robot(thing(CUBE, material, 1.0), (0.0, 0.0, 1.0))
    lab.engine.add_robot(thing(CUBE, material, 2.0), (0.5, 0.0, 1.0))
    lab.engine.set_velocity(light, (1.5, 0.0, 0.0), (0.0, 0.0, 0.0))
    lab.run(40)
    velocities = lab.state.linear_velocity[:, 0]
    assert velocities @ [1.0, 2.0] == pytest.approx(1.5, abs=1e-3)
    # Overlap of the plastic impact is taken back by the engines, at some centimetres a second.
    assert velocities == pytest.approx(after, abs=0.01 if restitution else 0.15)


def test_a_height_field_lies_as_its_rows_and_columns_say(make_lab) -> None:
    # Four plateaus: south-west, south-east, north-west and north-east.
    rows = ((0.1, 0.1, 0.2, 0.2), (0.1, 0.1, 0.2, 0.2), (0.3, 0.3, 0.4, 0.4), (0.3, 0.3, 0.4, 0.4))
    field = HeightField(rows, (3.0, 6.0), (1.0, 2.0, 0.2))
    lab = make_lab(SceneModel(obstacles=(Obstacle("plateaus", field),)))
    for (x, y), height in zip(((0.0, 0.0), (2.0, 0.0), (0.0, 4.0), (2.0, 4.0)), (0.3, 0.4, 0.5, 0.6), strict=True):
        lab.engine.add_robot(thing(SPHERE, SurfaceMaterial()), (x, y, height + 0.12))
    lab.run(50)
    # Contacts are 1 mm deep on ODE and MuJoCo.
    assert lab.state.position[:, 2] == pytest.approx([0.4, 0.5, 0.6, 0.7], abs=0.003)


def test_tilted_and_round_obstacles_stop_what_falls_on_them(make_lab) -> None:
    obstacles = (
        Obstacle("sphere", Shape(ShapeKind.SPHERE, (0.3,), (0.0, 0.0, 0.5))),
        Obstacle("lying", Shape(ShapeKind.CYLINDER, (0.2, 1.0), (2.0, 0.0, 0.5), (math.pi / 2.0, 0.0, 0.0))),
        Obstacle("capsule", Shape(ShapeKind.CAPSULE, (0.1, 0.4), (4.0, 0.0, 0.5))),
        Obstacle("hull", hull_shape(4.0 * CORNERS, (6.0, 0.0, 0.5), (0.0, 0.0, 0.5))),
    )
    lab = make_lab(SceneModel(obstacles=obstacles))
    for x, top in ((0.0, 0.8), (2.0, 0.7), (4.0, 0.8), (6.0, 0.7)):
        lab.engine.add_robot(thing(CUBE, SurfaceMaterial()), (x, 0.0, top + 0.06))
    lab.run(10)
    # A step's contact is some millimetres deep or distant.
    assert lab.state.position[:, 2] == pytest.approx([0.85, 0.75, 0.85, 0.75], abs=0.015)


def test_the_same_steps_give_the_same_rebounds(make_lab) -> None:
    def heights() -> list[float]:
        lab = make_lab(SceneModel(obstacles=(Obstacle("bowl", BOWL, SurfaceMaterial(0.5, 0.9)),)))
        lab.engine.add_robot(thing(SPHERE, SurfaceMaterial(0.5, 0.9)), (0.9, 0.3, 1.0))
        return after_each_cycle(lab, 60, lambda state: state.position[0, 2])

    assert heights() == heights()


SOLIDS = {
    "sphere": SPHERE,
    "cylinder": Shape(ShapeKind.CYLINDER, (0.1, 0.2)),
    "capsule on its side": Shape(ShapeKind.CAPSULE, (0.1, 0.2), rpy=(0.0, math.pi / 2.0, 0.0)),
    "box": Shape(ShapeKind.BOX, (0.2, 0.2, 0.2)),
    "hull": hull_shape(CORNERS * [1.0, 1.0, 2.0]),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_a_solid_that_lands_rebounds_with_its_restitution(make_lab, name: str) -> None:
    lab = make_lab(SceneModel(ground=SurfaceMaterial(1.0, 1.0)))
    lab.engine.add_robot(thing(SOLIDS[name], SurfaceMaterial(0.5, 0.81)), (0.0, 0.0, 0.6))
    speeds = after_each_cycle(lab, 40, lambda state: state.linear_velocity[0, 2])
    # A step of gravity, 0.2 of 3.1 m/s, may be missing before the impact and after it.
    assert max(speeds) / -min(speeds) == pytest.approx(0.81, abs=0.06)
    # It hardly turns: 1.5 rad/s are 6 % of the impact's speed at its rim, as much as is allowed for the rebound.
    assert lab.state.angular_velocity[0] == pytest.approx([0.0, 0.0, 0.0], abs=1.5)

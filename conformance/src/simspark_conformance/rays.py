"""Promises about rays: they hit the right solid at the right place, and disturb nothing."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from simspark_conformance.harness import CheckedWorld, Harness, expect, expect_close, expect_refusal, expect_undisturbed
from simspark_conformance.models import BALL, STANDING, stone, walker
from simspark_ros.physics.engine import Array, RayHits, RayTarget
from simspark_ros.physics.geometry.hulls import hull_shape
from simspark_ros.physics.model import ArticulatedModel, Link, Shape, ShapeKind

_EXACT = 1e-6
"""Tolerance for the rounding of poses kept as quaternions."""


def _one(world: CheckedWorld, origin: Array | tuple[float, ...], direction: Array | tuple[float, ...]) -> RayHits:
    return world.engine.cast_rays(np.array([origin]), np.array([direction]), 50.0)


def rays_hit_the_first_solid(harness: Harness) -> None:
    """Rays report ground, box, ball, robot or nothing, with the distance and the outward normal of the first hit."""
    world = harness.world()
    robot = world.add(stone(), (0.0, 2.0, 1.0))
    world.engine.place_ball((0.0, -2.0, 1.0))
    down = (3.0, 0.0, -4.0)
    cases: dict[str, tuple[tuple[float, ...], tuple[float, ...], float, RayTarget, int, tuple[float, ...]]] = {
        "the ground": ((0.0, 0.0, 2.0), down, 2.5, RayTarget.GROUND, -1, (0.0, 0.0, 1.0)),
        "a wall": ((0.0, 0.0, 0.5), (0.2, 0.0, 0.0), 5.5, RayTarget.OBSTACLE, -1, (-1.0, 0.0, 0.0)),
        "the ball": ((0.0, 0.0, 1.0), (0.0, -3.0, 0.0), 2.0 - BALL.radius, RayTarget.BALL, -1, (0.0, 1.0, 0.0)),
        "a robot": ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), 1.9, RayTarget.ROBOT, robot, (0.0, -1.0, 0.0)),
        "the sky": ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0), math.inf, RayTarget.NOTHING, -1, (0.0, 0.0, 0.0)),
    }
    origins, directions = (np.array([case[part] for case in cases.values()]) for part in (0, 1))
    hits = world.engine.cast_rays(origins, directions, 20.0)
    for row, (what, (_, _, distance, target, handle, normal)) in enumerate(cases.items()):
        expect(hits.target[row] == target, f"a ray towards {what} hits {RayTarget(int(hits.target[row])).name}")
        expect(hits.handle[row] == handle, f"a ray towards {what} names the robot {hits.handle[row]}")
        reached = min(float(hits.distance[row]), 1e9), min(distance, 1e9)
        expect_close(*reached, _EXACT, f"distance of {what}")
        expect_close(hits.normal[row], normal, _EXACT, f"normal of {what}")
    near = world.engine.cast_rays(origins, directions, 1.0)
    expect(not near.target.any(), "rays of 1 m hit something farther away")
    expect(np.isinf(near.distance).all(), "rays that hit nothing have a finite distance")


def rays_follow_the_links(harness: Harness) -> None:
    """Rays hit the collision shapes of links at the poses of `link_poses`, right after a step and after placing."""
    world = harness.world()
    handle = world.add(walker(), (0.0, 0.0, 3.0))
    model = world.state.models[0]
    names = [link.name for link in model.links]
    control = world.hold()
    control.velocity[:] = [2.0, 1.0, 0.1, -2.0, -0.1]
    for when in ("after a fall", "after placing"):
        if when == "after a fall":
            world.run(15, control)
        else:
            world.engine.place_robot(handle, (2.0, -1.0, 1.5), (0.5, 0.1, -0.3, 0.8))
        for name in model.touch_links:
            # A foot is 4 cm high, and nothing is below it.
            (centre,), (turn,) = world.poses(handle, name)
            down = -turn[:, 2]
            hits = _one(world, centre + 0.3 * down, -down)
            expect(hits.link[0] == names.index(name), f"a ray misses the link '{name}' {when}")
            expect_close(hits.distance[0], 0.28, _EXACT, f"distance of the link '{name}' {when}")
            expect_close(hits.normal[0], down, 1e-5, f"normal of the link '{name}' {when}")


def rays_meet_every_shape(harness: Harness) -> None:
    """Rays hit boxes, spheres, cylinders, capsules and hulls, also turned in their link, at the right place."""
    world = harness.world()
    lying = (math.pi / 2.0, 0.0, 0.0)
    shapes = (
        # Each shape with half its extent along x, y and z of the world.
        (Shape(ShapeKind.BOX, (0.2, 0.4, 0.6)), (0.1, 0.2, 0.3)),
        (Shape(ShapeKind.SPHERE, (0.3,)), (0.3, 0.3, 0.3)),
        (Shape(ShapeKind.CYLINDER, (0.2, 0.8), rpy=lying), (0.2, 0.4, 0.2)),
        (Shape(ShapeKind.CAPSULE, (0.1, 0.8), rpy=lying), (0.1, 0.5, 0.1)),
        (hull_shape(np.array([*product((-0.1, 0.1), repeat=3)]) * (1.0, 2.0, 3.0)), (0.1, 0.2, 0.3)),
    )
    inertia = (0.02, 0.0, 0.0, 0.02, 0.0, 0.02)
    for number, (shape, reach) in enumerate(shapes):
        model = ArticulatedModel(shape.kind.value, (Link("body", 1.0, inertia, collisions=(shape,)),), ())
        place = np.array([0.0, 3.0 * number - 5.0, 2.0])
        world.add(model, (0.0, 3.0 * number - 5.0, 2.0))
        for axis in range(3):
            for side in (-1.0, 1.0):
                out = side * np.eye(3)[axis]
                hits = _one(world, place + 1.2 * out, -out)
                expect(hits.target[0] == RayTarget.ROBOT, f"a ray misses a {shape.kind.value}")
                expect_close(hits.distance[0], 1.2 - reach[axis], _EXACT, f"distance of a {shape.kind.value}")
                expect_close(hits.normal[0], out, _EXACT, f"normal of a {shape.kind.value}")
        corner = place + np.array([reach[0] + 0.01, 1.2, reach[2] + 0.01])
        past = world.engine.cast_rays(corner[None], np.array([[0.0, -1.0, 0.0]]), 2.4)
        expect(past.target[0] == RayTarget.NOTHING, f"a ray past a {shape.kind.value} hits something")


def rays_leave_solids(harness: Harness) -> None:
    """A ray that starts inside a solid leaves it without a hit, and passes through the robot to ignore."""
    world = harness.world()
    own = world.add(stone(), (0.0, 0.0, 1.0))
    other = world.add(stone(), (2.0, 0.0, 1.0))
    inside = _one(world, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
    expect(inside.handle[0] == other, f"a ray from inside a robot hits the robot {inside.handle[0]}")
    expect_close(inside.distance[0], 1.85, _EXACT, "distance from inside a robot to another")
    origin, ahead = np.array([[-1.0, 0.0, 1.0]]), np.array([[1.0, 0.0, 0.0]])
    expect(world.engine.cast_rays(origin, ahead, 9.0).handle[0] == own, "a ray does not hit the first robot")
    hits = world.engine.cast_rays(origin, ahead, 9.0, ignore=own)
    expect(hits.handle[0] == other, "a ray does not pass through the robot to ignore")
    expect_close(hits.distance[0], 2.85, _EXACT, "distance of the robot behind the one to ignore")
    three, limit = np.array([-1, own, own]), np.array([9.0, 9.0, 2.0])
    each = world.engine.cast_rays(origin.repeat(3, 0), ahead.repeat(3, 0), limit, three)
    expect(
        each.handle.tolist() == [own, other, -1],
        "rays that each ignore a robot and have their own distance hit wrong things",
    )
    with expect_refusal("cast_rays ignoring a robot that does not exist", KeyError):
        world.engine.cast_rays(origin, ahead, 9.0, ignore=99)


def _fan(count: int) -> tuple[Array, Array]:
    """Return origins and directions of rays from one point all around, upward and downward."""
    angles = np.linspace(-math.pi, math.pi, count)
    directions = np.stack((np.cos(angles), np.sin(angles), 0.3 * np.sin(7.0 * angles)), 1)
    return np.tile([0.0, 0.0, 0.4], (count, 1)), directions


def rays_are_independent(harness: Harness) -> None:
    """Each ray of many hits the same as alone and in any order; no rays give empty arrays."""
    world = harness.world()
    for number in range(4):
        world.add(walker(), (1.5 * math.cos(number), 1.5 * math.sin(number), STANDING), yaw=0.5 * number)
    world.run(5)
    origins, directions = _fan(180)
    hits = world.engine.cast_rays(origins, directions, 30.0)
    found = set(hits.target.tolist())
    expect({1, 2, 4} <= found, f"180 rays hit only {sorted(found)}")
    order = np.random.default_rng(1).permutation(180)
    shuffled = world.engine.cast_rays(origins[order], directions[order], 30.0)
    finite = np.isfinite(hits.distance)
    for name in ("target", "handle", "link", "normal"):
        wanted = getattr(hits, name)[order]
        expect_close(getattr(shuffled, name), wanted, _EXACT, f"{name} of rays in another order")
    expect_close(
        shuffled.distance[finite[order]],
        hits.distance[order][finite[order]],
        _EXACT,
        "distance of rays in another order",
    )
    for ray in range(0, 180, 20):
        alone = world.engine.cast_rays(origins[ray : ray + 1], directions[ray : ray + 1], 30.0)
        expect(alone.target[0] == hits.target[ray], "a ray alone hits something else")
    none = world.engine.cast_rays(np.zeros((0, 3)), np.zeros((0, 3)), 30.0)
    expect(none.distance.shape == (0,) and none.normal.shape == (0, 3), "no rays do not give empty arrays")


def rays_disturb_nothing(harness: Harness) -> None:
    """Casting rays does not disturb the motion."""
    rays = _fan(60)
    expect_undisturbed(
        harness, lambda world, _: world.engine.cast_rays(*rays, 10.0), "state of a world in which rays were cast"
    )

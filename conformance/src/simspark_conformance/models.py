"""Scenes and small robots for the checks: all kinds of joints, products of inertia, off-centre masses, frames."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from simspark_ros.physics.geometry.hulls import hull_shape
from simspark_ros.physics.model import (
    ArticulatedModel,
    BallModel,
    Frame,
    Joint,
    JointKind,
    Link,
    SceneModel,
    Shape,
    ShapeKind,
    StaticBox,
    Vector,
)

BALL = BallModel(radius=0.05, mass=0.1)
WALL = StaticBox("wall", (6.0, 0.0, 0.5), (1.0, 8.0, 1.0))
FIELD = SceneModel(ball=BALL, boxes=(WALL,))
"""A scene with ground, a ball and a wall whose face is at x = 5.5."""

SPACE = SceneModel(ball=BALL, gravity=(0.0, 0.0, 0.0))
"""A scene without gravity."""

UPRIGHT = (0.0, 0.0, 0.0, 1.0)

STANDING = 0.42
"""Height of the walker's base when its feet are on the ground, m."""


def solid_box(name: str, mass: float, size: Vector, centre: Vector = (0.0, 0.0, 0.0)) -> Link:
    """Return a link that is a homogeneous, colliding box."""
    x, y, z = (edge * edge * mass / 12.0 for edge in size)
    shape = Shape(ShapeKind.BOX, size, position=centre)
    return Link(name, mass, (y + z, 0.0, 0.0, x + z, 0.0, x + y), centre=centre, collisions=(shape,))


def stone(mass: float = 2.0, size: Vector = (0.3, 0.2, 0.1), **drag: Any) -> ArticulatedModel:
    """Return a robot that is one box, which feels touch."""
    return ArticulatedModel("stone", (solid_box("stone", mass, size),), (), touch_links=("stone",), **drag)


def hull_stone() -> ArticulatedModel:
    """Return the robot of `stone` with the hull of the box's corners as its solid."""
    model = stone()
    corners = np.array(list(product((-0.15, 0.15), (-0.1, 0.1), (-0.05, 0.05))))
    body = replace(model.base, collisions=(hull_shape(corners),))
    return replace(model, name="hull_stone", links=(body,))


def block() -> ArticulatedModel:
    """Return a robot that is a heavy cube with edges of 0.4 m."""
    return ArticulatedModel("block", (solid_box("block", 80.0, (0.4, 0.4, 0.4)),), ())


def ghost() -> ArticulatedModel:
    """Return a robot of one link that collides with nothing, with products of inertia and an off-centre mass."""
    body = Link("ghost", 1.5, (0.02, 0.004, 0.0, 0.03, 0.002, 0.04), centre=(0.1, 0.0, 0.05))
    return ArticulatedModel("ghost", (body,), (), frames=(Frame("origin", "ghost"),))


def arm(kind: JointKind = JointKind.REVOLUTE, **joint: Any) -> ArticulatedModel:
    """Return a robot with a heavy base, a limb on a joint about y, and a weight fixed to the limb's end."""
    limb = Link("limb", 0.1, (1e-3, 0.0, 0.0, 1e-3, 0.0, 1e-3), centre=(0.1, 0.0, 0.0))
    elbow = Joint("elbow", kind, "base", "limb", position=(0.1, 0.0, 0.0), axis=(0.0, 1.0, 0.0), **joint)
    wrist = Joint("wrist", JointKind.FIXED, "limb", "weight", position=(0.2, 0.0, 0.0))
    weight = Link("weight", 0.2, (1e-4, 0.0, 0.0, 1e-4, 0.0, 1e-4))
    return ArticulatedModel("arm", (solid_box("base", 30.0, (0.6, 0.6, 0.2)), limb, weight), (elbow,), (wrist,))


# About the elbow: a limb of 0.1 kg at 0.1 m and a weight of 0.2 kg at 0.2 m.
ARM_INERTIA = 1e-3 + 0.1 * 0.1**2 + 1e-4 + 0.2 * 0.2**2
ARM_WEIGHT_TORQUE = (0.1 * 0.1 + 0.2 * 0.2) * 9.81


def walker() -> ArticulatedModel:
    """Return a robot with a torso, a turning head, a fixed pack, and two legs of a hinge, a slide and a foot each."""
    torso = solid_box("torso", 4.0, (0.2, 0.2, 0.26), centre=(0.02, 0.0, 0.03))
    skull = Shape(ShapeKind.SPHERE, (0.05,), position=(0.0, 0.0, 0.06))
    head = Link("head", 0.3, (5e-4, 0.0, 0.0, 5e-4, 0.0, 5e-4), (0.0, 0.0, 0.06), (skull,))
    pack = Link("pack", 0.5, (2e-3, 1e-4, 0.0, 2e-3, 0.0, 2e-3), centre=(0.0, 0.01, 0.0))
    links = [torso, head, pack]
    joints = [Joint("neck", JointKind.CONTINUOUS, "torso", "head", (0.0, 0.0, 0.17), axis=(0.0, 0.0, 1.0), **_NECK)]
    for side, y in (("left", 0.08), ("right", -0.08)):
        thigh = Link(f"{side}_thigh", 0.5, (2e-3, 0.0, 0.0, 2e-3, 0.0, 1e-3), centre=(0.0, 0.0, -0.1))
        links += [thigh, solid_box(f"{side}_foot", 0.4, (0.16, 0.08, 0.04), (0.02, 0.0, -0.02))]
        hip = Joint(f"{side}_hip", JointKind.REVOLUTE, "torso", f"{side}_thigh", (0.0, y, -0.15), axis=_Y, **_HIP)
        knee = Joint(
            f"{side}_slide", JointKind.PRISMATIC, f"{side}_thigh", f"{side}_foot", (0.0, 0.0, -0.2), axis=_Z, **_SLIDE
        )
        joints += [hip, knee]
    rpy = (0.1, 0.2, math.pi / 2)
    return ArticulatedModel(
        "walker",
        tuple(links),
        tuple(joints),
        fixed_joints=(Joint("strap", JointKind.FIXED, "torso", "pack", (-0.12, 0.0, 0.05), rpy),),
        frames=(Frame("eye", "head", (0.05, 0.0, 0.07), (0.0, 0.3, 0.2)), Frame("middle", "torso")),
        touch_links=("left_foot", "right_foot"),
    )


_Y: Vector = (0.0, 1.0, 0.0)
_Z: Vector = (0.0, 0.0, 1.0)
_NECK: Any = {"max_velocity": 8.0, "max_effort": 5.0}
_HIP: Any = {"lower": -1.2, "upper": 1.0, "max_velocity": 6.0, "max_effort": 40.0}
_SLIDE: Any = {"lower": -0.05, "upper": 0.04, "max_velocity": 1.0, "max_effort": 300.0}

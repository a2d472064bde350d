"""Convex hulls as the arguments of ODE's `dCreateConvex`."""

from __future__ import annotations

import ctypes
from ctypes import c_double, c_uint
from typing import TypeAlias

import numpy as np

from simspark_ros.physics.geometry.hulls import hull_faces
from simspark_ros.physics.geometry.transforms import Array, product
from simspark_ros.physics.model import Vector

Reals: TypeAlias = "ctypes.Array[c_double]"
HullArguments: TypeAlias = "tuple[Reals, int, Reals, int, ctypes.Array[c_uint]]"

_FEW = 12
"""Most corners of a hull for which their order hardly matters: a side then has few more than ODE takes as contacts."""

_LEANING = np.array([(x, y, -1.0) for x in (-0.05, 0.05) for y in (-0.05, 0.05)])
"""Down, and four ways to lean: the lowest corners then are those that a solid stands on."""


def hull_arguments(vertices: tuple[Vector, ...], turn: Array) -> HullArguments:
    """Planes and their number, points (m) and their number, polygons; to be kept alive, as ODE keeps pointers.

    turn: (3, 3) rotation of the hull when its robot stands.
    """
    faces = hull_faces(vertices)
    order = _far_apart(np.array(vertices), turn) if len(vertices) > _FEW else list(range(len(vertices)))
    place = np.argsort(order)
    planes = np.column_stack((faces.normals, faces.offsets)).reshape(-1).tolist()
    points = [value for index in order for value in vertices[index]]
    polygons = [number for triangle in place[faces.triangles].tolist() for number in (3, *triangle)]
    return (
        (c_double * len(planes))(*planes),
        len(faces.offsets),
        (c_double * len(points))(*points),
        len(vertices),
        (c_uint * len(polygons))(*polygons),
    )


def _far_apart(points: Array, turn: Array) -> list[int]:
    """Indices of points (N, 3): those that a hull stands on, then each as far as possible from those before it.

    ODE takes only the first few points below the ground as contacts: on neighbours alone a hull would tip over, and on
    points of a bevelled rim it would sink in.
    """
    order = list(dict.fromkeys(product(product(points, turn.T), _LEANING.T).argmax(axis=0).tolist()))
    nearest = ((points[:, None] - points[order]) ** 2).sum(axis=2).min(axis=1)
    while len(order) < len(points):
        order.append(int(np.argmax(nearest)))
        nearest = np.minimum(nearest, ((points - points[order[-1]]) ** 2).sum(axis=1))
    return order

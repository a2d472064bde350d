"""Convex hulls as the arguments of ODE's `dCreateConvex`."""

from __future__ import annotations

import ctypes
from ctypes import c_double, c_uint
from typing import TypeAlias

import numpy as np

from simspark_ros.physics.geometry.hulls import hull_faces
from simspark_ros.physics.geometry.transforms import Array
from simspark_ros.physics.model import Vector

Reals: TypeAlias = "ctypes.Array[c_double]"
HullArguments: TypeAlias = "tuple[Reals, int, Reals, int, ctypes.Array[c_uint]]"

_FEW = 12
"""Most corners of a hull for which their order hardly matters: a side then has few more than ODE takes as contacts."""


def hull_arguments(vertices: tuple[Vector, ...]) -> HullArguments:
    """Planes and their number, points (m) and their number, polygons; to be kept alive, as ODE keeps pointers."""
    faces = hull_faces(vertices)
    order = _far_apart(np.array(vertices)) if len(vertices) > _FEW else list(range(len(vertices)))
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


def _far_apart(points: Array) -> list[int]:
    """Indices that order points (N, 3) so that each is as far as possible from the points before it.

    ODE takes only the first few points below the ground as contacts: on neighbours alone a hull would tip over.
    """
    order = [int(np.argmax((points * points).sum(axis=1)))]
    nearest = np.full(len(points), np.inf)
    while len(order) < len(points):
        away = points - points[order[-1]]
        nearest = np.minimum(nearest, (away * away).sum(axis=1))
        order.append(int(np.argmax(nearest)))
    return order

"""Convex hulls as the arguments of ODE's `dCreateConvex`."""

from __future__ import annotations

import ctypes
from ctypes import c_double, c_uint
from typing import TypeAlias

import numpy as np

from simspark_ros.physics.geometry.hulls import hull_faces
from simspark_ros.physics.model import Vector

Reals: TypeAlias = "ctypes.Array[c_double]"
HullArguments: TypeAlias = "tuple[Reals, int, Reals, int, ctypes.Array[c_uint]]"


def hull_arguments(vertices: tuple[Vector, ...]) -> HullArguments:
    """Planes and their number, points (m) and their number, polygons; ODE keeps pointers, so keep them for its life."""
    faces = hull_faces(vertices)
    planes = np.column_stack((faces.normals, faces.offsets)).reshape(-1).tolist()
    points = [value for vertex in vertices for value in vertex]
    polygons = [number for triangle in faces.triangles.tolist() for number in (3, *triangle)]
    return (
        (c_double * len(planes))(*planes),
        len(faces.offsets),
        (c_double * len(points))(*points),
        len(vertices),
        (c_uint * len(polygons))(*polygons),
    )

"""Cross products of many vectors at once, each of x, y and z in one long row: quick to compute with."""

from __future__ import annotations

import numpy as np

from simspark_ros.physics.engine import Array

XYZXY = np.array([0, 1, 2, 0, 1])
"""Row numbers that repeat x and y behind z: `cross_rows` takes rows 1 to 3 and 2 to 4 as the shifted factors."""


def cross_rows(first: Array, second: Array) -> Array:
    """Cross products (3, n) of vectors (5 or more, n) with the rows x, y, z, x, y."""
    product: Array = first[1:4] * second[2:5]
    product -= first[2:5] * second[1:4]
    return product

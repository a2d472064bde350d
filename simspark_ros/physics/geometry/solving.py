"""Small systems of equations, solved to the same bits on every processor, as LAPACK does not: see `product`."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from simspark_ros.physics.geometry.transforms import Array, product


def solved(matrix: Array, right: Array) -> Array:
    """The x (n,) or (n, k) of matrix x = right, for a positive definite matrix (n, n) (Gauss-Jordan elimination)."""
    count = len(matrix)
    rows = np.column_stack((matrix, right))
    for i in range(count):
        rows[i] /= rows[i, i]
        others = rows[:, i].copy()
        others[i] = 0.0
        rows -= others[:, None] * rows[i]
    return rows[:, count:].reshape(right.shape)


def principal(matrix: ArrayLike) -> tuple[Array, Array]:
    """Eigenvalues (3,), rising, and eigenvectors (3, 3), right-handed, as columns, of a symmetric matrix (3, 3).

    Jacobi's method, which doubles the digits with each round. Eigenvalues of a matrix that is not finite are NaN.
    """
    axes, turned = np.eye(3), np.array(matrix, np.float64)
    least = 1e-16 * float(np.abs(turned).max())
    if not math.isfinite(least):
        return np.full(3, np.nan), axes
    for i, j in 12 * ((0, 1), (0, 2), (1, 2)):
        if abs(turned[i, j]) > least:
            # The smaller of the two turns that make this entry zero.
            cotangent = float(turned[j, j] - turned[i, i]) / (2.0 * float(turned[i, j]))
            tangent = math.copysign(1.0, cotangent) / (abs(cotangent) + math.hypot(cotangent, 1.0))
            turn = np.eye(3)
            turn[i, i] = turn[j, j] = c = 1.0 / math.hypot(tangent, 1.0)
            turn[i, j], turn[j, i] = tangent * c, -tangent * c
            turned, axes = product(product(turn.T, turned), turn), product(axes, turn)
    order = np.diagonal(turned).argsort(kind="stable")
    axes = axes[:, order]
    axes[:, 0] = np.cross(axes[:, 1], axes[:, 2])
    return np.diagonal(turned)[order], axes


def pseudo_inverse(matrix: Array) -> Array:
    """Moore-Penrose inverse (3, n) of a matrix (n, 3); singular values below a millionth of the largest are zero."""
    squares, axes = principal(product(matrix.T, matrix))
    kept = squares > 1e-12 * squares[-1]
    return product(product(axes[:, kept] / squares[kept], axes[:, kept].T), matrix.T)

# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Sines and angles of many numbers by the C library: those of numpy differ by processor in their last digits."""

import cython
from cython.cimports.libc.math import atan2, cos, sin


def find_sines(angles: cython.double[:], sines: cython.double[:], cosines: cython.double[:]) -> None:
    """Write sines and cosines of angles, rad."""
    n: cython.Py_ssize_t
    for n in range(angles.shape[0]):
        sines[n] = sin(angles[n])
        cosines[n] = cos(angles[n])


def find_angles(sines: cython.double[:], cosines: cython.double[:], angles: cython.double[:]) -> None:
    """Write the angles, rad, of which sines and cosines, or multiples of both, are given."""
    n: cython.Py_ssize_t
    for n in range(angles.shape[0]):
        angles[n] = atan2(sines[n], cosines[n])

# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bodies of the planar engine that are near each other; see `physics.planar.plane`."""

import cython
from cython.cimports.libc.math import sqrt


@cython.ccall
def near_bodies(
    bodies: cython.double[:, ::1],
    changed: cython.const[cython.uchar][::1],
    boxes: cython.double[:, ::1],
    seconds: cython.double,
    graze: cython.double,
) -> list:
    """Find the bodies that may meet in a while: for each body those after it, and then immovable ones.

    Args:
        bodies: (B, 6) place of each body, m, velocity, m/s, distance of its farthest point, m, and greatest speed that
            joints give a point, m/s.
        changed: (B,) whether a body was pushed: of each pair one was at least.
        boxes: (F, 4) left, bottom, right and top of each immovable body, m.
        seconds: length of the while, s.
        graze: distance that counts as touching, m.

    Returns:
        Pairs of indices, in this order; immovable bodies are counted on from B.
    """
    a: cython.Py_ssize_t
    b: cython.Py_ssize_t
    count: cython.Py_ssize_t = bodies.shape[0]
    found: list = []
    for a in range(count):
        x: cython.double = bodies[a, 0]
        y: cython.double = bodies[a, 1]
        vx: cython.double = bodies[a, 2]
        vy: cython.double = bodies[a, 3]
        reach: cython.double = bodies[a, 4]
        swing: cython.double = bodies[a, 5]
        for b in range(a + 1, count):
            if changed[a] or changed[b]:
                dx: cython.double = bodies[b, 0] - x
                dy: cython.double = bodies[b, 1] - y
                ux: cython.double = bodies[b, 2] - vx
                uy: cython.double = bodies[b, 3] - vy
                # Turns leave the circles around bodies as they are, so that only these speeds bring them nearer.
                way: cython.double = (sqrt(ux * ux + uy * uy) + swing + bodies[b, 5]) * seconds + graze
                if sqrt(dx * dx + dy * dy) <= reach + bodies[b, 4] + way:
                    found.append((a, b))
        if not changed[a]:
            continue
        way = reach + (sqrt(vx * vx + vy * vy) + swing) * seconds + graze
        for b in range(boxes.shape[0]):
            # The point of the box that is nearest to the middle of the body is no farther along either axis.
            if boxes[b, 0] - x <= way and x - boxes[b, 2] <= way and boxes[b, 1] - y <= way and y - boxes[b, 3] <= way:
                found.append((a, count + b))
    return found

# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Motion of the bases of robots, as learners see it."""

import cython


@cython.ccall
def read_bases(
    rows: cython.longlong[::1],
    places: cython.double[:, ::1],
    position: cython.double[:, :],
    rotation: cython.double[:, :, :],
    linear: cython.double[:, :],
    angular: cython.double[:, :],
    motion: cython.double[:, ::1],
) -> cython.void:
    """Write the motion of N robots, given by rows (N,) of the arrays of an `EngineState`.

    Args:
        rows: (N,) rows of the robots, all of which exist.
        places: (N, 2) places from which positions are counted, m.
        position: (R, 3) positions of all robots, m.
        rotation: (R, 3, 3) their rotations.
        linear: (R, 3) their velocities, m/s.
        angular: (R, 3) their angular velocities, rad/s.
        motion: (N, 18) position, m; rotation; velocity and angular velocity in own axes, m/s and rad/s; written.
    """
    robot: cython.Py_ssize_t
    n: cython.Py_ssize_t
    for robot in range(rows.shape[0]):
        row: cython.Py_ssize_t = rows[robot]
        for n in range(3):
            motion[robot, n] = position[row, n] - (places[robot, n] if n < 2 else 0.0)
            motion[robot, 3 + n] = rotation[row, 0, n]
            motion[robot, 6 + n] = rotation[row, 1, n]
            motion[robot, 9 + n] = rotation[row, 2, n]
            # The columns of the rotation are the robot's own axes.
            motion[robot, 12 + n] = (
                rotation[row, 0, n] * linear[row, 0]
                + rotation[row, 1, n] * linear[row, 1]
                + rotation[row, 2, n] * linear[row, 2]
            )
            motion[robot, 15 + n] = (
                rotation[row, 0, n] * angular[row, 0]
                + rotation[row, 1, n] * angular[row, 1]
                + rotation[row, 2, n] * angular[row, 2]
            )

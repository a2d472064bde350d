# Types of traction.py.

cimport cython

from simspark_ros.kernels.planar.body cimport PlanarBody


cdef double _cut(double value, double lower, double upper) noexcept


cdef class TractionKernel:
    cdef double[::1] x, y, turn, grip, pull, radius, speed, bound, given, drift, motion
    cdef long long[::1] joint
    cdef unsigned char[::1] paired
    cdef double linear_drag, angular_drag

    @cython.locals(row=Py_ssize_t)
    cpdef void act(
        self, PlanarBody body, double gravity, double[::1] speeds, double[:] limits, double seconds, double[::1] efforts
    )

    cdef void _begin(self, Py_ssize_t row, double weight, double[::1] speeds, double[:] limits, double seconds)

    @cython.locals(_sweep=int, row=Py_ssize_t)
    cdef void _settle(self, double mass, double inertia)

    cdef double _push(self, Py_ssize_t row, double mass, double inertia)

    cdef double _push_both(self, Py_ssize_t row, double mass, double inertia)

    cdef double _lack(self, Py_ssize_t row)

    cdef double _give(self, Py_ssize_t row, double given, double mass, double inertia)

    cdef void _turn_wheel(
        self, Py_ssize_t row, double[::1] speeds, double[:] limits, double seconds, double[::1] efforts
    )


cdef class DriveKernel:
    cdef double[::1] lower, upper, fastest, positions, speeds, efforts
    cdef unsigned char[::1] is_round, moves
    cdef long long[::1] first

    @cython.locals(robot=Py_ssize_t, joint=Py_ssize_t)
    cpdef bint command(self, double[:] wanted, double[:] limits, double seconds)

    @cython.locals(robot=Py_ssize_t, traction=TractionKernel)
    cpdef void act(self, list tractions, list bodies, double[:] limits, double gravity, double seconds)

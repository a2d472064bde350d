# Types of impact.py, for itself and for kernels that use it.

cimport cython

from simspark_ros.kernels.planar.body cimport PlanarBody
from simspark_ros.kernels.planar.meeting cimport Meeting


cdef class PlanarContact:
    cdef public Meeting meeting
    cdef public double x, y, normal, along
    cdef double goal, stickiness, nn, nt, tt, slide

    cdef double improve(self, bint sticks)

    cdef void give(self, double normal, double along)

    @cython.locals(body=PlanarBody)
    cdef void keep(self)

    @cython.locals(body=PlanarBody)
    cdef void restore(self)


@cython.locals(contact=PlanarContact)
cpdef void solve(list contacts)


@cython.locals(contact=PlanarContact, _sweep=int)
cdef void _press(list contacts, bint sticks)

# Types of meeting.py, for itself and for kernels that use it.

cimport cython

from simspark_ros.kernels.planar.body cimport PlanarBody, PlanarPart


cdef double _length(double x, double y)


cdef class Meeting:
    cdef public PlanarBody a, b
    cdef public PlanarPart part_a, part_b
    cdef public double distance, x, y
    cdef double time

    @cython.locals(a=PlanarPart, b=PlanarPart)
    cdef double look(self, double seconds)

    @cython.locals(i=Py_ssize_t, k=Py_ssize_t, end=int)
    cdef void _separate(self, PlanarPart own, PlanarPart other, double sign)

    @cython.locals(i=Py_ssize_t, k=Py_ssize_t)
    cdef void _approach(self, PlanarPart own, PlanarPart other, double sign)

    cdef bint touches(self)

    @cython.locals(a=PlanarBody, b=PlanarBody)
    cpdef double fastest(self, double seconds)

    cdef bint find_impact(self, double left, double resolution)

    cdef list points(self)

    cdef (double, double) speeds_at(self, double x, double y)


@cython.locals(i=Py_ssize_t)
cdef (double, double, double) _front(PlanarPart part, double x, double y)

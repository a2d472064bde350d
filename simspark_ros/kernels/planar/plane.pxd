# Types of plane.py.

cimport cython

from simspark_ros.kernels.planar.body cimport PlanarBody, PlanarPart
from simspark_ros.kernels.planar.impact cimport PlanarContact
from simspark_ros.kernels.planar.meeting cimport Meeting


cdef class Plane:
    cdef object law
    cdef double resolution
    cdef int max_impacts
    cdef list meetings
    cdef public list bodies, fixed, contacts
    cdef public set passing

    @cython.locals(body=PlanarBody, _number=int)
    cpdef void step(self, double seconds)

    @cython.locals(body=PlanarBody, meeting=Meeting, meetings=list)
    cdef double _find_impacts(self, double left)

    @cython.locals(body=PlanarBody, meeting=Meeting)
    cdef void _advance(self, double seconds)

    @cython.locals(meeting=Meeting, contacts=list)
    cdef void _collide(self)

    @cython.locals(body=PlanarBody, meeting=Meeting)
    cpdef list overlaps(self)

    @cython.locals(meeting=Meeting)
    cpdef list let_pass(self, double depth)

    @cython.locals(a=PlanarBody, b=PlanarBody, meeting=Meeting)
    cpdef void part(self, double depth)

    @cython.locals(body=PlanarBody)
    cpdef list put_back(self, double farthest)

    @cython.locals(body=PlanarBody, i=Py_ssize_t, k=Py_ssize_t, c=double, s=double, x=double, y=double)
    cpdef void read(self, double[:, ::1] positions, double[:, ::1] turns, double[:, ::1] linear, double[:, ::1] angular)

    @cython.locals(a=PlanarBody, b=PlanarBody, found=list, passing=set, i=Py_ssize_t, k=Py_ssize_t)
    cdef list _near(self, double seconds, bint with_passing)


@cython.locals(own=PlanarPart, other=PlanarPart, others=list)
cdef void _add_near_parts(list found, set passing, PlanarBody a, PlanarBody b, double seconds)

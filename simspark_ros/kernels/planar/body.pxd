# Types of body.py, for itself and for kernels that use it.

cimport cython


cdef double _length(double x, double y)


cdef class PlanarPart:
    cdef public int surface, link
    cdef public double low, high
    cdef public tuple around
    cdef double[:, ::1] corners, placed
    cdef double radius, reach, x, y, world_x, world_y, pivot_x, pivot_y, vx, vy, spin

    cpdef void follow(self, double x, double y, double vx, double vy, double spin)

    cdef bint moves(self) noexcept

    @cython.locals(i=Py_ssize_t)
    cdef void measure(self)

    @cython.locals(i=Py_ssize_t)
    cdef void carry(self, double seconds, double[:, ::1] target)

    cdef bint meets_heights_of(self, PlanarPart other) noexcept

    @cython.locals(outer=PlanarPart)
    cdef bint is_hidden_from(self, PlanarPart other)


cdef class PlanarBody:
    cdef public list parts
    cdef public double mass, inertia, x, y, angle, vx, vy, spin, centre_x, centre_y
    cdef public bint is_fixed
    cdef list moving
    cdef bint is_pushed
    cdef double reach, swing, left, bottom, right, top, old_x, old_y, old_angle, old_vx, old_vy, old_spin

    @cython.locals(part=PlanarPart, i=Py_ssize_t)
    cpdef void measure(self)

    cpdef tuple base(self)

    @cython.locals(part=PlanarPart)
    cdef void advance(self, double seconds)

    @cython.locals(i=Py_ssize_t)
    cdef void place(self, PlanarPart part, double seconds)

    cdef (double, double) velocity_at(self, PlanarPart part, double px, double py)

    cdef void push(self, double px, double py, double x, double y) noexcept

    cdef double distance_of(self, double x, double y)

    @cython.locals(part=PlanarPart)
    cdef list parts_near(self, PlanarBody other, double way)

# Types of ramp.py.

cimport cython


cdef class RampKernel:
    cdef double[:, ::1] possible, rates
    cdef double[::1] fastest, wanted, velocity
    cdef double limit, along, turn

    @cython.locals(n=Py_ssize_t)
    cpdef void want(self, double forward, double left, double turn)

    cpdef void follow(self)

    @cython.locals(n=Py_ssize_t)
    cpdef void read(self, double[:] velocity, double[::1] speeds)

    cdef double _speed(self, Py_ssize_t k, double[:] velocity)

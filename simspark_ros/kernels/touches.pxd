# Types of touches.py, for itself and for kernels that use it.


cdef class TouchSums:
    cdef double[:, ::1] sums

    cpdef add(
        self, Py_ssize_t touch, double weight, double x, double y, double z, double force_x, double force_y, double force_z
    )

# Types of sockets.py.

from simspark_ros.kernels.socket_calls cimport FILES, MOST, ROOM, epoll_event


cdef class Selector:
    cdef public long long calls
    cdef object _epoll
    cdef dict _watched
    cdef bint _is_stream[FILES]
    cdef epoll_event _events[MOST]
    cdef int _files[MOST]
    cdef const char *_texts[MOST]
    cdef Py_ssize_t _counts[MOST]
    cdef char _room[ROOM]

    cdef list _received(self, int epoll, int milliseconds)


cdef tuple _call(tuple watched, int events)

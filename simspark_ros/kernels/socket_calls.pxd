# System calls of sockets.py, and the sizes of its arrays.


cdef extern from "<sys/epoll.h>" nogil:
    ctypedef union epoll_data_t:
        int fd
    struct epoll_event:
        unsigned int events
        epoll_data_t data
    enum: EPOLLIN
    int epoll_wait(int epoll, epoll_event *events, int most, int milliseconds)


cdef extern from "<sys/socket.h>" nogil:
    enum: MSG_DONTWAIT
    enum: MSG_NOSIGNAL
    Py_ssize_t recv(int file, void *room, size_t size, int flags)
    Py_ssize_t send(int file, const void *text, size_t size, int flags)


cdef enum:
    # Clients of one call.
    MOST = 128
    # Numbers of sockets from which the kernel receives are smaller.
    FILES = 1024
    # Bytes received by one call.
    ROOM = 65536

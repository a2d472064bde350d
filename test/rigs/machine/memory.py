"""Memory that this process has in use, to the byte: what is kept of things that come and go shows after a few."""

import ctypes
import gc
from collections import Counter

_FIELDS = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"


class _MallInfo(ctypes.Structure):
    """As in malloc.h of glibc."""

    _fields_ = [(name, ctypes.c_size_t) for name in _FIELDS.split()]


def heap() -> int:
    """Bytes that libraries in C and numpy have allocated, not merely reserved; without Python's small objects."""
    gc.collect()
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = _MallInfo
    info = mallinfo()
    return int(info.uordblks + info.hblkhd)


def instances() -> Counter[type]:
    """Numbers of Python's objects by their class; those of tests that have not run yet are frozen, see conftest."""
    gc.collect()
    return Counter(map(type, gc.get_objects()))

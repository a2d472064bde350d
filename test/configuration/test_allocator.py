"""Memory of processes that live long."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

from simspark_ros.configuration.allocator import ARENAS

# Each thread holds a block until all have one, so that no arena is free for the next.
PROGRAM = """
import ctypes, sys, threading
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
if sys.argv[1] == "few":
    from simspark_ros.configuration.allocator import use_few_arenas
    use_few_arenas()
barrier = threading.Barrier(12)
def work():
    libc.malloc(1000)
    barrier.wait()
threads = [threading.Thread(target=work) for _ in range(12)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
libc.fdopen.restype, libc.malloc_info.argtypes = ctypes.c_void_p, [ctypes.c_int, ctypes.c_void_p]
file = libc.fdopen(1, b"w")
libc.malloc_info(0, file)
libc.fflush(None)
"""


def arenas(mode: str) -> int:
    output = subprocess.run([sys.executable, "-c", PROGRAM, mode], capture_output=True, text=True, check=True).stdout
    return output.count("<heap nr=")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has arenas")
def test_threads_share_few_arenas() -> None:
    assert arenas("few") <= ARENAS < arenas("usual")

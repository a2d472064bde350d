"""Calls of the C library, Linux and BLAS without a function in Python; on systems without a call they do nothing."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from functools import cache
from pathlib import Path

# Found before any fork: a forked process must not ask the loader, whose lock another thread may have held.
_LIBRARY = ctypes.CDLL(None)
_MALLOPT, _MALLOC_TRIM, _PRCTL = (getattr(_LIBRARY, name, None) for name in ("mallopt", "malloc_trim", "prctl"))

# glibc's names for the number of arenas and the size of large blocks, see mallopt(3).
_M_ARENA_MAX, _M_MMAP_THRESHOLD = -8, -3
# Linux's name for a signal at the parent's death, see prctl(2).
_PR_SET_PDEATHSIG = 1

ARENAS = 2
"""Number of glibc's arenas: as many threads allocate at a time without waiting for each other."""

LARGE = 128 * 1024
"""Size of a large block, bytes; glibc's own initial value."""

MEMORY_PERIOD = 10.0
"""Wall time between two returns of freed memory, s; each takes 1 to 8 ms of a server."""


@cache
def keep_memory_small() -> None:
    """Let threads share glibc's arenas, and return freed memory every `MEMORY_PERIOD`, as long as the process lives.

    By itself glibc gives each thread its own arena, up to eight a core, and keeps freed memory in it: a server of
    twenty threads grew by some percent in 20 minutes of joins, leaves and connections without a leak. Long messages
    leave holes everywhere. A forked process shares arenas, but does not return memory.
    """
    if _MALLOPT is not None:
        _MALLOPT(_M_ARENA_MAX, ARENAS)
    threading.Thread(target=_return_again_and_again, name="freed memory", daemon=True).start()


def _return_again_and_again() -> None:
    while True:
        time.sleep(MEMORY_PERIOD)
        return_freed_memory()


def give_back_large_blocks() -> None:
    """Return blocks of `LARGE` bytes and more to the system when they are freed.

    By itself glibc raises this size to the largest freed block: then scenes of megabytes leave holes in the heaps, in
    which small blocks settle.
    """
    if _MALLOPT is not None:
        _MALLOPT(_M_MMAP_THRESHOLD, LARGE)


def return_freed_memory() -> None:
    """Make glibc return freed memory anywhere in its heaps to the system."""
    if _MALLOC_TRIM is not None:
        _MALLOC_TRIM(0)


def die_with_parent(parent: int) -> None:
    """Ask Linux to kill this process when its parent has died for any reason, by SIGKILL, as it may be stopped.

    To Linux the parent is the thread that started this process. This process ends at once if the process with the id
    `parent` has died already.
    """
    if _PRCTL is not None:
        _PRCTL(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


END_WITH = "SIMSPARK_END_WITH"
"""Variable of the environment with the id of the process beside which a program of the package ends, its parent."""


def end_with_parent() -> None:
    """End as by SIGTERM when the parent dies that `END_WITH` names: a launch, say, that leaves its processes behind."""
    parent = os.environ.pop(END_WITH, "")
    if _PRCTL is None or not parent.isdecimal():
        return
    # A debugger may stand between both.
    if os.getppid() == int(parent):
        _PRCTL(_PR_SET_PDEATHSIG, signal.SIGTERM)
    try:
        os.kill(int(parent), 0)
    except ProcessLookupError:
        sys.exit(f"process {parent}, which started this one, has ended")
    except PermissionError:
        pass


_LOADED = Path("/proc/self/maps")

_SETTERS = (
    "scipy_openblas_set_num_threads64_",
    "scipy_openblas_set_num_threads",
    "openblas_set_num_threads64_",
    "openblas_set_num_threads",
    "MKL_Set_Num_Threads",
    "bli_thread_set_num_threads",
)
"""Names of the function in OpenBLAS, as in numpy's wheels and in distributions, then in MKL and BLIS."""


def limit_blas_threads(count: int) -> None:
    """Limit every BLAS that the process has loaded to a number of threads; 0 changes nothing.

    The products of a cycle are small. A thread that BLAS starts for one of them spins for a while afterwards, and takes
    half a core from the simulation with 22 robots on ODE. Environment variables such as OPENBLAS_NUM_THREADS only count
    before numpy is imported, and a program that uses this package may have imported it long before.
    """
    if count == 0 or not _LOADED.exists():
        return
    paths = {line.split(maxsplit=5)[-1] for line in _LOADED.read_text("utf-8", "replace").splitlines() if ".so" in line}
    for path in sorted(paths):
        if any(name in os.path.basename(path) for name in ("blas", "mkl_rt", "blis")):
            # Never loads a library, only finds a loaded one.
            library = ctypes.CDLL(path, mode=os.RTLD_NOLOAD)
            setter = next((getattr(library, name) for name in _SETTERS if hasattr(library, name)), None)
            if setter:
                setter(ctypes.c_int(count))

"""Limits the threads of numpy's BLAS in the running process.

The products of a cycle are small. A thread that BLAS starts for one of them spins for a while afterwards, and takes
half a core from the simulation with 22 robots on ODE. Environment variables such as OPENBLAS_NUM_THREADS only count
before numpy is imported, and a program that uses this package may have imported it long before.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

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
    """Limit every BLAS that the process has loaded to a number of threads; 0 changes nothing."""
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

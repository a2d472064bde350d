"""The arithmetic and the texts of the hot path as loops: plain Python, which Cython compiles where there is a compiler.

A kernel is bound once to the arrays and texts that it works on, so that a call costs little. It is one source of truth:
uncompiled it gives equal results to the bit, but is many times slower. Numbers are rounded after every operation and
come from no library that chooses its code by the processor but the C library, so that hashes are equal everywhere.
"""

from importlib.util import find_spec


def compiled() -> bool:
    """Whether the kernels are compiled."""
    return find_spec(f"{__name__}._shared") is not None

"""The arithmetic of the hot path as loops over arrays: plain Python that Cython compiles where there is a compiler.

A kernel is bound once to the arrays that it reads and writes, so that a call costs little. Each module here is one
source of truth: it runs uncompiled as well, with equal results to the bit, but many times slower.
"""

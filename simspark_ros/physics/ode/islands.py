"""Steps the islands of a world, groups of bodies that joints and contacts connect, on two threads of ODE's own pool."""

from __future__ import annotations

import ctypes
import os
from ctypes import c_uint

from simspark_ros.physics.ode.library import OdeLibrary

WORTHWHILE = 4
"""Least number of robots with which two threads pay, as each step has to wake them."""

_THREADS = 2
_ALLOCATE_ALL = 0xFFFFFFFF


class _SteppingParameters(ctypes.Structure):
    """`dWorldSteppingThreadingParameters`: largest numbers of threads."""

    _fields_ = (("set", c_uint), ("world", c_uint), ("island", c_uint), ("solver", c_uint))


_ONE_PER_ISLAND = _SteppingParameters(set=0x002, island=1)
"""One thread in each island: two would add forces as they come, and each run would end in another state."""


class Islands:
    """Two threads for the islands of a world; results are equal to one thread's to the bit.

    A failed assertion in these threads would end the process. ODE's release builds assert in collision alone.
    """

    def __init__(self, library: OdeLibrary, world: int) -> None:
        self._library, self._world = library, world
        self._threading = library.dThreadingAllocateMultiThreadedImplementation()
        self._pool = library.dThreadingAllocateThreadPool(_THREADS, 0, _ALLOCATE_ALL, None)
        library.dThreadingThreadPoolServeMultiThreadedImplementation(self._pool, self._threading)
        functions = library.dThreadingImplementationGetFunctions(self._threading)
        library.dWorldSetStepThreadingImplementation(world, functions, self._threading)
        library.dWorldSetSteppingThreadingParameters(world, ctypes.addressof(_ONE_PER_ISLAND))

    def close(self) -> None:
        """End the threads."""
        library = self._library
        library.dThreadingImplementationShutdownProcessing(self._threading)
        library.dThreadingFreeThreadPool(self._pool)
        library.dWorldSetStepThreadingImplementation(self._world, None, None)
        library.dThreadingFreeImplementation(self._threading)


def are_worthwhile(library: OdeLibrary, threads: int, robots: int) -> bool:
    """Whether a preset's number of threads makes steps with so many robots faster with this ODE and on these cores."""
    return threads > 1 and robots >= WORTHWHILE and library.steps_islands and len(os.sched_getaffinity(0)) > 1

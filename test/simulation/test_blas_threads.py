"""Numpy is imported long before a simulation is built here, as by programs that embed one."""

import ctypes
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.settings import SimulationSettings


@pytest.fixture
def threads() -> Iterator[Callable[[], int]]:
    """Reads how many threads the BLAS of numpy's wheel uses: two before the test."""
    loaded = (line.split(maxsplit=5)[-1] for line in Path("/proc/self/maps").read_text().splitlines())
    path = next((path for path in loaded if "scipy_openblas64" in path), None)
    if path is None:
        pytest.skip("this numpy is not the one from PyPI")
    library = ctypes.CDLL(path)
    library.scipy_openblas_set_num_threads64_(2)
    yield library.scipy_openblas_get_num_threads64_
    library.scipy_openblas_set_num_threads64_(1)


@pytest.mark.parametrize(("setting", "left"), [(None, 1), (0, 2)])
def test_a_simulation_limits_the_threads_of_blas_in_its_process(threads, setting, left):
    settings = SimulationSettings()
    settings = settings if setting is None else replace(settings, blas_threads=setting)
    assert threads() == 2
    simulation, _ = build_simulation(settings, [], time.monotonic, time.sleep)
    simulation.world.engine.close()
    assert threads() == left

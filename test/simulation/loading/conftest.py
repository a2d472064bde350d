"""Simulations whose worlds change, as the tests of this folder build them."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.settings import SimulationSettings

_BUILT: list[Simulation] = []


def built(engine: str = "bullet", **settings: Any) -> Simulation:
    """A simulation on an engine, by further settings; its engine is closed after the test."""
    _BUILT.append(build_simulation(SimulationSettings(engine=engine, **settings), (), time.monotonic, time.sleep)[0])
    return _BUILT[-1]


@pytest.fixture(autouse=True)
def engines_are_closed() -> Iterator[None]:
    yield
    while _BUILT:
        _BUILT.pop().world.engine.close()


def load(simulation: Simulation, uri: str, text: str = "") -> None:
    """Load a world as a client asks for it."""
    simulation.worlds.prepare(simulation, simulation.worlds.find(uri, text, simulation.scheduler.settings)())()

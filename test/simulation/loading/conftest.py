"""Simulations whose worlds change, as the tests of this folder build them."""

import time
from typing import Any

from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.settings import SimulationSettings


def built(engine: str = "bullet", **settings: Any) -> Simulation:
    """A simulation on an engine, by further settings."""
    return build_simulation(SimulationSettings(engine=engine, **settings), (), time.monotonic, time.sleep)[0]


def load(simulation: Simulation, uri: str, text: str = "") -> None:
    """Load a world as a client asks for it."""
    simulation.worlds.load(simulation, simulation.worlds.find(uri, text, simulation.scheduler.settings)())

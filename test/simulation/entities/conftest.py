"""A simulation with one robot, named `one`."""

import math
import time
from collections.abc import Iterator

import pytest

from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loading.robot_resources import find_resource
from simspark_ros.simulation.loading.spawning import SpawnPose, spawn
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.settings import SimulationSettings

PLACE = SpawnPose((2.0, 1.0, 0.0), (0.0, 0.0, math.sin(0.5), math.cos(0.5)))
SETTINGS = SimulationSettings(engine="mujoco")


@pytest.fixture
def simulation() -> Iterator[Simulation]:
    pytest.importorskip("mujoco")
    made, _ = build_simulation(SETTINGS, (), time.monotonic, time.sleep)
    spawn(made.world, find_resource("nao").load(SETTINGS), SETTINGS, "one", pose=PLACE)
    yield made
    made.world.engine.close()

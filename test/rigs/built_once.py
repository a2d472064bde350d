"""What a server needs, imported and read once by building a simulation: see `warm`."""

from contextlib import suppress
from importlib import import_module

from simspark_ros.simulation.assembly import Assembly
from simspark_ros.simulation.settings import load_simulation_settings

for _module in ("commands.serving.serve", "server.composition", "ros.composition"):
    # Without ROS the last is missing.
    with suppress(ImportError):
        import_module(f"simspark_ros.{_module}")

_simulation, _ = Assembly(load_simulation_settings()).build([], lambda: 0.0, lambda seconds: None)
_simulation.world.engine.close()

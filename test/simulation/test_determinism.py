"""Equal hashes, cycle by cycle, in fresh processes."""

import subprocess
import sys

SCRIPT = """
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.settings import load_simulation_settings
from simspark_ros.simulation.state_hash import state_hash
from simspark_ros.robots.catalogue import load_robot

simulation, _ = build_simulation(load_simulation_settings(), [], lambda: 0.0, lambda s: None)
world = simulation.world
for variant in range(5):
    world.add_robot(load_robot("nao", variant), (0.4 * variant, 0.0, 0.5), variant)
world.place_ball((0.2, 1.0), (0.0, -3.0, 0.0))
for cycle in range(60):
    world.motors.target[:] = (cycle % 7) - 3.0
    simulation.run_cycle()
    print(state_hash(world))
"""


def hashes(hash_seed: str) -> str:
    environment = {"PYTHONHASHSEED": hash_seed, "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


def test_fresh_processes_agree_on_every_cycle():
    first, second = hashes("1"), hashes("2")
    assert len(first.split()) >= 60
    assert first == second

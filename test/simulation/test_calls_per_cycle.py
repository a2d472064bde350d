"""What a cycle calls: as much as the table of `benchmarks/calls.py` says, and nothing for what its robots lack."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.calls import COLUMNS, differences, read_table
from simspark_ros.arena import Arena
from test.physics.engine_availability import skip_without

ROOT = Path(__file__).parents[2]
ONLY_ONE_PYTHON = pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="other Pythons call differently")

# Each cycle asks MuJoCo for its version.
WITH_ONE_CALL_MORE = """
import sys
import mujoco
from benchmarks import calls
from simspark_ros.simulation.loop import Simulation

run_cycle = Simulation.run_cycle
Simulation.run_cycle = lambda *arguments: (run_cycle(*arguments), mujoco.mj_version())
sys.exit(calls.main())
"""


def counted(*command: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
@pytest.mark.timeout(600)
@ONLY_ONE_PYTHON
def test_a_cycle_calls_what_the_table_says() -> None:
    done = counted("benchmarks/calls.py")
    assert done.returncode == 0, (
        f"{done.stdout}{done.stderr}\nThese are not the calls of benchmarks/calls_per_cycle.txt. If that is meant, "
        "write the table anew in the same commit, which says why:\n    python benchmarks/calls.py --write"
    )


@ONLY_ONE_PYTHON
def test_one_call_more_is_found() -> None:
    skip_without("mujoco")
    done = counted("-c", WITH_ONE_CALL_MORE, "--engines", "mujoco", "--robots", "1")
    assert done.returncode == 1, done.stderr
    before = read_table()["mujoco", 1]["engine"]
    assert f"mujoco, 1 robots: {before:.2f} -> {before + 1.0:.2f} a cycle (engine)" in done.stdout.splitlines()


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize(("factor", "found"), [(1.0, 0), (1.029, 0), (0.971, 0), (1.031, 1), (0.969, 1)])
def test_a_number_may_differ_by_three_percent(column: str, factor: float, found: int) -> None:
    kept = {("mujoco", 22): dict.fromkeys(COLUMNS, 100.0), ("ode", 1): dict.fromkeys(COLUMNS, 1.0)}
    now = {("mujoco", 22): kept["mujoco", 22] | {column: 100.0 * factor}}
    assert len(list(differences(kept, now))) == found


def test_a_number_that_was_zero_and_a_case_that_is_not_in_the_table_differ() -> None:
    found = list(differences({}, {("ode", 1): {"engine": 1.0}}))
    assert found == ["ode, 1 robots: 0.00 -> 1.00 a cycle (engine)"]


OF_OTHERS = {
    *(f"passive_joints.{name}" for name in ("braked", "apply", "_follow", "_resist")),
    *("motors._hold_at_stops", "early_stops.set_room"),
}
"""Functions of limp motors, of followers and joints with friction, of stops that hold weak joints."""


def called(arena: Arena, cycles: int = 20) -> set[str]:
    """The functions among `OF_OTHERS` that cycles call."""
    names: set[str] = set()

    def note(frame: Any, event: str, _: object) -> None:
        if event == "call":
            names.add(f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_name}")

    arena.step(25)
    sys.setprofile(note)
    try:
        arena.step(cycles)
    finally:
        sys.setprofile(None)
    assert "world._step_engine" in names
    return names & OF_OTHERS


def test_a_cycle_calls_nothing_for_limp_motors_stops_and_friction_that_its_robots_do_not_have(engine: str) -> None:
    with Arena(engine=engine, world="empty") as arena:
        nao = arena.add("nao", position=(0.0, 0.0, 0.0))
        nao.set_positions(dict.fromkeys(nao.joints, 0.0))
        assert called(arena) == set()
        arena.world.motors.set_stiffness(np.arange(len(nao.joints)), 0.0)
        assert called(arena) >= {"passive_joints.braked"}
    with Arena(engine=engine, world="empty") as arena:
        bolted = arena.add("nao", position=(0.0, 0.0, 1.0), fixed_base=True)
        bolted.set_positions(dict.fromkeys(bolted.joints, 0.0))
        # A bolted base costs nothing but its own lines in the engine.
        assert called(arena) == set()

"""Robots with numbers that no robot has: no engine takes the process with it, and a robot beside them stands."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from test.physics.engine_availability import skip_without
from test.physics.extremes.extreme_robots import MODELS

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("engine", ["bullet", "ode", "mujoco"])
def test_an_engine_survives_robots_with_extreme_numbers(engine: str) -> None:
    skip_without(engine)
    script = Path(__file__).with_name("extreme_robots.py")
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"}
    done = subprocess.run(
        [sys.executable, str(script), engine], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines() == list(MODELS), done.stdout + done.stderr

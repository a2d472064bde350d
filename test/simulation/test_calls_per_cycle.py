"""A ratchet: a cycle calls as many functions as the table of `benchmarks/calls.py` says, on a busy machine, too."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="other versions of Python call differently")
def test_a_cycle_calls_what_the_table_says() -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "benchmarks/calls.py"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (
        f"{done.stdout}{done.stderr}\nThese are not the calls of benchmarks/calls_per_cycle.txt. If that is meant, "
        "write the table anew in the same commit, which says why:\n    python benchmarks/calls.py --write"
    )

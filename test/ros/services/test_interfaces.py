"""The package's own interfaces have the defaults of simulation_interfaces."""

from __future__ import annotations

from pathlib import Path

SERVICES = Path(__file__).parents[3] / "srv"


def test_a_step_request_without_a_number_makes_one_step() -> None:
    # The file itself: the installed interfaces are as old as the installation.
    assert "uint64 steps 1" in (SERVICES / "StepSimulation.srv").read_text(encoding="utf-8").splitlines()

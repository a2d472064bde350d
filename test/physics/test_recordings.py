"""No engine is left out of a golden test."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from test.physics.recordings import CASES

FILES = {
    "bullet": ("test_golden_robot.py", "test_golden_ball.py"),
    "ode": ("test_ode_golden.py",),
    "mujoco": ("test_mujoco_golden.py",),
}


@pytest.mark.parametrize("engine", FILES)
def test_every_engine_has_every_golden_case(engine):
    trees = [ast.parse(Path(__file__).with_name(name).read_text()) for name in FILES[engine]]
    tests = {node.name for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert {f"test_{case}" for case in CASES} - tests == set()

"""Bolted robots are bolted in what is written of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from simspark_conformance.robot_export.mjcf import export_mjcf
from simspark_conformance.robot_export.urdf import export_urdf
from simspark_ros.robots.catalogue import load_robot
from test.physics.engine_availability import skip_without
from test.robots.body.test_bolts import free, urdf


@pytest.mark.parametrize("option", ["", "?fixed_base=true"])
def test_exported_models_are_bolted(tmp_path: Path, option: str) -> None:
    made = load_robot(f"{urdf(tmp_path, 0.7) if not option else free(tmp_path)}{option}")
    export_urdf(made, tmp_path / "out.urdf")
    again = load_robot(str(tmp_path / "out.urdf"))
    assert again.model.fixed_base
    assert again.spawn_height == pytest.approx(made.spawn_height)
    skip_without("mujoco")
    export_mjcf(made, tmp_path / "out.xml")
    assert "freejoint" not in (tmp_path / "out.xml").read_text(encoding="utf-8")

"""Elastic stops of the preset `legacy`."""

from __future__ import annotations

import pytest


@pytest.fixture
def engine_preset() -> str:
    return "legacy"


def test_joint_comes_back_from_its_stop_with_its_own_speed(lab):
    lab.nao()
    index, control = lab.joint("laj1"), lab.hold()
    control.velocity[index] = 6.0
    while lab.state.joint_position[index] < lab.state.joint_upper[index]:
        lab.engine.step(control)
    lab.run(1)
    # 1 %: cfm of the motor's row.
    assert lab.state.joint_velocity[index] == pytest.approx(-6.0, rel=0.01)


def test_joint_of_the_default_preset_ends_at_its_stop(make_lab):
    lab = make_lab(preset="J1")
    lab.nao()
    index = lab.joint("laj1")
    lab.turn("laj1", 6.0, 40)
    assert lab.state.joint_velocity[index] == pytest.approx(0.0, abs=0.01)


def test_joint_whose_motor_is_off_ends_at_its_stop(lab):
    lab.nao()
    index, control = lab.joint("laj1"), lab.hold()
    control.velocity[index] = 6.0
    lab.run(10, control)
    control.effort_limit[index] = 0.0
    control.effort[index] = 0.5
    lab.run(100, control)
    upper = float(lab.state.joint_upper[index])
    assert lab.state.joint_position[index] <= upper + 1e-3
    assert lab.state.joint_velocity[index] == pytest.approx(0.0, abs=0.05)

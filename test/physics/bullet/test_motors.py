"""What PyBullet's motors make of a JointControl that the caller changes from cycle to cycle."""

from __future__ import annotations

import numpy as np
import pytest

from simspark_ros.physics.engine import PhysicsError


def test_efforts_and_limits_changed_in_place_are_noticed(lab):
    lab.nao(z=3.0)
    control, head = lab.hold(), lab.joint("hj1")
    lab.run(1, control)
    control.effort_limit[head] = -1.0
    with pytest.raises(PhysicsError, match="limit that is negative"):
        lab.run(1, control)
    control.effort_limit[head], control.effort[head] = 0.0, np.nan
    with pytest.raises(PhysicsError, match="not finite"):
        lab.run(1, control)
    control.effort[head] = 1e-3
    lab.run(1, control)
    # The motor is off, the effort alone drives the joint.
    assert lab.state.joint_effort[head] == pytest.approx(1e-3, abs=1e-9)
    assert lab.state.joint_velocity[head] > 0.01
    control.effort[head] = 0.0
    lab.run(1, control)
    assert lab.state.joint_effort[head] == pytest.approx(0.0, abs=1e-9)
    control.effort_limit[head] = lab.state.joint_max_effort[head]
    lab.run(1, control)
    # The motor is on again and holds the joint.
    assert lab.state.joint_velocity[head] == pytest.approx(0.0, abs=1e-3)

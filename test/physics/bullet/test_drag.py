"""Drag: one torque at the base stands for those of all links."""

import numpy as np
import pytest

from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, SceneModel

DRAG, STEP = 0.01, 0.02
# About z.
BASE_INERTIA, WHEEL_INERTIA = 0.05, 0.01


def spinner() -> ArticulatedModel:
    """A body with a wheel in its middle."""

    def inertia(z: float) -> tuple[float, float, float, float, float, float]:
        return (0.04, 0.0, 0.0, 0.04, 0.0, z)

    links = (Link("body", 2.0, inertia(BASE_INERTIA)), Link("wheel", 0.5, (0.006, 0.0, 0.0, 0.006, 0.0, WHEEL_INERTIA)))
    axle = Joint(
        "axle", JointKind.CONTINUOUS, "body", "wheel", axis=(0.0, 0.0, 1.0), max_velocity=50.0, max_effort=100.0
    )
    return ArticulatedModel("spinner", links, (axle,), angular_drag=DRAG)


@pytest.mark.parametrize("preset", ["J1", "legacy"])
@pytest.mark.parametrize("wheel", [0.0, 12.0, -12.0, -20.0])
def test_robot_loses_angular_momentum_by_the_spins_of_all_its_links(make_lab, preset, wheel):
    lab = make_lab(SceneModel(gravity=(0.0, 0.0, 0.0)), preset)
    handle = lab.engine.add_robot(spinner(), (0.0, 0.0, 5.0))
    control = lab.hold()
    control.velocity[:] = wheel
    lab.run(20, control)
    lab.engine.set_velocity(handle, (0.0, 0.0, 0.0), (0.0, 0.0, 4.0))
    lab.run(3, control)

    def spins() -> np.ndarray:
        base = float(lab.state.angular_velocity[0, 2])
        return np.array([base, base + float(lab.state.joint_velocity[0])])

    before = spins()
    lab.run(1, control)
    after = spins()
    change = float(np.array([BASE_INERTIA, WHEEL_INERTIA]) @ (after - before))
    # Explicit, as on the classic server: of the spins before the step. 1 %: cfm of the motor's row.
    assert change == pytest.approx(-DRAG * before.sum() * STEP, rel=0.01, abs=1e-7)

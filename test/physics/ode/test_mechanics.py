"""General robots on ODE: sliders, wheels, efforts, stops, crooked inertia, several worlds, equal bits."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simspark_ros.physics.engine import PhysicsError
from simspark_ros.physics.model import ArticulatedModel, Frame, Joint, JointKind, Link, SceneModel, Shape, ShapeKind
from simspark_ros.physics.ode.kinematics import link_poses
from test.physics.ode.ode_lab import make_lab, needs_ode  # noqa: F401

pytestmark = needs_ode

STEP = 0.02


def arm(kind: JointKind = JointKind.REVOLUTE, **joint: Any) -> ArticulatedModel:
    """A heavy base, a limb on a joint about (or along) y, and a weight fixed to the limb's end."""
    base = Link("base", 5000.0, (80.0, 0.0, 0.0, 80.0, 0.0, 130.0))
    limb = Link("limb", 0.1, (1e-3, 0.0, 0.0, 1e-3, 0.0, 1e-3), centre=(0.1, 0.0, 0.0))
    moving = replace(Joint("elbow", kind, "base", "limb", position=(0.1, 0.0, 0.0), axis=(0.0, 1.0, 0.0)), **joint)
    fixed = Joint("wrist", JointKind.FIXED, "limb", "weight", position=(0.2, 0.0, 0.0), rpy=(0.3, -0.2, 0.1))
    weight = Link("weight", 0.2, (1e-4, 0.0, 0.0, 1e-4, 0.0, 1e-4))
    return ArticulatedModel("arm", (base, limb, weight), (moving,), (fixed,))


# About the joint: the limb's 0.1 kg at 0.1 m, the weight's 0.2 kg at 0.2 m; the base hardly moves.
ARM_INERTIA = 1e-3 + 0.1 * 0.1**2 + 1e-4 + 0.2 * 0.2**2


def test_link_poses_agree_with_kinematics_while_nothing_moves(lab):
    handle = lab.nao(z=0.6, yaw=0.7)
    model = lab.state.models[0]
    angles = np.random.default_rng(3).uniform(-0.4, 0.01, 22)
    lab.engine.set_joint_positions(handle, angles)
    cut = np.clip(angles, lab.state.joint_lower, lab.state.joint_upper)
    assert lab.state.joint_position == pytest.approx(cut, abs=1e-12)
    names = [link.name for link in model.links]
    centres, rotations = lab.engine.link_poses(lab.engine.select_links([(handle, name) for name in names]))
    expected_centres, expected_rotations = link_poses(model, cut)
    turn = lab.state.rotation[0]
    assert centres == pytest.approx(expected_centres @ turn.T + lab.state.position[0], abs=1e-12)
    assert rotations == pytest.approx(turn @ expected_rotations, abs=1e-12)


def test_hinges_drift_apart_in_a_fast_motion_and_come_together(lab):
    handle = lab.nao()
    lab.run(20)
    selection = lab.engine.select_links([(handle, "torso"), (handle, "lupperarm"), (handle, "llowerarm")])

    def elbow() -> float:
        """Between the arm's end as it is and as the joint angles have it, m."""
        centres, _ = lab.engine.link_poses(selection)
        names = [link.name for link in lab.state.models[0].links]
        expected, _ = link_poses(lab.state.models[0], lab.state.joint_position)
        there = lab.state.rotation[0] @ expected[names.index("llowerarm")] + lab.state.position[0]
        return float(np.linalg.norm(centres[2] - there))

    lab.turn("laj1", 6.0, 8)
    drifted = elbow()
    # h^2 / 2 w^2 r = 1.1 mm a step at 0.15 m, of which a fifth is taken back per step.
    assert 1e-3 < drifted < 0.02
    lab.turn("laj1", 0.0, 30)
    assert elbow() < 0.1 * drifted


def test_sliders_and_wheels(empty):
    empty.engine.add_robot(arm(JointKind.PRISMATIC, lower=-0.1, upper=0.1, max_effort=50.0), (0, 0, 5), 0.5)
    empty.engine.add_robot(arm(JointKind.CONTINUOUS, max_effort=50.0, max_velocity=30.0), (3, 0, 5))
    control = empty.hold()
    control.velocity[:] = [0.05, 10.0]
    empty.run(50, control)
    # ODE turns a body by 2 atan(w h / 2) a step; the slider is exact.
    turned = 50 * 2.0 * math.atan(10.0 * STEP / 2.0)
    assert empty.state.joint_position == pytest.approx([0.05, turned], rel=1e-3)
    assert empty.state.joint_velocity == pytest.approx([0.05, 10.0], rel=1e-3)
    empty.run(100, control)
    # The slider chatters at its stop within one step's way, the wheel has no stop and counts its turns.
    assert empty.state.joint_position[0] == pytest.approx(0.1, abs=0.0011)
    assert empty.state.joint_position[1] == pytest.approx(3.0 * turned, rel=1e-3)


def test_effort_accelerates_a_joint_whose_motor_is_off(empty):
    empty.engine.add_robot(arm(max_effort=10.0, max_velocity=50.0), (0.0, 0.0, 5.0))
    control = empty.hold()
    control.effort_limit[:], control.effort[:] = 0.0, 0.05
    empty.run(20, control)
    assert empty.state.joint_velocity[0] == pytest.approx(0.05 / ARM_INERTIA * 20 * STEP, rel=0.02)
    assert empty.state.joint_effort[0] == pytest.approx(0.05, abs=1e-3)


def test_motor_reports_what_it_holds_and_is_bounded(make_lab):  # noqa: F811
    lab = make_lab(SceneModel())
    model = arm(max_effort=10.0, max_velocity=50.0)
    slab = replace(model.base, collisions=(Shape(ShapeKind.BOX, (1.0, 1.0, 0.2)),))
    lab.engine.add_robot(replace(model, links=(slab, *model.links[1:])), (0.0, 0.0, 0.1))
    # The base is half sunk in, and carried: the arm hangs out over its edge.
    lab.run(100)
    # Gravity turns the arm, which points along x, about +y.
    assert lab.state.joint_effort[0] == pytest.approx(-(0.1 * 0.1 + 0.2 * 0.2) * 9.81, rel=0.01)
    control = lab.hold()
    control.velocity[:], control.effort_limit[:] = -40.0, 0.05
    lab.run(3, control)
    assert lab.state.joint_effort[0] == pytest.approx(-0.05, rel=1e-3)


@pytest.mark.parametrize("effort", [0.3, -0.3])
def test_joint_without_motor_comes_to_rest_at_its_stop(empty, effort):
    empty.engine.add_robot(arm(lower=-0.5, upper=0.5, max_effort=10.0, max_velocity=6.0), (0.0, 0.0, 5.0))
    control = empty.hold()
    control.effort_limit[:], control.effort[:] = 0.0, effort
    empty.run(60, control)
    # Stops take an overshoot back by four fifths a step.
    assert empty.state.joint_position[0] == pytest.approx(math.copysign(0.5, effort), abs=1e-3)
    control.effort[:] = -effort
    empty.run(4, control)
    assert abs(empty.state.joint_position[0]) < 0.47


def test_limits_and_efforts_changed_in_place_are_noticed(lab):
    lab.nao(z=3.0)
    control, head = lab.hold(), lab.joint("hj1")
    lab.run(1, control)
    control.effort_limit[head] = -1.0
    with pytest.raises(PhysicsError, match="negative effort limit"):
        lab.run(1, control)
    control.effort_limit[head], control.effort[head] = 0.0, math.nan
    with pytest.raises(PhysicsError, match="not finite"):
        lab.run(1, control)
    control.effort[head] = 1e-3
    lab.run(1, control)
    assert lab.state.joint_effort[head] == pytest.approx(1e-3, abs=1e-9)
    # Nothing is left of it when it is taken back.
    control.effort[head] = 0.0
    lab.run(1, control)
    assert lab.state.joint_effort[head] == pytest.approx(0.0, abs=1e-9)


def test_products_of_inertia_do_not_turn_the_base(empty):
    crooked = Link("base", 1.0, (0.02, 0.005, 0.0, 0.03, 0.002, 0.04), centre=(0.1, 0.0, 0.05))
    model = ArticulatedModel("crooked", (crooked,), (), frames=(Frame("origin", "base"),))
    handle = empty.engine.add_robot(model, (1.0, 2.0, 3.0), yaw=0.4)
    cos, sin = math.cos(0.4), math.sin(0.4)
    expected = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    origins, turns = empty.engine.link_poses(empty.engine.select_links([(handle, "origin")]))
    assert turns[0] == pytest.approx(expected, abs=1e-12)
    assert origins[0] == pytest.approx([1.0, 2.0, 3.0] - expected @ [0.1, 0.0, 0.05], abs=1e-12)


def test_worlds_of_one_process_do_not_disturb_each_other(make_lab):  # noqa: F811
    alone = make_lab()
    alone.nao(x=1.0)
    alone.run(40)
    pair = [make_lab(), make_lab(preset="awake")]
    for number, lab in enumerate(pair):
        lab.nao(x=1.0 if number == 0 else 4.0)
    for _ in range(40):
        for lab in pair:
            lab.run(1)
    assert pair[0].state.position.tobytes() == alone.state.position.tobytes()
    pair[1].engine.close()
    pair[0].run(1)


SCRIPT = """
import hashlib
import numpy as np
from simspark_ros.physics.engine import JointControl
from simspark_ros.physics.model import BallModel, SceneModel, StaticBox
from simspark_ros.physics.ode.engine import create
from simspark_ros.robots.catalogue import load_robot

engine = create()
engine.load_scene(SceneModel(BallModel(0.042, 0.026, 0.01, 5e-5), (StaticBox("box", (1.0, 0.0, 0.5), (0.1, 1, 1)),)))
for index in range(4):
    engine.add_robot(load_robot("nao", index).model, (0.12 * index, 0.0, 0.4))
engine.place_ball((0.5, 0.0, 0.5), (3.0, 0.0, 0.0))
digest, draw = hashlib.sha256(), np.random.default_rng(5)
for _ in range(100):
    engine.step(JointControl(draw.uniform(-5.0, 5.0, 88), np.full(88, 10.0), np.zeros(88)))
    state = engine.state
    for array in (state.position, state.rotation, state.joint_position, state.touch_force, state.ball_position):
        digest.update(array.tobytes())
print(digest.hexdigest())
engine.close()
"""


def test_fresh_processes_compute_the_same_bits_and_print_nothing_else():
    outputs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # Orders that depend on hashes must not show.
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert len(outputs[0].split()) == 1


def test_models_that_no_body_can_have_are_refused(lab):
    flat = Link("flat", 1.0, (0.0, 0.0, 0.0, 1.0, 0.0, 1.0))
    with pytest.raises(PhysicsError, match="link 'flat' of model 'm' needs a mass and moments of inertia above zero"):
        lab.engine.add_robot(ArticulatedModel("m", (flat,), ()), (0.0, 0.0, 0.0))

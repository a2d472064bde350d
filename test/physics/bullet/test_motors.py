"""Elastic stops of the preset `legacy`, and stops of limp joints."""

from dataclasses import replace

import numpy as np
import pytest

from simspark_conformance.harness import CheckedWorld
from simspark_conformance.models import solid_box
from simspark_ros.physics.engine import JointControl
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, SceneModel, Vector
from simspark_ros.physics.registry import create_engine


def test_an_impact_does_not_turn_a_joint_with_much_friction_through_its_stop():
    """Limp, but with friction as large as its motor's effort: Talos' gripper was 20 degrees beyond, this flap 28."""
    base, limb = solid_box("base", 5.0, (0.3, 0.3, 0.1)), solid_box("limb", 0.02, (0.2, 0.05, 0.01), (0.1, 0.0, 0.0))
    hinge = Joint(
        "j",
        JointKind.REVOLUTE,
        "base",
        "limb",
        (0.15, 0.0, -0.05),
        axis=(0.0, 1.0, 0.0),
        lower=-1.0,
        upper=0.0,
        max_velocity=5.0,
        max_effort=0.05,
        friction=0.05,
    )
    made = create_engine("bullet")
    world = CheckedWorld(made, SceneModel())
    world.add(ArticulatedModel("flap", (base, limb), (hinge,)), (0.0, 0.0, 2.0))
    positions = []
    for _ in range(60):
        made.step(JointControl(np.zeros(1), np.full(1, 0.05), np.zeros(1)))
        positions.append(float(world.state.joint_position[0]))
    made.close()
    # 2 degrees are allowed.
    assert max(positions) < np.radians(2.0)


def rag_doll() -> ArticulatedModel:
    """A torso of 10 kg with a neck, arms and legs of light joints in rows, all of which have stops at 0.6 rad."""
    links, joints = [solid_box("torso", 10.0, (0.2, 0.3, 0.4))], []
    neck = [("z", 0.2, 0.02, 0.02), ("y", 0.15, 0.02, 0.02), ("x", 1.4, 0.15, 0.15)]
    arm = [("y", 0.5, 0.03, 0.05), ("z", 0.3, 0.15, 0.05), ("y", 0.2, 0.03, 0.04), ("z", 0.2, 0.12, 0.04)]
    arm += [("y", 0.08, 0.02, 0.02), ("x", 0.16, 0.02, 0.02), ("z", 0.2, 0.06, 0.04)]
    leg = [("z", 1.0, 0.03, 0.1), ("x", 1.0, 0.03, 0.1), ("y", 2.0, 0.25, 0.1), ("y", 1.5, 0.25, 0.08)]
    leg += [("y", 0.3, 0.03, 0.05), ("x", 0.6, 0.05, 0.1)]
    limbs: list[tuple[Vector, Vector, list[tuple[str, float, float, float]]]] = [
        ((0.0, 0.0, 0.2), (0.0, 0.0, 1.0), neck),
        *(((0.0, 0.15 * side, 0.15), (0.0, side, 0.0), arm) for side in (1.0, -1.0)),
        *(((0.0, 0.08 * side, -0.2), (0.0, 0.0, -1.0), leg) for side in (1.0, -1.0)),
    ]
    for limb, (place, way, parts) in enumerate(limbs):
        parent, (x, y, z) = "torso", place
        for number, (axis, mass, length, thick) in enumerate(parts):
            name = f"limb{limb}_{number}"
            width, depth, height = (max(abs(one) * length, thick) for one in way)
            a, b, c = (one * length / 2.0 for one in way)
            link = solid_box(name, mass, (width, depth, height), (a, b, c))
            links.append(link if length >= 0.05 else replace(link, collisions=()))
            turn = (float(axis == "x"), float(axis == "y"), float(axis == "z"))
            joint = Joint(name, JointKind.REVOLUTE, parent, name, (x, y, z), axis=turn, lower=-0.6, upper=0.6)
            joints.append(replace(joint, max_velocity=5.0, max_effort=20.0))
            parent, (x, y, z) = name, (2.0 * a, 2.0 * b, 2.0 * c)
    return ArticulatedModel("doll", tuple(links), tuple(joints))


@pytest.mark.parametrize("seed", [1, 3, 5])
def test_a_rag_doll_gains_no_energy_from_its_stops(seed: int) -> None:
    """Light joints passed their stops by a radian in a step, and the doll flew off: limp Romeo, H1-2, H2."""
    model, made = rag_doll(), create_engine("bullet")
    world, count = CheckedWorld(made, SceneModel()), len(model.joints)
    handle = world.add(model, (0.0, 0.0, 0.85))
    made.set_joint_positions(handle, np.random.default_rng(seed).uniform(-0.3, 0.3, count))
    made.place_robot(handle, (0.0, 0.0, 0.85 + 0.03 * seed), (0.0, 0.1, 0.0, 0.995))
    limp = JointControl(np.zeros(count), np.zeros(count), np.zeros(count))
    masses = np.array([link.mass for link in model.links])
    links = made.select_links([(handle, link.name) for link in model.links])

    def energy() -> float:
        centres, speeds = made.link_poses(links)[0], made.link_velocities(links)[0]
        return float(masses @ (0.5 * (speeds**2).sum(axis=1) + 9.81 * centres[:, 2]))

    start, most = energy(), 0.0
    for _ in range(150):
        made.step(limp)
        most = max(most, energy())
    made.close()
    assert most < 1.01 * start


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_joint_that_is_sent_to_its_elastic_stop_rests_there_and_does_not_bounce(make_lab, side):
    """As on ODE, which turns bodies a little less than w h in a step: walking agents send ankles to their stops."""
    lab = make_lab(SceneModel(gravity=(0.0, 0.0, 0.0)), "legacy")
    handle = lab.nao(z=1.0)
    joint, control = lab.joint("llj5"), lab.hold()
    stop = float((lab.state.joint_lower if side < 0.0 else lab.state.joint_upper)[joint])
    start = np.zeros(len(control.velocity))
    # Agents read hundredths of a degree, so that they miss by half as much.
    start[joint] = stop - (0.12 - np.radians(0.004)) * side
    lab.engine.set_joint_positions(handle, start)
    control.velocity[joint] = 6.0 * side
    lab.engine.step(control)
    control.velocity[joint] = 0.0
    lab.engine.step(control)
    assert lab.state.joint_position[joint] == pytest.approx(stop, abs=np.radians(0.02))

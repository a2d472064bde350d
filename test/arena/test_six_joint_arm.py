"""An arm of six joints, bolted to the world, built as a UR5 is: it holds, follows, and carries what it weighs."""

import math

import numpy as np
import pytest

from simspark_ros.arena import Arena
from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.model import ArticulatedModel
from test.physics.engine_availability import skip_without
from test.robots.formats.adaptation.makers import joint, link, robot, write

ENGINES = ("bullet", "ode", "mujoco")
# Name, axis, place in the parent, mass of what it moves, kg, its centre and length, m, greatest effort, N m.
JOINTS = (
    ("shoulder_pan", "0 0 1", "0 0 0.09", 3.7, "0 0 0", 0.12, 150.0),
    ("shoulder_lift", "0 1 0", "0 0.13 0", 8.4, "0 0 0.21", 0.42, 150.0),
    ("elbow", "0 1 0", "0 -0.12 0.42", 2.3, "0 0 0.19", 0.39, 150.0),
    ("wrist_1", "0 1 0", "0 0 0.39", 1.2, "0 0.1 0", 0.1, 28.0),
    ("wrist_2", "0 0 1", "0 0.1 0", 1.2, "0 0 0.05", 0.1, 28.0),
    ("wrist_3", "0 1 0", "0 0 0.1", 0.3, "0 0.08 0", 0.08, 28.0),
)
POSES = ((0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.5, 1.0, 0.6, -0.8, 0.4, 1.0), (-2.0, -1.2, -1.5, 1.0, -1.0, -2.0))
STEP = 0.02


def arm() -> str:
    bolts, parent = joint("bolts", "world", "base", kind="fixed"), "base"
    parts = [link("world", mass=0.0), body("base", 4.0, "0 0 0.04", 0.08), bolts]
    for name, axis, place, mass, centre, length, effort in JOINTS:
        where = f'<origin xyz="{place}"/><parent link="{parent}"/><child link="{name}_link"/><axis xyz="{axis}"/>'
        limit = f'<limit lower="-6.28" upper="6.28" velocity="3.15" effort="{effort}"/>'
        moves = f'<joint name="{name}" type="revolute">{where}{limit}</joint>'
        parts += [body(name + "_link", mass, centre, length), moves]
        parent = name + "_link"
    return robot(*parts)


def body(name: str, mass: float, centre: str, length: float) -> str:
    moment = mass * (length**2 / 12.0 + 0.05**2 / 4.0)
    inertia = f'<inertia ixx="{moment}" iyy="{moment}" izz="{moment}" ixy="0" ixz="0" iyz="0"/>'
    inertial = f'<inertial><origin xyz="{centre}"/><mass value="{mass}"/>{inertia}</inertial>'
    return f'<link name="{name}">{inertial}</link>'


def weights(model: ArticulatedModel, positions: Array) -> Array:
    """Efforts (J,) that hold the arm, N m: the change of its potential energy with each joint."""

    def energy(moved: Array) -> float:
        frames = link_frames(model, dict(zip((one.name for one in model.joints), moved.tolist(), strict=True)))
        return sum(9.81 * one.mass * float(frames[one.name].apply(np.array(one.centre))[2]) for one in model.links)

    steps = 1e-5 * np.eye(len(positions))
    return np.array([(energy(positions + step) - energy(positions - step)) / 2e-5 for step in steps])


@pytest.mark.parametrize("engine", ENGINES)
def test_the_arm_follows_a_path_goes_where_it_is_told_and_its_motors_carry_its_weight(tmp_path, engine: str) -> None:
    skip_without(engine)
    widths = np.array([0.5, -0.4, 0.3, -0.5, 0.4, 0.5])
    with Arena(f"arm={write(tmp_path, arm())}", engine=engine, world="empty") as arena:
        made = arena["arm"]
        base, told, worst = made.position.copy(), made.joint_positions, 0.0
        # Each joint swings out by up to 1 rad and back within 2 s, with less than its effort.
        for cycle in range(1, 151):
            # A motor that is given a position goes there in one cycle.
            made.set_positions(dict(zip(made.joints, told.tolist(), strict=True)))
            arena.step()
            worst = max(worst, float(np.abs(made.joint_positions - told).max()))
            told = widths * (1.0 - math.cos(3.0 * STEP * cycle))
        assert worst < 1e-3
        for pose in POSES:
            made.set_positions(dict(zip(made.joints, pose, strict=True)))
            # The longest way, 3 rad, takes a second at the greatest speed.
            arena.step(75)
            before = made.joint_positions.copy()
            arena.step(25)
            found = made.joint_positions
            # Bullet's motors are soft: they lag by cfm times their effort, 60 N m, and aim as much ahead.
            assert found == pytest.approx(pose, abs=2e-3) and found == pytest.approx(before, abs=1e-4)
            wanted = weights(made.description.model, found)
            # ODE's joints still swing by 3e-5 rad, which takes 0.01 N m.
            least = 0.05 + 0.002 * float(np.abs(wanted).max())
            assert arena.world.engine.state.joint_effort == pytest.approx(wanted, abs=least)
        assert np.abs(made.position - base).max() == 0.0

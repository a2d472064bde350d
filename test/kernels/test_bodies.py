"""Kernels are one source: compiled or not, the numbers that bodies, motors, links get are the same bits."""

import math
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from simspark_ros.kernels.bullet.robot_trees import RobotTrees
from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry.link_motion import LinkMotion
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations
from simspark_ros.physics.geometry.transforms import rotation_about, rotation_from_rpy
from simspark_ros.physics.ode_likeness.trees import Trees
from simspark_ros.robots.catalogue import load_robot
from test.rigs.kernels import both, same_bits

STEP = 0.02
MODEL = load_robot("nao").model
NUMBERS = np.random.default_rng(0)
POSITIONS, RATES = NUMBERS.normal(size=(2, len(MODEL.joints)))
# The base keeps its axes: so positions of the joints tell everything about the links.
LINEAR, ANGULAR = np.array((0.3, -1.2, 0.7)), np.zeros(3)


def place(positions: Array) -> tuple[Array, Array]:
    return LinkMotion(MODEL).poses(positions)


def velocities(positions: Array) -> Array:
    """(L, 6) velocities of the links where joints with these positions put them."""
    return np.hstack(LinkMotion(MODEL).velocities(*place(positions), (0.3, -1.2, 0.7), (0.0, 0.0, 0.0), RATES))


def trees(kernel: type[RobotTrees] = RobotTrees) -> tuple[RobotTrees, dict[str, Array]]:
    """The links at their positions, moved by their rates, and the arrays of the kernel that are written."""
    tree = Trees([MODEL])
    centres, rotations = place(POSITIONS)
    room: dict[str, Array] = {name: np.zeros((len(centres), 3)) for name in ("axes", "levers", "arms")}
    room |= {name: np.zeros((len(centres), 6)) for name in ("velocities", "accelerations", "forces")}
    room["turns"] = np.zeros((len(centres), 9))
    made = kernel(
        step=STEP,
        parents=tree.parents,
        robots=tree.robots,
        hinges=tree.hinges,
        home_axes=tree.axes,
        home_levers=tree.levers,
        centres=centres,
        rotations=rotations.reshape(-1, 9),
        principal=tree.principal.reshape(-1, 9),
        masses=tree.masses / STEP,
        inertias=tree.inertias / STEP,
        **room,
    )
    made.look()
    made.move(LINEAR[None], ANGULAR[None], RATES)
    return made, room


def test_links_move_as_the_joints_turn_them_and_accelerations_are_how_velocities_change() -> None:
    _, room = trees()
    assert room["velocities"] == pytest.approx(velocities(POSITIONS), abs=1e-12)
    tiny = 1e-5
    change = (velocities(POSITIONS + tiny * RATES) - velocities(POSITIONS - tiny * RATES)) / (2.0 * tiny)
    # The central difference is off by the square of the time, and rounds.
    assert room["accelerations"] == pytest.approx(change, abs=1e-5)


def test_efforts_and_wrenches_do_the_work_of_the_forces() -> None:
    made, room = trees()
    forces = room["forces"][:] = NUMBERS.normal(size=room["forces"].shape)
    power = float((forces * room["velocities"]).sum())
    wrenches, efforts = np.zeros((1, 6)), np.zeros(len(RATES))
    made.carry(wrenches, efforts)
    assert wrenches[0, :3] @ LINEAR + wrenches[0, 3:] @ ANGULAR + efforts @ RATES == pytest.approx(power, rel=1e-9)


def test_load_keeps_bodies_straight_less_their_momenta() -> None:
    made, room = trees()
    made.load()
    rotations = place(POSITIONS)[1]
    for link, rotation, force, velocity, acceleration in zip(
        MODEL.links, rotations, room["forces"], room["velocities"], room["accelerations"], strict=True
    ):
        inertia = rotation @ link.inertia_matrix @ rotation.T
        momentum = inertia @ velocity[3:]
        torque = inertia @ acceleration[3:] + np.cross(velocity[3:], momentum) - momentum / STEP
        assert force[:3] == pytest.approx(link.mass * (acceleration[:3] - velocity[:3] / STEP), abs=1e-9)
        assert force[3:] == pytest.approx(torque, abs=1e-9)


def test_uncompiled_it_gives_the_same_bits() -> None:
    def loaded(module: Any) -> Array:
        made, room = trees(module.RobotTrees)
        made.load()
        made.carry(np.zeros((1, 6)), np.zeros(len(RATES)))
        return np.hstack(list(room.values()))

    same_bits("bullet.robot_trees", loaded)


MODULES = both("motors")
JOINTS = 40


@pytest.mark.parametrize("seconds", [0.02, 0.005])
def test_uncompiled_control_is_the_same_to_the_bit(seconds):
    def control(module):
        random = np.random.default_rng(1)
        lower, upper = -random.uniform(0.0, 2.0, JOINTS), random.uniform(0.0, 2.0, JOINTS)
        kernel = module.MotorKernel(
            mode=np.zeros(JOINTS, np.int8),
            target=np.zeros(JOINTS),
            stiffness=random.choice([0.0, 0.3, 1.0], JOINTS),
            lower=lower,
            upper=upper,
            fastest=random.choice([1.0, math.inf], JOINTS),
            strongest=random.choice([5.0, math.inf], JOINTS),
            top_speed=1000.0,
            velocity=np.zeros(JOINTS),
            effort_limit=np.zeros(JOINTS),
        )
        for mode in (0, 1, 2):
            kernel.command(random.integers(0, JOINTS, 20), mode, random.normal(0.0, 2.0, 20), lower, upper)
        kernel.control(random.normal(size=JOINTS), seconds)
        # Some joints are beyond their stops, and a third of those at rest.
        speeds = random.normal(size=JOINTS) * (random.integers(0, 3, JOINTS) > 0)
        velocities = random.choice([-math.inf, -0.5, 0.0, 0.5, math.nan], 20)
        state = SimpleNamespace(joint_velocity=speeds)
        kernel.drive(random.integers(0, JOINTS, 20), velocities, random.normal(0.0, 1.5, JOINTS), state)
        return np.stack((kernel.velocity, kernel.effort_limit, kernel.target, kernel.mode))

    same_bits("motors", control)


@pytest.mark.parametrize("module", MODULES)
def test_numbers_that_no_motor_can_use_and_joints_that_do_not_exist_are_found(module):
    good, bad = np.array([1.0, -2.0]), np.array([1.0, math.nan])
    limit = np.array([0.0, math.inf])
    check = module.ControlCheck(*np.zeros((3, 0)))
    assert check.is_usable(good, limit, good)
    endless = np.array([math.inf, 0.0])
    for wrong in (
        (bad, limit, good),
        (good, bad, good),
        (good, limit, bad),
        (good, -good, good),
        (endless, limit, good),
    ):
        assert not check.is_usable(*wrong)
    room = np.zeros((8, 2))
    names = ("target", "stiffness", "lower", "upper", "fastest", "strongest", "velocity", "effort_limit")
    kernel = module.MotorKernel(mode=np.zeros(2, np.int8), top_speed=1.0, **dict(zip(names, room, strict=True)))
    for joints, targets, error in (([2], [0.0], IndexError), ([-1], [0.0], IndexError), ([0, 1], [0.0], ValueError)):
        with pytest.raises(error):
            kernel.command(np.array(joints), 1, np.array(targets), np.full(2, -1.0), np.ones(2))


def test_uncompiled_joints_end_at_their_stops_with_the_same_bits_and_wrong_arrays_are_refused():
    def end(module):
        random = np.random.default_rng(3)
        lower, upper = -random.uniform(0.0, 1.0, 40), random.uniform(0.0, 1.0, 40)
        kernel = module.StopKernel(lower, upper, 50.0, 10.0)
        positions, velocities = random.uniform(-1.5, 1.5, 40), random.normal(size=40)
        targets = random.normal(0.0, 20.0, 40)
        wanted = targets.copy()
        assert kernel.end(targets, positions, velocities)
        # What the kernel says in loops.
        ends = np.minimum(wanted, np.maximum((upper - positions) * 50.0, -10.0))
        assert targets.tolist() == np.maximum(ends, np.minimum((lower - positions) * 50.0, 10.0)).tolist()
        assert not kernel.end(targets, (lower + upper) / 2.0, np.zeros(40))
        return targets

    same_bits("bullet.stops", end)
    compiled = MODULES[0].ControlCheck(*np.zeros((3, 0)))
    wrong, right = np.full(JOINTS, math.nan, np.float32), np.zeros(JOINTS)
    for arrays in ((wrong, right, right), (right, wrong, right)) * 2:
        with pytest.raises(ValueError, match="Buffer dtype mismatch"):
            compiled.is_usable(*arrays)
    assert compiled.is_usable(right, right, right)


def test_hinges_have_the_angles_by_which_their_children_are_turned_and_sines_are_those_of_the_c_library() -> None:
    numbers = np.random.default_rng(1)
    parent, zero = (rotation_from_rpy(tuple(rpy)) for rpy in numbers.normal(size=(2, 3)))
    axes, angles = numbers.normal(size=(9, 3)), np.linspace(-3.1, 3.1, 9)
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    children = [parent @ zero @ rotation_about(axis, angle) for axis, angle in zip(axes, angles, strict=True)]
    table = np.zeros((10, 6))
    table[:, 1:5] = quaternions_from_rotations(np.array([parent, *children]))[:, [3, 0, 1, 2]]
    zeros = np.ascontiguousarray(quaternions_from_rotations(np.array([zero] * 9))[:, [3, 0, 1, 2]])

    def read(module: Any, tilts: int = 0) -> Array:
        found, with_tilts = np.empty(9), np.full(9, tilts, np.uint8)
        module.HingeAngles(np.arange(1, 10), np.zeros(9, np.int64), 1, zeros, axes, with_tilts).read(table, found)
        return found

    # A quaternion and its opposite, a whole turn on, are one orientation.
    for tilts in (0, 1):
        found = same_bits("hinge_angles", partial(read, tilts=tilts))
        assert np.sin((found - angles) / 2.0) == pytest.approx(np.zeros(9))
    # At 0, ODE takes a tilt of 0.02 rad for an angle.
    across = np.cross(axes[4], (1.0, 0.0, 0.0))
    tilted = parent @ zero @ rotation_about(across / np.linalg.norm(across), 0.02)
    table[5, 1:5] = quaternions_from_rotations(tilted[None])[0, [3, 0, 1, 2]]
    compiled = both("hinge_angles")[0]
    assert read(compiled)[4] == pytest.approx(0.0, abs=1e-12)
    assert abs(read(compiled, tilts=1)[4]) == pytest.approx(0.02)

    def sines(module: Any) -> Array:
        found = np.empty((3, 9))
        module.find_sines(angles, found[0], found[1])
        module.find_angles(found[0], found[1], found[2])
        return found

    expected = [[function(angle) for angle in angles] for function in (math.sin, math.cos)]
    assert same_bits("angles", sines)[:2].tolist() == expected and sines(both("angles")[0])[2] == pytest.approx(angles)

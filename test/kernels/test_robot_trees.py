"""Velocities, accelerations and forces of links: the algorithm against the geometry of a real robot."""

from typing import Any

import numpy as np
import pytest

from simspark_ros.kernels.robot_trees import RobotTrees
from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry.link_motion import LinkMotion
from simspark_ros.physics.ode_likeness.trees import Trees
from simspark_ros.robots.catalogue import load_robot
from test.kernels.bits import same_bits

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
    made = kernel(
        step=STEP,
        parents=tree.parents,
        robots=tree.robots,
        hinges=tree.hinges,
        home_axes=tree.axes,
        home_levers=tree.levers,
        centres=centres,
        rotations=rotations.reshape(-1, 9),
        turns=(rotations @ tree.principal).reshape(-1, 9),
        masses=tree.masses / STEP,
        inertias=tree.inertias / STEP,
        **room,
    )
    made.look()
    made.move(LINEAR[None], ANGULAR[None], RATES)
    return made, room


def test_links_move_as_the_joints_turn_them() -> None:
    _, room = trees()
    assert room["velocities"] == pytest.approx(velocities(POSITIONS), abs=1e-12)


def test_accelerations_are_how_velocities_change_while_joints_keep_theirs() -> None:
    _, room = trees()
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

    same_bits("robot_trees", loaded)

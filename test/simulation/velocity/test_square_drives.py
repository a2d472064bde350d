import math

import numpy as np
import pytest

from simspark_ros.effectors.hinge import command_velocities
from test.physics.engine_availability import skip_without
from test.rigs.robots.square_drives import QUARTER, Driven, arena, square


@pytest.mark.parametrize(
    ("name", "engine", "metres", "radians"),
    [
        # The plane has no slip below the limit of friction; what is left is where a cycle's speeds change.
        ("differential", "planar", 1e-3, 1e-3),
        # Contacts give way a little in each cycle, and wheels slip as robots speed up: of 4 m and 360 degrees.
        ("differential", "bullet", 0.015, 0.01),
        ("differential", "ode", 0.015, 0.01),
        ("differential", "mujoco", 0.05, 0.05),
        ("omni", "planar", 1e-3, 1e-3),
        # A robot on rollers rises and falls by a millimetre: its load goes from one to another, which begins to turn.
        ("omni", "bullet", 0.05, 0.05),
        ("omni", "ode:fine", 0.05, 0.05),
        ("omni", "mujoco", 0.15, 0.1),
        *((name, "planar", 1e-3, 1e-3) for name in ("pioneer", "scout", "b21", "msl")),
        ("msl", "bullet", 0.05, 0.05),
    ],
)
def test_odometry_of_a_square(name: str, engine: str, metres: float, radians: float) -> None:
    skip_without(engine.partition(":")[0])
    places, felt = square(engine, name)
    assert felt[:, :2] == pytest.approx(places[:, :2], abs=metres)
    # It has been at the far corner, and is back by its wheels as by commands.
    assert np.hypot(places[:, 0], places[:, 1]).max() == pytest.approx(math.sqrt(2.0), abs=metres)
    assert felt[-1] == pytest.approx([0.0, 0.0, 0.0], abs=5e-3)
    assert places[-1] == pytest.approx([0.0, 0.0, 0.0], abs=max(metres, radians))
    assert abs(places[-1, 2]) < radians


@pytest.mark.parametrize("engine", ["planar", "ode", "bullet", "mujoco"])
def test_a_skid_steered_robot_turns_by_its_effective_track(engine: str) -> None:
    skip_without(engine)
    with arena(engine) as world:
        driven = Driven(world, "pioneer_2at")
        driven.drive(0.5, 0.0, 0.0, seconds=4.0)
        assert driven.place() == pytest.approx([2.0, 0.0, 0.0], abs=0.02)
        assert driven.felt() == pytest.approx([2.0, 0.0, 0.0], abs=5e-3)
        before = driven.place()
        driven.drive(0.0, 0.0, QUARTER / 2.0, seconds=2.0)
        # One track stands for engines whose wheels skid differently.
        assert driven.place() - before == pytest.approx([0.0, 0.0, QUARTER], abs=0.11 * QUARTER)
        assert driven.felt()[2] == pytest.approx(QUARTER, abs=5e-3)
        there = driven.place()
        driven.wait(1.0)
        assert driven.place() == pytest.approx(there, abs=1e-4)


@pytest.mark.parametrize("name", ["differential", "omni"])
def test_wheels_are_driven_by_their_own_speeds(name: str) -> None:
    with arena("planar") as world:
        driven = Driven(world, name)
        joints = driven.robot.description.model.joints
        wheels = np.array([i for i, joint in enumerate(joints) if joint.max_effort > 0.0])
        speeds = np.full(len(wheels), 2.0)
        handle = next(iter(world.world.robots))
        command_velocities(world.world, np.full(len(wheels), handle), wheels, speeds)
        driven.wait(0.5)
        assert driven.robot.joint_velocities[wheels] == pytest.approx(speeds, abs=1e-3)
        if name == "differential":
            assert driven.robot.linear_velocity[1:] == pytest.approx([0.0, 0.0], abs=1e-3)
        # The omni's wheels roll the same way around.
        moved = {"differential": driven.robot.linear_velocity[0], "omni": driven.robot.angular_velocity[2]}[name]
        assert moved == pytest.approx({"differential": 2.0 * 0.0975, "omni": 2.0 * 0.06 / 0.19}[name], abs=1e-3)


def test_an_omni_drive_keeps_its_speed_in_the_fine_steps_of_ode() -> None:
    skip_without("ode")
    with arena("ode:fine") as world:
        driven = Driven(world, "msl")
        driven.robot.act("wheels", 2.0, 0.0, 0.0)
        driven.wait(1.0)
        start = driven.place()
        driven.wait(0.5)
        # Rollers are spheres: between two of them the wheel, and so the speed, is up to 0.8 mm of 60 mm smaller.
        assert (driven.place() - start)[:2] == pytest.approx([1.0, 0.0], abs=0.02)

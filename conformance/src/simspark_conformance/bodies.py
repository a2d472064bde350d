"""Promises about free motion (gravity, momentum, drag) and about bodies that stop other bodies."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from simspark_conformance.harness import CheckedWorld, Harness, expect, expect_close
from simspark_conformance.models import BALL, SPACE, STANDING, WALL, block, solid_box, stone, walker
from simspark_ros.physics.engine import Array
from simspark_ros.physics.model import BallModel, SceneModel

_GRAVITY = 9.81


def bodies_fall_freely(harness: Harness) -> None:
    """After n cycles a falling body has the speed g n h, where h is cycle_time."""
    world = harness.world()
    world.add(stone(), (0.0, 0.0, 50.0))
    world.add(walker(), (3.0, 0.0, 50.0))
    world.engine.place_ball((-3.0, 0.0, 50.0))
    world.run(50)
    time = 50 * world.engine.cycle_time
    expect(world.engine.cycle_time > 0.0, f"cycle_time is {world.engine.cycle_time}")
    # The tolerance is for engines that keep a contact layer or solve joints iteratively in free fall.
    falling = [0.0, 0.0, -_GRAVITY * time]
    expect_close(world.state.linear_velocity, [falling] * 2, 1e-3, "velocity of falling robots")
    expect_close(world.state.ball_velocity, falling, 1e-6, "velocity of a falling ball")
    # A first-order method is too high or too low by g h t / 2.
    order = 1.1 * _GRAVITY * world.engine.cycle_time * time / 2.0
    expected = [50.0 - _GRAVITY * time * time / 2.0] * 2
    expect_close(world.state.position[:, 2], expected, order, "height of falling robots")
    expect_close(world.state.ball_position[2], expected[0], order, "height of a falling ball")


def motors_keep_the_momentum(harness: Harness) -> None:
    """Motors are internal forces: the centre of mass of a free robot stays where it is."""
    world = harness.world(SPACE)
    handle = world.add(walker())
    start, control = world.centre_of_mass(handle), world.hold()
    control.velocity[:] = [4.0, 2.0, 0.1, -1.5, -0.1]
    world.run(20, control)
    # First-order integration of turning links errs by less than a millimetre; the legs alone move by 10 cm.
    expect_close(world.centre_of_mass(handle), start, 2e-3, "centre of mass of a free robot whose joints move")
    expect(np.abs(world.state.joint_position).max() > 0.3, "the motors did not move the joints")


def impacts_keep_the_momentum(harness: Harness) -> None:
    """An impact of the ball on a free robot keeps the total momentum."""
    world = harness.world(SPACE)
    world.add(stone(0.5, (0.2, 0.2, 0.2)))
    world.engine.place_ball((-0.5, 0.0, 5.0), (3.0, 0.0, 0.0))
    world.run(30)
    expect(world.state.ball_velocity[0] < 2.0, "the ball passed through a robot")
    momentum = BALL.mass * world.state.ball_velocity + 0.5 * world.state.linear_velocity[0]
    # 1 % for soft contacts.
    expect_close(momentum, [BALL.mass * 3.0, 0.0, 0.0], 0.01 * BALL.mass * 3.0, "momentum after an impact")


def drag_brakes(harness: Harness) -> None:
    """Drag reduces the velocity v of robots and of the ball by c v / m per second, in the world's axes."""
    ball = BallModel(0.05, 0.1, linear_drag=0.03)
    world = harness.world(SceneModel(ball=ball, gravity=(0.0, 0.0, 0.0)))
    handle = world.add(stone(linear_drag=0.5, angular_drag=2e-3))
    world.engine.place_robot(handle, (0.0, 0.0, 5.0), (0.5, 0.5, 0.5, 0.5))
    world.engine.set_velocity(handle, (1.0, 0.0, 0.0), (0.0, 0.0, 2.0))
    world.engine.place_ball((3.0, 0.0, 5.0), (2.0, 0.0, 0.0))
    world.run(50)
    time = 50 * world.engine.cycle_time
    # 1 % for Euler steps of any kind; the box's y axis points along world z.
    inertia = solid_box("", 2.0, (0.3, 0.2, 0.1)).inertia[3]
    for what, found, expected in (
        ("speed of a robot", world.state.linear_velocity[0, 0], np.exp(-0.5 / 2.0 * time)),
        ("spin of a robot", world.state.angular_velocity[0, 2], 2.0 * np.exp(-2e-3 / inertia * time)),
        ("speed of the ball", world.state.ball_velocity[0], 2.0 * np.exp(-0.3 * time)),
    ):
        expect_close(found, expected, 0.01 * float(expected), f"{what} under drag")


def robots_stand(harness: Harness) -> None:
    """A robot that holds its joints stands on its feet at the height of its legs, without creeping."""
    world = harness.world()
    world.add(walker(), (0.0, 0.0, STANDING + 0.005))
    world.run(100)
    landed = world.state.position[0].copy()
    world.run(50)
    # 5 mm, since contacts and motors may be soft.
    expect_close(landed[2], STANDING, 0.005, "height of a standing robot")
    expect_close(world.state.position[0], landed, 5e-3, "position of a standing robot a second later")
    expect(world.state.rotation[0, 2, 2] > 0.999, "a robot that holds its joints does not stay upright")


def boxes_and_robots_stop_the_ball(harness: Harness) -> None:
    """Static boxes and heavy robots stop the ball."""
    world = harness.world()
    world.add(block(), (0.0, -2.0, 0.2))
    for target, start, face in (("a box", (5.0, 0.0, 0.05), 5.5), ("a robot", (-0.7, -2.0, 0.05), -0.2)):
        world.engine.place_ball(start, (4.0, 0.0, 0.0))
        furthest = _furthest(world, lambda: world.state.ball_position)
        # The ball's centre stops a radius before the face, or up to one cycle's way (8 cm) later.
        expect(furthest < face + 0.03, f"the ball went {furthest - face:.2f} m into {target}")


def _furthest(world: CheckedWorld, position: Callable[[], Array]) -> float:
    """Return the largest x that a position reaches in 40 cycles."""
    reached = -np.inf
    for _ in range(40):
        world.run(1)
        reached = max(reached, float(position()[0]))
    return reached


def boxes_and_robots_stop_robots(harness: Harness) -> None:
    """Static boxes stop robots, and robots stop each other."""
    world = harness.world(SceneModel(boxes=(WALL,), gravity=(0.0, 0.0, 0.0)))
    world.add(block(), (0.0, -2.0, 0.5))
    for what, start, face in (("a static box", (5.0, 0.0, 0.5), 5.5), ("a heavy robot", (-0.7, -2.0, 0.5), -0.2)):
        slider = world.add(stone(), start)
        world.engine.set_velocity(slider, (1.5, 0.0, 0.0), (0.0, 0.0, 0.0))
        furthest = _furthest(world, lambda: world.state.position[-1])
        # The stone's centre stops 0.15 m before the face, or up to one cycle's way (3 cm) later.
        expect(furthest < face - 0.1, f"a robot went {furthest - face + 0.15:.2f} m into {what}")

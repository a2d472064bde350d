"""Promises about extreme input and heaps of robots: no exceptions, no endless steps, only finite numbers.

The guard around every engine refuses bad arguments, so they are not checked here.
"""

from __future__ import annotations

import itertools

import numpy as np

from simspark_conformance.harness import CheckedWorld, Harness, expect, expect_close
from simspark_conformance.models import STANDING, UPRIGHT, stone, walker
from simspark_ros.physics.engine import JointControl
from simspark_ros.physics.model import SceneModel

_ABSURD_SPEED = 1000.0
"""Speed that no robot on a soccer field reaches, m/s."""

_FREE, _SPEED = 0, 1.0
"""Index of the walker's neck, which has no stops, and its speed, rad/s."""


def huge_numbers_are_survived(harness: Harness) -> None:
    """Any finite number is accepted, and the state stays finite."""
    for huge in (1e4, 1e200, -1e300):
        world = harness.world()
        handle = world.add(walker(), (huge, 0.0, 1.0), yaw=huge)
        world.engine.place_robot(handle, (huge, -huge, abs(huge)), (huge, 0.0, 0.0, huge))
        world.engine.set_velocity(handle, (huge, huge, 0.0), (0.0, 0.0, huge))
        world.engine.set_joint_positions(handle, np.full(5, huge))
        world.engine.place_ball((huge, 0.0, abs(huge)), (0.0, huge, huge))
        world.expect_finite(f"after arguments of {huge:g}")
        control = world.hold()
        control.velocity[:] = huge
        control.effort_limit[:] = abs(huge)
        for _ in range(10):
            world.engine.step(control)
            world.expect_finite(f"after a step with numbers of {huge:g}")


def robots_move_wherever_they_are_placed(harness: Harness) -> None:
    """A robot stays at any place, however far away or deep in the ground, and its joints obey there."""
    for axis, huge in itertools.product(range(3), (1e300, -1e300)):
        world = harness.world()
        handle = world.add(walker(), (0.0, 0.0, STANDING))
        place = [0.0, 0.0, STANDING]
        place[axis] = huge
        world.engine.place_robot(handle, (place[0], place[1], place[2]), UPRIGHT)
        control = world.hold()
        control.velocity[_FREE] = _SPEED
        where = f"a robot placed at {huge:g} m along axis {axis}"
        for _ in range(20):
            world.engine.step(control)
            expect(list(world.engine.recovered) == [], f"{where} is put back")
        turned = float(world.state.joint_position[_FREE])
        # An impact may throw the robot about, but not hold its joint.
        expect(
            abs(turned / (20 * world.engine.cycle_time * _SPEED) - 1.0) < 0.5,
            f"{where} turns its joint by {turned:.2f}",
        )


def strong_efforts_are_survived(harness: Harness) -> None:
    """Huge efforts leave the state finite; `recovered` names the robots put back and no others."""
    world = harness.world()
    victim, bystander = world.add(walker(), (0.0, 0.0, STANDING)), world.add(walker(), (0.0, 3.0, STANDING))
    world.engine.place_ball((0.0, -3.0, 0.05))
    control, named = world.hold(), set()
    control.effort[:5] = [1e6, -1e6, 1e6, 1e6, -1e6]
    for _ in range(10):
        world.engine.step(control)
        world.expect_finite("after a step with efforts of 1e6")
        named.update(world.engine.recovered)
    expect(named <= {victim}, f"recovered names {sorted(named)}; only {victim} was driven")
    row = world.state.row(bystander)
    expect_close(world.state.position[row], [0.0, 3.0, STANDING], 0.01, "position of a bystander")


def nothing_is_recovered_without_need(harness: Harness) -> None:
    """`recovered` is empty after a step in which no robot had to be put back."""
    world = harness.world()
    world.add(walker(), (0.0, 0.0, STANDING))
    world.engine.place_ball((2.0, 0.0, 1.0))
    for _ in range(10):
        world.run(1)
        expect(list(world.engine.recovered) == [], f"recovered is {world.engine.recovered} in a quiet world")


def _expect_calm(world: CheckedWorld, cycles: int, control: JointControl, reach: float, where: str) -> None:
    """Step, and expect that all robots stay finite, slow enough and within `reach` m of the origin."""
    for _ in range(cycles):
        world.engine.step(control)
        world.expect_finite(f"in {where}")
    fastest = float(np.abs(world.state.linear_velocity).max())
    expect(fastest < _ABSURD_SPEED, f"a robot in {where} has {fastest:.0f} m/s")
    furthest = float(np.abs(world.state.position).max())
    expect(furthest < reach, f"a robot in {where} was thrown {furthest:.1f} m")


def heaps_are_survived(harness: Harness) -> None:
    """A heap of moving robots stays finite, and no robot is thrown out of it."""
    world, draw = harness.world(), np.random.default_rng(1)
    for level in range(6):
        x, y = draw.uniform(-0.1, 0.1, 2)
        world.add(walker(), (float(x), float(y), STANDING + 0.55 * level))
    world.engine.place_ball((0.0, 0.3, 0.05))
    for _ in range(8):
        control = world.hold()
        control.velocity[:] = draw.uniform(-5.0, 5.0, len(control.velocity))
        _expect_calm(world, 10, control, 15.0, "a heap of 6 robots")


def robots_on_one_spot_are_survived(harness: Harness) -> None:
    """Many robots on one spot stay finite, none is lost or thrown far, and once placed apart they stand."""
    world = harness.world()
    robots = [world.add(walker(), (0.0, 0.0, STANDING)) for _ in range(12)]
    world.engine.place_ball((0.0, 0.0, 0.1))
    # Half a second: an engine may part them slowly, but each step must end.
    _expect_calm(world, 25, world.hold(), 10.0, "a crowd of 12 robots on one spot")
    expect(world.state.handles == tuple(robots), "robots of a crowd were lost")
    for number, robot in enumerate(robots):
        world.engine.place_robot(robot, (-10.0 + number, 4.0, STANDING), UPRIGHT)
        world.engine.set_joint_positions(robot, np.zeros(5))
    world.engine.place_ball((0.0, -3.0, 0.05))
    world.run(60)
    expect(world.state.touching.all(), "robots parted from a crowd do not all stand")
    expect_close(world.state.position[:, 2], [STANDING] * 12, 0.01, "heights of robots parted from a crowd")


def robots_leave_the_ground(harness: Harness) -> None:
    """A robot placed in the ground comes out of it; a robot placed in a box stays finite."""
    world = harness.world()
    sunk = world.add(walker(), (0.0, 0.0, 0.2))
    world.add(walker(), (6.0, 0.0, STANDING))
    for _ in range(150):
        world.run(1)
        world.expect_finite("with robots in the ground and in a box")
    height = float(world.state.position[world.state.row(sunk), 2])
    # Half the thickness of a lying torso, less some softness.
    expect(height > 0.05, f"a robot placed in the ground stays at the height {height:.2f} m")


def empty_worlds_work(harness: Harness) -> None:
    """A world without ball, boxes and robots can be stepped; its state has zeros for the ball."""
    world = harness.world(SceneModel())
    world.run(3)
    handle = world.add(stone())
    world.run(3)
    world.engine.remove_robot(handle)
    world.run(3)
    expect(world.state.handles == (), "a robot that was removed is still there")
    for name in ("ball_position", "ball_velocity", "ball_angular_velocity"):
        expect_close(getattr(world.state, name), np.zeros(3), 0.0, f"{name} of a world without a ball")


def closing_is_harmless(harness: Harness) -> None:
    """Closing a world twice does no harm, and closing one of two worlds does not disturb the other."""
    kept, closed = harness.world(), harness.world()
    kept.add(walker(), (0.0, 0.0, STANDING))
    closed.add(walker(), (0.0, 0.0, STANDING))
    closed.run(2)
    closed.engine.close()
    closed.engine.close()
    kept.run(30)
    expect(kept.state.touching.all(), "a world stopped working when another was closed")

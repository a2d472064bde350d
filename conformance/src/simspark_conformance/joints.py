"""Promises about motors, efforts and stops."""

from __future__ import annotations

import numpy as np

from simspark_conformance.harness import Harness, expect, expect_close
from simspark_conformance.models import ARM_INERTIA, ARM_WEIGHT_TORQUE, SPACE, arm, walker
from simspark_ros.physics.model import JointKind

_STOP = 0.05 + 0.1
"""Largest way beyond a stop, rad: three degrees of a soft stop, and the way of one cycle at 5 rad/s."""


def motors_follow_velocities(harness: Harness) -> None:
    """An unloaded motor turns its joint at the commanded velocity, whatever the kind of joint."""
    world = harness.world(SPACE)
    speeds = {JointKind.REVOLUTE: -1.5, JointKind.CONTINUOUS: 20.0, JointKind.PRISMATIC: 0.2}
    for number, kind in enumerate(speeds):
        world.add(arm(kind, max_effort=50.0, max_velocity=30.0), (2.0 * number, 0.0, 5.0))
        world.run(1)
    control = world.hold()
    control.velocity[:] = list(speeds.values())
    world.run(1, control)
    before = world.state.joint_position.copy()
    world.run(10, control)
    for row, (kind, speed) in enumerate(speeds.items()):
        # 2 % for soft motors.
        expect_close(world.state.joint_velocity[row], speed, 0.02 * abs(speed), f"velocity of a {kind.value} joint")
        way = speed * 10 * world.engine.cycle_time
        found = world.state.joint_position[row] - before[row]
        expect_close(found, way, 0.02 * abs(way), f"way of a {kind.value} joint in 10 cycles")


def motors_keep_to_the_largest_speed(harness: Harness) -> None:
    """A motor moves its joint no faster than the joint's largest velocity."""
    world = harness.world(SPACE)
    world.add(arm(max_effort=50.0, max_velocity=3.0))
    control = world.hold()
    control.velocity[:] = 100.0
    world.run(10, control)
    expect_close(world.state.joint_velocity[0], 3.0, 0.06, "velocity of a joint commanded to turn at 100 rad/s")


def effort_limits_bound_motors(harness: Harness) -> None:
    """A motor gives no more than its effort limit; a limit of 0 switches it off."""
    world = harness.world(SPACE)
    world.add(arm(max_effort=10.0, max_velocity=50.0))
    world.add(arm(max_effort=10.0, max_velocity=50.0), (3.0, 0.0, 5.0))
    control = world.hold()
    control.velocity[:], control.effort_limit[:] = 40.0, [0.05, 0.0]
    world.run(10, control)
    expected = 0.05 / ARM_INERTIA * 10 * world.engine.cycle_time
    # 5 %, since centrifugal forces move the base a little.
    expect_close(world.state.joint_velocity[0], expected, 0.05 * expected, "velocity of a joint with a weak motor")
    expect_close(world.state.joint_effort[0], 0.05, 0.001, "effort of a weak motor")
    expect_close(world.state.joint_velocity[1], 0.0, 1e-6, "velocity of a joint whose motor is off")


def effort_drives_free_joints(harness: Harness) -> None:
    """Additional effort accelerates a joint whose motor is off, and is reported."""
    world = harness.world(SPACE)
    world.add(arm(max_effort=10.0, max_velocity=50.0))
    control = world.hold()
    control.effort_limit[:], control.effort[:] = 0.0, -0.05
    world.run(20, control)
    expected = -0.05 / ARM_INERTIA * 20 * world.engine.cycle_time
    expect_close(world.state.joint_velocity[0], expected, 0.05 * abs(expected), "velocity of a joint driven by effort")
    expect_close(world.state.joint_effort[0], -0.05, 1e-3, "joint_effort of a joint driven by effort")


def motors_report_their_effort(harness: Harness) -> None:
    """joint_effort is the effort of the motor, here of a motor that holds an arm against its weight."""
    world = harness.world()
    world.add(arm(max_effort=10.0, max_velocity=6.0), (3.0, 0.0, 0.1))
    world.run_for(1.2)
    # 3 %, since a soft motor lets the arm sink a little.
    expected = -ARM_WEIGHT_TORQUE
    expect_close(world.state.joint_effort[0], expected, 0.03 * abs(expected), "effort of a motor that holds an arm")
    expect_close(world.state.joint_position[0], 0.0, 0.02, "angle of an arm that is held")


def joints_stop_inside_their_range(harness: Harness) -> None:
    """Neither motors nor efforts push a joint beyond its stops, and the joint can leave them again."""
    world = harness.world(SPACE)
    world.add(arm(lower=-0.5, upper=0.3, max_effort=10.0, max_velocity=6.0))
    world.add(arm(lower=-0.5, upper=0.3, max_effort=10.0, max_velocity=6.0), (3.0, 0.0, 5.0))
    for sign, stop in ((1.0, 0.3), (-1.0, 0.5)):
        control = world.hold()
        control.velocity[0] = sign * 5.0
        control.effort_limit[1], control.effort[1] = 0.0, sign * 0.1
        furthest = np.full(2, -np.inf)
        for _ in range(round(1.2 / world.engine.cycle_time)):
            world.run(1, control)
            furthest = np.maximum(furthest, sign * world.state.joint_position)
        expect((furthest <= stop + _STOP).all(), f"joints went to {furthest}, beyond their stop at {stop}")
        # Joints come to rest at different places, since stops may throw them back.
        expect((furthest >= stop - 0.05).all(), f"joints went only to {furthest}, short of their stop at {stop}")
        control.velocity[0], control.effort[1] = -sign * 2.0, -sign * 0.1
        world.run_for(0.2, control)
        free = sign * world.state.joint_position
        expect((free < stop - 0.1).all(), f"joints that were commanded away from their stop at {stop} are at {free}")


def commands_go_to_their_joint(harness: Harness) -> None:
    """The numbers of a JointControl are for the joints in the order of the state."""
    for moved in range(10):
        world = harness.world(SPACE)
        world.add(walker())
        world.add(walker(), (3.0, 0.0, 5.0))
        control = world.hold()
        control.velocity[moved] = 0.2
        world.run(5, control)
        expected = np.zeros(10)
        expected[moved] = 0.2 * 5 * world.engine.cycle_time
        # 1 mm or 1 mrad, since the other motors may be soft.
        expect_close(world.state.joint_position, expected, 1e-3, f"joints after a command to joint {moved}")

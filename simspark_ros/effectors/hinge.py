"""Effectors of hinge and universal joints and of their motors' stiffness, for all robots at once.

User manual, "HingeJoint Effector"; SimSpark paper 2013, section 5.1, for the stiffness.
"""

from __future__ import annotations

import numpy as np

from simspark_ros.effectors.base import CommandTopic, effector
from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World


def command_velocities(world: World, handles: IntArray, joints: IntArray, velocities: Array) -> int:
    """Set the motor velocities of hinge joints; they persist until changed.

    As on the reference a command is ignored while its joint is at or beyond a stop, NaN acts as full negative speed,
    and everything is clamped to the joint's speed (protocol reference, section 5). Elastic stops leave no joint there
    at rest; a joint that was put or is held there obeys commands that lead away from the stop.

    Args:
        world: the world of the robots.
        handles: (K,) handles of robots; robots that are gone are ignored.
        joints: (K,) index of the joint in its robot's model; the last entry for a joint wins.
        velocities: (K,) wanted velocities, rad/s.

    Returns:
        Number of commands for a robot or joint that does not exist.
    """
    state, motors = world.engine.state, world.motors
    named = motors.find(handles, joints, state)
    if named.known is not None:
        velocities = velocities[named.known]
    motors.drive(named.index, velocities, state)
    return named.unknown


def _command_joint(world: World, robot: Robot, joint: int, velocity: float) -> None:
    """Set the motor velocity of one hinge joint or of one axis of a universal joint, rad/s.

    Raises:
        CommandRejectedError: the robot has no joint of that index.
    """
    if command_velocities(world, np.array([robot.handle]), np.array([joint]), np.array([velocity], np.float64)):
        raise CommandRejectedError(f"there is no joint {joint} on this robot")


hinge = effector("hinge", for_agents=False)(_command_joint)
universal = effector("universal", for_agents=False)(_command_joint)


@effector("stiffness", topic=CommandTopic("std_msgs/msg/Float64", fields={"stiffness": "data"}), for_agents=False)
def stiffness(world: World, robot: Robot, stiffness: float, joint: str = "") -> None:
    """Set the stiffness of a joint, given by its name or by its command's word, or of all joints.

    Stiffness is 0 (limp) to 1; values beyond are cut. It stays until the next command, with all kinds of motors.

    Raises:
        CommandRejectedError: the robot has no such joint.
    """
    own = world.engine.state.joints_of(world.engine.state.row(robot.handle))
    joints = np.arange(own.start, own.stop)
    if joint:
        joints = joints[[_number(robot, joint)]]
    world.motors.set_stiffness(joints, stiffness)


def _number(robot: Robot, joint: str) -> int:
    """Index of a joint in its robot's model."""
    words = {spec.name: spec.joint for spec in robot.description.effectors if spec.joint}
    names = [known.name for known in robot.description.model.joints]
    name = words.get(joint, joint)
    if name not in names:
        raise CommandRejectedError(f"stiffness: unknown joint '{joint[:40]}'; use one of: {', '.join(names)}")
    return names.index(name)

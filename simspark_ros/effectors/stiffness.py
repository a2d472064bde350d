"""Stiffness effector: the part of its largest torque that a motor may use (SimSpark paper 2013, section 5.1)."""

from __future__ import annotations

import numpy as np

from simspark_ros.effectors.base import CommandTopic, effector
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World


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
        raise CommandRejectedError(f"stiffness: there is no joint '{joint[:40]}'; there are: {', '.join(names)}")
    return names.index(name)

"""`joint_states`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sensor_msgs.msg import JointState

from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import RobotEntry, TopicPublisher


class JointStatePublisher(TopicPublisher):
    """`joint_states` (sensor_msgs/JointState): position, velocity and effort of all joints; rad, rad/s, N m.

    Prismatic joints in m, m/s, N. Hinge and universal joint perceptors report the same positions.
    """

    def __init__(self, robot: RobotEntry, cycle: Cycle) -> None:
        names = [joint.name for joint in robot.description.model.joints]
        zeros = [0.0] * len(names)
        message = JointState(name=names, position=zeros, velocity=zeros, effort=zeros)
        super().__init__(robot.topic("joint_states"), message, cycle)
        self._handle = robot.handle
        # Views of the message's own memory: nothing is copied number by number.
        self._position = np.frombuffer(message.position)
        self._velocity = np.frombuffer(message.velocity)
        self._effort = np.frombuffer(message.effort)

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        """One topic, also for a robot without joints."""
        return [cls(robot, cycle)]

    def bind(self) -> None:
        self._joints = self.cycle.joints(self._handle)

    def fill(self) -> bool:
        state = self.cycle.state
        self._position[:] = state.joint_position[self._joints]
        self._velocity[:] = state.joint_velocity[self._joints]
        self._effort[:] = state.joint_effort[self._joints]
        return True

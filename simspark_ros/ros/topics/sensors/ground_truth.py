"""`ground_truth` of each robot, `ground_truth/ball` and `ground_truth/robots`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from geometry_msgs.msg import Pose, PoseArray
from nav_msgs.msg import Odometry

from simspark_ros.configuration.schema import build
from simspark_ros.perceptors.base import origin_of, stream
from simspark_ros.perceptors.ground_truth import GROUND_TRUTH, GroundTruthParameters
from simspark_ros.physics.engine import Array, LinkSelection
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations, turned
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.conversions import MAP, diagonal_6, set_quaternion, set_xyz
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import RobotEntry, TopicPublisher, below, interval_of


class GroundTruthPublisher(TopicPublisher):
    """`ground_truth` (nav_msgs/Odometry): true pose of a robot's base frame in `map`, its twist in the base frame.

    The perceptor `ground_truth` of the robot's file may name another link or frame, and have noise.
    """

    def __init__(self, robot: RobotEntry, cycle: Cycle, spec: PerceptorSpec) -> None:
        child = robot.frame(spec.link) if spec.link else robot.base_frame
        super().__init__(robot.topic(below(spec, "ground_truth")), Odometry(child_frame_id=child), cycle, MAP)
        self._robot, self._spec = robot, spec
        self._links: LinkSelection | None = None
        self.adjust(robot)

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        return [cls(robot, cycle, spec) for spec in robot.perceptors("ground_truth") or [GROUND_TRUTH]]

    def adjust(self, robot: RobotEntry) -> None:
        others = robot.perceptors("ground_truth") or [GROUND_TRUTH]
        self._spec = next(spec for spec in others if spec.name == self._spec.name)
        options = build(GroundTruthParameters, dict(self._spec.parameters), self._spec.name)
        self.interval = interval_of([self._spec])
        deviations = (options.position_noise, options.rotation_noise, options.linear_noise, options.angular_noise)
        self._noise = np.repeat(deviations, 3).reshape(4, 3)
        self.message.pose.covariance = diagonal_6(self._noise[:2].ravel() ** 2)
        self.message.twist.covariance = diagonal_6(self._noise[2:].ravel() ** 2)

    def bind(self) -> None:
        self._row = self.cycle.row(self._robot.handle)
        if self._spec.link:
            assert self.cycle.world is not None
            self._links = self.cycle.world.engine.select_links([(self._robot.handle, self._spec.link)])
            self._origin = origin_of(self._robot.description.model, self._spec.link)

    def fill(self) -> bool:
        position, quaternion, linear, angular = self._truth()
        if self._noise.any():
            random = stream(self.cycle.seed, self._robot.handle, self._spec.name, self.cycle.percepts.cycle)
            moved, turn, faster, spin = self._noise * random.standard_normal((4, 3))
            position, linear, angular = position + moved, linear + faster, angular + spin
            quaternion = np.array(turned(tuple(quaternion.tolist()), turn, 1.0))
        set_xyz(self.message.pose.pose.position, position.tolist())
        set_quaternion(self.message.pose.pose.orientation, quaternion.tolist())
        set_xyz(self.message.twist.twist.linear, linear.tolist())
        set_xyz(self.message.twist.twist.angular, angular.tolist())
        return True

    def _truth(self) -> tuple[Array, Array, Array, Array]:
        """Position (3,), m, and orientation (4,) in `map`; velocities (3,) in the own axes, m/s and rad/s."""
        if self._links is None:
            motion, row = self.cycle.motion, self._row
            return motion.position[row], motion.quaternion[row], motion.linear[row], motion.angular[row]
        assert self.cycle.world is not None
        engine = self.cycle.world.engine
        (position,), rotations = engine.link_poses(self._links)
        (linear,), (angular,) = engine.link_velocities(self._links)
        arm, turn = rotations[0] @ self._origin, rotations[0]
        velocity = (linear + np.cross(angular, arm)) @ turn
        return position + arm, quaternions_from_rotations(rotations)[0], velocity, angular @ turn


class BallPublisher(TopicPublisher):
    """`ground_truth/ball` (nav_msgs/Odometry): true state of the ball. Its frame keeps the axes of `map`."""

    def __init__(self, cycle: Cycle) -> None:
        super().__init__("ground_truth/ball", Odometry(child_frame_id="ball"), cycle, MAP)

    def fill(self) -> bool:
        state = self.cycle.state
        set_xyz(self.message.pose.pose.position, state.ball_position.tolist())
        set_xyz(self.message.twist.twist.linear, state.ball_velocity.tolist())
        set_xyz(self.message.twist.twist.angular, state.ball_angular_velocity.tolist())
        return True


class RobotsPublisher(TopicPublisher):
    """`ground_truth/robots` (geometry_msgs/PoseArray): base frames of robots with a name, in order of GetEntities."""

    def __init__(self, cycle: Cycle) -> None:
        super().__init__("ground_truth/robots", PoseArray(), cycle, MAP)

    def fill(self) -> bool:
        rows, poses = self.cycle.named_rows, self.message.poses
        if len(poses) != len(rows):
            poses = self.message.poses = [Pose() for _ in rows]
        positions = self.cycle.motion.position[rows].tolist()
        quaternions = self.cycle.motion.quaternion[rows].tolist()
        for pose, position, quaternion in zip(poses, positions, quaternions, strict=True):
            set_xyz(pose.position, position)
            set_quaternion(pose.orientation, quaternion)
        return True

"""`hear`."""

from __future__ import annotations

from collections.abc import Sequence

from simspark_ros.msg import Hear
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import RobotEntry, TopicPublisher


class HearPublisher(TopicPublisher):
    """`hear` (simspark_ros/Hear): each text that the robot hears as a player, in a message of its own."""

    def __init__(self, robot: RobotEntry, cycle: Cycle) -> None:
        super().__init__(robot.topic("hear"), Hear(), cycle, robot.base_frame)
        self._handle = robot.handle

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        """One topic: robots hear without a perceptor too."""
        return [cls(robot, cycle)]

    def publish(self) -> None:
        for heard in self.cycle.percepts.heard:
            if heard.handle == self._handle:
                message = self.message
                message.team, message.text, message.time = heard.team, heard.message, heard.time
                message.own, message.direction = heard.direction is None, heard.direction or 0.0
                self.send()

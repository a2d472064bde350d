"""Topics of the world and of time."""

from __future__ import annotations

import time
from contextlib import ExitStack, suppress

from rclpy.node import Node

from simspark_ros.ros.clocks.comparison import ClockAnswers
from simspark_ros.ros.settings import NodeOptions
from simspark_ros.ros.topic_control import TopicControl
from simspark_ros.ros.topics.publisher import TopicError, TopicPublisher
from simspark_ros.ros.topics.sensors.ground_truth import BallPublisher, RobotsPublisher
from simspark_ros.ros.topics.world.clock import ClockPublisher, FineClock, OuterClock, SpeedPublisher
from simspark_ros.ros.topics.world.drawings import DrawingTopics
from simspark_ros.ros.topics.world.game import GameTopics
from simspark_ros.ros.topics.world.markers import AgentDrawingsPublisher, MarkersPublisher
from simspark_ros.ros.topics.world.scene_poses import ScenePosesControl
from simspark_ros.simulation.attachments import Nodes, attach_all
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.pacing.speed import SpeedEstimator
from simspark_ros.simulation.referee import Referee


class WorldTopics:
    """The topics; `control` publishes the topics of each cycle. Methods belong to the executor's thread.

    Attributes:
        publishers: topics that `control` fills in each cycle.
        drawings: topics by which programs draw.
        outer_clock: `/clock` of another program, while the pacing follows it.
    """

    def __init__(self, node: Node, simulation: Simulation, control: TopicControl, options: NodeOptions) -> None:
        referee, types = simulation.node(Referee), simulation.world.types.as_json()
        self._game = GameTopics(node, referee.match if referee else None, control.namespaces, types)
        self._scene_poses = ScenePosesControl(node, control.namespaces, options.pose_rate or None)
        clock, speed = ClockPublisher(control.cycle), SpeedEstimator(time.monotonic)
        fine = FineClock(clock, options.clock_rate, speed) if options.clock_rate else None
        attach_all([Nodes(self._game, self._scene_poses, speed, fine)], simulation, ExitStack())
        ClockAnswers(node, speed.now)
        self.publishers: list[TopicPublisher] = [
            clock,
            RobotsPublisher(control.cycle),
            SpeedPublisher(control.cycle, speed),
        ]
        if simulation.world.scene.ball is not None:
            self.publishers.append(BallPublisher(control.cycle))
        # Their package may not be installed.
        with suppress(TopicError):
            self.publishers.append(MarkersPublisher(control.cycle))
            self.publishers.append(AgentDrawingsPublisher(control.cycle, simulation.drawings))
        for publisher in self.publishers:
            publisher.open(node)
        self.drawings = DrawingTopics(node, simulation.drawings)
        self.outer_clock = OuterClock(node, simulation.scheduler, clock)

    def refresh(self) -> None:
        """Find new subscribers."""
        self._game.refresh()
        self._scene_poses.refresh()

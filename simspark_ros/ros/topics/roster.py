"""Topics of all robots on the roster: made when a robot comes, destroyed when it has gone."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from rclpy.node import Node

from simspark_ros.ros.diagnostics.publisher import Rejections
from simspark_ros.ros.endpoints import create_guard
from simspark_ros.ros.settings import NodeOptions
from simspark_ros.ros.topic_control import TopicControl
from simspark_ros.ros.topics.publisher import RobotEntry, TopicPublisher
from simspark_ros.ros.topics.robot import RobotTopics
from simspark_ros.simulation.loop import Simulation
from simspark_ros.terminal import fitted


class RosterTopics:
    """The topics, made and destroyed in the thread of the node's executor, and used in the simulation's thread.

    Args:
        node: the node of all topics except robots' actions, which belong to the node `actions`.
        control: the control node that has the roster and publishes.
        world_topics: open topics that do not belong to a robot.
        rejections: counter and log of refused commands.
        warn_once: function that logs a warning, equal ones only once.
        wake: function that makes the simulation serve its requests at once.
    """

    def __init__(
        self,
        node: Node,
        actions: Node,
        options: NodeOptions,
        simulation: Simulation,
        control: TopicControl,
        world_topics: Iterable[TopicPublisher],
        rejections: Rejections,
        warn_once: Callable[[str], object],
        wake: Callable[[], None],
    ) -> None:
        self._node, self._actions, self._options = node, actions, options
        self._simulation, self._control, self._wake = simulation, control, wake
        self._rejections, self._warn_once = rejections, warn_once
        self._of_world = tuple(world_topics)
        self._of_robots: dict[RobotEntry, RobotTopics] = {}
        # Robots whose topics cannot be made.
        self._without: set[RobotEntry] = set()
        self._lacking: set[str] = set()

    @property
    def publishers(self) -> list[TopicPublisher]:
        """All publishers, of the world and of robots."""
        return [*self._of_world, *(publisher for topics in self._of_robots.values() for publisher in topics.publishers)]

    def begin(self) -> None:
        """Make the first topics, before the simulation runs."""
        self._make(self._control.roster)
        self._control.adopt(self._of_robots.values(), self._of_world)

    @property
    def entries(self) -> list[RobotEntry]:
        """The robots on the roster that have their topics, or will never have any."""
        return [entry for entry in self._control.roster if entry in self._of_robots or entry in self._without]

    def follow(self, most: int = sys.maxsize) -> bool:
        """Make and remove topics as the roster says, for that many new robots; returns whether others wait."""
        roster = self._control.roster
        self._without.intersection_update(roster)
        gone = [entry for entry in self._of_robots if entry not in roster]
        new = [entry for entry in roster if entry not in self._of_robots and entry not in self._without]
        if gone or new:
            self._replace(gone, new[:most])
        return len(new) > most

    def refresh(self) -> None:
        """Find subscribers that have come or gone."""
        for publisher in self._of_world:
            publisher.refresh()
        for topics in self._of_robots.values():
            topics.refresh()

    def _replace(self, gone: list[RobotEntry], new: list[RobotEntry]) -> None:
        retired = [self._of_robots.pop(entry) for entry in gone]
        self._make(new)
        topics = tuple(self._of_robots.values())
        adopted = self._simulation.requests.submit(lambda: self._control.adopt(topics, self._of_world))
        self._wake()
        if retired:
            # The simulation may publish on retired topics until it adopts the others; then this thread destroys them.
            destroy: Any = create_guard(self._node, lambda: self._destroy(retired, destroy))
            adopted.add_done_callback(lambda _: destroy.trigger())

    def _destroy(self, retired: list[RobotTopics], guard: Any) -> None:
        retired.pop().destroy()
        if retired:
            # Other callbacks have their turn.
            guard.trigger()
        else:
            self._node.destroy_guard_condition(guard)

    def _make(self, entries: Iterable[RobotEntry]) -> None:
        """Make topics of robots; one whose topics cannot be made is reported, and the others get theirs."""
        for entry in entries:
            try:
                self._of_robots[entry] = RobotTopics(
                    self._node,
                    entry,
                    self._control.cycle,
                    self._rejections.reject,
                    lambda: self._simulation.time,
                    self._warn_once,
                    self._options,
                    self._actions,
                )
            except Exception as error:
                self._without.add(entry)
                trouble = f"{type(error).__name__}: {error}"
                self._node.get_logger().error(f"robot '{entry.name}' has no topics: {trouble}")
        lacking = {package for topics in self._of_robots.values() for package in topics.lacking}
        if new := sorted(lacking - self._lacking):
            self._lacking |= lacking
            names = ", ".join(new)
            text = f"topics that need {names} are missing; build these packages in your ROS 2 workspace"
            self._node.get_logger().info(fitted(text, sys.stderr, len("INFO: ")))

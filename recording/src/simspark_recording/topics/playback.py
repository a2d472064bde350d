"""Plays MCAP files: on topics, with `/clock`, and as frames for monitors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

import rclpy
from rclpy.duration import Duration
from rclpy.node import Node
from rosgraph_msgs.msg import Clock

from simspark_recording.playing.monitor_state import MonitorState
from simspark_recording.playing.player import Replay
from simspark_recording.playing.steps import ReplayStep
from simspark_recording.settings import ReplaySettings
from simspark_recording.topics.definitions import message_definition, same_definition
from simspark_recording.topics.patterns import matches, without_topic
from simspark_recording.topics.qos import recorded_qos
from simspark_recording.topics.reader import Moment, RecordedTopic, moments, span_of, topics_of
from simspark_recording.topics.scene_frames import SCENE, SceneFrames
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.ros.endpoints import create_publisher
from simspark_ros.ros.network import start_ros
from simspark_ros.ros.topics.publisher import LATEST, TopicError, message_type
from simspark_ros.ros.topics.world.clock import TOPIC as CLOCK
from simspark_ros.server.signals import Signals
from simspark_ros.soccer.settings import load_soccer_settings
from simspark_ros.terminal import log_lines

DEPTH = 100
"""Messages of a topic that wait for slow subscribers."""
_NANOSECONDS = 1_000_000_000


class TopicPublishers:
    """Publishers of recorded topics, and of `/clock`, with log times, if it was not recorded.

    `tell` takes lines for the operator.
    """

    def __init__(self, node: Node, topics: Iterable[RecordedTopic], tell: Callable[[str], object]) -> None:
        self._node, self._tell = node, tell
        self._warned = False
        self._publishers: dict[tuple[str, str], Any] = {}
        for topic in topics:
            if (topic.name, topic.kind) not in self._publishers:
                self._add(topic)
        self._clock = None
        if not any(name == CLOCK for name, _ in self._publishers):
            self._clock = create_publisher(node, Clock, CLOCK, LATEST)

    @property
    def count(self) -> int:
        """Number of recorded topics that are published."""
        return len(self._publishers)

    def publish(self, moment: Moment) -> None:
        """Publish the messages of one time as they are."""
        # Others may be discovered, or come, later.
        if not self._warned and self._node.count_publishers(CLOCK) > 1:
            self._warned = True
            self._tell(
                f"a simulator or another replay also publishes {CLOCK} in this domain, so subscribers hear both; give "
                "each its own ROS_DOMAIN_ID"
            )
        if self._clock is not None:
            message = Clock()
            message.clock.sec, message.clock.nanosec = divmod(moment.time, _NANOSECONDS)
            self._clock.publish(message)
        for topic, data in moment.messages:
            publisher = self._publishers.get((topic.name, topic.kind))
            if publisher is not None:
                publisher.publish(data)

    def finish(self, patience: float) -> None:
        """Wait until subscribers have all reliable messages, for a time (s) at most each."""
        for publisher in self._publishers.values():
            publisher.wait_for_all_acked(Duration(seconds=patience))

    def _add(self, topic: RecordedTopic) -> None:
        try:
            kind = message_type(topic.kind)
            if not same_definition(topic.definition, message_definition(topic.kind)):
                raise TopicError(f"the definition of {topic.kind} here differs from the recorded one")
            publisher = create_publisher(self._node, kind, topic.name, recorded_qos(topic.metadata, DEPTH))
        # Errors of a missing or different type, and rclpy's errors of bad names.
        except Exception as error:
            self._tell(f"{topic.name} is left out: {error}")
            return
        self._publishers[topic.name, topic.kind] = publisher


class BagSource:
    """The steps of an MCAP file; `publish` shows each elsewhere, `tell` takes lines for the operator."""

    def __init__(
        self,
        options: ReplaySettings,
        tell: Callable[[str], object],
        publish: Callable[[Moment], object] = lambda moment: None,
    ) -> None:
        self._path, self._tell, self._publish = options.path, tell, publish
        self._environment = load_soccer_settings(options.world or None).environment
        self._is_told = not options.world

    def __call__(self, state: MonitorState) -> Iterator[ReplayStep]:
        """See `StepSource`."""
        frames = SceneFrames(self._environment, self._tell, self._is_told)
        earlier: int | None = None
        for moment in moments(self._path):
            for topic, data in moment.messages:
                frames.take(topic, data)
            frame = frames.next_frame()
            if frame:
                state.show(frame)
            passed = 0 if earlier is None else max(0, moment.time - earlier)
            yield ReplayStep(passed / _NANOSECONDS, frame, partial(self._publish, moment))
            earlier = moment.time

    def duration(self) -> float:
        """See `StepSource`."""
        first, last = span_of(self._path)
        return (last - first) / _NANOSECONDS


def wanted(options: ReplaySettings, topics: Iterable[RecordedTopic]) -> list[RecordedTopic]:
    """The topics that the settings choose.

    Raises:
        ConfigurationError: a pattern chooses none.
    """
    topics = list(topics)
    if lines := without_topic(options.topics, [topic.name for topic in topics]):
        raise ConfigurationError("; ".join(lines))
    return [
        topic
        for topic in topics
        if matches(topic.name, options.topics or ("*",)) and not matches(topic.name, options.without)
    ]


def tell(text: str) -> None:
    """Print a line for the operator."""
    print(f"replay: {text}", file=sys.stderr, flush=True)


def replay(options: ReplaySettings, ros_arguments: Sequence[str]) -> int:
    """Replay until the end of the file, SIGINT or SIGTERM; returns the exit status.

    Raises:
        UserError: the file or an argument of ROS is wrong.
    """
    log_lines()
    signals = Signals()
    topics = topics_of(options.path)
    with ExitStack() as stack:
        start_ros(["simspark", *ros_arguments])
        stack.callback(rclpy.try_shutdown)
        node = Node("simspark_replay", start_parameter_services=False)
        stack.callback(node.destroy_node)
        publishers = TopicPublishers(node, wanted(options, topics), tell)
        player = Replay(options, BagSource(options, tell, publishers.publish))
        stack.callback(player.close)
        signals.on_signal(player.stop)
        print(f"{options.path} plays on {publishers.count} topics; Ctrl-C ends it")
        if any(topic.kind == SCENE for topic in topics):
            print(f"  monitors {options.bind}:{player.server.port}   simspark view --monitor-port {player.server.port}")
        sys.stdout.flush()
        player.run(options.delay)
        publishers.finish(1.0)
    return 0

"""Subscribes to the topics of a domain and writes their messages, as they are, into a recording."""

from __future__ import annotations

import math
import struct
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from typing import Any

import rclpy

# Private, as in `FastSubscriber`: an executor takes ten times as long for a message, and sorts nothing.
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile

from simspark_recording.settings import RecordSettings
from simspark_recording.topics.definitions import message_definition
from simspark_recording.topics.patterns import HIDDEN, matches, matches_shown, without_topic
from simspark_recording.topics.qos import request_for
from simspark_recording.topics.recording import TopicRecording, WrittenTopic
from simspark_ros.configuration.errors import cut
from simspark_ros.ros.endpoints import create_guard, create_subscription
from simspark_ros.ros.network import start_ros
from simspark_ros.ros.topics.publisher import message_type
from simspark_ros.ros.topics.world.clock import TOPIC as CLOCK
from simspark_ros.server.signals import Signals

IMAGES = tuple(f"sensor_msgs/msg/{name}" for name in ("Image", "CompressedImage", "PointCloud2"))
OPAQUE = ("simspark_ros/msg/BridgeMessage",)
"""Types of messages between simulator and bridges, of no use to others."""

SCAN_PERIOD = 0.2
"""Seconds between two looks for new topics."""
HINT_AFTER = 5.0
"""Seconds after which missing topics are reported: they may come later, be misspelt, or be in another domain."""
FLUSH_PERIOD = 1.0
"""Seconds between two writes; a killed recorder loses at most as much."""

_WAIT = 50_000_000
"""Longest wait for a message, ns, so that the end is noticed."""
_NANOSECONDS = 1_000_000_000
_WITHOUT_TYPE_SERVICE = Parameter("start_type_description_service", value=False)

_Taken = tuple[int, "_Subscribed", bytes, Any]
"""Time of publishing, ns since 1970; the subscription; the message; ROS's information on it."""


@dataclass(eq=False)
class _Subscribed:
    """A subscription; `written` is whether its topic is recorded, `numbers` the last of each publisher's messages."""

    topic: WrittenTopic
    subscription: Any
    qos: QoSProfile
    publishers: int
    written: bool
    numbers: dict[bytes, int] = field(default_factory=dict)


class TopicRecorder:
    """Records until `run` is told to stop, or the settings' end. `tell` takes lines for the operator.

    A message has the simulator's time at which it was published: messages are sorted by the time of sending, and each
    gets the time of the last `/clock` before it. Nothing is written before the first `/clock`.

    Attributes:
        lost: messages that came while too many waited, by topic.
    """

    def __init__(
        self, node: Node, settings: RecordSettings, recording: TopicRecording, tell: Callable[[str], object]
    ) -> None:
        self.lost: Counter[str] = Counter()
        self._node, self._settings, self._recording = node, settings, recording
        # Every look for topics finds the same faults.
        self._tell_once = lru_cache(maxsize=256)(tell)
        self._left_out = set(OPAQUE)
        self._subscribed: dict[str, _Subscribed] = {}
        self._by_pointer: dict[int, _Subscribed] = {}
        self._start = self._now = -1
        self._names: set[str] = set()
        # Never triggered: ROS does not wait for nothing, as before the first topic.
        self._idle = create_guard(node, lambda: None)

    @property
    def seconds(self) -> float:
        """Simulated time since the first message, s."""
        return (self._now - self._start) / _NANOSECONDS

    @property
    def waits(self) -> bool:
        """Whether no time has come yet."""
        return self._now < 0

    def run(self, stopped: Callable[[], bool]) -> None:
        """Record until `stopped` returns True or nothing can be written any more."""
        scan = flush = 0.0
        hint = time.monotonic() + HINT_AFTER
        while not (stopped() or self._recording.ended or self._is_over()):
            now = time.monotonic()
            if now >= scan:
                self._scan()
                scan = time.monotonic() + SCAN_PERIOD
            if now >= hint:
                hint = math.inf
                for line in self._missing():
                    self._tell_once(f"{line}; waiting for it")
            if now >= flush:
                self._recording.flush()
                flush = now + FLUSH_PERIOD
            self._record(self._wait())

    def unmatched(self) -> list[str]:
        """A line for each wanted name that no topic has had so far."""
        return without_topic(self._settings.topics, self._names)

    def _missing(self) -> list[str]:
        domain = self._node.context.get_domain_id()
        return [f"no simulator tells the time on {CLOCK} in ROS domain {domain}"] if self.waits else self.unmatched()

    def _is_over(self) -> bool:
        return 0.0 < self._settings.duration <= self.seconds

    def _scan(self) -> None:
        """Follow topics that come, go, or change their publishers."""
        topics = self._node.get_topic_names_and_types()
        self._names.update(name for name, _ in topics)
        for name, kinds in topics:
            written, known = self._is_wanted(name, kinds[0]), self._subscribed.get(name)
            publishers = self._node.count_publishers(name) if written or name == CLOCK else 0
            if not publishers:
                self._drop(name)
            elif known is None and len(self._subscribed) >= self._settings.max_topics:
                self._tell_once(
                    f"{name} and further topics are left out: {len(self._subscribed)} topics are already recorded "
                    "(max_topics)"
                )
            elif known is None or known.publishers != publishers:
                self._follow(name, kinds[0], written)
        self._by_pointer = {known.subscription.handle.pointer: known for known in self._subscribed.values()}

    def _is_wanted(self, name: str, kind: str) -> bool:
        if matches(name, self._settings.without) or kind in self._left_out:
            return False
        if self._settings.topics:
            return matches_shown(name, self._settings.topics)
        return HIDDEN not in name and (self._settings.images or kind not in IMAGES)

    def _follow(self, name: str, kind: str, written: bool) -> None:
        """Subscribe to a topic, or again if its present publishers offer less than earlier ones."""
        publishers = self._node.get_publishers_info_by_topic(name)
        if not publishers:
            return
        offered = [publisher.qos_profile for publisher in publishers]
        qos = request_for(offered, self._settings.queue)
        known = self._subscribed.get(name)
        if known and known.qos == qos:
            known.publishers = len(publishers)
            return
        try:
            cls, definition = message_type(kind), message_definition(kind)
            self._drop(name)
            subscription = create_subscription(self._node, cls, name, lambda message: None, qos, raw=True)
        # The type is not installed, or rclpy finds it broken.
        except Exception as error:
            self._left_out.add(kind)
            self._tell_once(f"topics of type {kind} are left out: {cut(str(error), 80)}")
            return
        type_hash = str(getattr(publishers[0], "topic_type_hash", ""))
        latched = qos.durability == DurabilityPolicy.TRANSIENT_LOCAL
        topic = WrittenTopic(name, kind, definition, offered, type_hash, latched)
        self._subscribed[name] = _Subscribed(topic, subscription, qos, len(publishers), written)
        self._recording.add(topic)

    def _drop(self, name: str) -> None:
        """End a subscription, if there is one, and record its waiting messages."""
        known = self._subscribed.pop(name, None)
        if known is not None:
            self._record(self._drain(known))
            self._node.destroy_subscription(known.subscription)
            self._recording.remove(known.topic)

    def _wait(self) -> list[_Taken]:
        """Wait for messages; `/clock` is read last, so that no other message comes before its time."""
        wait_set = rclpy_implementation.WaitSet(len(self._subscribed), 1, 0, 0, 0, 0, self._node.context.handle)
        wait_set.clear_entities()
        wait_set.add_guard_condition(self._idle.handle)
        clock = self._subscribed.get(CLOCK)
        waited = self._subscribed.values() if self._now >= 0 else filter(None, [clock])
        for known in waited:
            wait_set.add_subscription(known.subscription.handle)
        wait_set.wait(_WAIT)
        ready = [self._by_pointer[pointer] for pointer in wait_set.get_ready_entities("subscription")]
        taken = [message for known in ready if known is not clock for message in self._drain(known)]
        return taken + (self._drain(clock) if clock else [])

    def _drain(self, known: _Subscribed) -> list[_Taken]:
        """Take waiting messages, up to the length of the queue: others follow in the next round."""
        handle, kind, name = known.subscription.handle, known.subscription.msg_type, known.topic.name
        taken: list[_Taken] = []
        while len(taken) < self._settings.queue:
            try:
                found = handle.take_message(kind, True)
            except Exception as error:
                # The topic is open to all publishers: after any message the next one has to get through.
                self._tell_once(f"a message on {name} cannot be received: {cut(str(error), 80)}")
                continue
            if found is None:
                break
            data, info = found
            taken.append((info["source_timestamp"], known, data, info))
        return taken

    def _record(self, taken: list[_Taken]) -> None:
        """Write messages in the order in which they were published."""
        taken.sort(key=itemgetter(0))
        for _sent, known, data, info in taken:
            if known.topic.name == CLOCK:
                self._set_time(data, known.publishers)
            publisher, number = _origin(info)
            self._count(known, publisher, number)
            if known.written and self._now >= 0:
                self._recording.write(known.topic, self._now, data, publisher, number)

    def _set_time(self, data: bytes, publishers: int) -> None:
        now = nanoseconds_of(data)
        if publishers > 1:
            self._tell_once(
                f"{publishers} programs publish {CLOCK}: the recorder uses the latest of their times; stop all but one"
            )
            now = max(now, self._now)
        if now < self._now:
            self._recording.begin_part(now, f"time was set back from {self._now / 1e9:.2f} s to {now / 1e9:.2f} s")
            self._start -= self._now - now
        if self._start == self._now == -1:
            self._start = now
        self._now = now

    def _count(self, known: _Subscribed, publisher: bytes, number: int) -> None:
        """Count the messages lost before a message, by the number that its publisher gave it."""
        if not publisher or not number:
            return
        expected = known.numbers.get(publisher, number - 1) + 1
        known.numbers[publisher] = number
        if number > expected:
            self.lost[known.topic.name] += number - expected


def _origin(info: dict[str, Any]) -> tuple[bytes, int]:
    """The publisher of a message and its number there; empty and 0 where ROS does not say, as before Kilted."""
    publisher = info.get("publisher_gid") or {}
    return bytes(publisher.get("data", b"")), info.get("publication_sequence_number") or 0


def nanoseconds_of(data: bytes) -> int:
    """The time of a serialized rosgraph_msgs/Clock, ns."""
    seconds, rest = struct.unpack_from("<iI" if data[1] & 1 else ">iI", data, 4)
    return int(seconds * _NANOSECONDS + rest)


def record(settings: RecordSettings, ros_arguments: Sequence[str]) -> int:
    """Record until an end that the settings say, SIGINT or SIGTERM.

    Returns the exit status: 0, or 1 if not everything could be written, nothing was, or a wanted topic did not come.

    Raises:
        ConfigurationError: the file or an argument of ROS is wrong.
    """
    ended = threading.Event()
    Signals().on_signal(ended.set)

    def tell(text: str) -> None:
        print(f"record: {text}", file=sys.stderr, flush=True)

    start_ros(["simspark", *ros_arguments])
    try:
        recording = TopicRecording(settings, tell)
        node = Node("simspark_recorder", start_parameter_services=False, parameter_overrides=[_WITHOUT_TYPE_SERVICE])
        print(f"recording to {settings.path}; Ctrl-C ends it", flush=True)
        recorder = TopicRecorder(node, settings, recording, tell)
        try:
            recorder.run(ended.is_set)
        finally:
            recording.close()
            node.destroy_node()
    finally:
        rclpy.try_shutdown()
    for line in summary(recorder, recording):
        tell(line)
    return 0 if recording.complete and recording.messages and not recorder.unmatched() else 1


def summary(recorder: TopicRecorder, recording: TopicRecording) -> list[str]:
    """Lines about the recording, and the reasons if something is missing."""
    lines = [*filter(None, [recording.ended]), *recorder.unmatched()]
    if not recording.messages:
        silent = f"no message came on {CLOCK}; is a simulator running in this domain?"
        why = silent if recorder.waits else "no message came on the chosen topics"
        return [*lines, f"nothing was recorded, so there is no file: {why}"]
    lines.append(f"{recording.messages} messages of {recorder.seconds:.2f} s")
    if recorder.lost:
        worst = ", ".join(f"{name} {count}" for name, count in recorder.lost.most_common(3))
        lines.append(
            f"{recorder.lost.total()} messages were lost ({worst}): record fewer topics, "
            "or lower the simulator's `speed`"
        )
    return lines

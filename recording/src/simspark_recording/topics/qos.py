"""QoS profiles in recordings, and of the subscriptions and publishers that record and replay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

import yaml
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

QOS_KEY = "offered_qos_profiles"
"""Metadata of channels, by rosbag2's name."""

LATCHED_DEPTH = 10
"""Messages that a publisher of a replay keeps for late subscribers, if it was latched."""

_NANOSECONDS = 1_000_000_000


def qos_text(profiles: Sequence[QoSProfile]) -> str:
    """QoS profiles as YAML with numbers for policies, which all versions of rosbag2 read."""
    return yaml.safe_dump([_values(qos) for qos in profiles], sort_keys=False)


def request_for(offered: Sequence[QoSProfile], depth: int) -> QoSProfile:
    """The QoS of a subscription that hears all of these publishers."""
    return _profile(
        all(qos.reliability == ReliabilityPolicy.RELIABLE for qos in offered),
        all(qos.durability == DurabilityPolicy.TRANSIENT_LOCAL for qos in offered),
        depth,
    )


def recorded_qos(metadata: Mapping[str, str], depth: int) -> QoSProfile:
    """The QoS to publish a channel with: best effort or latched if all its publishers were."""
    try:
        offered = yaml.safe_load(metadata.get(QOS_KEY, ""))
        reliable = any(not _is(qos["reliability"], ReliabilityPolicy.BEST_EFFORT) for qos in offered)
        latched = all(_is(qos["durability"], DurabilityPolicy.TRANSIENT_LOCAL) for qos in offered)
    except (yaml.YAMLError, KeyError, TypeError):
        reliable, latched = True, False
    return _profile(reliable, latched, LATCHED_DEPTH if latched else depth)


def _is(value: object, policy: IntEnum) -> bool:
    """Whether a recorded policy, a number or since version 9 of rosbag2's metadata a word, is this one."""
    return value in (int(policy), policy.name.lower())


def _profile(reliable: bool, latched: bool, depth: int) -> QoSProfile:
    return QoSProfile(
        depth=depth,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )


def _values(qos: QoSProfile) -> dict[str, Any]:
    return {
        "history": int(qos.history),
        "depth": qos.depth,
        "reliability": int(qos.reliability),
        "durability": int(qos.durability),
        "deadline": _duration(qos.deadline),
        "lifespan": _duration(qos.lifespan),
        "liveliness": int(qos.liveliness),
        "liveliness_lease_duration": _duration(qos.liveliness_lease_duration),
        "avoid_ros_namespace_conventions": bool(qos.avoid_ros_namespace_conventions),
    }


def _duration(value: Any) -> dict[str, int]:
    seconds, rest = divmod(value.nanoseconds, _NANOSECONDS)
    return {"sec": seconds, "nsec": rest}

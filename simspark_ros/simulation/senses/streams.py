"""Streams of randomness of perceptors, by kind: noise of one depends neither on which others there are nor on order."""

from __future__ import annotations

import numpy as np

_NUMBERS = {
    "accelerometer": 0,
    "force_resistance": 3,
    "gyroscope": 5,
    "restricted_vision": 8,
    "lola": 12,
    "laser": 13,
    "range": 14,
    "magnetometer": 15,
    "force_torque": 16,
    "detections": 17,
    "odometry": 19,
    "laser_objects": 20,
}
"""Kinds whose stream has a number, once their place in a list: their noise stays as it was. New kinds need none.

The table is by kind and not in the classes, from which plug-ins derive: two kinds must not share a stream.
"""


def stream_of(random: np.random.SeedSequence, kind: str) -> np.random.SeedSequence:
    """The stream of a kind among those of a simulation: by its number, or by its name, whose bytes no number equals."""
    number = _NUMBERS.get(kind)
    key = kind.encode() if number is None else (number,)
    return np.random.SeedSequence(random.entropy, spawn_key=(*random.spawn_key, *key), pool_size=random.pool_size)

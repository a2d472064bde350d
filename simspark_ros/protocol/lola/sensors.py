"""The sensor message: 896 bytes with a fixed place for every value, as some clients read values by place."""

from __future__ import annotations

import struct

import numpy as np

from simspark_ros.physics.engine import Array
from simspark_ros.protocol.lola.identity import Identity
from simspark_ros.robots.lola import COLUMNS, SENSORS, START

SIZE = 896
"""Bytes of a message; clients read that many."""

BODY_VERSION = HEAD_VERSION = "6.0.0"

_GRAVITY = 9.81
"""Weight of a kilogram, N."""


class SensorEncoder:
    """Messages of one robot, as a map with the keys of `SENSORS` and `RobotConfig`.

    All values are floats of 32 bits, except `Status`: integers of one byte.

    Args:
        identity: the robot's identity.
        in_kilograms: whether `FSR` is in kilograms in the message; otherwise in newtons.
    """

    def __init__(self, identity: Identity, in_kilograms: bool = True) -> None:
        configuration = (identity.body, BODY_VERSION, identity.head, HEAD_VERSION)
        message = bytes([0x80 | len(SENSORS) + 1]) + _text("RobotConfig") + _array(len(configuration))
        message += b"".join(map(_text, configuration))
        # MessagePack: a map's size, at most 15, is in its first byte, 0x80; 0xca says that a float follows.
        floats, integers = [], []
        for sensor, count in SENSORS.items():
            message += _text(sensor) + _array(count)
            for number in range(count):
                column = START[sensor] + number
                if sensor == "Status":
                    integers.append((column, len(message)))
                    message += b"\x00"
                else:
                    floats.append((column, len(message) + 1))
                    message += struct.pack(">Bf", 0xCA, 0.0)
        assert len(message) == SIZE
        self._template = np.frombuffer(message, np.uint8)
        self._columns, self._places = np.array(floats).T
        self._status_columns, self._status_places = np.array(integers).T
        self._float_places = self._places[:, None] + np.arange(4)
        self._factors = np.ones(len(COLUMNS))
        if in_kilograms:
            self._factors[START["FSR"] : START["FSR"] + SENSORS["FSR"]] = 1.0 / _GRAVITY

    def encode(self, values: Array) -> bytes:
        """The message for the values (161,) of `COLUMNS`, SI."""
        message, values = self._template.copy(), values * self._factors
        floats = values[self._columns].astype(">f4")
        message[self._float_places] = floats.view(np.uint8).reshape(-1, 4)
        message[self._status_places] = values[self._status_columns].astype(np.uint8)
        return message.tobytes()


def _text(text: str) -> bytes:
    return bytes([0xA0 | len(text)]) + text.encode()


def _array(count: int) -> bytes:
    return bytes([0x90 | count]) if count < 16 else struct.pack(">BH", 0xDC, count)

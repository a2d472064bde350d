"""The sensor message, read by a strict reader after the public clients of LoLA."""

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from simspark_ros.protocol.lola.identity import Identity, identity_of, read_identities
from simspark_ros.protocol.lola.sensors import SIZE, SensorEncoder
from simspark_ros.robots.lola import COLUMNS, SENSORS, START

KEYS = {"RobotConfig": 4, "Accelerometer": 3, "Gyroscope": 3, "Angles": 2, "Battery": 4, "FSR": 8, "Sonar": 2}
KEYS |= {"Touch": 14, **dict.fromkeys(("Current", "Position", "Stiffness", "Temperature", "Status"), 25)}


class Strict:
    """Reads a map from short texts to arrays, where all have the forms that LoLA uses, and no others."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0
        (first,) = self._take(1)
        assert first & 0xF0 == 0x80
        self.read: dict[str, list[Any]] = {}
        for _ in range(first & 0x0F):
            key = self._text()
            count = self._take(1)[0]
            if count == 0xDC:
                (count,) = struct.unpack(">H", self._take(2))
                assert count >= 16
            else:
                assert count & 0xF0 == 0x90
                count &= 0x0F
            value: Callable[[], Any] = {"RobotConfig": self._text, "Status": self._small}.get(key, self._float)
            self.read[key] = [value() for _ in range(count)]
        assert self._at == len(data)

    def _take(self, count: int) -> bytes:
        taken = self._data[self._at : self._at + count]
        assert len(taken) == count
        self._at += count
        return taken

    def _text(self) -> str:
        (first,) = self._take(1)
        assert first & 0xE0 == 0xA0
        return self._take(first & 0x1F).decode("ascii")

    def _small(self) -> int:
        (first,) = self._take(1)
        assert first < 0x80
        return first

    def _float(self) -> float:
        assert self._take(1) == b"\xca"
        number: float = struct.unpack(">f", self._take(4))[0]
        return number


def test_it_has_896_bytes_and_every_value_in_its_place():
    values = np.arange(len(COLUMNS), dtype=np.float64) + 0.25
    values[START["Status"] : START["Status"] + 25] = np.arange(25) % 4
    message = SensorEncoder(identity_of("nao_lola"), in_kilograms=False).encode(values)
    assert len(message) == SIZE == 896
    read = Strict(message).read
    assert {key: len(value) for key, value in read.items()} == KEYS
    for sensor, count in SENSORS.items():
        assert read[sensor] == values[START[sensor] : START[sensor] + count].tolist()
    assert read["RobotConfig"] == ["000000000000nao_lola", "6.0.0", "000000000000nao_lola", "6.0.0"]


@pytest.mark.parametrize("name", ["a", "a_robot_whose_name_is_longer_than_twenty_characters"])
def test_its_length_is_the_same_for_every_name(name):
    message = SensorEncoder(identity_of(name)).encode(np.zeros(len(COLUMNS)))
    assert len(message) == SIZE and Strict(message).read["RobotConfig"][0].endswith(name[-20:])


def test_foot_pressure_is_in_the_unit_that_was_chosen():
    values = np.zeros(len(COLUMNS))
    values[START["FSR"]] = 9.81
    for in_kilograms, expected in ((True, 1.0), (False, 9.81)):
        read = Strict(SensorEncoder(identity_of("a"), in_kilograms).encode(values)).read
        assert read["FSR"] == [pytest.approx(expected), *[0.0] * 7]
    assert values[START["FSR"]] == 9.81


def test_a_robot_has_the_identifications_that_its_team_knows_it_by():
    body, head = "P0000073A07S94700012", "P0000074A05S93M00061"
    read = read_identities(f"one={body}/{head}, two={body}")
    assert read == {"one": Identity(body, head), "two": Identity(body, body)}
    message = SensorEncoder(read["one"]).encode(np.zeros(len(COLUMNS)))
    assert Strict(message).read["RobotConfig"] == [body, "6.0.0", head, "6.0.0"]


@pytest.mark.parametrize("text", ["one", "=P0000073A07S94700012", "one=short", "one=P0000073A07S94700012/short"])
def test_identifications_of_another_form_are_refused(text):
    with pytest.raises(ValueError, match="with 20 characters each"):
        read_identities(text)

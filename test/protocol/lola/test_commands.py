"""Command messages of drivers."""

from __future__ import annotations

import math

import pytest

from simspark_ros.protocol.lola.commands import MessageRefusedError, read_commands
from simspark_ros.robots.lola import DEVICES
from test.rigs.messagepack import packed


@pytest.mark.parametrize("single", [True, False])
def test_a_message_with_all_devices(single):
    message = {device: [0.25 * (number % 4) for number in range(size)] for device, size in DEVICES.items()}
    commands, unknown = read_commands(packed({**message, "Sonar": [True, False]}, single))
    assert unknown == []
    assert {command.device: list(command.values) for command in commands} == {**message, "Sonar": [1.0, 0.0]}
    assert all(command.places == tuple(range(DEVICES[command.device])) for command in commands)


def test_devices_may_be_missing_and_unknown_ones_are_named():
    commands, unknown = read_commands(packed({"Chest": [0, 1, 0.5], "Beak": [1.0]}))
    assert [(command.device, command.values) for command in commands] == [("Chest", (0.0, 1.0, 0.5))]
    assert unknown == ["'Beak'"]
    assert read_commands(packed({})) == ([], [])


@pytest.mark.parametrize(
    ("message", "reason", "text"),
    [
        ([1.0], "no map", "no map; LoLA's commands are maps"),
        (5, "no map", "no map"),
        ({7: [1.0]}, "key that is no text", "a key that is no text: 7"),
        ({"Position": [0.0] * 24}, "Position", "Position: 24 values for 25 places"),
        ({"Position": [0.0] * 24 + [math.nan]}, "Position", "Position: value 24 is nan"),
        ({"Stiffness": [math.inf] * 25}, "Stiffness", "Stiffness: value 0 is inf"),
        ({"Chest": 1.0}, "Chest", "Chest: 1 values for 3 places"),
        ({"Chest": ["red", 0.0, 0.0]}, "Chest", "Chest: needs 3 numbers, and no other values"),
        ({"Chest": [[0.0], 0.0, 0.0]}, "Chest", "Chest: needs 3 numbers"),
        ({"Chest": {1: 0.0}}, "Chest", "Chest: needs 3 numbers"),
        ({"Chest": None}, "Chest", "Chest: needs 3 numbers"),
    ],
)
def test_a_bad_message_is_refused_as_a_whole(message, reason, text):
    if isinstance(message, dict):
        message = {"Skull": [1.0] * 12, **message}
    with pytest.raises(MessageRefusedError, match=text) as caught:
        read_commands(packed(message))
    assert caught.value.reason == reason

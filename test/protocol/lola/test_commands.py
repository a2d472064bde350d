import math

import pytest

from simspark_ros.protocol.lola.commands import read_commands
from simspark_ros.robots.lola import DEVICES
from test.rigs.messages.messagepack import packed


@pytest.mark.parametrize("single", [True, False])
def test_a_message_with_all_devices(single):
    message = {device: [0.25 * (number % 4) for number in range(size)] for device, size in DEVICES.items()}
    commands, refused = read_commands(packed({**message, "Sonar": [True, False]}, single))
    assert refused == []
    assert {command.device: list(command.values) for command in commands} == {**message, "Sonar": [1.0, 0.0]}
    assert all(command.places == tuple(range(DEVICES[command.device])) for command in commands)


def test_devices_may_be_missing():
    commands, refused = read_commands(packed({"Chest": [0, 1, 0.5]}))
    assert [(command.device, command.values) for command in commands] == [("Chest", (0.0, 1.0, 0.5))]
    assert refused == [] and read_commands(packed({})) == ([], [])


@pytest.mark.parametrize("message", [[1.0], 5, "text", None])
def test_what_is_no_map_commands_nothing(message):
    refusal = "no map", "sends a message that is not a map; LoLA's commands are maps"
    assert read_commands(packed(message)) == ([], [refusal])


@pytest.mark.parametrize(
    ("device", "value", "text"),
    [
        ("Position", [0.0] * 24, "Position: the device needs 25 numbers but gets 24 values"),
        ("Chest", 1.0, "Chest: the device needs 3 numbers but gets 1 values"),
        ("Chest", ["red", 0.0, 0.0], "Chest: the device needs 3 numbers but gets 3 values"),
        ("Chest", [[0.0], 0.0, 0.0], "Chest: the device needs 3 numbers but gets 4 values"),
        ("Chest", {1: 0.0}, "Chest: the device needs 3 numbers but gets 3 values"),
        ("Chest", None, "Chest: the device needs 3 numbers but gets 1 values"),
        ("Chest", [math.nan] * 3, "Chest: value 0 is nan and is ignored"),
        ("Beak", [1.0], "commands a device that does not exist, 'Beak'; use one of: Position, "),
        (7, [1.0], "commands a device that does not exist, 7; use one of"),
    ],
)
def test_what_is_wrong_with_a_device_leaves_the_others(device, value, text):
    commands, refused = read_commands(packed({device: value, "Skull": [1.0] * 12}))
    assert [command.device for command in commands] == ["Skull"]
    ((_, said),) = refused
    assert said.startswith(text)


def test_values_that_are_not_finite_are_left_out_one_by_one_and_a_thousand_faults_of_a_kind_are_one_refusal():
    # The public client's own first messages: what it never set is anything.
    commands, refused = read_commands(packed({"Chest": [math.nan, 0.5, -math.inf]}))
    assert commands == [("Chest", (1,), (0.5,))]
    assert refused == [("Chest: not finite", "Chest: value 0 is nan and is ignored; send finite numbers")]
    commands, refused = read_commands(packed({f"Beak {number}": 1.0 for number in range(1000)}))
    assert commands == [] and [reason for reason, _ in refused] == ["unknown device"]

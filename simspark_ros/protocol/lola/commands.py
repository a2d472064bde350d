"""The command message: a map from devices to their values. Other devices keep their last command."""

from __future__ import annotations

import math
from typing import NamedTuple

from simspark_ros.configuration.errors import shown
from simspark_ros.effectors.lola import DeviceCommand, checked
from simspark_ros.protocol.lola.messagepack import MessagePackReader, Value
from simspark_ros.robots.lola import DEVICES


class LolaRefusal(NamedTuple):
    """A part of a message that is refused: its reason, one of a few, for counting, and a text."""

    reason: str
    text: str


class ReadMessage(NamedTuple):
    """The commands of a message, and its refused parts: one example of each reason."""

    commands: list[DeviceCommand]
    refused: list[LolaRefusal]


def read_commands(message: bytes) -> ReadMessage:
    """Read a complete MessagePack value.

    A fault in one device leaves the others: nao_lola_client sends uninitialized memory for lights without a command,
    so a value that is not finite is left out, and its place keeps its value.
    """
    reader = MessagePackReader(message)
    commands: list[DeviceCommand] = []
    refused: dict[str, str] = {}
    entries = reader.entries()
    if entries is None:
        refused["no map"] = "sends a message that is not a map; LoLA's commands are maps"
    for _ in range(entries or 0):
        device, value = reader.value(), reader.value()
        if isinstance(device, str) and device in DEVICES:
            _read_device(device, value, commands, refused)
        # One text for thousands of unknown devices.
        elif "unknown device" not in refused:
            text = f"commands a device that does not exist, {shown(device)}; use one of: {', '.join(DEVICES)}"
            refused["unknown device"] = text
    return ReadMessage(commands, [LolaRefusal(*each) for each in refused.items()])


def _read_device(device: str, value: Value, commands: list[DeviceCommand], refused: dict[str, str]) -> None:
    values = value if isinstance(value, list) else [value]
    numbers = [number for number in values if isinstance(number, int | float)]
    if len(numbers) < len(values) or len(numbers) != DEVICES[device]:
        refused[device] = (
            f"{device}: the device needs {DEVICES[device]} numbers but gets {len(values)} values; it stays as it was"
        )
        return
    places = [place for place, number in enumerate(numbers) if math.isfinite(number)]
    if len(places) < len(numbers):
        wrong = next(place for place in range(len(numbers)) if place not in places)
        text = f"{device}: value {wrong} is {numbers[wrong]} and is ignored; send finite numbers"
        refused[f"{device}: not finite"] = text
    if places:
        commands.append(checked(device, [numbers[place] for place in places], places))

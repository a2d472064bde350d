"""The command message: a map from devices to their values. What is not in it stays as it was commanded last."""

from __future__ import annotations

from typing import NamedTuple

from simspark_ros.configuration.errors import shown
from simspark_ros.effectors.lola import DeviceCommand, checked
from simspark_ros.protocol.lola.messagepack import Reader
from simspark_ros.robots.lola import DEVICES
from simspark_ros.soccer.world import CommandRejectedError


class MessageRefusedError(Exception):
    """A message is refused as a whole; `reason` is one of a few, for counting."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class ReadMessage(NamedTuple):
    """What a message commands, and the names of devices in it that do not exist."""

    commands: list[DeviceCommand]
    unknown: list[str]


def read_commands(message: bytes) -> ReadMessage:
    """Read a complete MessagePack value.

    Raises:
        MessageRefusedError: it is no map from texts, or a device has other than its number of finite numbers.
    """
    reader = Reader(message)
    entries = reader.entries()
    if entries is None:
        raise MessageRefusedError("no map", "sends a message that is no map; LoLA's commands are maps")
    commands, unknown = [], []
    for _ in range(entries):
        device, value = reader.value(), reader.value()
        if not isinstance(device, str):
            raise MessageRefusedError("key that is no text", f"sends a key that is no text: {shown(device)}")
        if device not in DEVICES:
            unknown.append(shown(device))
            continue
        values = value if isinstance(value, list) else [value]
        if not all(isinstance(number, int | float) for number in values):
            raise MessageRefusedError(device, f"{device}: needs {DEVICES[device]} numbers, and no other values")
        try:
            commands.append(checked(device, values))  # type: ignore[arg-type]
        except CommandRejectedError as error:
            raise MessageRefusedError(device, str(error)) from None
    return ReadMessage(commands, unknown)

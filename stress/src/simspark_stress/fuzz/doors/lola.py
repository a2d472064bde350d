"""The door of robots' drivers (LoLA): messages of drivers, would-be drivers and strangers at their sockets."""

from __future__ import annotations

import contextlib
import math
import random
import time
from pathlib import Path
from typing import Any

from simspark_ros.robots.lola import DEVICES
from simspark_stress.fuzz.case import Step
from simspark_stress.fuzz.doors.messagepack import compact
from simspark_stress.fuzz.doors.sockets import LONGEST, PATIENCE, SocketDoor, send_in_pieces
from simspark_stress.fuzz.grammar import PAUSES, damaged_bytes, ended, number, woven
from simspark_stress.fuzz.server import Server
from simspark_stress.fuzz.session import FOLDER, Door
from simspark_stress.hostile_client import HostileClient

ROBOTS = ("driven", "other")
"""Names of the robots with a socket."""

_MESSAGE = 896
"""Length of a message with the sensors, bytes."""

_OPTION = "--lola="

_HEADS = (
    *("c1", "81", "8f", "9f", "de", "deffff", "dfffffffff", "dcffff", "ddffffffff", "ddffffffffff", "df7fffffff00"),
    *("d9ff", "daffff", "dbffffffff", "db7fffffff61", "c4ff", "c6ffffffff", "c9ffffffff01", "c80fff01", "d4", "d8"),
    *("ca", "cb7ff8", "cf", "80", "c0", "00", "ff", "a0", "90", "91c0", "de0000", "dd00000000", "dbffffffff" * 9),
)
"""Beginnings of MessagePack values of every type, with impossible lengths; hexadecimal."""

_KEYS = (*DEVICES, "Posture", "", "position", "Position\0", "x" * 300)

_VALUES: tuple[Any, ...] = (None, True, -1, 2**63, -(2**63), "x", "", [], {}, [[]], {"Position": [0.0]}, "\xff")


class LolaDoor(SocketDoor):
    """The sockets of the drivers of some robots; a client's name begins with the name of its robot.

    Verbs: `packed WHO VALUE [CUTS PAUSE]` sends a JSON value as MessagePack, in pieces if there are cuts; further those
    of `SocketDoor` except `message`. `read` ends as soon as any data has arrived.
    """

    def __init__(self, server: Server) -> None:
        folder = next(option for option in server.options if option.startswith(_OPTION)).removeprefix(_OPTION)
        self._paths = {robot: str(Path(folder, robot)) for robot in ROBOTS}
        super().__init__(self._paths[ROBOTS[0]])

    def connect(self, who: Any) -> HostileClient:
        """Connect a driver to the socket of its robot."""
        return HostileClient(self._paths.get(str(who).split()[0], self._paths[ROBOTS[0]]))

    def arrived(self, client: HostileClient) -> int:
        """Return the number of bytes that a driver has received; LoLA's messages cannot be counted."""
        return client.received

    def step(self, client: HostileClient, verb: str, arguments: list[Any]) -> None:
        """Carry out a verb of one client, see `SocketDoor.step`."""
        if verb == "packed":
            send_in_pieces(client, compact(arguments[0]), *arguments[1:])
        else:
            super().step(client, verb, arguments)

    def fault(self) -> str:
        """Return the fault of the sockets; empty if each serves a driver that reads and answers."""
        return next((f"{path}: {fault}" for path in self._paths.values() if (fault := _fault(path))), "")


def _fault(path: str) -> str:
    end = time.monotonic() + PATIENCE
    why = "the server takes no driver"
    while time.monotonic() < end:
        # The previous driver may still be connected.
        with contextlib.suppress(OSError), contextlib.closing(HostileClient(path)) as driver:
            why = "the server sends no sensors"
            while driver.is_open and time.monotonic() < end:
                driver.wait(0.05)
                before = driver.received
                driver.receive()
                if driver.received // _MESSAGE > 1:
                    return ""
                if driver.received > before:
                    driver.push(compact({}))
        time.sleep(0.01)
    return why


def draw_lola(source: random.Random, quiet: bool) -> list[Step]:
    """Draw the steps of one to four drivers. In quiet cases no driver sends a valid command."""
    drivers = [f"{source.choice(ROBOTS)} {who}" for who in range(source.choice((1, 1, 2, 3, 4)))]
    return woven(source, [_driver(source, who, quiet) for who in drivers])


def _driver(source: random.Random, who: str, quiet: bool) -> list[Step]:
    if source.random() < 0.1:
        # This driver connects and disconnects again and again.
        names = [f"{who} {number}" for number in range(source.choice((3, 10, 40)))]
        return [step for name in names for step in (["raw", name, source.choice(("", "\x81"))], *ended(source, name))]
    steps: list[Step] = [["read", who, source.choice((0.0, 0.05, 0.1))]] if source.random() < 0.7 else []
    for _ in range(source.randint(1, 6)):
        steps += _sent(source, who, quiet)
        if source.random() < 0.4:
            pause = source.choice((*PAUSES, LONGEST))
            steps.append(source.choice((["read", who, pause], ["wait", pause])))
    return steps + ended(source, who)


def _sent(source: random.Random, who: str, quiet: bool) -> list[Step]:
    """Draw steps that send a command whole, in pieces, unfinished, repeated or damaged, or that send other bytes."""
    command = _command(source, quiet)
    data = compact(command)
    match source.randrange(8):
        case 0:
            cuts = sorted(source.randint(0, len(data) + 4) for _ in range(source.randint(1, 20)))
            return [["packed", who, command, cuts, source.choice(PAUSES[:3])]]
        case 1:
            return [_raw(who, data[: source.randint(0, len(data))])]
        case 2:
            return [_raw(who, data * source.choice((2, 10, 100)))]
        # Damage may turn a message that names a device into a valid command.
        case 3 if not quiet:
            return [_raw(who, damaged_bytes(data, source))]
        case 4:
            return [_raw(who, _strange(source))]
    return [["packed", who, command]]


def _raw(who: str, data: bytes) -> Step:
    return ["raw", who, data.decode("latin-1")]


def _strange(source: random.Random) -> bytes:
    """Draw bytes that are no command: values of all types, impossible lengths, deep nesting, noise."""
    match source.randrange(4):
        case 0:
            return source.randbytes(source.choice((1, 30, 5000)))
        case 1:
            return source.choice((b"\x91", b"\x81\xa1x", b"\x81", b"\xdc\0\1")) * source.choice((10, 1000, 5000))
        case 2:
            return b"\xde\x10\x00" + b"\xa0\xc0" * source.choice((1, 2000, 4096))
    return b"".join(bytes.fromhex(source.choice(_HEADS)) for _ in range(source.choice((1, 1, 2, 5))))


def _command(source: random.Random, quiet: bool) -> Any:
    """Draw a message that may be valid. In quiet cases it is wrong for every device."""
    if source.random() < 0.1:
        return source.choice(_VALUES[:9])
    command: dict[str, Any] = {}
    for _ in range(source.choice((1, 1, 2, 5))):
        device = source.choice(_KEYS)
        count = DEVICES.get(device, 3)
        if quiet or source.random() < 0.2:
            # Never the number of values that the device takes.
            count = source.choice([other for other in (0, 1, 2, 13, 26, 300) if other != count])
            command[device] = [0.0] * count
        elif source.random() < 0.2:
            command[device] = source.choice(_VALUES)
        else:
            command[device] = [_number(source) for _ in range(count)]
    return command


def _number(source: random.Random) -> Any:
    if source.random() < 0.02:
        return source.choice(_VALUES)
    try:
        return float(number(source, -2.0, 2.0))
    except ValueError:
        return math.nan


LOLA = Door(
    "lola",
    draw_lola,
    LolaDoor,
    (f"{_OPTION}{FOLDER}/lola", "--lola-timeout=0.5", *(f"--robot={robot}=nao_lola" for robot in ROBOTS)),
)

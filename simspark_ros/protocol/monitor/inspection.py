"""JSON messages between the frames, for monitors that ask by `(inspect ...)`.

A message is `{"roster": ...}`, `{"world": ...}`, `{"readings": ...}`, `{"playback": ...}`, `{"note": ...}` or
`{"drawing": ...}`. No frame begins with a brace. A monitor that does not ask gets none: docs/reference/monitor.md.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.protocol.monitor.drawings import read_drawing
from simspark_ros.simulation.drawings import Drawing

OPENING = b"{"
"""First byte of a message."""


@dataclass(frozen=True)
class InspectedJoint:
    """A joint: its range of commands, rad or m; `is_free` unless it only follows another joint."""

    name: str
    lower: float
    upper: float
    unit: str
    is_free: bool = True


@dataclass(frozen=True)
class InspectedKind:
    """Properties that equal robots share.

    Attributes:
        body: body as a line of JSON, see `simspark_ros.rendering.scene_models`.
        sensors: names of sensors' values, e.g. `gyro torso x`, without joints.
    """

    body: str
    joints: tuple[InspectedJoint, ...] = ()
    sensors: tuple[str, ...] = ()


@dataclass(frozen=True)
class InspectedRobot:
    """A robot or an object that moves; `kind` is its index in the roster's kinds, `name` is empty for players."""

    handle: int
    kind: int
    name: str = ""
    side: str = ""
    unum: int = 0


@dataclass(frozen=True)
class Roster:
    """All robots in the order of the scene in the next full frame."""

    robots: tuple[InspectedRobot, ...] = ()
    kinds: tuple[InspectedKind, ...] = ()

    def __post_init__(self) -> None:
        """Raise ValueError for a robot whose kind is missing."""
        if not all(0 <= robot.kind < len(self.kinds) for robot in self.robots):
            raise ValueError("the roster lacks the kind of a robot")


@dataclass(frozen=True)
class WorldShown:
    """The world as `soccer.settings.text_of_world` writes it; empty while there is none."""

    text: str = ""


@dataclass(frozen=True)
class Readings:
    """The inside of one robot at a simulated time, s; rad or m, rad/s or m/s, N m or N of its joints, in their order.

    Attributes:
        sensors: values in the order of `InspectedKind.sensors`, SI, NaN while a sensor has nothing to report.
    """

    handle: int
    time: float
    positions: tuple[float, ...] = ()
    velocities: tuple[float, ...] = ()
    efforts: tuple[float, ...] = ()
    sensors: tuple[float, ...] = ()


@dataclass(frozen=True)
class ReplayProgress:
    """Progress of a replay: recorded time since its beginning, and duration of the whole recording, s."""

    position: float
    duration: float

    def __post_init__(self) -> None:
        """Raise ValueError for times that no recording can have."""
        if not (0.0 <= self.position < math.inf and 0.0 <= self.duration < math.inf):
            raise ValueError("times of a recording must be finite and not negative")


@dataclass(frozen=True)
class TrainerNote:
    """The server's answer to the monitor's own trainer commands: why one was refused, or what it did."""

    text: str


Message = Roster | WorldShown | Readings | ReplayProgress | TrainerNote

_KEYS: dict[type[Message], str] = {
    Roster: "roster",
    WorldShown: "world",
    Readings: "readings",
    ReplayProgress: "playback",
    TrainerNote: "note",
}
"""Keys of messages, by their classes."""
_KINDS = {key: kind for kind, key in _KEYS.items()}


def write(message: Message) -> bytes:
    """A message as bytes."""
    return json.dumps({_KEYS[type(message)]: asdict(message)}, separators=(",", ":")).encode()


def read(payload: bytes) -> Message | tuple[str, Drawing]:
    """Read a message of a server; a drawing comes with its name.

    Raises:
        ConfigurationError: the payload is no such message; the text says why.
    """
    where = "a message about robots"
    try:
        told: Any = json.loads(payload)
    except (ValueError, RecursionError):
        raise ConfigurationError(f"{where}: this is no JSON") from None
    if not isinstance(told, dict) or len(told) != 1:
        raise ConfigurationError(f"{where}: it must have exactly one key")
    ((key, content),) = told.items()
    if key == "drawing":
        return read_drawing(content, where)
    kind: type[Message] = _KINDS.get(key, Readings)
    return _readings(told.get("readings"), where) if kind is Readings else build(kind, content, where)


def _readings(told: Any, where: str) -> Readings:
    """Read readings without `build`, which takes time for each number and refuses NaN."""
    try:
        flat = {name: tuple(map(float, told[name])) for name in ("positions", "velocities", "efforts", "sensors")}
        time = float(told["time"])
        if not math.isfinite(time):
            raise ValueError("time")
        return Readings(int(told["handle"]), time, **flat)
    except (TypeError, ValueError, KeyError, OverflowError) as error:
        raise ConfigurationError(f"{where}: readings cannot be read: {str(error)[:40]}") from None

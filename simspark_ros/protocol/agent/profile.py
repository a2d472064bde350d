"""Named profiles of the classic agent protocol: the differences between years and forks of the league, as data.

A profile is a YAML file `config/profiles/NAME.yaml` with the keys of `Profile` (docs/reference/protocol_profiles.md);
the simulator reads its section `simulation`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from simspark_ros.configuration.library import PROFILES
from simspark_ros.configuration.schema import Checked, ConfigurationError, Positive, Range, build

MAX_DECIMALS = 3
"""Most digits after the point; more would only make messages longer, and no dialect has them."""

MAX_PICTURE = 640
"""Longest edge of a picture, pixels: its message has four bytes a pixel."""

Decimals = Annotated[int, Range(0, MAX_DECIMALS)]

_UNITS = {"": 1.0, "deg": 180.0 / math.pi}
_PLUG_IN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_ARGUMENT = re.compile(r"[a-z_][a-z0-9_]*(?: (?:deg|percent|int|flag|word))?")
_VALUE = re.compile(r"(-?)([a-z_][a-z0-9_]*)(?: +(\w+))?")


SPECIAL_WORDS = ("scene", "init", "say", "SPK", "stiffness", "syn")
"""Commands that are not read by declared arguments, see `simspark_ros.protocol.agent.actions`."""


class ProfileError(ConfigurationError):
    """A protocol profile cannot be used; the message names the file, the key and the allowed values."""


class Value(NamedTuple):
    """One number of a perceptor's message: a column and its factor (sign of the axis and unit)."""

    column: str
    factor: float


@dataclass(frozen=True)
class PerceptorFormat(Checked):
    """Message of one kind of perceptor.

    Attributes:
        format: the message, with `{name}` for the name of the instance and `{}` for each value.
        values: values, each `[-]column [unit]`. Columns are SI in a frame with x forward, y left, z up; the unit `deg`
            turns radians into degrees.
        decimals: digits after the point, None = the profile's.
        plug_in: whether the kind is a plug-in that need not be installed where agents connect, so that name and values
            are not checked there.
    """

    format: str
    values: tuple[str, ...] = ()
    decimals: Decimals | None = None
    plug_in: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if re.search("[{}]", "".join(self.texts).replace("{name}", "")):
            raise ValueError(f"format {self.format!r}: use braces only in {{name}} and {{}}")
        if len(self.values) != len(self.texts) - 1:
            raise ValueError(f"format {self.format!r} has {len(self.texts) - 1} places for {len(self.values)} values")
        for value in self.values:
            _value(value)

    @property
    def texts(self) -> tuple[str, ...]:
        """Texts before the first value, between values, and after the last one."""
        return tuple(self.format.split("{}"))

    @property
    def numbers(self) -> tuple[Value, ...]:
        """The values as columns and factors."""
        return tuple(_value(value) for value in self.values)


@dataclass(frozen=True)
class GameStateFormat:
    """Content of the game state message.

    Attributes:
        report_registration: whether uniform number and side are sent, once after each accepted init.
        report_robot_types: whether types of robots that were drawn for the match are sent, once, in a message of its
            own before a client's first one.
        play_modes: spelling of modes that are not sent under the simulator's own name.
        format: message with `{time}`, `{mode}`, `{score_left}`, `{score_right}` and `{teams}`; empty = the classic one.
        left, right: texts of `{teams}` with `{name}`, each left out until its team is there.
    """

    report_registration: bool = True
    report_score: bool = True
    report_robot_types: bool = False
    play_modes: Mapping[str, str] = field(default_factory=dict)
    format: str = ""
    left: str = ""
    right: str = ""


@dataclass(frozen=True)
class HearFormat(Checked):
    """Content of a heard message; decimals None = the profile's.

    Attributes:
        format: one message with all `{messages}` of a cycle but the robot's own; empty = a classic one for each.
        message: text of each of them, with `{direction}`, whole degrees, and `{text}`.
    """

    label_messages: bool = True
    direction_decimals: Decimals | None = None
    format: str = ""
    message: str = ""


@dataclass(frozen=True)
class VisionFormat:
    """Tags of the vision message.

    Attributes:
        simple_players: whether a player is one position, `(P (team T) (id N) (pol d h v))`, of its first visible part.
        compact: whether no blanks separate objects, and a look that finds nothing gives a message, too.
        markers: whether the field's markers of the newer league are seen, not the flags and goal posts of the older.
    """

    see: str = "See"
    player: str = "P"
    line: str = "L"
    polar: str = "pol"
    simple_players: bool = False
    compact: bool = False
    markers: bool = False


@dataclass(frozen=True)
class CommandRules(Checked):
    """Units, limits and names of commands.

    Attributes:
        hinge_unit: unit of joint speeds, `rad_s`, or `deg_cycle` for degrees per cycle.
        cycle_time: length of the cycle that `deg_cycle` means, s.
        max_uniform_number: greatest uniform number that is understood; 0 = any free number.
        actions: commands other than joint speeds. A command that an effector declares for agents of every profile need
            not be listed, see `simspark_ros.protocol.agent.dialect`.
        joins: whether the first message, `(init ROBOT TEAM NUMBER)`, creates the robot, too; agents that send another
            one, or are refused, are disconnected.
        motors: whether joints are commanded by `(WORD q dq kp kd tau)`, degrees and N m, instead of speeds.
        every_message: whether every message of an agent is its answer, with `(syn)` or without.
        plug_ins: commands whose arguments the profile declares itself, first word -> arguments: `name` is a number,
            `name deg` one in degrees, `name percent` one in percent, `name int` a whole number, `name flag` true or
            false, `name word` a word.
    """

    hinge_unit: Literal["rad_s", "deg_cycle"] = "rad_s"
    cycle_time: Positive = 0.02
    say_max_length: int = 20
    team_name_max_length: int = 32
    max_uniform_number: int = 11
    actions: tuple[str, ...] = ("scene", "init", "beam", "say", "pass")
    joins: bool = False
    motors: bool = False
    every_message: bool = False
    plug_ins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        for word, arguments in self.plug_ins.items():
            _check_plug_in(word, arguments)

    @property
    def hinge_factor(self) -> float:
        """Factor from the number of a hinge command to rad/s."""
        return 1.0 if self.hinge_unit == "rad_s" else math.radians(1.0) / self.cycle_time


@dataclass(frozen=True)
class SceneRule(Checked):
    """The robot that a scene command creates.

    Attributes:
        variants: number of heterogeneous types that the command chooses from; 1 = the command names no type.
        parameters: whether numbers of the body may follow the type, as in `(thigh_z -0.05)(ankle_z -0.06)`; the first
            use of a body takes half a second.
    """

    robot: str
    variants: Annotated[int, Range(1)] = 1
    parameters: bool = False


@dataclass(frozen=True)
class PictureFormat(Checked):
    """The message of a robot's camera, as the text of a picture's bytes: base64 of red, green, blue, upper row first.

    Attributes:
        format: message with `{width}`, `{height}` (pixels), `{data}`, and `{name}` of the camera if there are several.
        width, height: size of all pictures, pixels; 0 = as the robot's file says.
        rate: greatest number of pictures per simulated second.
    """

    format: str
    width: Annotated[int, Range(0, MAX_PICTURE, "pixels")] = 0
    height: Annotated[int, Range(0, MAX_PICTURE, "pixels")] = 0
    rate: Annotated[float, Range(0.0, 1000.0, "1/s", above=True)] = 10.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if re.search("[{}]", self.message("", 0, 0, "")) or "{data}" not in self.format:
            known = "{name}, {width}, {height} and {data}"
            raise ValueError(f"format {self.format!r}: use braces only in {known}; {{data}} must be present")

    def message(self, name: str, width: int, height: int, data: str) -> str:
        """The message of one picture."""
        values = {"name": name, "width": str(width), "height": str(height), "data": data}
        return re.sub(r"\{(name|width|height|data)\}", lambda match: values[match[1]], self.format)


@dataclass(frozen=True)
class Profile(Checked):
    """One dialect of the classic agent protocol.

    Attributes:
        decimals: digits after the point of every number that is not an integer by nature.
        numbers: whether numbers are rounded, or cut off and written as short as possible, as in `0.3`.
        perceptors: formats by kind of perceptor; a kind without a format is not sent.
        pictures: format of the pictures of robots' cameras; None = agents get no pictures.
        scenes: robots of the scene command, by path.
        simulation: changes of the simulator, which reads and checks this section itself.
    """

    name: str = ""
    decimals: Decimals = 2
    numbers: Literal["rounded", "cut"] = "rounded"
    perceptors: Mapping[str, PerceptorFormat] = field(default_factory=dict)
    pictures: PictureFormat | None = None
    game_state: GameStateFormat = field(default_factory=GameStateFormat)
    hear: HearFormat = field(default_factory=HearFormat)
    vision: VisionFormat = field(default_factory=VisionFormat)
    commands: CommandRules = field(default_factory=CommandRules)
    scenes: Mapping[str, SceneRule] = field(default_factory=dict)
    simulation: Mapping[str, Any] = field(default_factory=dict)

    def written(self, number: float, decimals: int) -> str:
        """A number with that many digits after the point."""
        if self.numbers == "rounded":
            return f"{number:.{decimals}f}"
        cut_off = math.trunc(number * 10**decimals) / 10**decimals
        return str(math.copysign(cut_off, number) if decimals else int(cut_off))

    def with_types(self, count: int) -> Profile:
        """The profile with at least that number of types in each scene that offers heterogeneous types."""
        chosen = {path: rule for path, rule in self.scenes.items() if 1 < rule.variants < count}
        return replace(self, scenes={**self.scenes, **{p: replace(r, variants=count) for p, r in chosen.items()}})


def load_profile(name: str | Path) -> Profile:
    """Load a profile by the name of a file in `config/profiles` without its ending, or by the path of a YAML file."""
    try:
        path = PROFILES.path(name)
        profile = build(Profile, PROFILES.document(path), str(path))
    except ConfigurationError as error:
        raise ProfileError(str(error)) from None
    return replace(profile, name=path.stem)


def _check_plug_in(word: str, arguments: tuple[str, ...]) -> None:
    if not _PLUG_IN.fullmatch(word) or word in SPECIAL_WORDS:
        raise ValueError(f"plug-in {word!r}: must be letters, digits, _ and -, and none of {', '.join(SPECIAL_WORDS)}")
    for argument in arguments:
        if not _ARGUMENT.fullmatch(argument):
            wanted = "'name', 'name deg', 'name percent', 'name int', 'name flag' or 'name word'"
            raise ValueError(f"plug-in {word!r}: argument {argument!r} is not {wanted}")


def _value(text: str) -> Value:
    match = _VALUE.fullmatch(text)
    unit = match[3] or "" if match else None
    if match is None or unit not in _UNITS:
        known = ", ".join(filter(None, _UNITS))
        raise ValueError(f"value {text!r} is not '[-]column [unit]'; known units: {known}")
    return Value(match[2], _UNITS[unit] * (-1.0 if match[1] else 1.0))

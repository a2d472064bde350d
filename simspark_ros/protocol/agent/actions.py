"""Commands of an agent other than joint speeds, from expression to `Action` (protocol reference, sections 3 and 5).

Most are read by the declared arguments of their effectors, see `simspark_ros.protocol.agent.dialect`.
All readers raise `RejectedError` for arguments that are missing, of the wrong type, out of range or not finite.
"""

from __future__ import annotations

import math
import re
from base64 import b64decode
from collections.abc import Callable, Sequence

from simspark_ros.configuration.names import WORD, is_word
from simspark_ros.exchange import Action, Argument
from simspark_ros.protocol.agent.profile import Profile
from simspark_ros.protocol.sexpr import Expression, Quoted
from simspark_ros.robots.types.parameters import MAX_PARAMETERS, RobotName

_NUMBER = re.compile(r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf(?:inity)?|nan)", re.IGNORECASE)
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")
_SHOWN = 40
_LONGEST_WORD = 64


class RejectedError(Exception):
    """An expression cannot be executed; the message names the wrong part."""


def shown(expression: Expression) -> str:
    """An expression of a client for messages to people: quoted, printable and short."""
    if isinstance(expression, list):
        return "a list"
    return ascii(str(expression[:_SHOWN])) + ("..." if len(expression) > _SHOWN else "")


def number(expression: Expression) -> float:
    """A number as the client wrote it, perhaps not finite."""
    if isinstance(expression, list) or not _NUMBER.fullmatch(expression):
        raise RejectedError(f"{shown(expression)} is not a number")
    return float(expression)


def scene(client: str, arguments: Sequence[Expression], profile: Profile) -> Action:
    """Read `(scene PATH [TYPE] [(PARAMETER NUMBER)...])`; only the profile is searched for PATH, never the disk."""
    path = arguments[0] if arguments else ""
    rule = None if isinstance(path, list) else profile.scenes.get(path)
    if rule is None or isinstance(path, list):
        raise RejectedError(f"unknown scene {shown(path)}; use one of: {', '.join(profile.scenes)}")
    if rule.variants == 1:
        return Action(client, "create", (rule.robot, 0))
    variant = _integer(arguments[1] if len(arguments) > 1 else "")
    if variant is None or not 0 <= variant < rule.variants:
        given = shown(arguments[1]) if len(arguments) > 1 else "missing"
        raise RejectedError(f"type of {path} is {given}, must be 0 to {rule.variants - 1}")
    name = rule.robot
    if rule.parameters and len(arguments) > 2:
        name = str(RobotName(rule.robot, None, _parameters(arguments[2:])))
    return Action(client, "create", (name, variant))


def _parameters(expressions: Sequence[Expression]) -> dict[str, float]:
    """Numbers of a robot's body, by name; the robot's file says which names and numbers are allowed."""
    parameters: dict[str, float] = {}
    for expression in expressions[: MAX_PARAMETERS + 1]:
        if not isinstance(expression, list) or len(expression) != 2 or not isinstance(expression[0], str):
            raise RejectedError("only parameters may follow the type, e.g. (thigh_z -0.05)")
        name = _word("parameter", expression[0])
        parameters[name] = finite(expression[1:], name, 1)[0]
    if len(expressions) > MAX_PARAMETERS:
        raise RejectedError(f"{len(expressions)} parameters; at most {MAX_PARAMETERS} are allowed")
    return parameters


def init(client: str, arguments: Sequence[Expression], profile: Profile) -> Action:
    """Read `(init (unum U)(teamname T))`, its two parts in any order; number 0 asks for any free one."""
    parts: dict[str, Expression] = {}
    for part in arguments:
        if isinstance(part, list) and len(part) >= 2 and isinstance(part[0], str):
            parts[part[0]] = part[1]
    for key in ("unum", "teamname"):
        if key not in parts:
            raise RejectedError(f"({key} ...) is missing")
    rules = profile.commands
    uniform = _integer(parts["unum"])
    if uniform is None or not 0 <= uniform <= rules.max_uniform_number:
        raise RejectedError(f"unum {shown(parts['unum'])} is not a number from 0 to {rules.max_uniform_number}")
    team = parts["teamname"]
    if isinstance(team, list) or not is_word(team, rules.team_name_max_length):
        raise RejectedError(f"teamname {shown(team)} is not 1 to {rules.team_name_max_length} {WORD}")
    return Action(client, "init", (str(team), uniform))


def join(client: str, arguments: Sequence[Expression], profile: Profile) -> Action:
    """Read `(init ROBOT TEAM NUMBER)`, which creates the robot, too."""
    if len(arguments) != 3:
        raise RejectedError(f"{len(arguments)} arguments; write robot, team and number")
    robot, team, written = arguments
    rule = None if isinstance(robot, list) else profile.scenes.get(robot)
    if rule is None:
        raise RejectedError(f"unknown robot {shown(robot)}; use one of: {', '.join(profile.scenes)}")
    if isinstance(team, list) or not is_word(team, profile.commands.team_name_max_length):
        raise RejectedError(f"team {shown(team)} is not 1 to {profile.commands.team_name_max_length} {WORD}")
    uniform = _integer(written)
    if uniform is None:
        raise RejectedError(f"number {shown(written)} is not a whole number")
    # As on rcssservermj, which takes the last two digits.
    uniform = abs(uniform) % 100
    if uniform > profile.commands.max_uniform_number:
        raise RejectedError(f"number {uniform} is more than {profile.commands.max_uniform_number}")
    return Action(client, "join", (rule.robot, 0, str(team), uniform))


def speak(client: str, arguments: Sequence[Expression], profile: Profile) -> Action:
    """Read `(SPK SPEAKER VOLUME BASE64)`; hearers get the text as it is written, of bytes up to a limit."""
    if len(arguments) < 3 or isinstance(arguments[2], list):
        raise RejectedError("write speaker, volume and text")
    volume = finite(arguments[1:2], "volume", 1)[0]
    if not volume > 0.0:
        raise RejectedError("the volume must be above 0")
    text, limit = str(arguments[2]), profile.commands.say_max_length
    try:
        size = len(b64decode(text, validate=True))
    except ValueError:
        raise RejectedError(f"text {shown(text)} is not base64") from None
    if not 0 < size <= limit:
        raise RejectedError(f"a message must have 1 to {limit} bytes, not {size}")
    return Action(client, "say", (text, volume))


def say(client: str, arguments: Sequence[Expression], profile: Profile) -> Action:
    """Read `(say TEXT)`; only the first word counts."""
    text = arguments[0] if arguments else ""
    limit = profile.commands.say_max_length
    if isinstance(text, list | Quoted) or not is_word(text, len(text)):
        raise RejectedError(f"the text is not made of {WORD}")
    if len(text) > limit:
        raise RejectedError(f"a message may have at most {limit} characters, not {len(text)}")
    return Action(client, "say", (text,))


def stiffness(client: str, arguments: Sequence[Expression], profile: Profile) -> Action:
    """Read `(stiffness VALUE)` for all joints, `(stiffness EFFECTOR VALUE)` for one: shares of the largest torque."""
    if len(arguments) < 2:
        return Action(client, "stiffness", tuple(finite(arguments, "a stiffness", 1)))
    (value,) = finite(arguments[1:], "stiffness", 1)
    return Action(client, "stiffness", (value, _word("effector", arguments[0])))


Reader = Callable[[str, Sequence[Expression], Profile], Action]

READERS: dict[str, Reader] = {"scene": scene, "init": init, "say": say, "SPK": speak, "stiffness": stiffness}
"""Readers of commands that are written otherwise than an effector's arguments in their order, by first word.

`scene` is looked up in the profile, `init` has named parts, the profile limits `say`, `stiffness` has the joint first.
"""

_UNITS: dict[str, Callable[[float], float]] = {"": float, "deg": math.radians, "percent": lambda value: value / 100.0}


def declared_reader(word: str, declared: Sequence[str]) -> Reader:
    """The reader of a command by its declared arguments, written as in `CommandRules.plug_ins`."""
    names = [argument.partition(" ")[0] for argument in declared]
    units = [argument.partition(" ")[2] for argument in declared]
    wanted = " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
    numbers = [_UNITS[unit] for unit in units if unit in _UNITS]

    def read_numbers(client: str, arguments: Sequence[Expression], profile: Profile) -> Action:
        given = zip(numbers, finite(arguments, wanted, len(names)), strict=True)
        return Action(client, word, tuple(convert(value) for convert, value in given))

    def read(client: str, arguments: Sequence[Expression], profile: Profile) -> Action:
        if len(arguments) < len(names):
            raise RejectedError(f"{len(arguments)} arguments; the command needs {wanted}")
        given = zip(names, units, arguments, strict=False)
        return Action(client, word, tuple(_argument(name, unit, argument) for name, unit, argument in given))

    return read_numbers if len(numbers) == len(names) else read


def _argument(name: str, unit: str, expression: Expression) -> Argument:
    if unit == "word":
        return _word(name, expression)
    if unit == "flag":
        if expression not in ("true", "false"):
            raise RejectedError(f"{name} {shown(expression)} is not true or false")
        return expression == "true"
    if unit == "int":
        whole = _integer(expression)
        if whole is None:
            raise RejectedError(f"{name} {shown(expression)} is not a whole number")
        return whole
    return _UNITS[unit](finite([expression], name, 1)[0])


def _word(name: str, expression: Expression) -> str:
    if isinstance(expression, list) or not is_word(expression, _LONGEST_WORD):
        raise RejectedError(f"{name} {shown(expression)} is not 1 to {_LONGEST_WORD} printable characters")
    return str(expression)


def finite(arguments: Sequence[Expression], names: str, count: int) -> list[float]:
    """The first `count` arguments, called `names` in messages, as finite numbers."""
    if len(arguments) < count:
        raise RejectedError(f"{len(arguments)} numbers; the command needs {names}")
    values = [number(argument) for argument in arguments[:count]]
    if not all(map(math.isfinite, values)):
        raise RejectedError(f"{names} must be finite")
    return values


def _integer(expression: Expression) -> int | None:
    if isinstance(expression, list) or not _INTEGER.fullmatch(expression):
        return None
    return int(expression)

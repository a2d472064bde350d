"""Reads trainer commands, the messages of monitors (protocol reference, section 6)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.exchange import Action, Argument
from simspark_ros.protocol.agent.actions import shown
from simspark_ros.protocol.sexpr import Expression, scan
from simspark_ros.soccer.game_state import PlayMode

MAX_COMMANDS = 64
"""Most commands taken from one message."""

MAX_STEPS = 10_000
"""Most cycles that one command may ask for."""

MAX_SPEED = 1000.0
"""Greatest speed, in multiples of real time, and greatest frame rate."""

MIN_FRAME_RATE = 0.1
"""Least frame rate, frames per second."""

TIME_COMMANDS = frozenset(("pause", "run", "step", "speed"))
"""Commands of the clock, and the kinds of their actions, which the scheduler executes."""

_MAX_UNUM = 1000
_MAX_DECISION = _MAX_HANDLE = 1e9
_PLAY_MODES = frozenset(mode.value for mode in PlayMode)
_SIDES = {"Left": "left", "Right": "right", "None": ""}
"""Sides by their classic names; `None` stands for robots without a team."""


class TrainerError(Exception):
    """A trainer command cannot be executed; the message names the wrong part."""


@dataclass
class TrainerMessage:
    """The content of one message of a monitor.

    Attributes:
        frame_rate: largest rate that the sender wants, frames per second of real time; None = not in the message.
        inspect: handle of the robot to see inside, -1 = no robot, only the list of robots; None = not in the message.
        seek: recorded time to which a replay is to go, s since the beginning; None = not in the message.
        rejected: reason and text for each wrong command; the few reasons are for counters, a text names the wrong part.
    """

    actions: list[Action] = field(default_factory=list)
    full_state: bool = False
    frame_rate: float | None = None
    inspect: int | None = None
    seek: float | None = None
    rejected: list[tuple[str, str]] = field(default_factory=list)


def permitted(text: str) -> frozenset[str]:
    """The commands that a setting permits: names with commas, `full` (all but `killsim`) or `none`."""
    names = [name for name in text.replace(",", " ").split() if name != "none"]
    unknown = next((name for name in names if name not in COMMANDS and name != "full"), None)
    if unknown is not None or not text.strip():
        raise ConfigurationError(
            f"trainer commands: '{unknown or text}' is unknown; use full, none, or names separated by commas out of "
            f"{', '.join(COMMANDS)} (full does not include killsim)"
        )
    everything = frozenset(COMMANDS) - {"killsim"} if "full" in names else frozenset[str]()
    return everything | (frozenset(names) - {"full"})


def parse(
    client: str,
    payload: bytes,
    allowed: frozenset[str] | None = None,
    commands: Mapping[str, CommandReader] | None = None,
) -> TrainerMessage:
    """Read one message of a client. Never raises, whatever it contains.

    Only allowed commands are read, None = all; `reqfullstate`, `frameRate`, `inspect` and `seek` are always allowed.
    commands: the readers of commands by name; None = `COMMANDS`.
    """
    trained = TrainerMessage()
    expressions, fault = scan(payload)
    for expression in expressions[:MAX_COMMANDS]:
        try:
            _command(client, expression, trained, allowed, COMMANDS if commands is None else commands)
        except TrainerError as error:
            trained.rejected.append((_reason(expression), str(error)))
    if len(expressions) > MAX_COMMANDS:
        trained.rejected.append(("too many trainer commands", f"more than {MAX_COMMANDS} commands in one message"))
    if fault:
        trained.rejected.append(("malformed message", fault))
    return trained


def _reason(expression: Expression) -> str:
    """The name of a known command, so that there are few reasons; each is logged once."""
    name = expression[0] if isinstance(expression, list) and expression else ""
    return name if isinstance(name, str) and name in {*COMMANDS, "frameRate", "inspect", "seek"} else "trainer command"


def _command(
    client: str,
    expression: Expression,
    trained: TrainerMessage,
    allowed: frozenset[str] | None,
    commands: Mapping[str, CommandReader],
) -> None:
    if not isinstance(expression, list) or not expression or not isinstance(expression[0], str):
        raise TrainerError("an expression is ignored: a command must be a list that begins with a name")
    name, arguments = expression[0], expression[1:]
    if name == "reqfullstate":
        trained.full_state = True
    elif name == "frameRate":
        trained.frame_rate = _frame_rate(Arguments(name, arguments))
    elif name == "inspect":
        wanted = Arguments(name, arguments)
        trained.inspect = wanted.handle() if "robot" in wanted else -1
    elif name == "seek":
        trained.seek = max(Arguments(name, arguments).number(), 0.0)
    elif name not in commands:
        raise TrainerError(f"unknown command {shown(name)}")
    elif allowed is not None and name not in allowed:
        reason = "trainer command not permitted" if allowed else "trainer switched off"
        why = "is not a permitted trainer command" if allowed else "is refused: trainer commands are switched off"
        trained.rejected.append((reason, f"({name} ...) {why}"))
    else:
        orders = commands[name](Arguments(name, arguments))
        trained.actions += [Action(client, *order) for order in orders]


Order = tuple[str, tuple[Argument, ...]]
"""Kind and arguments of an action."""

CommandReader = Callable[["Arguments"], list[Order]]
"""A function that reads the arguments of one command."""


class Arguments:
    """The arguments of one command."""

    def __init__(self, command: str, arguments: Sequence[Expression]) -> None:
        self._command = command
        self._plain = [argument for argument in arguments if isinstance(argument, str)]
        self._named = {
            argument[0]: argument[1:]
            for argument in arguments
            if isinstance(argument, list) and argument and isinstance(argument[0], str)
        }

    def __contains__(self, name: str) -> bool:
        return name in self._named

    @property
    def names(self) -> set[str]:
        """The names of the named arguments."""
        return set(self._named)

    def word(self) -> str:
        """The first argument that is not a list; empty if there is none."""
        return self._plain[0] if self._plain else ""

    def needed_word(self, needs: str) -> str:
        """The word of a command that needs one; `needs` describes it."""
        if not self.word():
            raise TrainerError(f"{self._command}: the command needs {needs}")
        return self.word()

    def number(self) -> float:
        """The word as a finite number."""
        return self._number(self.word(), "value")

    def numbers(self, name: str, count: int) -> tuple[float, ...]:
        """The first numbers of a named argument."""
        values = self._named.get(name, [])
        if len(values) < count:
            raise TrainerError(f"{self._command}: ({name} ...) needs {count} numbers, not {len(values)}")
        return tuple(self._number(value, name) for value in values[:count])

    def word_and_number(self, name: str) -> tuple[str, float]:
        """The word and the number of a named argument."""
        match self._named[name]:
            case [str(word), number]:
                return word, self._number(number, name)
        raise TrainerError(f"{self._command}: ({name} ...) needs a word and a number")

    def player(self) -> tuple[Argument, ...]:
        """Side and number of the named robot; empty if none is named."""
        if "unum" not in self or "team" not in self:
            return ()
        unum, team = self.unum(), self._named["team"]
        word = team[0] if team else ""
        if not isinstance(word, str) or word not in _SIDES:
            raise TrainerError(f"{self._command}: team {shown(word)} is unknown; it must be Left or Right")
        return _SIDES[word], unum

    def unum(self) -> int:
        """The named uniform number."""
        (unum,) = self.numbers("unum", 1)
        if abs(unum) > _MAX_UNUM or unum != int(unum):
            raise TrainerError(f"{self._command}: unum must be a whole number up to {_MAX_UNUM}, not {unum:g}")
        return int(unum)

    def handle(self) -> int:
        """The handle of the named robot, as `inspect` reports it."""
        (handle,) = self.numbers("robot", 1)
        if not 0 <= handle <= _MAX_HANDLE or handle != int(handle):
            raise TrainerError(f"{self._command}: robot {handle:g} is not a handle; give a whole number from 0")
        return int(handle)

    def named_word(self, name: str) -> str:
        """The word of a named argument."""
        values = self._named.get(name, [])
        if not values or not isinstance(values[0], str):
            raise TrainerError(f"{self._command}: needs ({name} WORD)")
        return values[0]

    def _number(self, value: Expression, name: str) -> float:
        try:
            number = float(value) if isinstance(value, str) else math.nan
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise TrainerError(f"{self._command}: {name}: {shown(value)} is not a finite number")
        return number


def _agent(arguments: Arguments) -> list[Order]:
    player = arguments.player()
    if not player:
        return [("make_room", ())]
    orders: list[Order] = []
    if "pos" in arguments:
        orders.append(("agent_position", player + arguments.numbers("pos", 3)))
    if "move" in arguments:
        *place, degrees = arguments.numbers("move", 4)
        # Trainers count degrees from +y, effectors radians from +x.
        orders.append(("agent_move", (*player, *place, math.radians(degrees % 360.0 + 90.0))))
    for name in ("battery", "temperature"):
        if name in arguments:
            orders.append((f"agent_{name}", player + arguments.numbers(name, 1)))
    if "press" in arguments:
        button, seconds = arguments.word_and_number("press")
        orders.append(("agent_press", (*player, button, seconds)))
    if not orders:
        raise TrainerError("agent: needs (pos ...), (move ...), (battery ...), (temperature ...) or (press ...)")
    return orders


def _ball(arguments: Arguments) -> list[Order]:
    named = [name for name in ("pos", "vel") if name in arguments]
    if not named:
        raise TrainerError("ball: needs (pos x y z), (vel x y z) or both")
    kind = "ball" if len(named) == 2 else {"pos": "ball_position", "vel": "ball_velocity"}[named[0]]
    return [(kind, tuple(number for name in named for number in arguments.numbers(name, 3)))]


def _play_mode(arguments: Arguments) -> list[Order]:
    mode = arguments.word()
    if mode not in _PLAY_MODES:
        raise TrainerError(f"playMode: {shown(mode)} is not a play mode")
    return [("play_mode", (mode,))]


def _overrule(arguments: Arguments) -> list[Order]:
    number = arguments.number()
    if not 1 <= number <= _MAX_DECISION or number != int(number):
        raise TrainerError(f"overrule: {number:g} is not the number of a decision; give a whole number from 1")
    return [("overrule", (int(number),))]


def _kick_off(arguments: Arguments) -> list[Order]:
    team = arguments.word()
    if team not in _SIDES:
        raise TrainerError(f"kickOff: needs Left, Right or None, not {shown(team)}")
    return [("kick_off", (_SIDES[team],))]


def _select(arguments: Arguments) -> list[Order]:
    if "unum" in arguments and arguments.numbers("unum", 1) == (-1.0,):
        return [("select_none", ())]
    player = arguments.player()
    return [("select" if player else "select_next", player)]


def _plain(kind: str) -> CommandReader:
    """Reads a command without arguments."""
    return lambda arguments: [(kind, ())]


def _chosen(kind: str) -> CommandReader:
    """Reads a command that may name a robot."""
    return lambda arguments: [(kind, arguments.player())]


def _worded(kind: str, needs: str) -> CommandReader:
    """Reads a command with one word; `needs` describes the word in the error if it is missing."""
    return lambda arguments: [(kind, (arguments.needed_word(needs),))]


def _turn_joint(arguments: Arguments) -> list[Order]:
    (position,) = arguments.numbers("position", 1)
    return [("turn_joint", (arguments.handle(), arguments.named_word("joint"), position))]


def _push(arguments: Arguments) -> list[Order]:
    return [("push", (arguments.handle(), *arguments.numbers("impulse", 3)))]


def _place_robot(arguments: Arguments) -> list[Order]:
    placings: list[Order] = []
    for kind, name, count in (("place_robot", "pos", 2), ("turn_robot", "heading", 1), ("lift_robot", "height", 1)):
        if name in arguments:
            numbers = arguments.numbers(name, count)
            given = (math.radians(numbers[0] % 360.0),) if name == "heading" else numbers
            # One `undo` takes back all that a command, or a drag, has done.
            goes_on = bool(placings) or "drag" in arguments
            placings.append((kind, (arguments.handle(), *given, goes_on)))
    if not placings:
        raise TrainerError("placeRobot: needs (pos x y), (heading d) or (height z)")
    return placings


def _change_object(arguments: Arguments) -> list[Order]:
    return [("change_object", (arguments.handle(), arguments.needed_word("SHAPE/SIZE,...[/MASS[/R,G,B]]")))]


def _time(arguments: Arguments) -> list[Order]:
    seconds = arguments.number()
    if seconds < 0:
        raise TrainerError(f"time: {seconds:g} is negative")
    return [("game_time", (seconds,))]


def _score(arguments: Arguments) -> list[Order]:
    left, right = *arguments.numbers("left", 1), *arguments.numbers("right", 1)
    if any(number < 0 or number != int(number) for number in (left, right)):
        raise TrainerError("score: goals must be whole numbers, not negative")
    return [("score", (int(left), int(right)))]


def _frame_rate(arguments: Arguments) -> float:
    rate = arguments.number()
    if not MIN_FRAME_RATE <= rate <= MAX_SPEED:
        raise TrainerError(f"frameRate: {rate:g} a second is not between {MIN_FRAME_RATE:g} and {MAX_SPEED:g}")
    return rate


def _step(arguments: Arguments) -> list[Order]:
    cycles = arguments.number() if arguments.word() else 1.0
    if not 1 <= cycles <= MAX_STEPS or cycles != int(cycles):
        raise TrainerError(f"step: the number of cycles must be 1 to {MAX_STEPS}, not {cycles:g}")
    return [("step", (int(cycles),))]


def _speed(arguments: Arguments) -> list[Order]:
    if not arguments.word():
        return [("speed", ())]
    speed = arguments.number()
    if not 0.0 <= speed <= MAX_SPEED:
        raise TrainerError(f"speed: {speed:g} times real time is not between 0 and {MAX_SPEED:g}")
    return [("speed", (speed,))]


COMMANDS: dict[str, CommandReader] = {
    "agent": _agent,
    "ball": _ball,
    "playMode": _play_mode,
    "dropBall": _plain("drop_ball"),
    "kickOff": _kick_off,
    "overrule": _overrule,
    "select": _select,
    "kill": _chosen("kill"),
    "repos": _chosen("repos"),
    "turnJoint": _turn_joint,
    "push": _push,
    "addRobot": _worded("add_robot", "[NAME=]ROBOT[/TYPE][@X,Y[,HEADING]]"),
    "addObject": _worded("add_object", "[NAME=]SHAPE/SIZE,...[/MASS[/R,G,B]][@X,Y[,HEADING]]"),
    "changeObject": _change_object,
    "placeRobot": _place_robot,
    "removeRobot": lambda arguments: [("remove_robot", (arguments.handle(),))],
    "undo": _plain("undo"),
    "startPlayer": _worded("start_player", "[NAME=]KIND[?OPTION=VALUE&OPTION=VALUE]"),
    "stopPlayer": lambda arguments: [("stop_player", (arguments.word(),))],
    "saveWorld": _worded("save_world", "a name"),
    "time": _time,
    "score": _score,
    "pause": _plain("pause"),
    "run": _plain("run"),
    "step": _step,
    "speed": _speed,
    "reset": _plain("reset"),
    "killsim": _plain("kill_simulation"),
    # It has no observable effect on the reference server.
    "getAck": lambda arguments: [],
}
"""Readers of commands; without `reqfullstate`, `frameRate` and `inspect`, which change nothing in the simulation."""

"""Reads what monitors send: trainer commands (protocol reference, section 6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from simspark_ros.protocol.sexpr import Expression, scan
from simspark_ros.simulation.exchange import Action
from simspark_ros.soccer.game_state import PlayMode

MAX_COMMANDS = 64
"""Commands taken from one message."""

_SHOWN = 40
_PLAY_MODES = frozenset(mode.value for mode in PlayMode)


class TrainerError(Exception):
    """A trainer command cannot be executed; the message names the culprit."""


@dataclass
class Trained:
    """What one message of a monitor asks for.

    Attributes:
        actions: for the simulator, in order.
        full_state: whether all monitors are to get a full frame.
        rejected: what is wrong with the rest, as (reason, text): few different reasons, texts that name the culprit.
    """

    actions: list[Action] = field(default_factory=list)
    full_state: bool = False
    rejected: list[tuple[str, str]] = field(default_factory=list)


def parse(client: str, payload: bytes) -> Trained:
    """Read one message. Never raises, whatever it contains.

    Args:
        client: the monitor that sent it.
        payload: any number of commands; names and arguments are case sensitive.

    Returns:
        All that could be understood, and why the rest could not.
    """
    trained = Trained()
    expressions, fault = scan(payload)
    for expression in expressions[:MAX_COMMANDS]:
        try:
            _command(client, expression, trained)
        except TrainerError as error:
            trained.rejected.append(("trainer command", str(error)))
    if len(expressions) > MAX_COMMANDS:
        trained.rejected.append(("too many trainer commands", f"more than {MAX_COMMANDS} commands in one message"))
    if fault:
        trained.rejected.append(("malformed message", fault))
    return trained


def _command(client: str, expression: Expression, trained: Trained) -> None:
    if not isinstance(expression, list) or not expression or not isinstance(expression[0], str):
        raise TrainerError("something that is not a list with a name in front is ignored")
    name, arguments = expression[0], expression[1:]
    if name == "reqfullstate":
        trained.full_state = True
    elif name in _READERS:
        trained.actions.append(_READERS[name](client, arguments))
    elif name in _LATER:
        raise TrainerError(f"({name} ...) is not supported yet")
    else:
        raise TrainerError(f"unknown command {_shown(name)}")


def _play_mode(client: str, arguments: list[Expression]) -> Action:
    mode = arguments[0] if arguments else ""
    if not isinstance(mode, str) or mode not in _PLAY_MODES:
        raise TrainerError(f"playMode: {_shown(mode)} is not a play mode")
    return Action(client, "play_mode", (mode,))


def _shown(culprit: Expression) -> str:
    if isinstance(culprit, list):
        return "a list"
    return ascii(str(culprit[:_SHOWN])) + ("..." if len(culprit) > _SHOWN else "")


_READERS: dict[str, Callable[[str, list[Expression]], Action]] = {"playMode": _play_mode}
_LATER = frozenset(
    ("agent", "ball", "dropBall", "getAck", "kickOff", "kill", "killsim", "repos", "score", "select", "time")
)

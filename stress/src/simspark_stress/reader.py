"""A strict reader of perception messages that shares no code with any server (protocol reference, section 4).

It accepts only the grammar: lists side by side, items separated by one blank, fixed-point numbers without
exponents. Lists with unknown names must be well-formed and must not contain non-finite numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_FLOAT = r"-?\d+\.\d+"
_INT = r"-?\d+"
_NUMBER = r"-?\d+(?:\.\d+)?"
_WORD = r'[^\s()"]+'
_POLAR = rf"\(pol {_FLOAT} {_FLOAT} {_FLOAT}\)"
_VECTOR = rf"{_FLOAT} {_FLOAT} {_FLOAT}"
_SEEN = rf" \({_WORD} {_POLAR}\)"
_PLAYER = rf" \(P \(team {_WORD}\) \(id {_INT}\)(?:(?:{_SEEN})+| {_POLAR})\)"
_LINE = rf" \(L(?: \(n {_WORD}\))? {_POLAR} {_POLAR}\)"
_OWN = rf" \((?:mypos|ballpos) {_VECTOR}\)| \(myorien {_FLOAT}\)"
_GAME = rf" \((?:(?:unum|sl|sr) {_INT}|t {_FLOAT}|team (?:left|right)|pm [A-Za-z_]+|k {_WORD}|ti [^()]*)\)"

_FORMS = {
    name: re.compile(form)
    for name, form in {
        "time": rf"time \(now ({_FLOAT})\)",
        "GS": rf"GS((?:{_GAME})+)",
        "hear": rf"hear(?: {_WORD})? {_FLOAT} (?:self|{_NUMBER}) {_WORD}",
        "GYR": rf"GYR \(n {_WORD}\) \(rt {_VECTOR}\)",
        "ACC": rf"ACC \(n {_WORD}\) \(a {_VECTOR}\)",
        "HJ": rf"HJ \(n ({_WORD})\) \(ax ({_FLOAT})\)",
        "UJ": rf"UJ \(n {_WORD}\) \(ax1 {_FLOAT}\) \(ax2 {_FLOAT}\)",
        "FRP": rf"FRP \(n {_WORD}\) \(c {_VECTOR}\) \(f {_VECTOR}\)",
        "TCH": rf"TCH n {_WORD} val [01]",
        "AgentState": rf"AgentState \(temp {_NUMBER}\) \(battery {_NUMBER}\)",
        "See": rf"See(?:{_SEEN}|{_PLAYER}|{_LINE}|{_OWN})*",
    }.items()
}
_TOLD = rf"\((?:(?:sl|sr) {_INT}|t {_FLOAT}|pm {_WORD}|t[lr] {_WORD})\)"
_NEWER_SEEN = rf"\({_WORD} {_POLAR}\)"

_NEWER_FORMS = {
    name: re.compile(rf"\({form}\)")
    for name, form in {
        "time": rf"time \(now ({_FLOAT})\)",
        "GS": rf"GS ((?:{_TOLD})+)",
        "quat": rf"quat \(n {_WORD}\) \(q(?: {_FLOAT}){{4}}\)",
        "pos": rf"pos \(n {_WORD}\) \(p {_VECTOR}\)",
        "GYR": rf"GYR \(n {_WORD}\) \(rt {_VECTOR}\)",
        "ACC": rf"ACC \(n {_WORD}\) \(a {_VECTOR}\)",
        "HJ": rf"HJ \(n ({_WORD})\)\(ax ({_FLOAT})\)\(vx {_FLOAT}\)",
        "TCH": rf"TCH n {_WORD} val [01]",
        "MIC": rf"MIC hear (?:\({_NUMBER} [A-Za-z0-9+/=]+\))*",
        "See": rf"See (?:{_NEWER_SEEN}|\(P \(team {_WORD}\)\(id {_INT}\)(?:{_NEWER_SEEN})+\))*",
    }.items()
}
_NAME = re.compile(_WORD)
_FIELD = re.compile(r"\((\w+) ([^()]*)\)")
_NON_FINITE = re.compile(r"[ ][-+]?(?:nan|inf|infinity)(?=[ )]|$)", re.IGNORECASE)
_SHOWN = 80


class WrongMessageError(Exception):
    """A message does not follow the grammar; the text says where."""


class NonFiniteError(WrongMessageError):
    """A message contains a number that is not finite."""


@dataclass(frozen=True)
class ProbePercept:
    """The parts of a message that the good client checks.

    Attributes:
        time: simulated time, s.
        game: fields of the game state by name.
        joints: angles of hinge joints by name, degrees.
    """

    time: float
    game: dict[str, str]
    joints: dict[str, float] = field(default_factory=dict)


def read_percept(message: bytes) -> ProbePercept:
    """Read one message, given without its length prefix.

    Raises:
        WrongMessageError: the message does not follow the grammar exactly.
        NonFiniteError: the message contains a number that is not finite.
    """
    try:
        text = message.decode("ascii")
    except UnicodeDecodeError as error:
        raise WrongMessageError(f"byte 0x{message[error.start]:02x} is not ASCII") from None
    if not (text.startswith("(") and text.endswith(")")):
        raise WrongMessageError(f"not a sequence of lists: {shown(text)}")
    # `)(` stands only between two top-level lists; inside a list a blank separates the brackets.
    lists = text[1:-1].split(")(")
    now: float | None = None
    game: dict[str, str] | None = None
    joints: dict[str, float] = {}
    for item in lists:
        name = item.partition(" ")[0]
        match = _match(name, item)
        if name == "time" and match:
            now = float(match[1])
        elif name == "GS" and match:
            game = dict(_FIELD.findall(match[1]))
        elif name == "HJ" and match:
            joints[match[1]] = float(match[2])
    if now is None or not lists[0].startswith("time "):
        raise WrongMessageError(f"does not begin with the time: {shown(text)}")
    if game is None or "t" not in game or "pm" not in game:
        raise WrongMessageError("game state without time and play mode")
    return ProbePercept(now, game, joints)


def read_newer_percept(message: bytes) -> ProbePercept:
    """Read one message of the league since 2026, as `read_percept`, with the same errors."""
    try:
        text = message.decode("ascii")
    except UnicodeDecodeError as error:
        raise WrongMessageError(f"byte 0x{message[error.start]:02x} is not ASCII") from None
    found: dict[str, re.Match[str]] = {}
    joints: dict[str, float] = {}
    at = 0
    while at < len(text):
        name = text[at + 1 :].partition(" ")[0]
        form = _NEWER_FORMS.get(name)
        match = form.match(text, at) if form else None
        if match is None:
            if nonsense := _NON_FINITE.search(text, at):
                raise NonFiniteError(f"a number that is not finite: {shown(text[max(at, nonsense.start() - 40) :])}")
            raise WrongMessageError(f"malformed list: {shown(text[at:])}")
        found[name] = match
        if name == "HJ":
            joints[match[1]] = float(match[2])
        at = match.end()
    if not {"time", "GS"} <= found.keys() or next(iter(found)) != "time":
        raise WrongMessageError(f"does not begin with time and state of the game: {shown(text)}")
    return ProbePercept(float(found["time"][1]), dict(_FIELD.findall(found["GS"][1])), joints)


def shown(text: str) -> str:
    """Shorten a received text for a report, and escape it so that any terminal can print it."""
    return ascii(text[:_SHOWN]) + ("..." if len(text) > _SHOWN else "")


def _match(name: str, item: str) -> re.Match[str] | None:
    form = _FORMS.get(name)
    match = form.fullmatch(item) if form else None
    if match:
        return match
    if found := _NON_FINITE.search(item):
        raise NonFiniteError(f"a number that is not finite: {shown(item[max(0, found.start() - 40) :])}")
    if form or not _NAME.fullmatch(name) or not _is_balanced(item):
        raise WrongMessageError(f"malformed list: {shown(item)}")
    return None


def _is_balanced(item: str) -> bool:
    depth = 0
    for bracket in re.findall(r"[()]", item):
        depth += 1 if bracket == "(" else -1
        if depth < 0:
            return False
    return depth == 0 and re.search(r"\s\s|\( |\s\)|[\t\r\n]", item) is None

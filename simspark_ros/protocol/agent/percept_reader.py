"""Reads the classic server's messages: text in, `Percept` in SI and REP-103 out (protocol reference, section 4).

A player has 20 ms per cycle, so the message is not parsed as a tree: one pattern per kind of list finds all lists of
that kind at once. Unexpected lists are ignored.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from simspark_ros.motion.interface import Triple
from simspark_ros.players.geometry import Polar
from simspark_ros.players.percepts import FootForce, GameReport, HeardMessage, Percept, SeenObjects, SeenPlayer
from simspark_ros.soccer.game_state import PlayMode

RADIANS = math.pi / 180.0

NUMBER = r"(-?[0-9]{1,9}(?:\.[0-9]{0,9})?)"
"""Pattern of a number: bounded, so that none can overflow; nan and inf do not match."""

_THREE = f"{NUMBER} {NUMBER} {NUMBER}"

GYRO = re.compile(rf"\(GYR \(n \w+\) \(rt {_THREE}\)\)")
"""Pattern of a gyroscope's list, the same in every dialect."""

ACCELERATION = re.compile(rf"\(ACC \(n \w+\) \(a {_THREE}\)\)")
"""Pattern of an accelerometer's list, the same in every dialect."""

_TIME = re.compile(rf"\(time \(now {NUMBER}\)\)")
_GAME = re.compile(r"\(GS((?: ?\([^()]*\))*)\)")
_FIELD = re.compile(r"\((\w+) (\w[\w.]*)\)")
_JOINT = re.compile(rf"\(HJ \(n (\w+)\) \(ax {NUMBER}\)\)")
_FOOT = re.compile(rf"\(FRP \(n (\w+)\) \(c {_THREE}\) \(f {_THREE}\)\)")
_HEAR = re.compile(r"\(hear (?:([^\s()]+) )?([0-9.]+) (self|-?[0-9.]{1,9}) ([^\s()]+)\)")
# Marks and ball have capitals; parts of players are in lower case.
_OBJECT = re.compile(rf"\(([A-Z]\w*) \(pol {_THREE}\)\)")
_PLAYER = re.compile(r"\(P \(team ([^\s()]+)\) ?\(id ([0-9]{1,3})\)((?: ?\((?:\w+ \([^()]*\)|pol [^()]*)\))*)\)")
_PART = re.compile(rf"\((?:(\w+) \()?pol {_THREE}\)")
_LINE = re.compile(rf"\(L \(pol {_THREE}\) \(pol {_THREE}\)\)")

_MODES = {mode.value.upper(): mode for mode in PlayMode}
"""Play modes by their names in capitals, as some years write them."""


class PerceptError(Exception):
    """A message is not a perception."""


def read_percept(message: bytes) -> Percept:
    """Read one message, given without its length; `PerceptError` if it has no time. The first of two lists counts."""
    text = message.decode("latin-1")
    time = _TIME.search(text)
    if time is None:
        raise PerceptError(f"not a perception (no time): {text[:60]!r}")
    look = text.find("(See ")
    return Percept(
        time=float(time[1]),
        joints={name: float(angle) * RADIANS for name, angle in _JOINT.findall(text)},
        gyro=_torso(GYRO.search(text), RADIANS),
        accelerometer=_torso(ACCELERATION.search(text), 1.0),
        feet={foot[0]: _foot(*map(float, foot[1:])) for foot in _FOOT.findall(text)} if "(FRP" in text else {},
        sight=_sight(text[look:]) if look >= 0 else None,
        heard=tuple(_heard(*words) for words in _HEAR.findall(text)) if "(hear" in text else (),
        game=_game(text),
    )


def _torso(found: re.Match[str] | None, unit: float) -> Triple | None:
    """Turn classic axes (x right, y forward) into x forward, y left."""
    if found is None:
        return None
    right, forward, up = found.groups()
    return (float(forward) * unit, -float(right) * unit, float(up) * unit)


def _foot(px: float, py: float, pz: float, fx: float, fy: float, fz: float) -> FootForce:
    return FootForce((py, -px, pz), (fy, -fx, fz))


def _heard(team: str, time: str, direction: str, text: str) -> HeardMessage:
    try:
        return HeardMessage(team, None if direction == "self" else float(direction) * RADIANS, text)
    except ValueError:
        return HeardMessage(team, 0.0, text)


def _game(text: str) -> GameReport:
    found = _GAME.search(text)
    if found is None:
        return GameReport()
    fields = dict(_FIELD.findall(found[1]))
    side = fields.get("team", "").lower()
    return GameReport(
        play_mode=_MODES.get(fields.get("pm", "").upper()),
        time=_number(fields.get("t")) or 0.0,
        score_left=_whole(fields.get("sl")),
        score_right=_whole(fields.get("sr")),
        unum=_whole(fields.get("unum")) or 0,
        side=side if side in ("left", "right") else "",
    )


def _number(word: str | None) -> float | None:
    try:
        number = float(word or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _whole(word: str | None) -> int | None:
    return int(word) if word and len(word) < 10 and word.isascii() and word.isdigit() else None


def _sight(text: str) -> SeenObjects:
    marks = {name: _polar(d, h, v) for name, d, h, v in _OBJECT.findall(text)}
    ball = marks.pop("B", None)
    players = tuple(
        SeenPlayer(team, int(unum), _Parts(parts))
        for team, unum, parts in (_PLAYER.findall(text) if "(P " in text else ())
    )
    lines = tuple((_polar(*ends[:3]), _polar(*ends[3:])) for ends in _LINE.findall(text))
    return SeenObjects(marks, ball, players, lines)


class _Parts(Mapping[str, Polar]):
    """Parts of a player; numbers are read only when somebody asks for a part, which is seldom."""

    def __init__(self, text: str) -> None:
        self._words = {part or "body": words for part, *words in _PART.findall(text)}

    def __getitem__(self, name: str) -> Polar:
        return _polar(*self._words[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)


def _polar(distance: str, horizontal: str, vertical: str) -> Polar:
    return Polar(float(distance), float(horizontal) * RADIANS, float(vertical) * RADIANS)

"""Messages that an agent of the 3D league since 2026 reads and writes (rcssservermj; docs/how_to/league_2026.md).

The texts are the ones of profile `rcssservermj`, seen from the other end: text in, `Percept` in SI and REP-103 out, and
answers as text.
"""

from __future__ import annotations

import math
import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from simspark_ros.motion.interface import Triple
from simspark_ros.players.geometry import Pose
from simspark_ros.players.percepts import HeardMessage, Percept
from simspark_ros.players.speech import ALPHABET
from simspark_ros.protocol.agent.answer_writer import join_command
from simspark_ros.protocol.agent.percept_reader import ACCELERATION, GYRO, NUMBER, RADIANS, read_percept

if TYPE_CHECKING:
    from simspark_ros.players.answer import Answer
    from simspark_ros.robots.description import RobotDescription

_TEAM = re.compile(r"\(t([lr]) ([^\s()]+)\)")
_JOINT = re.compile(rf"\(HJ \(n (\w+)\)\(ax {NUMBER}\)")
_PLACE = re.compile(rf"\(pos \(n \w+\) \(p {NUMBER} {NUMBER} {NUMBER}\)\)")
_ATTITUDE = re.compile(rf"\(quat \(n \w+\) \(q {NUMBER} {NUMBER} {NUMBER} {NUMBER}\)\)")
_HEARD = re.compile(r"\(MIC hear((?: ?\([^()]*\))+)\)")
_SPOKEN = re.compile(rf"\({NUMBER} ([A-Za-z0-9+/=]+)\)")

_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_WRITTEN, _READ = str.maketrans(ALPHABET, _BASE64), str.maketrans(_BASE64, ALPHABET)
_BYTES = 9
"""Bytes of a team message without its first letter: twelve letters of 6 bits."""


class LeagueClient:
    """Reads percepts and writes answers of one player; a `Speech` of `simspark_ros.clients.session`.

    Args:
        description: the player's robot, one of the league.
        gains: stiffness and damping by joint, N m/rad and N m s/rad.
        team, unum: the player's team and number; the server's messages do not repeat them.
    """

    def __init__(
        self, description: RobotDescription, gains: Mapping[str, tuple[float, float]], team: str, unum: int
    ) -> None:
        self._joints = {spec.name: spec.link for spec in description.perceptors if spec.kind == "hinge_joint"}
        self._words = {spec.joint: spec.name for spec in description.effectors if spec.kind == "motor"}
        self._gains = gains
        self._team, self._unum = team, unum
        self.opening, self.joining = join_command(description.name, team, unum), ""
        # Everybody hears everybody, and opponents may use the same code.
        self._key = sha256(team.encode()).digest()[: _BYTES + 1]
        self._sent: dict[str, str] = {}

    def read(self, message: bytes) -> Percept:
        """Read one message, given without its length; `PerceptError` if it has no time."""
        percept = read_percept(message)
        text = message.decode("latin-1")
        sides = {team: side for side, team in _TEAM.findall(text)}
        game = percept.game
        if self._team in sides:
            game = replace(game, unum=self._unum, side="left" if sides[self._team] == "l" else "right")
        rows = _rotation(_ATTITUDE.search(text))
        place = _PLACE.search(text)
        return replace(
            percept,
            joints={self._joints.get(name, name): float(angle) * RADIANS for name, angle in _JOINT.findall(text)},
            gyro=_triple(GYRO.search(text), RADIANS),
            accelerometer=_triple(ACCELERATION.search(text), 1.0),
            heard=tuple(self._heard(text)),
            game=game,
            up=rows[1] if rows else None,
            pose=Pose(float(place[1]), float(place[2]), rows[0]) if rows and place else None,
        )

    def write(self, answer: Answer) -> str:
        """Write an answer; motors keep their last command, so only changes are written."""
        pieces = []
        if answer.beam is not None:
            x, y, heading = answer.beam
            pieces.append(f"(beam {x:.3f} {y:.3f} {math.degrees(heading):.2f})")
        if answer.say:
            said = b64decode(answer.say[1:].translate(_WRITTEN)) + b"\0"
            pieces.append(f"(SPK say 100 {b64encode(self._locked(said)).decode()})")
        for joint, angle in answer.speeds.items():
            stiffness, damping = self._gains[joint]
            text = f"({self._words[joint]} {math.degrees(angle):.2f} 0 {stiffness:g} {damping:g} 0)"
            if self._sent.get(joint) != text:
                self._sent[joint] = text
                pieces.append(text)
        return "".join(pieces)

    def _locked(self, said: bytes) -> bytes:
        """Bytes as team mates alone read them, and the other way round."""
        return bytes(one ^ other for one, other in zip(said, self._key, strict=False))

    def _heard(self, text: str) -> list[HeardMessage]:
        heard = []
        for messages in _HEARD.findall(text):
            for direction, spoken in _SPOKEN.findall(messages):
                try:
                    said = self._locked(b64decode(spoken, validate=True))
                except ValueError:
                    continue
                if len(said) == _BYTES + 1 and not said[_BYTES]:
                    letters = b64encode(said[:_BYTES]).decode().translate(_READ)
                    heard.append(HeardMessage("", float(direction) * RADIANS, f"D{letters}"))
        return heard


def _triple(found: re.Match[str] | None, unit: float) -> Triple | None:
    if found is None:
        return None
    x, y, z = found.groups()
    return float(x) * unit, float(y) * unit, float(z) * unit


def _rotation(found: re.Match[str] | None) -> tuple[float, Triple] | None:
    """Heading, rad, and the unit vector against gravity in the torso's axes, of a quaternion w, x, y, z."""
    if found is None:
        return None
    w, x, y, z = map(float, found.groups())
    size = w * w + x * x + y * y + z * z
    if size == 0.0:
        return None
    # The quaternion's squared length is in both arguments, and so does not matter.
    heading = math.atan2(2.0 * (w * z + x * y), w * w + x * x - y * y - z * z)
    up = (2.0 * (x * z - w * y) / size, 2.0 * (y * z + w * x) / size, (w * w - x * x - y * y + z * z) / size)
    return heading, up

"""Say and hear.

As on rcssserver3d (protocol reference, sections 4 and 5; recorded in `test/data/sessions/hear.json`), or rcssservermj.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from simspark_ros.configuration.names import is_word
from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.physics.model import Vector
from simspark_ros.soccer.teams import Side

if TYPE_CHECKING:
    import numpy as np


def _random() -> np.random.Generator:
    # Misspelt options are reported without numpy, whose import takes longer than all else.
    import numpy as np

    return np.random.default_rng()


@dataclass(frozen=True)
class SpeechRules(Checked):
    """Range (m), length (characters) and capacity of messages.

    Directions are given in the listener's team's `field` frame, or relative to the listener's `head`. With `loudest` 0,
    as on rcssserver3d, a listener hears one message of each team every `interval` cycles. Else, as on rcssservermj, it
    hears that many messages a cycle for certain, the loudest ones, and quieter ones by chance.
    """

    range: float = 50.0
    max_length: int = 20
    interval: Annotated[int, Range(1, 1000, "cycles")] = 2
    direction: Literal["field", "head"] = "field"
    loudest: Annotated[int, Range(0, 1000)] = 0


class Speaker(NamedTuple):
    """A speaker, and its position (world frame, m).

    axes: forward and left axes of its head in the world, if directions are relative to the head.
    """

    handle: int
    side: Side
    team: str
    position: Vector
    axes: tuple[Vector, Vector] | None = None


class Audible(NamedTuple):
    """A message that a listener hears.

    direction: bearing from listener to speaker, positive to the left, rad, in the frame of `SpeechRules.direction`;
    None = the listener's own message.
    """

    listener: int
    team: str
    direction: float | None
    text: str


class Said(NamedTuple):
    """A message, with the volume at the speaker, 0 to 1."""

    speaker: Speaker
    text: str
    volume: float

    def volume_at(self, listener: Speaker) -> float:
        """Its volume at a listener: 6 dB less with each doubling of the distance beyond 1 m."""
        distance = math.dist(self.speaker.position, listener.position)
        return self.volume * math.pow(10.0, -0.3 * math.log2(max(distance, 1.0)))


@dataclass
class SpeechChannel:
    """The channel of both teams. `say` while agents act, `hear` once per cycle."""

    rules: SpeechRules = field(default_factory=SpeechRules)
    random: np.random.Generator = field(default_factory=_random)
    _said: list[Said] = field(default_factory=list)
    _busy_until: dict[tuple[int, Side], int] = field(default_factory=dict)

    @property
    def pending(self) -> bool:
        """Whether anything was said since the last `hear`."""
        return bool(self._said)

    def say(self, speaker: Speaker, text: str, volume: float = 1.0) -> bool:
        """Queue a message; drop it and return False if it is empty, too long or no word of an S-expression."""
        if not is_word(text, self.rules.max_length):
            return False
        self._said.append(Said(speaker, text, volume))
        return True

    def hear(self, cycle: int, listeners: list[Speaker]) -> list[Audible]:
        """Deliver this cycle's messages for each listener: its own message, then those of others.

        Its own message is always echoed and does not count. Of each team a listener hears the first message that comes,
        team mates before opponents; or the loudest messages, see `SpeechRules`.
        """
        said, self._said = self._said, []
        if not said:
            return []
        heard: list[Audible] = []
        for listener in listeners:
            own = [one for one in said if one.speaker.handle == listener.handle]
            heard += [Audible(listener.handle, one.speaker.team, None, one.text) for one in own[-1:]]
            if self.rules.loudest:
                heard += self._loudest(listener, said)
                continue
            for side in (listener.side, listener.side.other):
                heard += self._first_of(side, cycle, listener, said)
        return heard

    def forget(self, handle: int) -> None:
        """Drop a robot that has left."""
        self._busy_until = {key: until for key, until in self._busy_until.items() if key[0] != handle}

    def _loudest(self, listener: Speaker, said: list[Said]) -> list[Audible]:
        """The messages that a listener makes out; its own also drowns others, as on rcssservermj.

        A message with a share s of the volume of the last of the loudest is heard with probability ln(1 + s (e - 1)).
        """
        volumes = [one.volume_at(listener) for one in said]
        floor = sorted(volumes)[-self.rules.loudest] if len(said) > self.rules.loudest else 0.0
        heard = []
        for one, volume in zip(said, volumes, strict=True):
            is_clear = volume >= floor or self.random.random() < math.log1p(volume / floor * (math.e - 1.0))
            if is_clear and one.speaker.handle != listener.handle:
                direction = _bearing(listener, one.speaker)
                heard.append(Audible(listener.handle, one.speaker.team, direction, one.text))
        return heard

    def _first_of(self, side: Side, cycle: int, listener: Speaker, said: list[Said]) -> list[Audible]:
        if cycle < self._busy_until.get((listener.handle, side), 0):
            return []
        for one in said:
            speaker = one.speaker
            if speaker.handle == listener.handle or speaker.side is not side:
                continue
            if math.dist(speaker.position, listener.position) <= self.rules.range:
                self._busy_until[listener.handle, side] = cycle + self.rules.interval
                return [Audible(listener.handle, speaker.team, _bearing(listener, speaker), one.text)]
        return []


def _bearing(listener: Speaker, speaker: Speaker) -> float:
    offset = tuple(s - own for s, own in zip(speaker.position, listener.position, strict=True))
    if listener.axes is None:
        return math.atan2(listener.side.sign * offset[1], listener.side.sign * offset[0])
    forward, left = (sum(a * d for a, d in zip(axis, offset, strict=True)) for axis in listener.axes)
    return math.atan2(left, forward)

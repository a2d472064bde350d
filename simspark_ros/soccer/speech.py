"""Say and hear (protocol reference, sections 4 and 5; recorded in `test/data/sessions/hear.json`)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Annotated, Literal

from simspark_ros.configuration.names import is_word
from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.physics.model import Vector
from simspark_ros.soccer.teams import Side


@dataclass(frozen=True)
class SpeechRules(Checked):
    """Range (m), length (characters) and capacity of messages (one per team every `interval` cycles).

    Directions are given in the listener's team's `field` frame, or relative to the listener's `head`.
    """

    range: float = 50.0
    max_length: int = 20
    interval: Annotated[int, Range(1, 1000, "cycles")] = 2
    direction: Literal["field", "head"] = "field"


@dataclass(frozen=True)
class Speaker:
    """A speaker, and its position (world frame, m).

    axes: forward and left axes of its head in the world, if directions are relative to the head.
    """

    handle: int
    side: Side
    team: str
    position: Vector
    axes: tuple[Vector, Vector] | None = None


@dataclass(frozen=True)
class Audible:
    """A message that a listener hears.

    direction: bearing from listener to speaker, positive to the left, rad, in the frame of `SpeechRules.direction`;
    None = the listener's own message.
    """

    listener: int
    team: str
    direction: float | None
    text: str


@dataclass
class Speech:
    """The channel of both teams. `say` while agents act, `hear` once per cycle."""

    rules: SpeechRules = field(default_factory=SpeechRules)
    _said: list[tuple[Speaker, str]] = field(default_factory=list)
    _busy_until: dict[tuple[int, Side], int] = field(default_factory=dict)

    @property
    def pending(self) -> bool:
        """Whether anything was said since the last `hear`."""
        return bool(self._said)

    def say(self, speaker: Speaker, text: str) -> bool:
        """Queue a message; drop it and return False if it is empty, too long or no word of an S-expression."""
        if not is_word(text, self.rules.max_length):
            return False
        self._said.append((speaker, text))
        return True

    def hear(self, cycle: int, listeners: list[Speaker]) -> list[Audible]:
        """Deliver this cycle's messages for each listener: own message, then team mates, then opponents.

        A listener hears one message of each team every `interval` cycles, the first that comes; its own message is
        always echoed and does not count.
        """
        said, self._said = self._said, []
        if not said:
            return []
        heard: list[Audible] = []
        for listener in listeners:
            own = [(speaker.team, text) for speaker, text in said if speaker.handle == listener.handle]
            heard += [Audible(listener.handle, team, None, text) for team, text in own[-1:]]
            for side in (listener.side, listener.side.other):
                heard += self._first_of(side, cycle, listener, said)
        return heard

    def forget(self, handle: int) -> None:
        """Drop a robot that has left."""
        self._busy_until = {key: until for key, until in self._busy_until.items() if key[0] != handle}

    def _first_of(self, side: Side, cycle: int, listener: Speaker, said: list[tuple[Speaker, str]]) -> list[Audible]:
        if cycle < self._busy_until.get((listener.handle, side), 0):
            return []
        for speaker, text in said:
            if speaker.handle == listener.handle or speaker.side is not side:
                continue
            if math.dist(speaker.position, listener.position) <= self.rules.range:
                self._busy_until[listener.handle, side] = cycle + self.rules.interval
                return [Audible(listener.handle, speaker.team, _bearing(listener, speaker), text)]
        return []


def _bearing(listener: Speaker, speaker: Speaker) -> float:
    offset = tuple(s - own for s, own in zip(speaker.position, listener.position, strict=True))
    if listener.axes is None:
        return math.atan2(listener.side.sign * offset[1], listener.side.sign * offset[0])
    forward, left = (sum(a * d for a, d in zip(axis, offset, strict=True)) for axis in listener.axes)
    return math.atan2(left, forward)

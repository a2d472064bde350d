"""Messages between team mates: the speaker's place and the ball, in 20 characters.

Each of the 64 letters of `ALPHABET` carries 6 bits; coordinates take two letters, so that they have steps of 1 cm.
Players speak in turns of `TURN` seconds by the simulation's clock, because a listener takes one message of a team every
second cycle.
"""

from __future__ import annotations

from dataclasses import dataclass

from simspark_ros.players.geometry import Point
from simspark_ros.soccer import TEAM_SIZE

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+-"
"""Letters that the server carries unchanged."""

TURN = 0.04
"""One turn to speak, s: two cycles."""

_VALUE = {letter: value for value, letter in enumerate(ALPHABET)}
_FIRST = "D"
_LENGTH = 13
_STEP = 0.01
_MIDDLE = 2048
_AGE_STEP, _EFFORT_STEP = 0.1, 0.25
_UNKNOWN = 63
NEVER = 1e9
"""Age or effort that stands for unknown or impossible, s."""


@dataclass(frozen=True)
class TeamMessage:
    """Message of a player about itself and the ball; places are in the frame of the team, m.

    Attributes:
        ball_age: time since the speaker saw the ball, s; `NEVER` if it does not know it.
        effort: time that the speaker would take to the ball, s; `NEVER` if it cannot go.
    """

    unum: int
    place: Point
    ball: Point
    ball_age: float = NEVER
    effort: float = NEVER


def encode(message: TeamMessage) -> str:
    """Write a message; numbers are cut to the range of the format."""
    numbers = [message.unum]
    for number in (*message.place, *message.ball):
        step = max(0, min(4095, round(number / _STEP) + _MIDDLE))
        numbers += divmod(step, 64)
    numbers.append(min(_UNKNOWN, round(message.ball_age / _AGE_STEP)))
    numbers.append(min(_UNKNOWN, round(message.effort / _EFFORT_STEP)))
    numbers.append(sum(numbers) % 64)
    return _FIRST + "".join(ALPHABET[number] for number in numbers)


def decode(text: str) -> TeamMessage | None:
    """Read a message; None if it has not this team's form."""
    if len(text) != _LENGTH or text[0] != _FIRST:
        return None
    try:
        numbers = [_VALUE[letter] for letter in text[1:]]
    except KeyError:
        return None
    if sum(numbers[:-1]) % 64 != numbers[-1] or not 1 <= numbers[0] <= TEAM_SIZE:
        return None
    x, y, ball_x, ball_y = (
        (64 * high + low - _MIDDLE) * _STEP for high, low in zip(numbers[1:9:2], numbers[2:9:2], strict=True)
    )
    age, effort = numbers[9], numbers[10]
    return TeamMessage(
        numbers[0],
        Point(x, y),
        Point(ball_x, ball_y),
        NEVER if age == _UNKNOWN else age * _AGE_STEP,
        NEVER if effort == _UNKNOWN else effort * _EFFORT_STEP,
    )


def is_turn(time: float, unum: int) -> bool:
    """Whether it is a player's turn to speak at a time (s): in the first cycle of each of its turns."""
    cycle = round(time / (TURN / 2))
    return cycle % 2 == 0 and cycle // 2 % TEAM_SIZE == unum % TEAM_SIZE

"""The languages of both generations of the league, as far as good and hostile clients need them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from simspark_stress.reader import ProbePercept, read_newer_percept, read_percept

TYPES = 5
"""Number of types of the classic robot."""


@dataclass(frozen=True)
class Dialect:
    """The messages of one generation of the league.

    Attributes:
        opening: first message, which asks for a robot, with {kind}, {robot}, {team} and {number}.
        registration: second message, which asks for a place in a team, with {team}.
        neck: command that turns the head, with {speed} in rad/s and {degrees} a second.
        joint: name of the joint that this command turns.
        stop: angle of the neck's stops, degrees.
        tolerance: largest error of the neck's speed as a fraction of the command.
        motions: commands of some joints.
        read: strict reader of the server's messages.
        unum: number of the good client; 0 = the server chooses one and tells it.
        robot: model of the robots.
    """

    opening: str
    registration: str
    neck: str
    joint: str
    stop: float
    tolerance: float
    motions: str
    read: Callable[[bytes], ProbePercept]
    unum: int = 0
    robot: str = ""

    def opened(self, number: int, team: str) -> str:
        """Return the first message of the client with this number, from 0."""
        return self.opening.format(kind=number % TYPES, robot=self.robot, team=team, number=number % 99 + 1)

    def registered(self, team: str) -> str:
        """Return the second message of a client."""
        return self.registration.format(team=team)

    def turned(self, speed: float) -> str:
        """Return the command that turns the head, rad/s."""
        return self.neck.format(speed=speed, degrees=math.degrees(speed))


CLASSIC = Dialect(
    opening="(scene rsg/agent/nao/nao_hetero.rsg {kind})(syn)",
    registration="(init (unum 0)(teamname {team}))(syn)",
    neck="(he1 {speed:.2f})(syn)",
    joint="hj1",
    stop=120.0,
    # Engines and loads differ; a foreign command reverses the speed.
    tolerance=0.5,
    motions="(lae1 1)(rae1 -1)(he2 0.1)(lle3 1)",
    read=read_percept,
)
"""The language of rcssserver3d."""

# The gain is so high that friction slows the neck by less than a tenth, and so low that its motor can follow.
LEAGUE_2026 = Dialect(
    opening="(init {robot} {team} {number})",
    registration="(syn)",
    neck="(he1 0 {degrees:.2f} 0 2 0)(syn)",
    joint="q_hj1",
    stop=85.0,
    # The ground may hold the head of a robot that has fallen, and commands of others would still reverse its speed.
    tolerance=1.5,
    motions="(he1 10 0 5 1 0)(lle1 -20 0 40 2 0)(rle1 5 0 40 2 1)",
    read=read_newer_percept,
    unum=1,
)
"""The language of rcssservermj."""


def dialect_of(league: str, robot: str) -> Dialect:
    """Return the dialect of a league, "classic" or "2026", with this model of robots where agents choose one."""
    return replace(LEAGUE_2026, robot=robot) if league == "2026" else CLASSIC

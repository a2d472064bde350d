"""Agents in a few lines: write one function, the rest is here. See docs/write_an_agent.md.

from simspark_ros.clients.agent import Walk, play

def think(me):
    return Walk(0.4, 0.0, me.ball.place.bearing) if me.ball.place else Walk(turn=0.8)

play(think, team="Lions")

The name is one of a running `make run`; on an empty server (`.venv/bin/simspark serve`) any will do. Start it with
`.venv/bin/python FILE`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

from simspark_ros.clients.session import Agent, Registration, Session, run_sessions
from simspark_ros.configuration.errors import UserError
from simspark_ros.players.answer import Answer
from simspark_ros.players.geometry import Point, Pose
from simspark_ros.players.motion.interface import Command, Dive, Foot, Kick, Stand, Walk
from simspark_ros.players.percepts import Percept
from simspark_ros.players.team import Reacting, simple_player
from simspark_ros.players.world_model import WorldModel

__all__ = [
    "Answer",
    "Command",
    "Dive",
    "Foot",
    "Kick",
    "NotAcceptedError",
    "Percept",
    "Point",
    "Pose",
    "Stand",
    "Walk",
    "WorldModel",
    "play",
    "run",
]


class NotAcceptedError(UserError):
    """The server did not let an agent play; the message says why and what to do."""


def play(
    think: Callable[[WorldModel], Command],
    team: str,
    unum: int = 0,
    *,
    host: str = "127.0.0.1",
    port: int = 3100,
    variant: int = 0,
    robot: str = "nao",
    start: Pose | None = None,
) -> str:
    """Play with a function, and the motions and world model of the demonstration team, until the server goes away.

    Args:
        think: called 50 times a second with the player's world model; returns the command for the legs.
        team: name of the team.
        unum: number, 0 = any free one.
        host: of the server.
        port: of its agents.
        variant: heterogeneous type of the robot.
        robot: the body of that type, where types are drawn for a match: `RobotType.name`.
        start: where to be put before kick-offs, in the frame of the team (attacking +x): m, rad.

    Returns:
        Side and number that the player had; empty if it was interrupted before.

    Raises:
        ConnectionLostError: no server listens there.
        NotAcceptedError: the server did not let it play.
    """
    player = simple_player(think, team, variant, robot, start)
    return _run(player, Registration(team, unum, variant), host, port)


def run(
    react: Callable[[Percept], Answer | Mapping[str, float]],
    team: str,
    unum: int = 0,
    *,
    host: str = "127.0.0.1",
    port: int = 3100,
    variant: int = 0,
) -> str:
    """Answer percepts with a function, joint by joint, until the server goes away.

    `react` is called with every percept; it returns speeds of joints in rad/s by their names (`hj1`, `laj4`), or a
    complete `Answer`. Everything else is as in `play`.
    """
    return _run(Reacting(react), Registration(team, unum, variant), host, port)


def _run(agent: Agent, registration: Registration, host: str, port: int) -> str:
    session = Session(agent, registration, host, port)
    with suppress(KeyboardInterrupt):
        run_sessions([session])
    if session.trouble:
        raise NotAcceptedError(
            f"no place for {registration} at {host}:{port}: {session.trouble}. A third team, a number in use and a "
            'type used up are refused: see the log of the server; with `make run` join as team="Lions"'
        )
    return session.became

"""Agents in a few lines: write one function, the rest is here. See docs/tutorials/write_an_agent.md.

from simspark_ros.clients.agent import Walk, play

def think(me):
    return Walk(0.4, 0.0, me.ball.place.bearing) if me.ball.place else Walk(turn=0.8)

play(think, team="Lions")

The name is one of a running `make run`; on an empty server (`.venv/bin/simspark serve`) any will do. Start it with
`.venv/bin/python FILE`.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType

from simspark_ros.clients.classic_client import REFUSED, ConnectionLostError
from simspark_ros.clients.session import ClientAgent, Registration, Session, SessionState, run_sessions
from simspark_ros.motion.interface import Command, Dive, Foot, Kick, Stand, Walk
from simspark_ros.players.answer import Answer, WrongAnswerError
from simspark_ros.players.geometry import Point, Pose
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
    "play_team",
    "run",
]


class NotAcceptedError(SystemExit):
    """The server is not there, or did not let an agent play; the message says why and what to do.

    A program that does not catch it ends with the message and without a traceback.
    """


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
        host: address of the server.
        port: the server's port for agents.
        variant: heterogeneous type of the robot.
        robot: robot of the type, if types are drawn for a match: `RobotType.name`.
        start: pose of the player before kick-offs, in the frame of the team (attacking +x): m, rad.

    Returns:
        Side and number that the player had; empty if it was interrupted before.

    Raises:
        NotAcceptedError: no server listens there, or it did not let the agent play.
        SystemExit: `think` returned something else; the message says what to return.
    """
    starts = {} if start is None else {unum: start}
    return play_team(think, team, (unum,), host=host, port=port, variants=(variant,), robot=robot, starts=starts)[0]


def play_team(
    think: Callable[[WorldModel], Command],
    team: str,
    unums: Sequence[int] = range(1, 12),
    *,
    host: str = "127.0.0.1",
    port: int = 3100,
    variants: Sequence[int] = (0,),
    robot: str = "nao",
    starts: Mapping[int, Pose] = MappingProxyType({}),
) -> list[str]:
    """Play with a whole team in this process, as `play` does with one player; `think` asks `me.unum` who it is.

    `variants` are taken in turn, `starts` are by number. Refused players do not hinder the others.

    Returns:
        Side and number of each player in order, empty for a refused one.

    Raises:
        NotAcceptedError: no server listens there, or it let none of them play.
        SystemExit: `think` returned something else; the message says what to return.
    """
    members = [
        (simple_player(think, team, variant, robot, starts.get(unum)), Registration(team, unum, variant))
        for unum, variant in zip(unums, itertools.cycle(variants), strict=False)
    ]
    return _run(members, host, port)


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
    return _run([(Reacting(react), Registration(team, unum, variant))], host, port)[0]


def _run(members: Sequence[tuple[ClientAgent, Registration]], host: str, port: int) -> list[str]:
    try:
        sessions = [Session(agent, registration, host, port) for agent, registration in members]
    except ConnectionLostError as error:
        raise NotAcceptedError(str(error)) from None

    def report(session: Session) -> None:
        if session.state is SessionState.PLAYING:
            print(f"{session.registration.team}: {session.became} plays", flush=True)
        elif session.trouble and len(sessions) > 1:
            print(_refusal(session), file=sys.stderr, flush=True)

    with suppress(KeyboardInterrupt):
        try:
            run_sessions(sessions, report)
        except WrongAnswerError as error:
            raise SystemExit(str(error)) from None
    if all(session.trouble for session in sessions):
        raise NotAcceptedError(_refusal(sessions[0]))
    return [session.became for session in sessions]


def _refusal(session: Session) -> str:
    return f"no place for {session.registration}: {session.trouble}. {REFUSED}"

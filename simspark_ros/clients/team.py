"""The demonstration team as clients of any server of the classic protocol; `simspark team` runs it."""

from __future__ import annotations

import json
import signal
import sys
import time
from functools import partial

from simspark_ros.clients.classic_client import ConnectionLostError
from simspark_ros.clients.session import Registration, Session, SessionState, Speech, run_sessions
from simspark_ros.clients.team_settings import TeamOptions
from simspark_ros.configuration.league_models import LEAGUE_WORLD, league_file
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.players.behaviour.team_play import GOALKEEPER
from simspark_ros.players.player import PlayerAgent
from simspark_ros.players.team import ROBOT, team_player, type_of, usual_tactics
from simspark_ros.players.team_settings import load_team_settings
from simspark_ros.protocol.agent.league_client import LeagueClient
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.types.random_types import RobotType
from simspark_ros.terminal import CLEAR

RETRY = 0.2
"""Time between two attempts to reach a server that is about to start, s."""


def drawn_types(text: str) -> tuple[RobotType, ...]:
    """The types of `--robot-types`, none if it is empty; a `ConfigurationError` if it is no such text."""
    if not text:
        return ()
    try:
        types = tuple(RobotType.from_json(ROBOT, value) for value in json.loads(text)[ROBOT])
    except (KeyError, TypeError, ValueError, AttributeError):
        types = ()
    if not types or [one.number for one in types] != list(range(len(types))):
        raise ConfigurationError(
            "--robot-types: copy the value of `robot_types` that `simspark serve --json` prints; types begin at 0"
        )
    return types


def run_team(options: TeamOptions) -> int:
    """Play until the server goes away, exit status 1 if no player has played, or the program is interrupted, 0.

    Raises:
        ConfigurationError: one of the configuration files cannot be used.
    """
    is_league = league_file(options.robot) is not None
    world = options.world or (LEAGUE_WORLD if is_league else "")
    tactics = load_team_settings(options.tactics or usual_tactics(world, options.robot))
    # Players are made before the first connection: in lock-step other agents would wait while they are loaded.
    types = drawn_types(options.robot_types)
    # A player alone has more to do than to keep the goal.
    goalkeeper = GOALKEEPER if options.players > 1 else 0
    make = partial(team_player, types=types, robot=options.robot, world=world, goalkeeper=goalkeeper)
    players = [(make(options.team, unum, tactics), unum) for unum in options.numbers]
    sessions: list[Session] = []
    interrupted = False
    began, patience = time.process_time(), time.monotonic() + options.wait
    try:
        for player, unum in players:
            registration = _registration(options, unum, type_of(unum, tactics, types))
            speech = LeagueClient(load_robot(options.robot), player.gains, options.team, unum) if is_league else None
            sessions.append(_connected(player, registration, options, patience, speech))
        run_sessions(sessions, _report)
    except ConnectionLostError as error:
        print(f"simspark team: {error}", file=sys.stderr)
        for session in sessions:
            session.close()
    except KeyboardInterrupt:
        # A terminal and a launch file each send one; a second one would end the process as if it had failed.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        interrupted = True
    answered = sum(session.answered for session in sessions)
    if answered:
        milliseconds = 1000.0 * (time.process_time() - began) / answered
        # `simspark serve`, which may have started this team, has a status line on the terminal.
        clear = CLEAR if sys.stdout.isatty() else ""
        print(f"{clear}{options.team}: {answered} answers, {milliseconds:.2f} ms of CPU each")
    return 0 if answered or interrupted else 1


def _registration(options: TeamOptions, unum: int, variant: int) -> Registration:
    if options.robot == ROBOT:
        return Registration(options.team, unum, variant)
    return Registration(options.team, unum, robot=options.robot, words=load_robot(options.robot).words)


def _connected(
    player: PlayerAgent, registration: Registration, options: TeamOptions, patience: float, speech: Speech | None = None
) -> Session:
    """A session with the server, which may be about to start until the clock shows `patience`."""
    while True:
        try:
            return Session(player, registration, options.host, options.port, speech)
        except ConnectionLostError:
            if time.monotonic() > patience:
                raise
            time.sleep(RETRY)


def _report(session: Session) -> None:
    if session.state is SessionState.PLAYING:
        print(f"{session.registration.team}: {session.became} plays", flush=True)
    elif session.trouble:
        print(f"simspark team: number {session.registration.unum}: {session.trouble}", file=sys.stderr, flush=True)

"""The services of a game: a trainer's commands of the monitor port, and a service that makes a robot a player."""

from __future__ import annotations

from functools import partial
from typing import Any

from simspark_ros.effectors.init import join
from simspark_ros.msg import Result
from simspark_ros.ros.services.entities import robot_of
from simspark_ros.ros.services.server import RequestError, ServiceServer
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.referee import trainer_of
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import InitRefusedError, Side, check_team_name
from simspark_ros.srv import DropBall, JoinTeam, KickOff, OverruleDecision, SetPlayMode
from simspark_ros.trainer import TRAINER_COMMANDS
from simspark_ros.worlds.errors import CommandRejectedError

_KICKERS = {
    KickOff.Request.NEXT_TEAM: "",
    KickOff.Request.LEFT_TEAM: Side.LEFT.value,
    KickOff.Request.RIGHT_TEAM: Side.RIGHT.value,
}

MAX_NAME = 32
"""Characters of a team's name, as on the agent port."""


def offer_game_services(server: ServiceServer, simulation: Simulation) -> None:
    """Offer them all, below `game/`."""
    server.offer(OverruleDecision, "game/overrule", partial(_overrule, simulation))
    order = partial(_order, simulation)
    server.offer(SetPlayMode, "game/set_play_mode", lambda request, _: order("play_mode", request.play_mode))
    server.offer(KickOff, "game/kick_off", partial(_kick_off, simulation))
    server.offer(DropBall, "game/drop_ball", lambda request, _: order("drop_ball"))
    server.offer(JoinTeam, "game/join_team", partial(_join_team, simulation))


def _overrule(simulation: Simulation, request: Any, response: Any) -> None:
    try:
        _order(simulation, "overrule", int(request.number))
    except CommandRejectedError as error:
        raise RequestError(Result.RESULT_NOT_FOUND, str(error)) from None


def _kick_off(simulation: Simulation, request: Any, response: Any) -> None:
    if request.team not in _KICKERS:
        raise RequestError(
            Result.RESULT_OPERATION_FAILED, f"team must be 0 (the team whose turn it is), 1 or 2, not {request.team}"
        )
    _order(simulation, "kick_off", _KICKERS[request.team])
    left = simulation.world.game.play_mode is PlayMode.KICK_OFF_LEFT
    response.team = KickOff.Request.LEFT_TEAM if left else KickOff.Request.RIGHT_TEAM


def _join_team(simulation: Simulation, request: Any, response: Any) -> None:
    world = simulation.world
    robot = world.robots[robot_of(world, request.entity, "; let the agent join by its own init").handle]
    try:
        check_team_name(request.team, MAX_NAME)
    except InitRefusedError as error:
        raise RequestError(Result.RESULT_OPERATION_FAILED, str(error)) from None
    simulation.note("join", robot.handle, request.team, request.unum)
    response.left = join(world, robot, request.team, request.unum) is Side.LEFT
    response.unum = robot.unum
    response.cycle = world.engine.cycle_time


def _order(simulation: Simulation, kind: str, *arguments: str | int) -> None:
    """Carry out a trainer command."""
    trainer = trainer_of(simulation)
    if trainer.referee is None and kind != "play_mode":
        raise RequestError(Result.RESULT_INCORRECT_STATE, "this world has no referee")
    simulation.note("trainer", kind, arguments)
    TRAINER_COMMANDS[kind].command(trainer, arguments)

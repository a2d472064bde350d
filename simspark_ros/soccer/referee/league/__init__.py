"""Rules of leagues whose robots follow a GameController, one or a few per file; `LEAGUE` lists them for the referee."""

from __future__ import annotations

from simspark_ros.soccer.referee.league.flow import LeagueFlow
from simspark_ros.soccer.referee.league.offences import BallHolding, FallenInactive, Pushing
from simspark_ros.soccer.referee.league.penalties import Penalties
from simspark_ros.soccer.referee.league.positions import IllegalPosition, LeavingField, MotionInSet
from simspark_ros.soccer.referee.league.set_play import LeagueGoal, LeagueSetPlay
from simspark_ros.soccer.referee.rule import Rule

LEAGUE: tuple[type[Rule], ...] = (
    LeagueFlow,
    LeagueSetPlay,
    LeagueGoal,
    IllegalPosition,
    MotionInSet,
    FallenInactive,
    LeavingField,
    Pushing,
    BallHolding,
    Penalties,
)

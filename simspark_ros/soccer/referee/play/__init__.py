"""The rules of play, one or a few per file; `PLAY` lists them for the referee."""

from __future__ import annotations

from simspark_ros.soccer.referee.play.goal import BallOut, Goal, GoalPause
from simspark_ros.soccer.referee.play.kick_off import AutomaticKickOff, BeforeKickOff, HalfTime, KickOff
from simspark_ros.soccer.referee.play.offside import Offside
from simspark_ros.soccer.referee.play.pass_mode import PassMode
from simspark_ros.soccer.referee.play.set_play import DoubleTouch, GoalKick, SetPlay
from simspark_ros.soccer.referee.rule import Rule

PLAY: tuple[type[Rule], ...] = (
    HalfTime,
    AutomaticKickOff,
    BeforeKickOff,
    KickOff,
    SetPlay,
    GoalKick,
    GoalPause,
    PassMode,
    Goal,
    BallOut,
    DoubleTouch,
    Offside,
)

"""Rules about fouls of players, one file each; `FOULS` lists them for the referee."""

from __future__ import annotations

from simspark_ros.soccer.referee.fouls.charging import Charging
from simspark_ros.soccer.referee.fouls.crowding import Crowding, Touching
from simspark_ros.soccer.referee.fouls.incapable import Incapable
from simspark_ros.soccer.referee.fouls.kick_off import KickOffFoul
from simspark_ros.soccer.referee.fouls.penalty_area import IllegalAttack, IllegalDefence
from simspark_ros.soccer.referee.fouls.self_collision import SelfCollision
from simspark_ros.soccer.referee.rule import Rule

FOULS: tuple[type[Rule], ...] = (
    KickOffFoul,
    SelfCollision,
    Incapable,
    IllegalDefence,
    Touching,
    Crowding,
    Charging,
    IllegalAttack,
)

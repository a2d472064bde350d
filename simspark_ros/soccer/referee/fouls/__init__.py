"""Rules about fouls of players, one file each; `FOULS` lists them for the referee."""

from __future__ import annotations

from simspark_ros.soccer.referee.fouls.charging import Charging
from simspark_ros.soccer.referee.fouls.crowding import Crowding
from simspark_ros.soccer.referee.fouls.illegal_attack import IllegalAttack
from simspark_ros.soccer.referee.fouls.illegal_defence import IllegalDefence
from simspark_ros.soccer.referee.fouls.incapable import Incapable
from simspark_ros.soccer.referee.fouls.kick_off import KickOffFoul
from simspark_ros.soccer.referee.fouls.self_collision import SelfCollision
from simspark_ros.soccer.referee.fouls.touching import Touching
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

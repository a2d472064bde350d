"""Rules about fouls of players, one file each; `FOULS` lists them for the referee."""

from __future__ import annotations

from simspark_ros.soccer.referee.rule import Rule

FOULS: tuple[type[Rule], ...] = ()

"""Rules of the simulation league since 2026, as on rcssservermj 0.2.1; `SSIM` lists them for the referee."""

from __future__ import annotations

from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.referee.ssim.exclusive_ball import ExclusiveBall, RestartGoal, RestartOut
from simspark_ros.soccer.referee.ssim.fouls import GoalAreaDefence, HandBall

SSIM: tuple[type[Rule], ...] = (HandBall, ExclusiveBall, GoalAreaDefence, RestartGoal, RestartOut)

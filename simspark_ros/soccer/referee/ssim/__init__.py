"""Rules of the simulation league since 2026, as on rcssservermj 0.2.1; `SSIM` lists them for the referee."""

from __future__ import annotations

from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.referee.ssim.exclusive_ball import ExclusiveBall
from simspark_ros.soccer.referee.ssim.goal_area_defence import GoalAreaDefence
from simspark_ros.soccer.referee.ssim.hand_ball import HandBall
from simspark_ros.soccer.referee.ssim.lines import RestartGoal, RestartOut

SSIM: tuple[type[Rule], ...] = (HandBall, ExclusiveBall, GoalAreaDefence, RestartGoal, RestartOut)

"""Settings of attack runs, in a module of their own so that reading a command line loads nothing heavy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from simspark_ros.configuration.schema import Checked, Range, Setting

Time = Annotated[float, Range(0.0, 86400.0, "s", above=True)]


@dataclass(frozen=True)
class StressSettings(Checked):
    """Seed, limits and tolerances of a run.

    Attributes:
        address: IP address and port of the server for agents.
        monitor_address: IP address and port of the server for monitors; None = do not attack monitors.
        silent_patience: `max_gap` beside silent players in lock-step, s; longer than the server waits for them.
        limit: time after which an attack starts nothing new, s.
        control: length of the period without attacks at the start, s.
        min_rate: least pace during attacks in real time, as a fraction of the pace without attacks.
    """

    address: tuple[str, int]
    monitor_address: tuple[str, int] | None = None
    seed: Annotated[int, Setting("seed of all randomness")] = 1
    team: Annotated[str, Setting("team of the good client; attackers join another team")] = "Watcher"
    league: Annotated[Literal["classic", "2026"], Setting("league whose protocols the server speaks")] = "classic"
    robot: Annotated[str, Setting("model of all robots in the league of 2026")] = "T1"
    cycle: Annotated[Time, Setting("simulated time between two messages")] = 0.02
    max_gap: Annotated[Time, Setting("longest harmless gap between two messages to the good client")] = 1.0
    silent_patience: Annotated[Time, Setting("longest harmless gap while a player is silent in lock-step")] = 15.0
    recovery: Annotated[Time, Setting("longest time for the good client to recover after an attack")] = 10.0
    limit: float = 20.0
    control: float = 1.0
    min_rate: float = 0.5


@dataclass(frozen=True)
class FuzzSettings(Checked):
    """Length, limits and tolerances of a search with drawn cases.

    Attributes:
        minutes: time for which cases are drawn, min; starting servers and shrinking findings take extra time.
        server: options for the servers, besides the options that the doors need.
        seed, team, league, robot, cycle, max_gap, recovery: the settings of the same name in `StressSettings`.
        round: time between two checks of the witnesses, s.
        shrinking: time after which a finding is kept without further shrinking, s.
        memory: largest growth of the server's memory, as a fraction.
        quiet: fraction of the time in which cases must not change the state hash of a match.
        lockstep: fraction of the time in which servers wait for all players, also for players of the cases.
    """

    minutes: Annotated[float, Range(0.0, 10000.0, "min", above=True), Setting("draw cases for this long")] = 20.0
    server: tuple[str, ...] = ()
    seed: int = 1
    team: str = StressSettings.team
    league: str = StressSettings.league
    robot: str = StressSettings.robot
    cycle: float = StressSettings.cycle
    max_gap: float = StressSettings.max_gap
    recovery: float = StressSettings.recovery
    workers: Annotated[int, Range(1, 64), Setting("number of cases that are played at the same time")] = 8
    round: float = 2.0
    shrinking: float = 120.0
    memory: float = 0.02
    quiet: float = 0.1
    lockstep: float = 0.1

"""Settings of an attack run, apart from it, so that reading a command line loads nothing heavy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from simspark_ros.configuration.schema import Checked, Range, Setting

Time = Annotated[float, Range(0.0, 86400.0, "s", above=True)]


@dataclass(frozen=True)
class StressSettings(Checked):
    """Seed, limits and tolerances of a run.

    Attributes:
        address: host and port of agents, the host as an IP address.
        monitor_address: of monitors, None to leave these attacks out.
        silent_patience: as `max_gap`; longer than the server waits for such a player.
        limit: after which an attack begins nothing new, s.
        control: time without attacks at the start, s.
        min_rate: in real time, part of the rate without attacks that has to be kept.
    """

    address: tuple[str, int]
    monitor_address: tuple[str, int] | None = None
    seed: Annotated[int, Setting("seed of all randomness")] = 1
    team: Annotated[str, Setting("team of the good client; attackers take another")] = "Watcher"
    cycle: Annotated[Time, Setting("simulated time between two messages")] = 0.02
    max_gap: Annotated[Time, Setting("longest wait of the good client that is no harm")] = 1.0
    silent_patience: Annotated[Time, Setting("the same beside a silent player in lock-step")] = 15.0
    recovery: Annotated[Time, Setting("how long the good client may take to be well after an attack")] = 10.0
    limit: float = 20.0
    control: float = 1.0
    min_rate: float = 0.5


@dataclass(frozen=True)
class FuzzSettings(Checked):
    """Length, limits and tolerances of a search with drawn cases.

    Attributes:
        minutes: for which cases are drawn; starts of servers and the shrinking of findings come on top.
        server: options of the servers that are started, beside those that the doors need.
        seed, team, cycle, max_gap, recovery: as in `StressSettings`.
        round: time between two looks at the witnesses, s.
        shrinking: after which a finding is kept as it is, s.
        memory: part by which the server's memory may grow.
        quiet: part of the time in which cases must leave the state hash of a match as it is.
        lockstep: part of the time in which servers wait for all players, those of cases included.
    """

    minutes: Annotated[float, Range(0.0, 10000.0, "min", above=True), Setting("draw cases for this long")] = 20.0
    server: tuple[str, ...] = ()
    seed: int = 1
    team: str = StressSettings.team
    cycle: float = StressSettings.cycle
    max_gap: float = StressSettings.max_gap
    recovery: float = StressSettings.recovery
    workers: Annotated[int, Range(1, 64), Setting("cases that are played at a time")] = 8
    round: float = 2.0
    shrinking: float = 120.0
    memory: float = 0.02
    quiet: float = 0.1
    lockstep: float = 0.1

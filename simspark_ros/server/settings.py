"""What `simspark serve` can be asked for beside the settings of the simulation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ServeSettings:
    """What `simspark serve` adds to the settings of the simulation; see its --help."""

    agent_port: int = 3100
    monitor_port: int = 3200
    proxy_port: int | None = None
    proxy_limit: float = 0.25
    silent_timeout: float = 10.0
    bind: str = "127.0.0.1"
    trainer: str = "full"
    robots: tuple[str, ...] = ()
    play_mode: str = "BeforeKickOff"
    headless: bool = False
    ros_arguments: tuple[str, ...] = ()
    duration: float | None = None
    hash_log: Path | None = None
    log: Path | None = None
    log_interval: float = 0.2
    events: Path | None = None
    left_team: str = ""
    right_team: str = ""
    end_with_game: float | None = None
    json: bool = False
    viewer: int | None = None
    demo: int = 0

"""Settings of a simulation, from `config/simspark.yaml` and the command line."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml

from simspark_ros.configuration.resources import resource
from simspark_ros.configuration.schema import ConfigurationError, build, read_yaml, require
from simspark_ros.simulation.scheduler import Pacing, PacingSettings
from simspark_ros.soccer.settings import BOOK


@dataclass(frozen=True)
class SimulationSettings:
    """What to simulate and how.

    Attributes:
        engine: physics engine by name.
        preset: of the engine; empty = the engine's default.
        world: name of a shipped world or path of a world file; empty = the measured soccer field.
        referee: whether the rules are applied; a trainer's decisions are carried out in any case.
        rules: rule book instead of that of the world file, a name or the path of a YAML file; empty = that one.
        changes: of single keys of the world file or its rule book, each `rules.game.half_time=60`.
        profile: protocol profile whose section `simulation` applies, a name or the path of a YAML file.
        seed: of all randomness.
        threads: 1, or 2 to send perception beside physics.
        blas_threads: threads of numpy's BLAS in this process; 0 = as many as it has.
        pacing: `realtime`, `lockstep` or `fast`.
        late_cycles: `cycles`, `quanta` or `slip`, see `PacingSettings`.
        catch_up_limit: s of lateness that are caught up at most.
        wait_for_robots: time does not start before so many clients have a robot.
        monitor_interval: cycles between two monitor frames.
    """

    engine: str = "bullet"
    preset: str = ""
    world: str = ""
    referee: bool = True
    rules: str = ""
    changes: tuple[str, ...] = ()
    profile: str = "measured"
    seed: int = 1
    threads: Literal[1, 2] = 1
    blas_threads: int = 1
    pacing: Literal["realtime", "lockstep", "fast"] = "realtime"
    late_cycles: Literal["cycles", "quanta", "slip"] = "cycles"
    catch_up_limit: float = 0.5
    wait_for_robots: int = 0
    monitor_interval: int = 2

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        require(self, "seed", 0, 2**31 - 1)
        require(self, "blas_threads", 0, 1000)
        require(self, "catch_up_limit", 0.0, 3600.0)
        require(self, "wait_for_robots", 0, 1000)
        require(self, "monitor_interval", 1, 1000)

    @property
    def world_changes(self) -> list[tuple[str, dict[str, Any]]]:
        """What is to be applied to the world file after the profile, in order, each with what asks for it.

        Raises:
            ConfigurationError: a change cannot be read.
        """
        changes: list[tuple[str, dict[str, Any]]] = []
        if self.rules:
            is_file = self.rules.endswith((".yaml", ".yml"))
            book = str(Path(self.rules).absolute()) if is_file else self.rules
            changes.append((f"rule book '{self.rules}' (--rules, or `rules`)", {"rules": {BOOK: book}}))
        changes += [(f"change '{text}' (--set, or `changes`)", _change(text)) for text in self.changes if text]
        return changes

    @property
    def pacing_settings(self) -> PacingSettings:
        """The part that concerns the scheduler."""
        return PacingSettings(Pacing(self.pacing), self.late_cycles, self.catch_up_limit, self.wait_for_robots)


def _change(text: str) -> dict[str, Any]:
    """`rules.game.half_time=60` as nested mappings."""
    path, sign, value = text.partition("=")
    keys = [key.strip() for key in path.split(".")]
    try:
        nested = yaml.safe_load(value)
    except yaml.YAMLError:
        sign = ""
    if not sign or len(keys) < 2 or not all(keys):
        raise ConfigurationError(f"change '{text}': must be SECTION.KEY=VALUE, e.g. rules.game.half_time=60")
    for key in reversed(keys):
        nested = {key: nested}
    return dict(nested)


@dataclass(frozen=True)
class SettingsFile:
    """The sections of the file."""

    simulation: SimulationSettings = field(default_factory=SimulationSettings)


def load_simulation_settings(path: Path | None = None) -> SimulationSettings:
    """Read a settings file; None = the package's `config/simspark.yaml`.

    Raises:
        ConfigurationError: the message names file and key.
    """
    path = path or resource("config", "simspark.yaml")
    data = read_yaml(path)
    if data is None:
        raise ConfigurationError(f"{path}: is empty; it needs a section 'simulation'")
    return build(SettingsFile, data, str(path)).simulation

"""Settings of a simulation, from `config/simspark.yaml` and the command line."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from simspark_ros.configuration.library import is_path, unknown
from simspark_ros.configuration.limits import LimitSettings, unset
from simspark_ros.configuration.resources import resource
from simspark_ros.configuration.schema import ConfigurationError, Range, Setting, build, key_and_value, read_yaml
from simspark_ros.robots.files.format_table import SDF
from simspark_ros.soccer.referee.rulebook import BOOK


def _unknown_engine(name: str) -> str:
    # The registry needs numpy, and most command lines no engine.
    from simspark_ros.physics.registry import engine_names, unknown_engine

    return "" if name in ("", *engine_names()) else unknown_engine(name)


def _unknown_pacing(name: str) -> str:
    from simspark_ros.simulation.pacing.registry import unknown_pacing

    return unknown_pacing(name)


Engine = Annotated[
    str,
    Setting(
        "physics engine: ode, as on the original server; mujoco, the fast one; bullet; or an engine of a plug-in; "
        "empty = ode if classic agents can join and ode is installed, otherwise bullet, or ode if PyBullet is missing",
        refuse=_unknown_engine,
    ),
]
Preset = Annotated[
    str,
    Setting(
        "preset of the engine, a name or a YAML file; empty = the protocol profile's preset, or the engine's default"
    ),
]
WorldName = Annotated[
    str,
    Setting(
        "field, teams and ball: soccer, spl, msl, ..., or a YAML or SDF file; empty = soccer",
        refuse=unknown("world", "worlds", SDF),
    ),
]
Rules = Annotated[
    str,
    Setting(
        "rule book, a name or a YAML file; empty = the world file's rule book",
        metavar="BOOK",
        refuse=unknown("rule book", "rules"),
    ),
]
Changes = Annotated[
    tuple[str, ...],
    Setting(
        "change of one key of the world file or rule book, e.g. rules.game.half_time=60",
        option="set",
        metavar="KEY=VALUE",
    ),
]
Speed = Annotated[
    float,
    Range(0.0, 1000.0),
    Setting(
        "greatest speed in multiples of real time, with any pacing (with lockstep and 1, a busy machine slows the "
        "match but never the players); 0 = as the pacing says",
        at_run_time=True,
    ),
]
CONFIG = Setting("settings file whose defaults replace those of config/simspark.yaml")

CLASSIC_PROFILE = "measured"
"""The protocol profile of classic agents, unless another one is chosen."""

Seed = Annotated[int, Range(0, 2**31 - 1), Setting("seed of all randomness")]

RandomTypes = Annotated[
    int,
    Range(-1, 2**31 - 1),
    Setting("draw valid heterogeneous types by this seed; -1 = use the types of the robots' files", metavar="SEED"),
]
RandomTypeCount = Annotated[
    int, Range(1, 99), Setting("number of types to draw, including the standard one, which is type 0")
]


Renderer = Annotated[
    Literal["software", "egl", "auto"],
    Setting(
        "renderer of pictures: PyBullet's software, with the same pictures on every machine, OpenGL without a display, "
        "or auto = OpenGL if it is there"
    ),
]


@dataclass(frozen=True)
class SimulationSettings(LimitSettings):
    """Settings of a simulation, and its limits."""

    engine: Engine = ""
    preset: Preset = ""
    world: WorldName = ""
    referee: Annotated[bool, Setting("apply the rules; decisions of a trainer are carried out in any case")] = True
    rules: Rules = ""
    changes: Changes = ()
    profile: Annotated[
        str,
        Setting(
            "protocol profile, a name or a YAML file; its rules, sensors and presets apply in the simulation; empty = "
            "measured if classic agents can join, otherwise none",
            refuse=unknown("protocol profile", "profiles"),
        ),
    ] = ""
    motors: Annotated[
        Literal["", "ideal", "realistic"],
        Setting(
            "motors of all robots that have data for realistic ones: ideal = perfect servos, realistic = motors that "
            "heat up and drain the battery; empty = as each robot's file says"
        ),
    ] = ""
    saved_worlds: Annotated[
        str,
        Setting(
            "folder in which trainers may save the world as it stands (`saveWorld`); empty = nowhere", metavar="DIR"
        ),
    ] = ""
    seed: Seed = 1
    random_types: RandomTypes = -1
    random_type_count: RandomTypeCount = 5
    threads: Annotated[
        Literal[1, 2], Setting("2 = send perception while physics computes: same results, seldom faster")
    ] = 1
    blas_threads: Annotated[
        int, Range(0, 1000), Setting("threads of numpy's BLAS in this process; 0 = as many as it has")
    ] = 1
    pacing: Annotated[
        str,
        Setting(
            "how time runs: realtime; lockstep, which waits for every agent's (syn), and runs in real time without "
            "agents; fast, as fast as possible; external, by the /clock of another program; or by a plug-in",
            at_run_time=True,
            refuse=_unknown_pacing,
        ),
    ] = "realtime"
    sequential: Annotated[
        bool,
        Setting(
            "send perception at the end of its cycle: commands act a cycle earlier, but agents do not think while "
            "physics computes"
        ),
    ] = False
    speed: Speed = 0.0
    late_cycles: Annotated[
        Literal["cycles", "quanta", "slip"],
        Setting(
            "if the simulation falls behind real time: cycles = it catches up, quanta = it catches up with physics "
            "only, slip = it stays behind",
            at_run_time=True,
        ),
    ] = "cycles"
    catch_up_limit: Annotated[
        float, Range(0.0, 3600.0, "s"), Setting("longest delay that the simulation makes up", at_run_time=True)
    ] = 0.5
    velocity_timeout: Annotated[
        float,
        Range(0.0, 3600.0, "s"),
        Setting("a robot stops when its last velocity command (`cmd_vel`) is this old, in simulated time; 0 = never"),
    ] = 0.5
    players: Annotated[
        tuple[str, ...],
        Setting(
            "player plug-ins to start, e.g. keeper=goalkeeper?policy=block (docs/how_to/player_plugins.md)",
            option="player",
            metavar="[NAME=]KIND[?OPTION=VALUE&...]",
        ),
    ] = ()
    expectations: Annotated[
        str,
        Setting(
            "file of `simspark map`: the sensor values to expect at each pose, for players that localize themselves; "
            "empty = the values that a mapper learns in this simulation",
            metavar="FILE.npz",
        ),
    ] = ""
    fair_players: Annotated[
        bool, Setting("refuse player plug-ins that read or change more of the world than their sensors tell")
    ] = False
    renderer: Renderer = "auto"
    wait_for_robots: Annotated[
        int, Range(0, 1000), Setting("time starts once this many agents have a robot, or at SIGUSR1")
    ] = 0
    monitor_interval: Annotated[
        int,
        Range(1, 1000, "cycles"),
        Setting("interval of monitor frames; the `monitor_period` of the node `bridge` also limits them"),
    ] = 2

    def __post_init__(self) -> None:
        """Check the source of time, too, which may change at any time."""
        super().__post_init__()
        if refused := _unknown_pacing(self.pacing):
            raise ValueError(f"pacing: {refused}")

    @property
    def world_changes(self) -> list[tuple[str, dict[str, Any]]]:
        """Changes of the world file after the profile's changes, in order, each with the option that asks for it."""
        changes: list[tuple[str, dict[str, Any]]] = []
        if self.rules:
            book = str(Path(self.rules).absolute()) if is_path(self.rules) else self.rules
            changes.append((f"rule book '{self.rules}' (--rules, or `rules`)", {"rules": {BOOK: book}}))
        changes += [(f"change '{text}' (--set, or `changes`)", _change(text)) for text in self.changes if text]
        return changes

    def with_classic_agents(self) -> SimulationSettings:
        """The settings with the profile of classic agents, unless they have a profile."""
        return self if self.profile else replace(self, profile=CLASSIC_PROFILE)


def _change(text: str) -> dict[str, Any]:
    """`rules.game.half_time=60` as nested mappings."""
    path, nested = key_and_value(text) or ("", {})
    keys = [key.strip() for key in path.split(".")]
    if len(keys) < 2 or not all(keys):
        raise ConfigurationError(f"change '{text}': must be SECTION.KEY=VALUE, e.g. rules.game.half_time=60")
    # The section is `rule_book` among the parameters of nodes.
    for key in reversed(["rules" if keys[0] == "rule_book" else keys[0], *keys[1:]]):
        nested = {key: nested}
    return dict(nested)


@dataclass(frozen=True)
class SettingsFile:
    """The sections of the file."""

    simulation: SimulationSettings = field(default_factory=SimulationSettings)


def load_simulation_settings(path: Path | None = None) -> SimulationSettings:
    """Read a settings file, None = the package's `config/simspark.yaml`; a `ConfigurationError` names file and key.

    The package's file has all defaults, so its limits count as set by nobody.
    """
    own, path = path is None, path or resource("config", "simspark.yaml")
    data = read_yaml(path)
    if data is None:
        raise ConfigurationError(f"{path}: is empty; it needs a section 'simulation'")
    read = build(SettingsFile, data, str(path)).simulation
    return unset(read, _LIMITS) if own else read


_LIMITS = tuple(field.name for field in fields(LimitSettings))

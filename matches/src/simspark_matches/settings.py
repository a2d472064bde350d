"""Settings of a match."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from simspark_matches.team_commands import LEAGUES, LEAGUES_PROFILE, has_placeholder, parse_command
from simspark_ros.clients.processes import OUTPUT_LIMIT
from simspark_ros.configuration.errors import reason
from simspark_ros.configuration.league_models import League
from simspark_ros.configuration.limits import CHILD_MEMORY, LOG_SIZE, ChildMemory, LogSize
from simspark_ros.configuration.ports import TrainerPermissions
from simspark_ros.configuration.schema import Checked, ConfigurationError, Range, Setting, TcpPort, build
from simspark_ros.simulation.settings import (
    Changes,
    Engine,
    Preset,
    RandomTypeCount,
    RandomTypes,
    Rules,
    Seed,
    Speed,
    WorldName,
)
from simspark_ros.soccer import TEAM_SIZE

SIDES = ("left", "right")

RESULT_FILE = "result.json"

SETTINGS_FILE, RECORD_FILE = "settings.json", "commands.gz"
"""Files from which a recorded match is continued: its settings, and everything that entered the simulation."""

KICK_OFF_WAIT = 5.0
"""Simulated time before the kick-off of each half, unless settings say otherwise, s."""

LONGEST = 36000.0
"""Largest value of times, s."""

_RULE_KEYS = {"half_time": "rules.game.half_time", "kick_off_wait": "rules.game.wait_before_kick_off"}
"""Keys of the rule book that settings of a match set, too."""


@dataclass(frozen=True)
class TeamSettings(Checked):
    """One team.

    Attributes:
        command: command that starts a player if it contains `{unum}`, else the whole team; or a short name, as `demo`.
        name: the team's name, for `{team}`; the server then takes only this name on the team's side. Empty: `Left` or
            `Right` where the command asks for it, else the name that its players send.
        directory: working directory of the command.
    """

    command: str
    name: str = ""
    players: Annotated[
        int, Range(0, TEAM_SIZE), Setting("number of players of each team; 0 = as many as a team has in the world")
    ] = 0
    directory: str = "."

    def __post_init__(self) -> None:
        """Check the name."""
        super().__post_init__()
        if self.name and (not self.name.isascii() or set(self.name) & set(' ()"\t\n')):
            raise ValueError(f"name '{self.name}' must consist of ASCII characters without blanks, brackets and quotes")


Patience = Annotated[float, Range(0.0, LONGEST, "s", above=True)]


@dataclass(frozen=True)
class GameSettings(Checked):
    """Settings of a match that hold for any teams."""

    seed: Seed = 1
    random_types: RandomTypes = -1
    random_type_count: RandomTypeCount = 5
    half_time: Annotated[
        float | None, Range(0.0, LONGEST, "s", above=True), Setting("length of a half; none = the rule book's")
    ] = None
    kick_off_wait: Annotated[
        float | None,
        Range(0.0, LONGEST, "s"),
        Setting(
            f"simulated time before the kick-off of a half; none = {KICK_OFF_WAIT:g}, or the value in `changes` "
            "(`--set`)"
        ),
    ] = None
    rules: Rules = ""
    changes: Changes = ()
    engine: Engine = ""
    preset: Preset = ""
    league: League = "classic"
    profile: Annotated[str, Setting("protocol profile, a name or a YAML file; empty = the server's default")] = ""
    world: WorldName = ""
    pacing: Annotated[
        Literal["lockstep", "realtime"],
        Setting(
            "lockstep = as fast as agents answer, realtime = does not wait for the agents (for agents without `(syn)`)",
            option="real-time",
            switch="realtime",
        ),
    ] = "lockstep"
    speed: Speed = 0.0
    join_limit: Annotated[Patience, Setting("longest wait for the next player")] = 30.0
    forfeit_after: Annotated[
        float, Range(0.0, LONGEST, "s"), Setting("simulated time without any player after which a team forfeits")
    ] = 10.0
    forfeit_score: Annotated[int, Range(0, 99), Setting("least goals that count against a team that forfeits")] = 3
    stall_limit: Annotated[
        Patience,
        Setting("the match is aborted when the server's time stands still for this long, paused or not", option=None),
    ] = 120.0
    log_interval: Annotated[Patience, Setting("simulated time between two frames of the monitor log", option=None)] = (
        0.2
    )
    record: Annotated[
        bool,
        Setting("record everything that enters the simulation, to repeat or continue the match by `simspark serve`"),
    ] = False
    output_limit: Annotated[
        float, Range(0.001, 1e6, "MB"), Setting("most output that is kept of each process: its beginning and its end")
    ] = OUTPUT_LIMIT
    max_log: LogSize = LOG_SIZE
    child_memory: ChildMemory = CHILD_MEMORY
    hash_log: Annotated[bool, Setting("write the state hash of every cycle, too")] = False
    ros: Annotated[bool, Setting("offer ROS 2 topics, and pictures of the cameras of robots in the world file")] = False

    def __post_init__(self) -> None:
        """Refuse a setting that is given twice."""
        super().__post_init__()
        changed = {change.partition("=")[0].strip() for change in self.changes}
        for name, key in _RULE_KEYS.items():
            if getattr(self, name) is not None and key in changed:
                raise ValueError(f"{name} and the change of {key} are the same setting: give one of them")

    def for_teams(self, *teams: TeamSettings) -> GameSettings:
        """These settings; world and profile that they leave open are those of the league of this package's teams.

        Raises:
            ConfigurationError: the teams are of several leagues.
        """
        leagues = {name: LEAGUES[name] for team in teams if (name := team.command.strip()) in LEAGUES}
        if not leagues:
            return self
        worlds = sorted({world for _, world in leagues.values()})
        if len(worlds) > 1:
            raise ConfigurationError(f"{' and '.join(leagues)} play in the worlds {' and '.join(worlds)}: choose one")
        return replace(self, world=self.world or worlds[0], profile=self.profile or LEAGUES_PROFILE)

    @property
    def all_changes(self) -> tuple[str, ...]:
        """The server's changes: halves begin by themselves; then the changes of the settings, which take precedence."""
        wait = KICK_OFF_WAIT if self.kick_off_wait is None else self.kick_off_wait
        made = ["rules.game.automatic_kick_off=true", f"rules.game.wait_before_kick_off={wait}"]
        if self.half_time is not None:
            made.append(f"rules.game.half_time={self.half_time}")
        return (*made, *self.changes)


@dataclass(frozen=True)
class MatchSettings(Checked):
    """A match; `viewer` is the port of a page that shows it in browsers, None = no such page."""

    left: TeamSettings
    right: TeamSettings
    game: GameSettings = GameSettings()
    trainer: TrainerPermissions = "none"
    viewer: TcpPort | None = None

    def team(self, side: str) -> TeamSettings:
        """The team of a side."""
        return self.left if side == "left" else self.right

    @property
    def players(self) -> int:
        """Number of players expected in all."""
        return self.left.players + self.right.players

    def save(self, directory: Path) -> None:
        """Write the settings, so that the match can be continued from anywhere; an OSError if that fails."""
        values = asdict(self)
        for side in SIDES:
            values[side]["directory"] = str(Path(self.team(side).directory).absolute())
        (directory / SETTINGS_FILE).write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")


def load_settings(directory: Path) -> MatchSettings:
    """The settings of a recorded match.

    Raises:
        ConfigurationError: there is no record of a match.
    """
    path = directory / SETTINGS_FILE
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        why = f"{path.name}: {reason(error)}"
        raise ConfigurationError(f"{directory}: there is no match here that was played with --record: {why}") from None
    return build(MatchSettings, values, str(path))


@dataclass(frozen=True)
class TeamCommand:
    """A team whose command was checked: its words, with placeholders; an empty name = the server takes any."""

    words: tuple[str, ...]
    name: str
    players: int
    directory: Path

    @property
    def unums(self) -> tuple[int, ...]:
        """The number of each start of the command; 0 = one start for the whole team."""
        return tuple(range(1, self.players + 1)) if has_placeholder(self.words, "unum") else (0,)


def team_commands(settings: MatchSettings) -> dict[str, TeamCommand]:
    """Check the commands of both teams, by side.

    Raises:
        ConfigurationError: names side and mistake.
    """
    commands = {}
    for side in SIDES:
        team = settings.team(side)
        directory = Path(team.directory).absolute()
        if not directory.is_dir():
            raise ConfigurationError(f"{side}: there is no directory {directory}")
        words = parse_command(team.command, directory, side)
        name = team.name or (side.capitalize() if has_placeholder(words, "team") else "")
        commands[side] = TeamCommand(words, name, team.players, directory)
    if commands["left"].name and commands["left"].name == commands["right"].name:
        raise ConfigurationError(f"both teams are named '{commands['left'].name}'; give them different names")
    return commands

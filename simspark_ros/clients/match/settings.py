"""What a match is played with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from simspark_ros.clients.match.team_commands import has_placeholder, is_per_player, parse_command
from simspark_ros.configuration.schema import ConfigurationError, require

SIDES = ("left", "right")

MAX_PLAYERS = 11

RESULT_FILE = "result.json"

KICK_OFF_WAIT = 5.0
"""Simulated time before the kick-off of each half unless something else is asked for, s."""

_RULE_KEYS = {"half_time": "rules.game.half_time", "kick_off_wait": "rules.game.wait_before_kick_off"}
"""Settings of a match that are keys of the rule book, too."""


@dataclass(frozen=True)
class TeamSettings:
    """One team.

    Attributes:
        command: starts a player if it contains `{unum}`, else the whole team; may be a short name such as `demo`.
        name: what `{team}` stands for; the server then takes only this name on the team's side. Empty: `Left` or
            `Right` where the command asks for it, else whatever its players say.
        players: how many are expected.
        directory: where the command runs.
    """

    command: str
    name: str = ""
    players: int = MAX_PLAYERS
    directory: str = "."

    def __post_init__(self) -> None:
        """Refuse what no team can be."""
        require(self, "players", 1, MAX_PLAYERS)
        if self.name and (not self.name.isascii() or set(self.name) & set(' ()"\t\n')):
            raise ValueError(f"name '{self.name}' must be of ASCII characters without blanks, brackets and quotes")


@dataclass(frozen=True)
class GameSettings:
    """How a match is played, whoever plays it.

    Attributes:
        seed: of all randomness.
        half_time: length of a half, s; None = the rule book's.
        kick_off_wait: simulated time before the kick-off of each half, s; None = `KICK_OFF_WAIT`, or as in `changes`.
        rules: rule book, a name or a YAML file, empty = that of the world file.
        changes: of single keys of world file or rule book, each `rules.game.goal_pause=1`.
        engine: physics engine by name.
        preset: of the engine, empty = its default.
        profile: protocol profile, empty = the server's default.
        world: world file, empty = the server's default.
        pacing: `lockstep`, as fast as agents answer, or `realtime`.
        join_limit: longest wait for the next player, s.
        forfeit_after: a team of which nobody has been on the field for so long (simulated, s) forfeits.
        forfeit_score: goals that the other team is given then, at least.
        stall_limit: the server is given up when its time stands still for so long, s.
        log_interval: simulated time between two frames of the monitor log, s.
        hash_log: whether the state hash of every cycle is written, too.
    """

    seed: int = 1
    half_time: float | None = None
    kick_off_wait: float | None = None
    rules: str = ""
    changes: tuple[str, ...] = ()
    engine: str = "bullet"
    preset: str = ""
    profile: str = ""
    world: str = ""
    pacing: Literal["lockstep", "realtime"] = "lockstep"
    join_limit: float = 30.0
    forfeit_after: float = 10.0
    forfeit_score: int = 3
    stall_limit: float = 120.0
    log_interval: float = 0.2
    hash_log: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot be played."""
        if self.half_time is not None:
            require(self, "half_time", 0.0, 36000.0, above=True)
        if self.kick_off_wait is not None:
            require(self, "kick_off_wait", 0.0, 36000.0)
        require(self, "join_limit stall_limit log_interval", 0.0, 36000.0, above=True)
        require(self, "forfeit_after", 0.0, 36000.0)
        require(self, "forfeit_score", 0, 99)
        require(self, "seed", 0, 2**31 - 1)
        changed = {change.partition("=")[0].strip() for change in self.changes}
        for name, key in _RULE_KEYS.items():
            if getattr(self, name) is not None and key in changed:
                raise ValueError(f"{name} and the change of {key} are the same setting: give one of them")

    @property
    def all_changes(self) -> tuple[str, ...]:
        """What the server is told: that halves begin by themselves, then what was asked for, which comes last."""
        wait = KICK_OFF_WAIT if self.kick_off_wait is None else self.kick_off_wait
        made = ["rules.game.automatic_kick_off=true", f"rules.game.wait_before_kick_off={wait}"]
        if self.half_time is not None:
            made.append(f"rules.game.half_time={self.half_time}")
        return (*made, *self.changes)


@dataclass(frozen=True)
class MatchSettings:
    """A match.

    Attributes:
        left, right: the teams.
        game: how it is played.
        trainer: commands that monitors and viewers may give, as in `simspark serve`.
        viewer: port of a page that shows the match in browsers, None = no such page.
    """

    left: TeamSettings
    right: TeamSettings
    game: GameSettings = GameSettings()
    trainer: str = "none"
    viewer: int | None = None

    def team(self, side: str) -> TeamSettings:
        """The team of a side."""
        return self.left if side == "left" else self.right

    @property
    def players(self) -> int:
        """How many are expected in all."""
        return self.left.players + self.right.players


@dataclass(frozen=True)
class TeamCommand:
    """A team whose command was found to be in order.

    Attributes:
        words: of the command, with placeholders.
        name: for `{team}` and for the server; empty = the server takes any.
        players: how many are expected.
        directory: where the command runs.
    """

    words: tuple[str, ...]
    name: str
    players: int
    directory: Path

    @property
    def unums(self) -> tuple[int, ...]:
        """The number of each start of the command; 0 = one start for the whole team."""
        return tuple(range(1, self.players + 1)) if is_per_player(self.words) else (0,)


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

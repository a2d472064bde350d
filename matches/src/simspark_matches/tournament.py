"""Round robins: fixtures, results so far, and the table. Described by a YAML file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from simspark_matches.result import MatchOutcome, MatchResult, read_result, write_whole
from simspark_matches.settings import RESULT_FILE, GameSettings, MatchSettings, TeamSettings, team_commands
from simspark_matches.table import Played, Points, Row, as_text, table
from simspark_matches.team_sizes import with_players
from simspark_ros.configuration.schema import ConfigurationError, build, read_yaml

TABLE = "table.json"

MAY_DIFFER = (
    "seed",
    "pacing",
    "speed",
    "join_limit",
    "stall_limit",
    "log_interval",
    "hash_log",
    "ros",
    "output_limit",
    "max_log",
    "child_memory",
    "record",
)
"""Settings of a game that do not matter for the table."""


@dataclass(frozen=True)
class TournamentFile:
    """The whole file.

    Attributes:
        teams: the teams, at least two, each with a name.
        rounds: number of matches of every two teams; sides change from round to round.
        game: settings of all matches; match number n has the seed `game.seed` + n - 1.

    Directories of teams and YAML files of the game are looked for from the folder of the file.
    """

    teams: tuple[TeamSettings, ...]
    rounds: Literal[1, 2, 3, 4] = 1
    points: Points = field(default_factory=Points)
    game: GameSettings = field(default_factory=GameSettings)

    def __post_init__(self) -> None:
        """Check the teams' names."""
        names = [team.name for team in self.teams]
        if len(names) < 2:
            raise ValueError(f"teams: a tournament needs at least two, not {len(names)}")
        if "" in names:
            raise ValueError(f"teams[{names.index('')}]: key 'name' is missing")
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice:
            raise ValueError(f"teams: two teams are named '{twice}'; choose another name")
        unfit = next((name for name in names if "/" in name or name.startswith(".")), None)
        if unfit:
            raise ValueError(f"teams: '{unfit}' cannot be part of a directory's name; choose another name")


@dataclass(frozen=True)
class Fixture:
    """One match to be played; `name` is also its directory's."""

    name: str
    settings: MatchSettings

    @property
    def teams(self) -> tuple[str, str]:
        """Names, left and right."""
        return self.settings.left.name, self.settings.right.name


def load_tournament(path: Path) -> TournamentFile:
    """Read a file.

    Raises:
        ConfigurationError: the message names file and key.
    """
    file = build(TournamentFile, read_yaml(path), str(path))
    folder = path.absolute().parent
    teams = tuple(replace(team, directory=str(folder / team.directory)) for team in file.teams)
    game = replace(file.game, world=_beside(folder, file.game.world), rules=_beside(folder, file.game.rules))
    file = replace(file, teams=teams, game=game)
    try:
        for fixture in fixtures(file):
            with _named(fixture.teams):
                team_commands(fixture.settings)
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error}") from None
    return file


def fixtures(file: TournamentFile) -> list[Fixture]:
    """All matches in the order in which they are played."""
    made: list[Fixture] = []
    teams = {team.name: team for team in file.teams}
    for turn in range(1, file.rounds + 1):
        for pair in _pairs(list(teams)):
            left, right = pair if turn % 2 else pair[::-1]
            both = teams[left], teams[right]
            game = replace(file.game.for_teams(*both), seed=file.game.seed + len(made))
            with _named((left, right)):
                made.append(Fixture(f"{turn}-{left}-{right}", with_players(MatchSettings(*both, game))))
    return made


@contextmanager
def _named(teams: Sequence[str]) -> Iterator[None]:
    """Name the teams in errors."""
    try:
        yield
    except ConfigurationError as error:
        raise ConfigurationError(f"{' - '.join(teams)}: {error}") from None


def _pairs(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """All pairs by the circle method: one team stays, the others rotate, which spreads each team's matches evenly."""
    places: list[str | None] = [*names, None] if len(names) % 2 else [*names]
    half = len(places) // 2
    for day in range(len(places) - 1):
        for place in range(half):
            first, second = places[place], places[-1 - place]
            if first is not None and second is not None:
                # The team that stays changes its side from day to day.
                yield (second, first) if place == 0 and day % 2 else (first, second)
        places.insert(1, places.pop())


class Tournament:
    """A tournament in a directory, which holds a directory for each match and the table.

    Attributes:
        fixtures: all matches.
        results: results of played matches, by name; results in the directory are read at the start.
        unwritten: error of the last attempt to write the table, e.g. on a full disk; None if it was written.

    Raises:
        ConfigurationError: the directory cannot be made, or a result in it belongs to other settings.
    """

    def __init__(self, file: TournamentFile, directory: Path) -> None:
        self._file = file
        self._directory = directory
        self.fixtures = fixtures(file)
        self.results: dict[str, dict[str, Any]] = {}
        self.unwritten: OSError | None = None
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigurationError(f"{directory}: cannot be made: {error.strerror}") from None
        for fixture in self.fixtures:
            values = read_result(self.folder(fixture) / RESULT_FILE)
            if values is not None and values["outcome"] != MatchOutcome.ABORTED.value:
                self._check_settings(fixture, values)
                self.results[fixture.name] = values

    @property
    def missing(self) -> list[Fixture]:
        """Matches without a result."""
        return [fixture for fixture in self.fixtures if fixture.name not in self.results]

    @property
    def table(self) -> list[Row]:
        """The table by the results so far."""
        played = []
        for fixture in self.fixtures:
            if values := self.results.get(fixture.name):
                both = values["left"]["forfeit"] and values["right"]["forfeit"]
                left, right = values["score"]
                played.append(Played(*fixture.teams, (left, right), both))
        return table([team.name for team in self._file.teams], played, self._file.points)

    def title(self, fixture: Fixture) -> str:
        """Number and teams of a match, e.g. `match 2 of 6: Red - Blue`."""
        number = self.fixtures.index(fixture) + 1
        return f"match {number} of {len(self.fixtures)}: {' - '.join(fixture.teams)}"

    def folder(self, fixture: Fixture) -> Path:
        """Directory of everything that a match writes."""
        return self._directory / fixture.name

    def play(self, play: Callable[[Fixture, Path], MatchResult | None]) -> bool:
        """Play the missing matches in order by a function, which writes the result; write the table after each match.

        Returns whether all were played; a match without a result is the last one.
        """
        for fixture in self.missing:
            folder = self.folder(fixture)
            folder.mkdir(parents=True, exist_ok=True)
            result = play(fixture, folder)
            if result is None:
                return False
            self.note(fixture, result)
        self.write()
        return True

    def note(self, fixture: Fixture, result: MatchResult) -> None:
        """Take up the result of a match, and write the table."""
        if result.outcome is not MatchOutcome.ABORTED:
            self.results[fixture.name] = json.loads(json.dumps(result.as_json()))
        self.write()

    def write(self) -> None:
        """Write the table for programs and for people, if possible: it can be made again from results."""
        values = {
            "complete": not self.missing,
            "table": [row.as_json() for row in self.table],
            "matches": [self._match(fixture) for fixture in self.fixtures],
        }
        self.unwritten = None
        try:
            write_whole(self._directory / TABLE, json.dumps(values, indent=2) + "\n")
            write_whole(self._directory / "table.txt", as_text(self.table) + "\n")
        except OSError as error:
            self.unwritten = error

    def _match(self, fixture: Fixture) -> dict[str, Any]:
        values = self.results.get(fixture.name, {})
        left, right = fixture.teams
        known = {"outcome": values.get("outcome"), "score": values.get("score")}
        return {"left": left, "right": right, **known, "directory": fixture.name}

    def _check_settings(self, fixture: Fixture, values: dict[str, Any]) -> None:
        """Refuse results by other rules: a table of both would be meaningless."""
        before = values["settings"]["game"]
        # Converted as in a file.
        for key, value in json.loads(json.dumps(asdict(fixture.settings.game))).items():
            if key not in MAY_DIFFER and before.get(key, value) != value:
                raise ConfigurationError(
                    f"{self.folder(fixture)}: the match was played with {key} {before[key]}, not {value}; remove it to "
                    "play again, or choose another directory with --log"
                )


def _beside(folder: Path, name: str) -> str:
    """A file that a tournament names, from its own folder; names without a file's ending are left alone."""
    return str(folder / name) if name.endswith((".yaml", ".yml")) else name

"""Round robins: fixtures, files, what is played again and what is not."""

import errno
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from simspark_matches.record import MatchRecord
from simspark_matches.result import MatchOutcome, MatchResult, side_result
from simspark_matches.settings import TeamSettings, team_commands
from simspark_matches.tournament import Fixture, Tournament, TournamentFile, fixtures, load_tournament
from simspark_ros.cli import main
from simspark_ros.configuration.schema import ConfigurationError
from test.rigs.waiting import DEADLINE, until

TEAMS = """
teams:
  - {name: Red, command: wave, players: 1}
  - {name: Blue, command: wave, players: 1}
  - {name: Green, command: wave, players: 1}
"""


def written(folder: Path, text: str = TEAMS) -> Path:
    path = folder / "cup.yaml"
    path.write_text(text)
    return path


def teams(count: int) -> TournamentFile:
    return TournamentFile(tuple(TeamSettings("wave", chr(65 + number)) for number in range(count)), rounds=2)


class Played:
    """Plays matches without playing: the team whose name comes first in the alphabet wins."""

    def __init__(self, *aborted: str) -> None:
        self.names: list[str] = []
        self._aborted = aborted

    def __call__(self, fixture: Fixture, folder: Path) -> MatchResult:
        self.names.append(fixture.name)
        record = MatchRecord()
        record.score = (1, 0) if fixture.teams[0] < fixture.teams[1] else (0, 1)
        commands = team_commands(fixture.settings)
        sides = {s: side_result(s, fixture.settings, commands[s], record, [], []) for s in ("left", "right")}
        outcome = MatchOutcome.ABORTED if fixture.name in self._aborted else MatchOutcome.PLAYED
        settings = json.loads(json.dumps({"game": fixture.settings.game.__dict__}))
        result = MatchResult(outcome, "", sides, record, 1.0, settings, [], {})
        result.write(folder)
        return result


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 8])
def test_every_pair_meets_once_a_round_on_either_side_by_a_seed_of_its_own_and_no_team_twice_a_day(count):
    played = list(fixtures(teams(count)))
    pairs = [fixture.teams for fixture in played]
    assert len(set(pairs)) == len(pairs) == count * (count - 1)
    first, day = pairs[: len(pairs) // 2], count // 2
    assert len({frozenset(pair) for pair in first}) == len(first)
    for start in range(0, len(first), day):
        assert max(Counter(name for pair in first[start : start + day] for name in pair).values()) == 1
    assert [fixture.settings.game.seed for fixture in played] == list(range(1, len(played) + 1))


def test_results_and_table_are_written(tmp_path):
    played = Tournament(load_tournament(written(tmp_path)), tmp_path / "cup")
    played.play(Played())
    values = json.loads((tmp_path / "cup" / "table.json").read_text())
    assert values["complete"]
    assert [(row["team"], row["points"]) for row in values["table"]] == [("Blue", 6), ("Green", 3), ("Red", 0)]
    folders = {path.name for path in (tmp_path / "cup").iterdir() if path.is_dir()}
    assert {match["directory"] for match in values["matches"]} == folders
    assert (tmp_path / "cup" / "table.txt").read_text().splitlines()[1].split()[1] == "Blue"


def test_what_has_been_played_is_not_played_again(tmp_path):
    file = load_tournament(written(tmp_path))
    names = [fixture.name for fixture in fixtures(file)]
    first = Played(names[1])
    Tournament(file, tmp_path / "cup").play(first)
    assert first.names == names
    second = Played()
    again = Tournament(file, tmp_path / "cup")
    assert len(again.results) == 2
    again.play(second)
    assert second.names == [names[1]]
    assert not again.missing


def test_a_table_that_cannot_be_written_ends_no_tournament(tmp_path):
    file = load_tournament(written(tmp_path))
    (table := tmp_path / "cup" / "table.json").mkdir(parents=True)
    first = Tournament(file, tmp_path / "cup")
    assert first.play(Played()) and not first.missing
    assert first.unwritten is not None and first.unwritten.errno == errno.EISDIR
    table.rmdir()
    again = Tournament(file, tmp_path / "cup")
    assert again.play(Played()) and again.unwritten is None
    assert json.loads(table.read_text())["complete"]


@pytest.mark.slow
def test_a_tournament_goes_on_after_a_match_whose_server_was_killed(tmp_path: Path) -> None:
    game = "game: {half_time: 1, kick_off_wait: 0.2}\nrounds: 2\n"
    file = written(tmp_path, TEAMS.replace("  - {name: Green, command: wave, players: 1}\n", game))
    first, second = (tmp_path / "cup" / fixture.name for fixture in fixtures(load_tournament(file)))
    words = [sys.executable, "-m", "simspark_ros.cli", "tournament", str(file), "--log", str(tmp_path / "cup")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        events = first / "events.jsonl"
        until(lambda: events.exists() and "kick_off" in events.read_text())
        children = psutil.Process(process.pid).children()
        next(child for child in children if "serve" in child.cmdline()).kill()
        output, _ = process.communicate(timeout=DEADLINE)
    assert "Traceback" not in output
    result = json.loads((first / "result.json").read_text())
    assert result["outcome"] == "aborted" and "status -9" in result["reason"] and result["left"]["crashes"] == []
    assert json.loads((second / "result.json").read_text())["outcome"] == "played"
    # The same command would play the first match again.
    cup = Tournament(load_tournament(file), tmp_path / "cup")
    assert [fixture.name for fixture in cup.missing] == [first.name]


def test_results_by_other_rules_are_refused_and_files_are_looked_for_beside_the_tournament(tmp_path):
    Tournament(load_tournament(written(tmp_path)), tmp_path / "cup").play(Played())
    other = load_tournament(written(tmp_path, TEAMS + "game: {half_time: 5}"))
    with pytest.raises(ConfigurationError, match=r"half_time None, not 5\.0"):
        Tournament(other, tmp_path / "cup")
    (tmp_path / "teams").mkdir()
    (tmp_path / "w.yaml").write_text("based_on: soccer\n")
    text = "teams: [{name: A, command: wave, directory: teams}, {name: B, command: wave}]\n"
    file = load_tournament(written(tmp_path, text + "game: {world: w.yaml, rules: msl}"))
    assert file.teams[0].directory == str(tmp_path / "teams")
    assert (file.game.world, file.game.rules) == (str(tmp_path / "w.yaml"), "msl")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("teams: []", "at least two"),
        ("teams: [{command: wave}, {name: B, command: wave}]", "'name' is missing"),
        ("teams: [{name: A, command: wave}, {name: A, command: wave}]", "'A'"),
        ("teams: [{name: A/B, command: wave}, {name: C, command: wave}]", "A/B"),
        ("teams: [{name: A, command: nothing-there}, {name: B, command: wave}]", "nothing-there"),
        ("teams: [{name: A, command: wave, directory: none}, {name: B, command: wave}]", "none"),
        (TEAMS + "rounds: 0", "rounds"),
        (TEAMS + "games: {}", "'games'"),
        (TEAMS + "game: {half_time: 9, changes: [rules.game.half_time=8]}", "give one of them"),
        (TEAMS + "points: {win: many}", "win"),
    ],
)
def test_a_mistake_in_the_file_is_named(text, named, tmp_path, refused):
    message = refused("tournament", written(tmp_path, text))
    assert "cup.yaml" in message and named in message


@pytest.mark.slow
def test_a_team_that_crashes_loses_its_matches_and_no_more(tmp_path, capsys):
    text = TEAMS.replace("name: Blue, command: wave", "name: Blue, command: 'false {unum}'")
    path = written(tmp_path, text + "game: {half_time: 0.5, kick_off_wait: 0.1, forfeit_after: 0.1}")
    assert main(["tournament", str(path)]) == 0
    values = json.loads((tmp_path / "cup" / "table.json").read_text())
    assert {row["team"]: row["points"] for row in values["table"]} == {"Red": 4, "Green": 4, "Blue": 0}
    assert "match 3 of 3" in capsys.readouterr().out
